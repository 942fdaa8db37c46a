// The JSON of search responses.

import { isObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { RawJson } from '../../common/json/raw-json.ts';
import type { Dialect } from '../../compat/dialect.ts';
import { describe, type ShardFailure } from '../../errors/search-errors.ts';
import type { SearchOutcome } from '../../search/search-shards.ts';
import type { SearchParameters } from '../core/search-parameters.ts';

/** `_shards` of a response. */
export function shardsJson(total: number, failures: readonly ShardFailure[], skipped = 0): MutableJsonObject {
  const json: MutableJsonObject = { total, successful: total - failures.length, skipped, failed: failures.length };
  if (failures.length > 0)
    json['failures'] = failures.map(({ shard, index, node, error }) => ({ shard, index, node, reason: describe(error) }));
  return json;
}

const DEFAULT_REDUCE_SIZE = 512;

/**
 * Number of reductions of shard results in batches of `size`, at least 2. A full batch is reduced to one result, which is the first of the next
 * batch. Results without hits and aggregations are only counted, in one step.
 */
function reducePhases({ shards, failures, isReduced }: SearchOutcome, size: number): number {
  const answers = shards - failures.length;
  if (!isReduced || answers <= size) return 1;
  return 2 + Math.floor((answers - size - 1) / (size - 1));
}

/** Body of `_search`. @param started  time at which the request arrived, as `performance.now()` */
export function searchJson(
  outcome: SearchOutcome,
  parameters: SearchParameters,
  dialect: Dialect,
  started: number,
  extra: MutableJsonObject = {},
): MutableJsonObject {
  const json: MutableJsonObject = { ...extra, took: Math.floor(performance.now() - started), timed_out: outcome.timedOut };
  if (outcome.terminatedEarly !== null) json['terminated_early'] = outcome.terminatedEarly;
  else if (outcome.isCount && dialect.showsUnterminated) json['terminated_early'] = false;
  else if (outcome.isCountedEarly && dialect.saysTerminatedWithAggregations) json['terminated_early'] = true;
  const phases = reducePhases(outcome, parameters.batchedReduceSize ?? DEFAULT_REDUCE_SIZE);
  if (phases > 1) json['num_reduce_phases'] = phases;
  json['_shards'] = shardsJson(outcome.shards, outcome.failures, outcome.skipped);
  const hits: MutableJsonObject = {};
  if (outcome.total) hits['total'] = parameters.totalHitsAsInt ? outcome.total.value : outcome.total;
  else if (parameters.totalHitsAsInt) hits['total'] = -1;
  hits['max_score'] = outcome.maxScore;
  hits['hits'] = outcome.hits;
  json['hits'] = hits;
  if (outcome.aggregations) json['aggregations'] = outcome.aggregations;
  if (parameters.totalHitsAsInt) for (const hit of outcome.hits) plainInnerTotals(hit['inner_hits']);
  if (parameters.totalHitsAsInt) plainInnerTotals(outcome.aggregations);
  if (outcome.suggest) json['suggest'] = outcome.suggest;
  if (outcome.profile) json['profile'] = outcome.profile;
  return json;
}

/** Replaces totals inside a response (`inner_hits`, `top_hits`) by plain numbers. @param json  changed in place, so it must not be cached */
export function plainInnerTotals(json: unknown): void {
  if (Array.isArray(json)) json.forEach(plainInnerTotals);
  if (!isObject(json) || json instanceof RawJson) return;
  for (const [key, value] of Object.entries(json as MutableJsonObject)) {
    const hits = key === 'hits' ? (value as MutableJsonObject | null)?.['hits'] : undefined;
    if (!Array.isArray(hits)) {
      plainInnerTotals(value);
      continue;
    }
    const found = value as MutableJsonObject;
    if (isObject(found['total'])) found['total'] = found['total']['value'];
    for (const hit of hits as MutableJsonObject[]) plainInnerTotals(hit['inner_hits']);
  }
}
