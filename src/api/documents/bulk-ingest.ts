// Ingest pipelines of the items of a bulk request. The body of a bulk request is read once, so that the whole request cannot move to a lane; an item whose
// pipelines take long goes there alone.
//   thread with a listener: ingestItem ── TooHeavy ──► ingestElsewhere(BulkItemPart) ──► lane: ingestPart ──► IngestedPart

import type { JsonObject } from '../../common/json/json-value.ts';
import { inTurn, isLane, MOVES, STAYS, TooHeavy } from '../../common/turns/turn.ts';
import { taskCancelledError } from '../../errors/catalog.ts';
import type { EngineContext } from '../core/context.ts';
import { NO_CONDITIONS, type WriteConditions } from '../core/write.ts';
import { hasPipelines, ingest, ingestUpsert } from '../ingest/ingest.ts';
import type { Item } from './bulk-items.ts';

/** What pipelines change of an item. */
export interface IngestedPart {
  readonly index: string;
  readonly id: string | null;
  readonly routing: string | null;
  /** The document as JSON text. */
  readonly source: string;
  readonly conditions: WriteConditions;
}

interface BulkItemPart extends IngestedPart {
  readonly pipeline: string | null;
  /** The source is the body of an update. */
  readonly isUpdate: boolean;
  readonly docAsUpsert: boolean;
}

/** Runs the pipelines of an item in a lane. null: the request was cancelled. @throws ApiError as `ingestPart`, and of lanes */
export type IngestElsewhere = (part: JsonObject) => Promise<{ readonly item: IngestedPart | null } | null>;

/** Whether pipelines may change, drop or refuse the item. */
export function hasItemPipelines(ctx: EngineContext, { operation, indexName, pipeline }: Item): boolean {
  return operation.source !== null && hasPipelines(ctx, indexName, operation.kind === 'update' ? null : pipeline);
}

/**
 * The item after its ingest pipelines; null if they drop it.
 * @param elsewhere  null to run them here, however long they take
 * @throws ApiError of a processor
 */
export async function ingestItem(ctx: EngineContext, item: Item, elsewhere: IngestElsewhere | null): Promise<Item | null> {
  const { operation: op } = item;
  if (op.source === null) return item;
  const given: Omit<BulkItemPart, 'source'> = {
    index: item.indexName,
    id: op.autoId ? null : op.id,
    routing: op.routing,
    conditions: conditionsOf(op),
    pipeline: item.pipeline,
    isUpdate: op.kind === 'update',
    docAsUpsert: op.docAsUpsert,
  };
  let changed: Changed | null;
  try {
    const { source } = op;
    changed = inTurn(elsewhere === null || isLane() ? STAYS : MOVES, () => ingested(ctx, given, source));
  } catch (error) {
    if (!(error instanceof TooHeavy) || elsewhere === null) throw error;
    const outcome = await elsewhere({ ...given, conditions: { ...given.conditions }, source: Buffer.from(op.source).toString() });
    if (outcome === null) throw taskCancelledError();
    changed = outcome.item && { ...outcome.item, source: Buffer.from(outcome.item.source) };
  }
  if (changed === null) return null;
  const { index, id, routing, source, conditions } = changed;
  if (source === op.source) return item;
  if (given.isUpdate) return { ...item, operation: { ...op, source } };
  return { ...item, indexName: index, operation: { ...op, id: id ?? op.id, autoId: id === null, routing, source, ...conditions } };
}

/** The lane's side of `ingestItem`. @throws ApiError of a processor */
export function ingestPart(ctx: EngineContext, part: JsonObject): IngestedPart | null {
  // biome-ignore lint/plugin: parts are made by `ingestItem` alone
  const { source, ...given } = part as unknown as BulkItemPart;
  const changed = ingested(ctx, given, Buffer.from(source));
  return changed && { ...changed, source: Buffer.from(changed.source).toString() };
}

type Changed = Omit<IngestedPart, 'source'> & { readonly source: Uint8Array };

function ingested(ctx: EngineContext, given: Omit<BulkItemPart, 'source'>, source: Uint8Array): Changed | null {
  const { index, id, routing, conditions, pipeline, isUpdate, docAsUpsert } = given;
  if (!isUpdate) return ingest(ctx, { index, id, routing, source, conditions }, pipeline);
  const changed = ingestUpsert(ctx, { index, id: id ?? '', routing }, source, docAsUpsert, NO_CONDITIONS);
  return changed && { index, id, routing, conditions, source: changed };
}

function conditionsOf({ version, versionType, ifSeqNo, ifPrimaryTerm }: WriteConditions): WriteConditions {
  return { version, versionType, ifSeqNo, ifPrimaryTerm };
}
