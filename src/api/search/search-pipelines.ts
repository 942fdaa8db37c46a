// Search pipelines: processors that change a search before it runs (filter_query, oversample) and its hits afterwards (rename_field, sort, split,
// collapse, truncate_hits). Processors of fields are ingest processors that run on the sources of the hits.

import { parseJson, parseJsonBytes } from '../../common/json/json-parse.ts';
import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { RawJson } from '../../common/json/raw-json.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { IngestDocument } from '../../ingest/ingest-document.ts';
import { compileStep } from '../../ingest/pipeline.ts';
import { ProcessorConfig } from '../../ingest/processor-config.ts';
import { ProcessorFailure, runStep } from '../../ingest/run-pipeline.ts';
import { parseQuery } from '../../query/parse-query.ts';
import type { EngineContext } from '../core/context.ts';
import { parseJsonText } from '../core/json-text.ts';
import { ingestEnvironment } from '../ingest/ingest.ts';
import { search } from './search.ts';
import { resolveSearch, type SearchCall } from './search-call.ts';

/** State that request processors pass on to response processors. */
interface Attributes {
  originalSize: number | null;
}

type RequestProcessor = (body: JsonObject, attributes: Attributes) => JsonObject;
type ResponseProcessor = (ctx: EngineContext, hits: JsonObject[], attributes: Attributes) => JsonObject[];

interface SearchPipeline {
  readonly request: readonly RequestProcessor[];
  readonly response: readonly ResponseProcessor[];
}

const KEYS = ['description', 'version', 'request_processors', 'response_processors', 'phase_results_processors'];
const DEFAULT_SIZE = 10;
const compiled = new WeakMap<object, SearchPipeline>();

// ------------------------------------------------------------------------------------------------------------ metadata

/** @throws ApiError parse_exception: the pipeline cannot be built */
export function putSearchPipeline(ctx: EngineContext, id: string, body: unknown): Promise<unknown> {
  if (!isObject(body)) throw parseError('request body is required');
  compile(id, body);
  return ctx.command('putSearchPipeline', { id, body });
}

/** Pipelines by id. @param ids  names and patterns; null for all. @returns null if `ids` is given and matches none */
export function getSearchPipelines({ cluster }: EngineContext, ids: string | null): JsonObject | null {
  const patterns = ids === null ? ['*'] : ids.split(',');
  const found = Object.entries(cluster.searchPipelines ?? {}).filter(([id]) => patterns.some((pattern) => matchesPattern(pattern, id)));
  return found.length === 0 && ids !== null ? null : Object.fromEntries(found);
}

/** @throws ApiError resource_not_found_exception (404) */
export function deleteSearchPipeline(ctx: EngineContext, id: string): Promise<unknown> {
  return ctx.command('deleteSearchPipeline', { id });
}

// ------------------------------------------------------------------------------------------------------------- compile

function parseError(reason: string): ApiError {
  return new ApiError('parse_exception', 400, reason);
}

function compile(id: string, body: JsonObject): SearchPipeline {
  for (const key of Object.keys(body))
    if (!KEYS.includes(key)) throw parseError(`pipeline [${id}] doesn't support one or more provided configuration parameters [${key}]`);
  const list = (name: string): unknown[] => {
    const value = body[name] ?? [];
    if (!Array.isArray(value)) throw parseError(`[${name}] property isn't a list`);
    return value;
  };
  if (list('phase_results_processors').length > 0) throw illegalArgumentError('[phase_results_processors] are not supported');
  return { request: list('request_processors').map(requestProcessor), response: list('response_processors').map(responseProcessor) };
}

function processorIn(value: unknown): { type: string; config: ProcessorConfig; body: JsonObject } {
  if (!isObject(value) || Object.keys(value).length !== 1) throw parseError('a processor is an object with its type as the only key');
  const [[type, body]] = Object.entries(value);
  if (!isObject(body)) throw parseError(`[${type}] property isn't a map`);
  const config = new ProcessorConfig(type, body);
  for (const key of ['tag', 'description']) config.optionalText(key);
  return { type, config, body };
}

function finish<T>(config: ProcessorConfig, made: T): T {
  const left = config.left();
  if (left.length === 0) return made;
  throw config.error(null, `processor [${config.type}] doesn't support one or more provided configuration parameters [${left.join(', ')}]`);
}

function requestProcessor(value: unknown): RequestProcessor {
  const { type, config } = processorIn(value);
  const ignoreFailure = config.boolean('ignore_failure');
  const made = onRequest(type, config);
  return !ignoreFailure ? made : (body, attributes) => orUnchanged(body, () => made(body, attributes));
}

function onRequest(type: string, config: ProcessorConfig): RequestProcessor {
  switch (type) {
    case 'filter_query': {
      const filter = config.required('query');
      parseQuery(filter);
      return finish(config, (body: JsonObject) => {
        const must = body.query === undefined ? [] : [body.query];
        return { ...body, query: { bool: { must, filter: [filter] } } };
      });
    }
    case 'oversample': {
      const factor = Number(config.required('sample_factor'));
      if (!(factor >= 1)) throw config.error('sample_factor', 'Value must be >= 1.0');
      return finish(config, (body: JsonObject, attributes: Attributes) => {
        const size = Math.trunc(Number(body.size ?? DEFAULT_SIZE));
        if (!Number.isInteger(size)) throw illegalArgumentError(`Failed to parse int parameter [size] with value [${String(body.size)}]`);
        attributes.originalSize = size;
        return { ...body, size: Math.ceil(size * factor) };
      });
    }
    default:
      throw parseError(`Invalid processor type ${type}`);
  }
}

/** Response processors that run an ingest processor on the sources of the hits: its type by theirs. */
const ON_SOURCES: Readonly<Record<string, string>> = { rename_field: 'rename', sort: 'sort', split: 'split' };

function responseProcessor(value: unknown): ResponseProcessor {
  const { type, config, body } = processorIn(value);
  if (Object.hasOwn(ON_SOURCES, type)) return onSources(ON_SOURCES[type], body);
  const ignoreFailure = config.boolean('ignore_failure');
  const made = onHits(type, config);
  return !ignoreFailure ? made : (ctx, hits, attributes) => orUnchanged(hits, () => made(ctx, hits, attributes));
}

/** The result of a processor, or its input if it fails (`ignore_failure`). */
function orUnchanged<T>(given: T, change: () => T): T {
  try {
    return change();
  } catch (error) {
    if (error instanceof ApiError) return given;
    throw error;
  }
}

function onHits(type: string, config: ProcessorConfig): ResponseProcessor {
  switch (type) {
    case 'truncate_hits': {
      const size = config.take('target_size');
      return finish(config, (_ctx: EngineContext, hits: JsonObject[], { originalSize }: Attributes) => {
        const target = size === undefined ? originalSize : Number(size);
        if (target === null) throw illegalArgumentError('Must specify target_size unless an earlier processor set original_size');
        return hits.slice(0, target);
      });
    }
    case 'collapse': {
      const field = config.text('field');
      return finish(config, (ctx: EngineContext, hits: JsonObject[]) => {
        const seen = new Set<string>();
        return hits.filter((hit) => {
          const document = documentOf(ctx, hit);
          if (!document.has(field)) throw illegalArgumentError(`Document ${String(hit._id)} is missing field ${field}`);
          const key = writeJson(document.get(field));
          return !seen.has(key) && seen.add(key);
        });
      });
    }
    default:
      throw parseError(`Invalid processor type ${type}`);
  }
}

function onSources(type: string, body: JsonObject): ResponseProcessor {
  const step = compileStep({ [type]: body });
  return (ctx, hits) =>
    hits.map((hit) => {
      if (hit._source === undefined) return hit;
      const document = documentOf(ctx, hit);
      try {
        runStep(step, document);
      } catch (error) {
        throw error instanceof ProcessorFailure ? error.error : error;
      }
      return { ...hit, _source: document.source() };
    });
}

function documentOf(ctx: EngineContext, { _source: source }: JsonObject): IngestDocument {
  const json = source instanceof RawJson ? parseJson(source.text) : source;
  return new IngestDocument(isObject(json) ? json : {}, {}, ingestEnvironment(ctx));
}

// ----------------------------------------------------------------------------------------------------------------- run

/** `_search` with the requested pipeline, or the default pipeline of the index. @param requested  `_none` for no pipeline; null for the default */
export async function searchThrough(ctx: EngineContext, call: SearchCall, requested: string | null): Promise<JsonObject> {
  const id = requested ?? defaultOf(ctx, call);
  if (id === null || id === '_none') return search(ctx, call);
  const pipelines = ctx.cluster.searchPipelines ?? {};
  if (!Object.hasOwn(pipelines, id)) throw illegalArgumentError(`Pipeline ${id} is not defined`);
  let pipeline = compiled.get(pipelines[id]);
  if (!pipeline) compiled.set(pipelines[id], (pipeline = compile(id, pipelines[id])));
  if (pipeline.request.length > 0 && call.parameters.query !== undefined)
    throw illegalArgumentError('the parameter [q] cannot be used with a search pipeline that has request processors');
  const attributes: Attributes = { originalSize: null };
  const changedCall =
    pipeline.request.length === 0 ? call : { ...call, body: changedBody(call.body, pipeline, attributes), askHelpers: null };
  if (pipeline.response.length === 0) return search(ctx, changedCall);
  // Bypasses the cache, whose responses have their hits as JSON text.
  const answer = await search(ctx, { ...changedCall, parameters: { ...call.parameters, requestCache: false } });
  const { hits } = answer as { hits: JsonObject };
  const changed = pipeline.response.reduce((list, processor) => processor(ctx, list, attributes), hits.hits as JsonObject[]);
  return { ...answer, hits: { ...hits, hits: changed } };
}

function changedBody(given: SearchCall['body'], { request }: SearchPipeline, attributes: Attributes): string {
  const body = given === null ? {} : typeof given === 'string' ? parseJsonText(given) : parseJsonBytes(given);
  if (!isObject(body)) throw parseError('request body must be an object');
  return writeJson(request.reduce((changed, processor) => processor(changed, attributes), body));
}

/** `index.search.default_pipeline` if one index is searched, otherwise null. */
function defaultOf(ctx: EngineContext, call: SearchCall): string | null {
  if (Object.keys(ctx.cluster.searchPipelines ?? {}).length === 0) return null;
  const [target, ...others] = resolveSearch(ctx, call.indices);
  const name = target && others.length === 0 ? target.meta.settings['index.search.default_pipeline'] : undefined;
  return typeof name === 'string' ? name : null;
}
