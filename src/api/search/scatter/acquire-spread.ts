// The shards of a search over indices that no node of the cluster has together: those of this node with their snapshots, and where the others are.
import { setTimeout as sleep } from 'node:timers/promises';
import { HeldElsewhere } from '../../../errors/held-elsewhere.ts';
import { IndicesApart } from '../../../errors/indices-apart.ts';
import type { ShardFailure } from '../../../errors/search-errors.ts';
import { hasStartedCopy } from '../../../metadata/copies.ts';
import type { ResolvedIndex } from '../../../metadata/resolve.ts';
import type { SearchTarget } from '../../../search/run/search-environment.ts';
import type { EngineContext } from '../../core/context.ts';
import type { IndexState, ShardSnapshot } from '../../core/index-state.ts';
import { preferredShards } from '../preference.ts';
import {
  type AcquiredTargets,
  acquireOrNull,
  acquireTargets,
  type ShardChoice,
  targetOf,
  unavailableShard,
  visitedShards,
} from '../search-targets.ts';

/** How long a search waits for copies of all of its indices that may be searched: of new ones, and of those whose nodes are lost. */
const WAIT_MS = 10_000;
const PAUSE_MS = 100;
/** An action for which the metadata must contain all that was acknowledged. */
const READ_METADATA = 'indices:admin/get';

export interface DistantTarget {
  readonly uuid: string;
  readonly shard: number;
}

export interface SpreadTargets extends AcquiredTargets {
  /** By position in the search. Their targets have no segments. */
  readonly distant?: ReadonlyMap<number, DistantTarget>;
}

/**
 * As `acquireTargets`, also if no node has all indices.
 * @param anywhere  also if another node has all of them
 */
export function acquireSpread(
  ctx: EngineContext,
  indices: readonly ResolvedIndex[],
  choice: ShardChoice,
  anywhere = false,
): SpreadTargets | Promise<SpreadTargets> {
  try {
    return acquireTargets(ctx, indices, choice);
  } catch (error) {
    if (error instanceof IndicesApart || (anywhere && error instanceof HeldElsewhere)) return spread(ctx, indices, choice);
    throw error;
  }
}

/** Ids of the live nodes with a copy of the index that may be searched. */
export function holdersOf(ctx: EngineContext, uuid: string): string[] {
  return ctx.nodes.flatMap(({ id }) => (hasStartedCopy(ctx.cluster, uuid, id) ? [id] : []));
}

/** Applies what other nodes have acknowledged, if they can be reached. */
export async function readMetadata(ctx: EngineContext): Promise<void> {
  await ctx.catchUp(READ_METADATA)?.catch(() => undefined);
}

async function spread(ctx: EngineContext, indices: readonly ResolvedIndex[], choice: ShardChoice): Promise<SpreadTargets> {
  const until = performance.now() + WAIT_MS;
  const isSomewhere = ({ meta }: ResolvedIndex) => meta.state === 'close' || holdersOf(ctx, meta.uuid).length > 0;
  while (!indices.every(isSomewhere) && performance.now() < until) {
    await sleep(PAUSE_MS);
    await readMetadata(ctx);
  }
  const routing = choice.routing ?? null;
  const preferred = preferredShards(ctx, choice.preference);
  const snapshots: ShardSnapshot[] = [];
  const targets: SearchTarget[] = [];
  const distant = new Map<number, DistantTarget>();
  const unavailable: ShardFailure[] = [];
  const release = () => {
    for (const snapshot of snapshots) snapshot.release();
  };
  try {
    for (const { state, shard, own } of visitedShards(ctx, indices, routing)) {
      if (preferred && !preferred.has(shard)) continue;
      const { uuid, name } = state.meta;
      const holders = state.meta.state === 'close' ? [ctx.nodeId] : holdersOf(ctx, uuid);
      if (!holders.includes(ctx.nodeId) && holders.length > 0) {
        distant.set(targets.length, { uuid, shard });
        targets.push(targetOf(ctx, withoutSegments(state, shard), own));
        continue;
      }
      const snapshot = holders.length === 0 ? null : acquireOrNull(ctx, state, shard);
      if (snapshot === null) unavailable.push(unavailableShard(name, shard));
      else {
        snapshots.push(snapshot);
        targets.push(targetOf(ctx, snapshot, own));
      }
    }
  } catch (error) {
    release();
    throw error;
  }
  // Scrolls and points in time, which keep snapshots and filters, are not spread.
  return { targets, snapshots, filters: [], unavailable, release, ...(distant.size > 0 ? { distant } : {}) };
}

/** A shard of another node, for what depends on its index alone. */
function withoutSegments(index: IndexState, shard: number): ShardSnapshot {
  return { index, shard, generation: -1, segments: [], release: () => undefined };
}
