// `_enrich`: policies, which collect fields of indices into an index of their own, where the processor `enrich` looks them up.

import { parseJson } from '../../common/json/json-parse.ts';
import { isObject, type JsonObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { RawJson } from '../../common/json/raw-json.ts';
import { filterSource } from '../../common/json/source-filter.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, indexNotFoundError } from '../../errors/catalog.ts';
import { xContentParseError } from '../../errors/search-errors.ts';
import type { EnrichPolicy } from '../../metadata/cluster-state.ts';
import { enrichAlias, enrichPoliciesIn, enrichPolicyOf, policyNotFoundError } from '../../metadata/definitions/enrich-policies.ts';
import type { AliasAction } from '../../metadata/indices/aliases.ts';
import { checkIndexName } from '../../metadata/names.ts';
import { parseQuery } from '../../query/parse-query.ts';
import type { EngineContext } from '../core/context.ts';
import { membersOf } from '../core/index-names.ts';
import type { IndexState } from '../core/index-state.ts';
import { makeOperation, NO_CONDITIONS } from '../core/write.ts';
import { clearScrolls, continueScroll, startScroll } from '../search/contexts/scroll.ts';
import { resolveSearch } from '../search/search-call.ts';

const TYPES: readonly EnrichPolicy['type'][] = ['match', 'geo_match', 'range'];
const KEYS = ['indices', 'match_field', 'enrich_fields', 'query', 'elasticsearch_version', 'name'];
const BATCH = 1000;
const KEEP_ALIVE_MS = 5 * 60_000;
const MAX_POLICIES = 1000;

/** @param ctx  within the rights of the user to read @throws ApiError illegal_argument_exception, index_not_found_exception, security_exception */
export async function putEnrichPolicy(ctx: EngineContext, name: string, body: unknown): Promise<unknown> {
  try {
    checkIndexName(name);
  } catch (error) {
    if (error instanceof ApiError) throw illegalArgumentError(String(error.reason).replace('Invalid index name', 'Invalid policy name'));
    throw error;
  }
  const policy = readPolicy(body);
  if (Object.keys(ctx.cluster.enrichPolicies ?? {}).length >= MAX_POLICIES)
    throw illegalArgumentError(`there are already ${MAX_POLICIES} enrich policies`);
  checkSources(ctx, policy);
  return ctx.command('putEnrichPolicy', { name, policy });
}

function readPolicy(body: unknown): EnrichPolicy {
  if (!isObject(body)) throw new ApiError('parse_exception', 400, 'request body is required');
  const [type, ...others] = Object.keys(body);
  const supported = `supported types are [${TYPES.join(', ')}]`;
  const kind = TYPES.find((known) => known === type);
  if (kind === undefined || others.length > 0)
    throw illegalArgumentError(`unsupported policy type [${[type, ...others].join(', ')}], ${supported}`);
  const policy = body[kind];
  if (!isObject(policy)) throw xContentParseError(`[policy] Expected START_OBJECT but was: ${typeof policy}`);
  for (const key of Object.keys(policy)) if (!KEYS.includes(key)) throw xContentParseError(`[policy] unknown field [${key}]`);
  const missing = ['indices', 'match_field', 'enrich_fields'].filter((key) => policy[key] === undefined);
  if (missing.length > 0) throw illegalArgumentError(`Required [${missing.join(', ')}]`);
  const { match_field: matchField, query = null } = policy;
  if (typeof matchField !== 'string' || matchField === '')
    throw xContentParseError("[policy] match_field doesn't support this type of value");
  if (query !== null) parseQuery(query);
  return {
    type: kind,
    indices: textsOf(policy, 'indices'),
    matchField,
    enrichFields: textsOf(policy, 'enrich_fields'),
    query: isObject(query) ? query : null,
  };
}

function textsOf(policy: JsonObject, key: string): string[] {
  const list = [policy[key]].flat();
  if (list.length === 0 || list.some((item) => typeof item !== 'string')) throw xContentParseError(`[policy] [${key}] must be strings`);
  return list.map(String);
}

/** The indices that a policy reads and the caller may read. @throws ApiError */
function sourcesOf(ctx: EngineContext, { indices }: EnrichPolicy): IndexState[] {
  const found = resolveSearch(ctx, { expressions: indices }).flatMap(({ meta }) => ctx.index(meta.name) ?? []);
  if (found.length === 0) throw indexNotFoundError(indices.join(','));
  for (const index of found) {
    // Otherwise content hidden from the caller would be shown to every user of the policy.
    if (index.hidden)
      throw new ApiError('security_exception', 400, 'Enrich policies cannot read indices with field or document level security');
  }
  return found;
}

/** The type of the match field, in all indices the same, and its definition for a policy of ranges. */
function checkSources(ctx: EngineContext, policy: EnrichPolicy): { sources: IndexState[]; matchType: string } {
  const sources = sourcesOf(ctx, policy);
  const types = new Set<string>();
  for (const { meta, mapping } of sources) {
    const type = mapping.field(policy.matchField);
    if (!type) throw illegalArgumentError(`Could not find match field [${policy.matchField}] in the mapping of index [${meta.name}]`);
    types.add(type.typeName);
  }
  const [matchType, ...others] = types;
  if (policy.type === 'range' && (others.length > 0 || !matchType.endsWith('_range')))
    throw illegalArgumentError(
      `Field '${policy.matchField}' has type [${[...types].join(', ')}] which doesn't appear to be a range type: one type of range is required`,
    );
  if (policy.type === 'geo_match' && [...types].some((type) => type !== 'geo_point' && type !== 'geo_shape'))
    throw illegalArgumentError(`Field '${policy.matchField}' has type [${[...types].join(', ')}]; expected [geo_point] or [geo_shape]`);
  return { sources, matchType };
}

/** `{ policies: [{ config }] }`. @param names  names and patterns; null for all @throws ApiError resource_not_found_exception: a name is missing */
export function getEnrichPolicies({ cluster }: EngineContext, names: string | null): JsonObject {
  const all = Object.entries(cluster.enrichPolicies ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const patterns = names === null ? ['*'] : names.split(',');
  const shown = all.filter(([name]) => patterns.some((pattern) => matchesPattern(pattern, name)));
  return {
    policies: shown.map(([name, { type, indices, matchField, enrichFields, query }]) => ({
      config: {
        [type]: { name, indices, ...(query === null ? {} : { query }), match_field: matchField, enrich_fields: enrichFields },
      },
    })),
  };
}

/** Removes a policy and its indices. @throws ApiError resource_not_found_exception (404), status_exception (409): a pipeline uses it */
export async function deleteEnrichPolicy(ctx: EngineContext, name: string): Promise<unknown> {
  const { whole } = ctx;
  if (enrichPolicyOf(whole.cluster, name) === null) throw policyNotFoundError(name);
  const users = Object.entries(whole.cluster.pipelines).filter(([, body]) => enrichPoliciesIn(body).has(name));
  if (users.length > 0) {
    const ids = users.map(([id]) => id).join(', ');
    throw new ApiError('status_exception', 409, `Could not delete policy [${name}] because a pipeline is referencing it [${ids}]`);
  }
  const response = await ctx.command('deleteEnrichPolicy', { name });
  const indices = membersOf(whole, enrichAlias(name)).map((meta) => meta.name);
  if (indices.length > 0) await whole.command('deleteIndex', { indices });
  return response;
}

/** Names of the policies that are running in this thread. */
const executing = new Set<string>();

export function executingPolicies(): readonly string[] {
  return [...executing];
}

/**
 * Collects the documents of a policy into a new index, which replaces that of the last execution.
 * @param ctx  within the rights of the user to read
 * @throws ApiError resource_not_found_exception (404), es_rejected_execution_exception: it is running, and those of reads
 */
export async function executeEnrichPolicy(ctx: EngineContext, name: string): Promise<MutableJsonObject> {
  const policy = enrichPolicyOf(ctx.cluster, name);
  if (policy === null) throw policyNotFoundError(name);
  if (executing.has(name))
    throw new ApiError(
      'es_rejected_execution_exception',
      429,
      `Policy execution failed. Policy execution for [${name}] is already in progress.`,
    );
  executing.add(name);
  try {
    await collect(ctx, name, policy);
  } finally {
    executing.delete(name);
  }
  return { status: { phase: 'COMPLETE' } };
}

async function collect(ctx: EngineContext, name: string, policy: EnrichPolicy): Promise<void> {
  const { whole } = ctx;
  const { sources, matchType } = checkSources(ctx, policy);
  const index = `${enrichAlias(name)}-${Date.now()}`;
  await whole.command('createIndex', { index, body: bodyOf(name, policy, matchType, sources[0]) });
  try {
    await copy(ctx, index, policy);
    await whole.command('putSettings', { indices: [index], settings: { 'index.blocks.write': 'true' }, preserveExisting: false });
    const alias = enrichAlias(name);
    const old = membersOf(whole, alias).map((meta) => meta.name);
    const actions: AliasAction[] = [
      { kind: 'add', indices: [index], aliases: [alias], alias: { is_hidden: true } },
      ...(old.length > 0 ? [{ kind: 'removeIndex' as const, indices: old }] : []),
    ];
    await whole.command('updateAliases', { actions });
  } catch (error) {
    await whole.command('deleteIndex', { indices: [index] });
    throw error;
  }
}

function bodyOf(name: string, { type, matchField }: EnrichPolicy, matchType: string, source: IndexState): JsonObject {
  const definition = definitionOf(source.meta.mappings, matchField);
  const { format } = definition;
  const fields: Readonly<Record<EnrichPolicy['type'], JsonObject>> = {
    match: { type: 'keyword', doc_values: false },
    range: { type: matchType, doc_values: false, ...(matchType === 'date_range' && format !== undefined ? { format } : {}) },
    geo_match: { type: 'geo_shape' },
  };
  return {
    settings: { 'index.number_of_shards': 1, 'index.number_of_replicas': 0, 'index.refresh_interval': '-1', 'index.hidden': true },
    mappings: {
      dynamic: false,
      _meta: {
        enrich_readme: 'This index is managed by the enrich API and should not be modified in any way.',
        enrich_policy_name: name,
        enrich_policy_type: type,
        enrich_match_field: matchField,
      },
      properties: { [matchField]: fields[type] },
    },
  };
}

/** The definition of a field in a mapping; empty if it is not there under this name. */
function definitionOf(mappings: JsonObject, field: string): JsonObject {
  let at: unknown = mappings;
  for (const part of field.split('.')) at = isObject(at) && isObject(at.properties) ? at.properties[part] : undefined;
  return isObject(at) ? at : {};
}

/** Reads with the rights of the caller and writes with those of the node. */
async function copy(ctx: EngineContext, index: string, { indices, matchField, enrichFields, query }: EnrichPolicy): Promise<void> {
  const { whole } = ctx;
  const target = whole.index(index);
  if (!target) throw indexNotFoundError(index);
  const filter = { enabled: true, includes: [matchField, ...enrichFields], excludes: [] };
  const body = writeJson({ ...(query === null ? {} : { query }), size: BATCH, sort: ['_doc'] });
  let written = 0;
  let page = await startScroll(ctx, { indices: { expressions: indices }, parameters: { allowPartialResults: false }, body }, KEEP_ALIVE_MS);
  const scrollId = String(page._scroll_id);
  try {
    for (;;) {
      const { hits } = page.hits as { hits: JsonObject[] };
      if (hits.length === 0) break;
      const operations = hits.map(({ _source: source }) => ({
        ...makeOperation('index', String(written++), null, NO_CONDITIONS),
        source: Buffer.from(writeJson(filterSource(objectOf(source), filter, false))),
      }));
      const outcomes = await whole.write(target, 0, operations, 'false');
      const failed = outcomes.find((outcome) => !outcome.ok);
      if (failed)
        throw new ApiError('illegal_state_exception', 500, `Encountered bulk failures during reindex process: ${writeJson(failed)}`);
      page = await continueScroll(ctx, scrollId, KEEP_ALIVE_MS, false);
    }
  } finally {
    await clearScrolls(ctx, [scrollId]);
  }
  await whole.refresh(target);
}

function objectOf(source: unknown): MutableJsonObject {
  const json = source instanceof RawJson ? parseJson(source.text) : source;
  return isObject(json) ? json : {};
}
