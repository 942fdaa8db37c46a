// Runtime fields of type `lookup`: after a search, each of their inputs becomes a search for one document of another index.
import { isObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { RuntimeLookup } from '../../mapping/core/field-type.ts';
import type { PendingLookup } from '../../search/run/pending-lookup.ts';
import type { EngineContext } from '../core/context.ts';
import { runSearch } from './run-search.ts';
import { parseSearchBody } from './search-body.ts';
import { resolveSearch } from './search-call.ts';
import { acquireTargets } from './search-targets.ts';

/** Documents that one search may look up; equal inputs count once. */
const MAX_LOOKUPS = 10_000;

/**
 * Adds the fields of the documents found to the hits, in the order of the inputs.
 * @throws ApiError search_phase_execution_exception around the error of a lookup; illegal_argument_exception: more than 10,000 lookups
 */
export async function fetchLookups(ctx: EngineContext, pending: readonly PendingLookup[]): Promise<void> {
  if (pending.length === 0) return;
  const found = new Map<string, Promise<MutableJsonObject | null>>();
  for (const { hit, name, lookup, inputs } of pending) {
    const values: MutableJsonObject[] = [];
    for (const input of inputs) {
      const key = writeJson([lookup, input]);
      let document = found.get(key);
      if (!document) {
        if (found.size === MAX_LOOKUPS) throw illegalArgumentError(`[${name}] looks up more than [${MAX_LOOKUPS}] documents`);
        found.set(key, (document = lookUp(ctx, lookup, input)));
      }
      const fields = await document;
      if (fields !== null) values.push(fields);
    }
    if (values.length > 0) hit['fields'] = { ...(isObject(hit['fields']) ? hit['fields'] : {}), [name]: values };
  }
}

/** The fields of the first document with this value; null if there is none, or if it has none of the fields. */
async function lookUp(ctx: EngineContext, lookup: RuntimeLookup, input: unknown): Promise<MutableJsonObject | null> {
  const { targetIndex, targetField, fetchFields } = lookup;
  const body = { query: { term: { [targetField]: input } }, size: 1, _source: false, fields: fetchFields };
  try {
    const { request } = parseSearchBody(ctx, writeJson(body), false);
    const acquired = acquireTargets(ctx, resolveSearch(ctx, { expressions: [targetIndex] }), {});
    try {
      const { targets, unavailable } = acquired;
      const { hits } = await runSearch(ctx, { targets, unavailable, request, aggs: null, parameters: {}, nowMs: Date.now() });
      const fields = hits[0]?.['fields'];
      return isObject(fields) ? fields : null;
    } finally {
      acquired.release();
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError('search_phase_execution_exception', error.status, 'failed to fetch lookup fields', {
      details: { phase: 'fetch', grouped: true, failed_shards: [] },
      causedBy: error,
    });
  }
}
