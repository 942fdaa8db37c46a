// `_profile/compare`: which of two searches is faster, and why. Elasticsearch has no such API.
import type { PairLimits } from '../../api/search/paired-runs.ts';
import { type ComparedSearches, compareProfiles } from '../../api/search/profile-compare.ts';
import { isObject } from '../../common/json/json-value.ts';
import { parseDurationMs } from '../../common/text/time-unit.ts';
import { illegalArgumentError, parsingError } from '../../errors/catalog.ts';
import { defineApi, INDICES_OPTIONS, type RestContext } from '../core/api.ts';
import { objectBody } from '../core/object-body.ts';
import { indicesOf } from '../core/params/search-params.ts';
import type { ApiRequest } from '../core/request.ts';
import { type ApiResponse, ok } from '../core/response.ts';

const DEFAULT_MAX_MS = 2000;
/** Well below the time after which a lane is ended. */
const LONGEST_MS = 8000;
const MAX_ROUNDS = 10_000;
const DEFAULT_PRECISION = 0.02;
const LEAST_PRECISION = 0.001;
const KEYS = ['a', 'b', 'max_time', 'max_rounds', 'precision'];

export const profileCompareApi = defineApi({
  name: 'profile_compare',
  body: 'json!',
  needs: 'indices:data/read/search',
  params: INDICES_OPTIONS,
  routes: { 'POST /_profile/compare': compare, 'POST /{index}/_profile/compare': compare },
});

/** 200 `{ took, rounds, stopped_by, ratio, same_hits, counters, a, b }`. @throws ApiError parsing_exception, illegal_argument_exception */
async function compare(request: ApiRequest, { engine }: RestContext): Promise<ApiResponse> {
  const body = objectBody(request);
  for (const key of Object.keys(body)) if (!KEYS.includes(key)) throw parsingError(`[profile_compare] unknown field [${key}]`);
  const searches: ComparedSearches = { a: searchOf(body, 'a'), b: searchOf(body, 'b') };
  return ok(await compareProfiles(engine, { indices: indicesOf(request), mobility: request.mobility }, searches, limitsOf(body)));
}

function searchOf(body: Record<string, unknown>, key: 'a' | 'b'): ComparedSearches['a'] {
  const search = body[key];
  if (!isObject(search)) throw parsingError(`[profile_compare] needs the body of a search as [${key}]`);
  if (search['pit'] !== undefined) throw illegalArgumentError(`[pit] is not supported in [${key}]: name the indices instead`);
  return search;
}

function limitsOf(body: Record<string, unknown>): PairLimits {
  const { max_time: maxTime = null, max_rounds: maxRounds = MAX_ROUNDS, precision = DEFAULT_PRECISION } = body;
  const maxMs = maxTime === null ? DEFAULT_MAX_MS : typeof maxTime === 'string' ? parseDurationMs(maxTime) : null;
  if (maxMs === null || maxMs <= 0 || maxMs > LONGEST_MS)
    throw illegalArgumentError(`[max_time] must be a duration of at most [${LONGEST_MS / 1000}s], got [${String(maxTime)}]`);
  if (typeof maxRounds !== 'number' || !Number.isInteger(maxRounds) || maxRounds < 1 || maxRounds > MAX_ROUNDS)
    throw illegalArgumentError(`[max_rounds] must be from 1 to ${MAX_ROUNDS}, got [${String(maxRounds)}]`);
  if (typeof precision !== 'number' || !(precision >= LEAST_PRECISION && precision <= 1))
    throw illegalArgumentError(`[precision] must be from ${LEAST_PRECISION} to 1, got [${String(precision)}]`);
  return { maxMs, maxRounds, precision };
}
