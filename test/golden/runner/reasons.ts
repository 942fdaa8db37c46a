// Why a case differs, as far as the first difference shows it: reasons for cases that come anew into the list of exceptions.
import type { Suite } from './suites.ts';

export const UNEXPLAINED = 'Unexplained';

const SCORE_FACTOR = 2.2;

export function reasonOf(suite: Suite, difference: string): string {
  if (!suite.startsWith('elasticsearch')) return UNEXPLAINED;
  const [, path = '', expected = '', actual = ''] = /^(.*?): expected (.*), got (.*)$/.exec(difference) ?? [];
  const [wanted, got] = [fractionOf(expected), fractionOf(actual)];
  if (path.includes('_ignored')) return 'Hits do not list `_ignored` fields';
  if (path.includes('metadata_field')) return 'Field capabilities do not say whether a field is a metadata field';
  if (path === 'status') return Number(actual) >= 400 ? 'Requests that are refused here' : 'Requests that are refused there';
  if (path.startsWith('body.error')) return 'Errors that are reported under another type, or by one of the two only';
  if (wanted !== null && got !== null && wanted === got) return 'Whole numbers of floating-point fields are written without `.0`';
  if (wanted !== null && got !== null && Math.abs(wanted / got / SCORE_FACTOR - 1) < 1e-5)
    return 'BM25 scores lack the factor k1 + 1 = 2.2';
  if (/score|explanation|body\.count|max_score/.test(path)) return 'Scores computed from BM25 scores, which lack the factor k1 + 1';
  if (/values\.|percentile|aggregations\.a\.value$/.test(path) && wanted !== null) return 'Percentiles are interpolated otherwise';
  if (actual === 'nothing') return 'Keys that are missing here';
  if (expected === 'nothing') return 'Keys that are missing there';
  return 'Other values';
}

/** A recorded `"f1.5"` or a plain number. */
function fractionOf(text: string): number | null {
  const match = /^(?:"f(.+)"|(-?\d+(?:\.\d+)?))$/.exec(text);
  return match ? Number(match[1] ?? match[2]) : null;
}
