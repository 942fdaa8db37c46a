// Why a case differs, as far as the first difference shows it: reasons for cases that come anew into the list of exceptions.
import type { Suite } from './suites.ts';

export const UNEXPLAINED = 'Unexplained';

export function reasonOf(suite: Suite, difference: string): string {
  if (!suite.startsWith('elasticsearch')) return UNEXPLAINED;
  const [, path = '', expected = '', actual = ''] = /^(.*?): expected (.*), got (.*)$/.exec(difference) ?? [];
  const wanted = fractionOf(expected);
  if (path.includes('metadata_field')) return 'Field capabilities do not say whether a field is a metadata field';
  if (path === 'status') return Number(actual) >= 400 ? 'Requests that are refused here' : 'Requests that are refused there';
  if (path.startsWith('body.error')) return 'Errors that are reported under another type, or by one of the two only';
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
