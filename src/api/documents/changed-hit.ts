// What becomes of a hit of `_update_by_query` and `_reindex`: changed by a script, sent through ingest pipelines.

import { parseJson, parseJsonBytes } from '../../common/json-parse.ts';
import type { MutableJsonObject } from '../../common/json-value.ts';
import { writeJson } from '../../common/json-write.ts';
import { filterSource, type SourceFilter } from '../../common/source-filter.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgument } from '../../errors/catalog.ts';
import {
  compileUpdateScript,
  parseUpdateScript,
  runUpdateScript,
  type ScriptedPlace,
  type UpdateScript,
} from '../../scripting/update-script.ts';
import type { EngineContext } from '../core/context.ts';
import type { IndexState } from '../core/index-state.ts';
import { storedScript } from '../core/stored-script.ts';
import { makeOperation } from '../core/write.ts';
import { type IngestItem, ingest } from '../ingest/ingest.ts';
import { generateId } from './document-id.ts';
import type { ByQueryHit, PlannedWrite, RefusedWrite } from './run-by-query.ts';
import { routingThroughAlias } from './write-target.ts';

/** The pipeline that changed documents go through; null: the one of their index. */
export interface ByQueryPipeline {
  readonly name: string | null;
  /** The engine in which changed documents are written; the one that reads them may see other indices. */
  readonly engine: EngineContext;
  /** Asked about indices that a pipeline or a script sends documents to. */
  readonly refusalOf: (index: string) => ApiError | null;
}

/** The write of a document, sent through its pipelines first; null: they dropped it. */
export async function ingested(
  item: IngestItem,
  { name, engine, refusalOf }: ByQueryPipeline,
  indexFor: (name: string) => Promise<IndexState>,
  opType: 'index' | 'create',
): Promise<PlannedWrite | RefusedWrite | null> {
  let changed: IngestItem | null;
  try {
    changed = ingest(engine, item, name);
    const refusal = changed !== null && changed.index !== item.index ? refusalOf(changed.index) : null;
    if (refusal) throw refusal;
  } catch (error) {
    if (error instanceof ApiError) return { index: item.index, id: item.id ?? '', error };
    throw error;
  }
  if (changed === null) return null;
  const index = await indexFor(changed.index);
  const routing = routingThroughAlias(index, changed.index, changed.routing, 'index_routing');
  return {
    index,
    operation: { ...makeOperation(opType, changed.id ?? generateId(), routing, changed.conditions), source: changed.source },
  };
}

/** @throws ApiError illegal_argument_exception: the index keeps no source */
function sourceBytes(hit: ByQueryHit, filter: SourceFilter | null): Uint8Array {
  if (hit.source === null) throw illegalArgument(`[${hit.index}][${hit.id}] didn't store _source`);
  if (filter === null) return Buffer.from(hit.source.text);
  return Buffer.from(writeJson(filterSource(parseJson(hit.source.text) as MutableJsonObject, filter)));
}

/** What becomes of a hit. */
interface Changed {
  /** null: it is deleted. */
  readonly source: Uint8Array | null;
  readonly place: ScriptedPlace;
}

/** The hit after the script; null: nothing to do. @param canMove  the script may change where it goes @throws ApiError script_exception */
export function scripted(hit: ByQueryHit, script: UpdateScript | null, filter: SourceFilter | null, canMove: boolean): Changed | null {
  const bytes = sourceBytes(hit, filter);
  const { index, id, version, routing } = hit;
  if (script === null) return { source: bytes, place: hit };
  const source = parseJsonBytes(bytes) as MutableJsonObject;
  const outcome = runUpdateScript(script, { source, index, id, version, routing, nowMs: Date.now() }, 'index', { canMove });
  if (outcome.op === 'none') return null;
  return { source: outcome.op === 'delete' ? null : Buffer.from(writeJson(outcome.source)), place: outcome.place };
}

/** The script of a request body, compiled once to find its errors before anything is read. @throws ApiError script_exception */
export function readScript(ctx: EngineContext, value: unknown): UpdateScript | null {
  if (value === undefined || value === null) return null;
  const script = parseUpdateScript(value, (id) => storedScript(ctx, id));
  compileUpdateScript(script.source);
  return script;
}
