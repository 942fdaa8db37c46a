// How `_update_by_query` and `_reindex` change a hit: by a script, then by ingest pipelines.

import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { filterSource, type SourceFilter } from '../../common/json/source-filter.ts';
import { parseToWrite } from '../../common/json/source-numbers.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import {
  compileUpdateScript,
  parseUpdateScript,
  runUpdateScript,
  type ScriptedPlace,
  type UpdateScript,
} from '../../scripting/update-script.ts';
import type { EngineContext } from '../core/context.ts';
import type { IndexState } from '../core/index-state.ts';
import { routingThroughAlias } from '../core/read-target.ts';
import { storedScript } from '../core/stored-script.ts';
import { makeOperation } from '../core/write.ts';
import { type IngestItem, ingest } from '../ingest/ingest.ts';
import type { ByQueryHit, PlannedWrite, RefusedWrite } from './by-query-batch.ts';
import { generateId } from './document-id.ts';
import { inTimeSeries } from './time-series.ts';
import { checkStreamWrite } from './write-target.ts';

/** The ingest pipeline for changed documents. A null name stands for the default pipeline of their index. */
export interface ByQueryPipeline {
  readonly name: string | null;
  /** The engine that writes changed documents; the one that reads them may see other indices. */
  readonly engine: EngineContext;
}

/** The write of a document after its pipelines; null if they drop it. @param keepsId  the document replaces the one that it was read from */
export async function ingested(
  item: IngestItem,
  { name, engine }: ByQueryPipeline,
  indexFor: (name: string) => Promise<IndexState>,
  opType: 'index' | 'create',
  keepsId: boolean,
): Promise<PlannedWrite | RefusedWrite | null> {
  const failed = (error: unknown): RefusedWrite => {
    if (error instanceof ApiError) return { index: item.index, id: item.id ?? '', error };
    throw error;
  };
  let changed: IngestItem | null;
  try {
    changed = ingest(engine, item, name);
  } catch (error) {
    return failed(error);
  }
  if (changed === null) return null;
  let index: IndexState;
  try {
    index = await indexFor(changed.index);
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return failed(error);
    throw error;
  }
  checkStreamWrite(engine, index, changed.index, { kind: opType, routing: changed.routing, ifSeqNo: changed.conditions.ifSeqNo });
  const routing = routingThroughAlias(index, changed.index, changed.routing, 'index_routing');
  const made = { ...makeOperation(opType, changed.id ?? generateId(), routing, changed.conditions), source: changed.source };
  try {
    // A document from another index gets the id of its series.
    return { index, operation: index.routing.isTimeSeries && !keepsId ? inTimeSeries(index, { ...made, autoId: true }) : made };
  } catch (error) {
    return failed(error);
  }
}

/** @throws ApiError illegal_argument_exception: the index does not store sources */
function sourceBytes(hit: ByQueryHit, filter: SourceFilter | null): Buffer {
  if (hit.source === null) throw illegalArgumentError(`[${hit.index}][${hit.id}] didn't store _source`);
  if (filter === null) return Buffer.from(hit.source.text);
  return Buffer.from(writeJson(filterSource(parseToWrite(hit.source.text) as MutableJsonObject, filter, false)));
}

/** A hit after the script. */
interface Changed {
  /** null to delete the document. */
  readonly source: Uint8Array | null;
  readonly place: ScriptedPlace;
}

/** Applies the script; null if it decides to do nothing. @param canMove  the script may change index, id and routing @throws ApiError script_exception */
export function scripted(hit: ByQueryHit, script: UpdateScript | null, filter: SourceFilter | null, canMove: boolean): Changed | null {
  const bytes = sourceBytes(hit, filter);
  const { index, id, version, routing } = hit;
  if (script === null) return { source: bytes, place: hit };
  const source = parseToWrite(bytes.toString('utf8')) as MutableJsonObject;
  const outcome = runUpdateScript(script, { source, index, id, version, routing, nowMs: Date.now() }, 'index', { canMove });
  if (outcome.op === 'none') return null;
  return { source: outcome.op === 'delete' ? null : Buffer.from(writeJson(outcome.source)), place: outcome.place };
}

/** The script of a request body. Compiled here once, so that its errors are found before anything is read. @throws ApiError script_exception */
export function readScript(ctx: EngineContext, value: unknown): UpdateScript | null {
  if (value === undefined || value === null) return null;
  const script = parseUpdateScript(value, (id) => storedScript(ctx, id));
  compileUpdateScript(script.source);
  return script;
}
