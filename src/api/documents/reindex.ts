// `_reindex`: copies the documents that a query finds into another index.

import type { SourceFilter } from '../../common/json/source-filter.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { ScriptedPlace, UpdateScript } from '../../scripting/update-script.ts';
import { refusalOf } from '../core/index-names.ts';
import type { IndexState } from '../core/index-state.ts';
import { routingThroughAlias } from '../core/read-target.ts';
import { makeOperation, NO_CONDITIONS, type WriteConditions } from '../core/write.ts';
import type { ByQueryHit, ByQuerySource, ByQueryWork } from './by-query-batch.ts';
import { type ByQueryPipeline, ingested, scripted } from './changed-hit.ts';
import { writeIndex } from './write-target.ts';

export interface ReindexDestination {
  readonly index: string;
  readonly opType: 'index' | 'create';
  /** `external` copies the versions of the source documents. */
  readonly versionType: 'internal' | 'external' | 'external_gte';
  /** `keep`, `discard`, or `=value` for all documents. */
  readonly routing: string;
}

/** Copies hits. @param write  resolves the destination; called for the first document, so that no index is created if nothing matches */
export function reindex(
  source: ByQuerySource,
  destination: ReindexDestination,
  { filter, script, pipeline }: { filter: SourceFilter | null; script: UpdateScript | null; pipeline: ByQueryPipeline },
  write: () => Promise<IndexState>,
): ByQueryWork {
  let target: Promise<IndexState> | null = null;
  const indexFor = (name: string) => (name === destination.index ? (target ??= write()) : writeIndex(pipeline.engine, name, false));
  const plan: ByQueryWork['plan'] = async (hit) => {
    const changed = scripted(hit, script, filter, true);
    if (changed === null) return null;
    const { index: name, id, routing: given } = placeInDestination(hit, changed.place, destination);
    const conditions = conditionsOf(hit, changed.place, destination);
    if (changed.source === null) {
      const refusal = refusalOf(pipeline.engine, name);
      if (refusal) return { index: name, id: hit.id, error: refusal };
      const index = await indexFor(name);
      return {
        index,
        operation: makeOperation('delete', id ?? hit.id, routingThroughAlias(index, name, given, 'index_routing'), conditions),
      };
    }
    return ingested({ index: name, id, routing: given, source: changed.source, conditions }, pipeline, indexFor, destination.opType, false);
  };
  return { source, plan, kinds: ['updated', 'created', 'deleted'] };
}

/** Values that the script did not change are those of the destination. */
function placeInDestination(hit: ByQueryHit, { index, id, routing }: ScriptedPlace, destination: ReindexDestination) {
  const { routing: command } = destination;
  const given = command === 'keep' ? hit.routing : command === 'discard' ? null : command.slice(1);
  return { index: index === hit.index ? destination.index : index, id, routing: routing === hit.routing ? given : routing };
}

/** @throws ApiError illegal_argument_exception: the script sets a version, but the destination uses internal versions */
function conditionsOf(hit: ByQueryHit, { version }: ScriptedPlace, { versionType }: ReindexDestination): WriteConditions {
  if (version === null || (versionType === 'internal' && version === hit.version)) return NO_CONDITIONS;
  if (versionType === 'internal') throw illegalArgumentError('[_version] can be set by a script only with an external [version_type]');
  return { ...NO_CONDITIONS, version, versionType };
}
