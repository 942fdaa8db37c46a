// bucket_correlation with `count_correlation`: how far the documents of a term, counted in buckets of a metric, follow the metric (the indicator).
import { isObject } from '../../common/json/json-value.ts';
import { illegalArgumentError } from '../errors.ts';
import { Params } from '../params.ts';

/** Expected values of the metric in each bucket. */
interface Indicator {
  readonly expectations: readonly number[];
  /** Share of all documents in each bucket. */
  readonly fractions: readonly number[];
  /** Documents from which the expectations were computed. */
  readonly docCount: number;
}

/** Reads `function`. @throws ApiError illegal_argument_exception, x_content_parse_exception */
export function parseCorrelation(p: Params): (counts: readonly number[]) => number {
  const given = p.object('function');
  if (given === null) throw illegalArgumentError('Required [function]');
  const kinds = Object.keys(given);
  if (kinds.length !== 1 || kinds[0] !== 'count_correlation')
    throw illegalArgumentError(`[bucket_correlation] unknown function [${kinds.join(', ')}], expected [count_correlation]`);
  const body = new Params('count_correlation', given.count_correlation);
  const inner = body.object('indicator');
  body.done();
  if (!isObject(inner)) throw illegalArgumentError('Required [indicator]');
  const indicator = indicatorOf(new Params('indicator', inner));
  return (counts) => correlationOf(counts, indicator);
}

function indicatorOf(p: Params): Indicator {
  const expectations = p.numbers('expectations');
  const fractions = p.numbers('fractions');
  const docCount = p.integer('doc_count');
  p.done();
  if (expectations === null || docCount === null)
    throw illegalArgumentError(`Required [${expectations === null ? 'expectations' : 'doc_count'}]`);
  if (expectations.length < 2) throw illegalArgumentError('[expectations] must have a length of at least [2]');
  if (fractions !== null && fractions.length !== expectations.length)
    throw illegalArgumentError(
      `[fractions] must have the same length as [expectations], got [${fractions.length}] and [${expectations.length}]`,
    );
  if (docCount <= 0) throw illegalArgumentError(`[doc_count] must be greater than [0], got [${docCount}]`);
  return { expectations, fractions: fractions ?? expectations.map(() => 1 / expectations.length), docCount };
}

/**
 * Pearson's correlation, over all documents, of the expected metric and of having the term.
 * @throws ApiError illegal_argument_exception: other buckets than expectations, or more documents than the indicator has
 */
function correlationOf(counts: readonly number[], { expectations, fractions, docCount }: Indicator): number {
  if (counts.length !== expectations.length)
    throw illegalArgumentError(
      `value lengths do not match; indicator.expectations [${expectations.length}] and number of buckets [${counts.length}]. Unable to calculate correlation`,
    );
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total > docCount)
    throw illegalArgumentError(
      `buckets_path must refer to a _count metric whose sum [${total}] is at most the [doc_count] of the indicator [${docCount}]`,
    );
  const mean = expectations.reduce((sum, value, i) => sum + value * fractions[i], 0);
  const variance = expectations.reduce((sum, value, i) => sum + fractions[i] * (value - mean) ** 2, 0);
  const share = total / docCount;
  // In each bucket, `fractions[i]` of all documents are expected, `counts[i]` of which have the term.
  const covariance = expectations.reduce((sum, value, i) => sum + (value - mean) * (counts[i] / docCount - share * fractions[i]), 0);
  return covariance / Math.sqrt(variance * share * (1 - share));
}
