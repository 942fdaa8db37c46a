// Ingest pipelines as metadata: put, get, delete; and their simulation on documents.
import { isObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { isJsonObject } from '../../common/json/source-numbers.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { IngestDocument, type Pipeline } from '../../ingest/ingest-document.ts';
import { compilePipeline } from '../../ingest/pipeline.ts';
import { notExecutedError } from '../../ingest/processors/enrich.ts';
import { simulate, simulateVerbosely } from '../../ingest/simulate.ts';
import { enrichPoliciesIn } from '../../metadata/definitions/enrich-policies.ts';
import { GROK_PATTERNS } from '../../scripting/extraction/patterns.ts';
import type { EngineContext } from '../core/context.ts';
import { isExecuted } from './enrich-lookup.ts';
import { ingestEnvironment, storedPipeline } from './ingest.ts';

const MAX_SIMULATED = 10_000;

/** @throws ApiError parse_exception, script_exception: the pipeline does not compile */
export function putPipeline(ctx: EngineContext, id: string, body: unknown): Promise<unknown> {
  if (!isObject(body)) throw parseError('request body is required');
  compilePipeline(id, body, ctx.configFolders);
  for (const policy of enrichPoliciesIn(body)) if (!isExecuted(ctx, policy)) throw notExecutedError(policy);
  return ctx.command('putPipeline', { id, body });
}

/** Pipelines by id. @param ids  names and patterns; null for all. @returns null if `ids` is given and matches none */
export function getPipelines({ cluster }: EngineContext, ids: string | null): MutableJsonObject | null {
  const patterns = ids === null ? ['*'] : ids.split(',');
  const found = Object.entries(cluster.pipelines).filter(([id]) => patterns.some((pattern) => matchesPattern(pattern, id)));
  return found.length === 0 && ids !== null ? null : Object.fromEntries(found);
}

/** @throws ApiError resource_not_found_exception (404) */
export function deletePipeline(ctx: EngineContext, id: string): Promise<unknown> {
  return ctx.command('deletePipeline', { id });
}

/** `{ docs }`. @param id  a stored pipeline; null if the body contains the pipeline */
export function simulatePipeline(ctx: EngineContext, id: string | null, body: unknown, isVerbose: boolean): MutableJsonObject {
  if (!isJsonObject(body)) throw parseError('request body is required');
  const pipeline = id === null ? pipelineIn(ctx, body) : storedPipeline(ctx, id);
  if (!pipeline) throw illegalArgumentError(`pipeline [${id}] does not exist`);
  if (body.docs === undefined) throw parseError('[docs] required property is missing');
  if (!Array.isArray(body.docs)) throw parseError('[docs] property is not a list');
  if (body.docs.length === 0) throw illegalArgumentError('must specify at least one document in [docs]');
  if (body.docs.length > MAX_SIMULATED) throw illegalArgumentError(`more than ${MAX_SIMULATED} documents in [docs]`);
  const env = ingestEnvironment(ctx);
  const documents = body.docs.map((doc) => {
    if (!isJsonObject(doc)) throw illegalArgumentError('malformed [docs] section, should include an inner object');
    if (!isJsonObject(doc._source)) throw parseError('[_source] required property is missing');
    const metadata: MutableJsonObject = { _index: textOf(doc, '_index') ?? '_index', _id: textOf(doc, '_id') ?? '_id' };
    for (const name of ['_routing', '_version', '_version_type', '_if_seq_no', '_if_primary_term'])
      if (doc[name] !== undefined && doc[name] !== null) metadata[name] = doc[name];
    return new IngestDocument(doc._source, metadata, env);
  });
  const run = isVerbose ? simulateVerbosely : simulate;
  return { docs: documents.map((document) => run(pipeline, document)) };
}

function pipelineIn({ configFolders }: EngineContext, body: MutableJsonObject): Pipeline {
  if (body.pipeline === undefined) throw parseError('[pipeline] required property is missing');
  if (!isJsonObject(body.pipeline)) throw parseError("[pipeline] property isn't a map");
  return compilePipeline('_simulate_pipeline', body.pipeline, configFolders);
}

function textOf(doc: MutableJsonObject, name: string): string | null {
  const value = doc[name];
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean' || Array.isArray(value) || isJsonObject(value))
    throw parseError(`[${name}] property isn't a string or int`);
  return String(value);
}

function parseError(reason: string): ApiError {
  return new ApiError('parse_exception', 400, reason);
}

/** Databases of addresses on this node. Nothing is downloaded, so the counters of downloads stay 0. */
export function geoipStats({ configFolders, nodeId }: EngineContext): MutableJsonObject {
  const databases = configFolders('ingest-geoip')
    .list()
    .filter((name) => name.endsWith('.mmdb'));
  return {
    stats: {
      successful_downloads: 0,
      failed_downloads: 0,
      total_download_time: 0,
      databases_count: 0,
      skipped_updates: 0,
      expired_databases: 0,
    },
    nodes: databases.length === 0 ? {} : { [nodeId]: { config_databases: databases } },
  };
}

/** The built-in grok patterns by name. @param sorted  true to sort by name, false for the original order */
export function grokPatterns(sorted: boolean): Readonly<Record<string, string>> {
  return sorted ? Object.fromEntries(Object.entries(GROK_PATTERNS).toSorted(([a], [b]) => (a < b ? -1 : 1))) : GROK_PATTERNS;
}
