// Sends documents through ingest pipelines before they are indexed: the requested or default pipeline of the index, then its final one.

import { JsonSyntaxError } from '../../common/json/json-syntax-error.ts';
import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { parseBytesToWrite } from '../../common/json/source-numbers.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, jsonError, mapperParsingError } from '../../errors/catalog.ts';
import { IngestDocument, type IngestEnvironment, type Pipeline } from '../../ingest/ingest-document.ts';
import { compilePipeline } from '../../ingest/pipeline.ts';
import { ProcessorFailure, runPipeline } from '../../ingest/run-pipeline.ts';
import { resolveDateMathName } from '../../metadata/date-math-name.ts';
import { namesOfIndex } from '../../metadata/indices/data-streams.ts';
import { templatesFor } from '../../metadata/indices/templates.ts';
import type { EngineContext } from '../core/context.ts';
import { membersOf } from '../core/index-names.ts';
import { storedScript } from '../core/stored-script.ts';
import type { VersionType, WriteConditions } from '../core/write.ts';
import { lookUp } from './enrich-lookup.ts';

/** A document to index. */
export interface IngestItem {
  readonly index: string;
  /** null if it is generated later. */
  readonly id: string | null;
  readonly routing: string | null;
  readonly source: Uint8Array;
  readonly conditions: WriteConditions;
}

const NONE = '_none';
const compiled = new WeakMap<object, Pipeline>();

/** A stored pipeline, or null. It is compiled on first use. */
export function storedPipeline({ cluster, configFolders }: EngineContext, id: string): Pipeline | null {
  if (!Object.hasOwn(cluster.pipelines, id)) return null;
  const body = cluster.pipelines[id];
  let pipeline = compiled.get(body);
  if (!pipeline) compiled.set(body, (pipeline = compilePipeline(id, body, configFolders)));
  return pipeline;
}

export function ingestEnvironment(ctx: EngineContext): IngestEnvironment {
  return {
    pipeline: (id) => storedPipeline(ctx, id),
    storedScript: (id) => storedScript(ctx, id),
    enrich: (policy, value, options) => lookUp(ctx, policy, value, options),
  };
}

/** Names of the pipelines for an index; null for none. */
interface PipelineNames {
  readonly first: string | null;
  readonly final: string | null;
}

/** @param requested  replaces the index's default pipeline; `_none` disables it; null if the request names none */
function pipelinesOf(ctx: EngineContext, index: string, requested: string | null): PipelineNames {
  const settings = settingsOf(ctx, index);
  const named = (value: unknown) => (value === undefined || value === null || value === NONE ? null : String(value));
  return { first: named(requested ?? settings['index.default_pipeline']), final: named(settings['index.final_pipeline']) };
}

/** Settings of the index that a name means or, if it does not exist, of the templates from which it would be created. */
function settingsOf(ctx: EngineContext, name: string): Readonly<Record<string, unknown>> {
  const concrete = ctx.index(name);
  if (concrete) return concrete.meta.settings;
  const members = membersOf(ctx, name);
  const target =
    members.find((meta) => namesOfIndex(ctx.cluster, meta)[name].is_write_index === true) ?? (members.length === 1 ? members[0] : null);
  return target ? target.settings : templatesFor(ctx.cluster, name).parts.settings;
}

/** True if documents for this index go through a pipeline. */
export function hasPipelines(ctx: EngineContext, index: string, requested: string | null): boolean {
  const { first, final } = pipelinesOf(ctx, index, requested);
  return first !== null || final !== null;
}

/**
 * The document after its pipelines: the same object if there are none, null if they drop it.
 * @throws ApiError illegal_argument_exception: no such pipeline; the error of a processor
 */
export function ingest(ctx: EngineContext, item: IngestItem, requested: string | null): IngestItem | null {
  const { first, final } = pipelinesOf(ctx, item.index, requested);
  if (first === null && final === null) return item;
  const document = new IngestDocument(parseSource(item.source), metadataOf(item), ingestEnvironment(ctx));
  if (first !== null && !run(ctx, first, document)) return null;
  if (document.rerouted && !followRoutes(ctx, item.index, document)) return null;
  const target = indexOf(document);
  // A document that was sent to another index goes through the final pipeline of that index.
  const last = target === item.index ? final : pipelinesOf(ctx, target, NONE).final;
  if (last !== null) {
    if (!run(ctx, last, document)) return null;
    if (indexOf(document) !== target)
      throw new ApiError('illegal_state_exception', 500, `final pipeline [${last}] can't change the target index`);
  }
  return itemOf(document, item);
}

/** Runs the default pipelines of the indices that `reroute` processors name, one after the other. @returns false if one drops the document */
function followRoutes(ctx: EngineContext, origin: string, document: IngestDocument): boolean {
  const passed = [origin];
  while (document.rerouted) {
    document.rerouted = false;
    const target = indexOf(document);
    if (passed.includes(target)) {
      const id = String(document.metadata('_id'));
      throw new ApiError(
        'illegal_state_exception',
        500,
        `index cycle detected while processing pipelines for document [${id}]: [${[...passed, target].join(', ')}]`,
      );
    }
    passed.push(target);
    const { first } = pipelinesOf(ctx, target, null);
    if (first !== null && !run(ctx, first, document)) return false;
  }
  return true;
}

function run(ctx: EngineContext, id: string, document: IngestDocument): boolean {
  const pipeline = storedPipeline(ctx, id);
  if (!pipeline) throw illegalArgumentError(`pipeline with id [${id}] does not exist`);
  try {
    return runPipeline(pipeline, document);
  } catch (error) {
    throw error instanceof ProcessorFailure ? error.error : error;
  }
}

function parseSource(source: Uint8Array): JsonObject {
  let json: unknown;
  try {
    json = parseBytesToWrite(source);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw mapperParsingError('failed to parse', jsonError(error));
    throw error;
  }
  if (!isObject(json)) throw mapperParsingError('failed to parse');
  return json;
}

function metadataOf({ index, id, routing, conditions }: IngestItem): JsonObject {
  const { version, versionType, ifSeqNo, ifPrimaryTerm } = conditions;
  return {
    _index: index,
    _id: id,
    _routing: routing,
    _version: version,
    _version_type: version === null ? null : versionType,
    _if_seq_no: ifSeqNo,
    _if_primary_term: ifPrimaryTerm,
  };
}

function indexOf(document: IngestDocument): string {
  return resolveDateMathName(String(document.metadata('_index')), Date.now());
}

function itemOf(document: IngestDocument, item: IngestItem): IngestItem {
  const text = (name: '_id' | '_routing') => {
    const value = document.metadata(name);
    return value === null ? null : String(value);
  };
  const number = (name: '_version' | '_if_seq_no' | '_if_primary_term') => {
    const value = document.metadata(name);
    if (value === null) return null;
    if (!Number.isSafeInteger(Number(value))) throw illegalArgumentError(`field [${name}] must be a whole number, got [${String(value)}]`);
    return Number(value);
  };
  const versionType = document.metadata('_version_type') ?? item.conditions.versionType;
  if (versionType !== 'internal' && versionType !== 'external' && versionType !== 'external_gte')
    throw illegalArgumentError(`No version type match [${String(versionType)}]`);
  return {
    index: indexOf(document),
    id: text('_id'),
    routing: text('_routing'),
    source: Buffer.from(writeJson(document.source())),
    conditions: {
      version: number('_version'),
      versionType: versionType as VersionType,
      ifSeqNo: number('_if_seq_no'),
      ifPrimaryTerm: number('_if_primary_term'),
    },
  };
}

/**
 * The body of an update after pipelines have changed the document that it may create (`doc` with `doc_as_upsert`, otherwise `upsert`). Changes of
 * an existing document do not go through pipelines, as in bulk requests of Elasticsearch. null if the pipelines drop the document.
 */
export function ingestUpsert(
  ctx: EngineContext,
  target: { readonly index: string; readonly id: string; readonly routing: string | null },
  body: Uint8Array,
  docAsUpsert: boolean,
  conditions: WriteConditions,
): Uint8Array | null {
  if (!hasPipelines(ctx, target.index, null)) return body;
  let json: unknown;
  try {
    json = parseBytesToWrite(body);
  } catch {
    // The update reports the syntax error when it runs.
    return body;
  }
  if (!isObject(json)) return body;
  const key = docAsUpsert || json.doc_as_upsert === true ? 'doc' : 'upsert';
  if (!isObject(json[key])) return body;
  const item = ingest(ctx, { ...target, source: Buffer.from(writeJson(json[key])), conditions }, null);
  return item === null ? null : Buffer.from(writeJson({ ...json, [key]: parseBytesToWrite(item.source) }));
}
