// `_delete_by_query` and `_update_by_query`.

import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { UpdateScript } from '../../scripting/update-script.ts';
import type { EngineContext } from '../core/context.ts';
import type { IndexState } from '../core/index-state.ts';
import { makeOperation, NO_CONDITIONS } from '../core/write.ts';
import type { ByQuerySource, ByQueryWork } from './by-query-batch.ts';
import { type ByQueryPipeline, ingested, scripted } from './changed-hit.ts';
import { writeIndex } from './write-target.ts';

/** `_delete_by_query`. */
export function deleteByQuery(ctx: EngineContext, source: ByQuerySource): ByQueryWork {
  return {
    source: { ...source, body: { ...source.body, _source: false } },
    plan: (hit) => ({
      index: stateOf(ctx, hit.index),
      operation: makeOperation('delete', hit.id, hit.routing, { ...NO_CONDITIONS, ifSeqNo: hit.seqNo, ifPrimaryTerm: hit.primaryTerm }),
    }),
    kinds: ['deleted'],
  };
}

/** `_update_by_query`: writes every hit again, changed by the script, or unchanged without a script so that a new mapping takes effect. */
export function updateByQuery(
  ctx: EngineContext,
  source: ByQuerySource,
  script: UpdateScript | null,
  pipeline: ByQueryPipeline,
): ByQueryWork {
  const plan: ByQueryWork['plan'] = async (hit) => {
    const conditions = { ...NO_CONDITIONS, ifSeqNo: hit.seqNo, ifPrimaryTerm: hit.primaryTerm };
    const changed = scripted(hit, script, null, false);
    if (changed === null) return null;
    const index = stateOf(ctx, hit.index);
    // The hidden fields would be lost.
    if (index.hidden?.fields)
      throw new ApiError('security_exception', 400, "Can't execute an update by query request if field level security is enabled");
    if (changed.source === null) return { index, operation: makeOperation('delete', hit.id, hit.routing, conditions) };
    const item = { index: hit.index, id: hit.id, routing: hit.routing, source: changed.source, conditions };
    const indexFor = async (name: string) => (name === hit.index ? index : writeIndex(pipeline.engine, name, false));
    return ingested(item, pipeline, indexFor, 'index', true);
  };
  return { source, plan, kinds: ['updated', 'deleted'] };
}

function stateOf(ctx: EngineContext, name: string): IndexState {
  const index = ctx.index(name);
  if (!index) throw illegalArgumentError(`index [${name}] was deleted`);
  return index;
}
