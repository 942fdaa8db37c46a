// Document level security: the segments of a shard without the documents that a role query does not match. The matches of a segment are computed
// once and kept with it.
import { BoundedMap } from '../../common/bounded-map.ts';
import { planToBitset } from '../../plan/execute.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import type { Query } from '../../query/query.ts';
import { matchScope } from '../../search/compute/plan-scope.ts';
import { Planner } from '../../search/plan/planner.ts';
import { rewriteQuery } from '../../search/rewrite/rewrite.ts';
import { SegmentMatchRunner } from '../../search/run/match-runner.ts';
import { contextOf } from '../../search/shard/rewrite-context.ts';
import { ShardStatistics } from '../../search/shard/statistics.ts';
import { VisibleSegment } from '../../search/shard/visible-segment.ts';
import type { EngineContext } from '../core/context.ts';
import type { ShardSnapshot } from '../core/index-state.ts';
import { shardOf } from '../core/search-shard.ts';
import { storedScript } from '../core/stored-script.ts';
import { checkRoleQuery } from './role-query.ts';

/** Filters remembered per segment. Each takes a bit per document. */
const MAX_FILTERS = 32;

const bySegment = new WeakMap<SegmentReader, BoundedMap<string, VisibleSegment>>();

/** Limits that hide documents and fields. */
export interface SegmentLimits {
  /** Identifies these limits. */
  readonly key: string;
  /** null if all documents are visible. */
  readonly query: Query | null;
  /** An internal field that is hidden; null for none. */
  readonly hiddenField: string | null;
}

/** @param ctx  the engine without limits: the query of a role sees all fields. @throws ApiError the query does not fit the index */
export function visibleSegments(ctx: EngineContext, snapshot: ShardSnapshot, limits: SegmentLimits): readonly SegmentReader[] {
  let bits: ((segment: number) => Uint8Array) | null = null;
  return snapshot.segments.map((segment, i) => {
    let known = bySegment.get(segment);
    if (!known) bySegment.set(segment, (known = new BoundedMap(MAX_FILTERS)));
    let visible = known.get(limits.key);
    if (!visible) {
      if (limits.query !== null) bits ??= matcher(ctx, snapshot, limits.query);
      visible = new VisibleSegment(segment, bits?.(i) ?? null, limits.hiddenField);
      known.set(limits.key, visible);
    }
    return visible;
  });
}

/** Computes the bitset of matching documents, with their nested children, of a segment. */
function matcher(ctx: EngineContext, snapshot: ShardSnapshot, query: Query): (segment: number) => Uint8Array {
  checkRoleQuery(query);
  const shard = shardOf(ctx, snapshot);
  const context = contextOf(shard, { nowMs: Date.now(), storedScript: (id) => storedScript(ctx, id) });
  const rewritten = rewriteQuery(query, context);
  const statistics = new ShardStatistics(shard.segments);
  const planner = new Planner(statistics, statistics, shard.limits.maxClauseCount, new SegmentMatchRunner(shard.segments));
  return (index) => {
    const segment = shard.segments[index];
    const { kernels: k, maxDoc, rootDocsPtr } = segment;
    const plan = planner.plan(rewritten, matchScope(index));
    const bytes = Math.ceil(maxDoc / 512) * 64;
    const matches = k.scoped(() => {
      const ptr = k.reserve(bytes + 16, 64);
      k.u8.fill(0, ptr, ptr + bytes);
      planToBitset(k, { maxDoc, liveDocsPtr: 0, rootDocsPtr }, plan, ptr);
      return k.copyOut(ptr, bytes);
    });
    return rootDocsPtr === 0 ? matches : withChildren(segment, matches);
  };
}

/** The matching roots with their children, which precede them. */
function withChildren(segment: SegmentReader, matches: Uint8Array): Uint8Array {
  const visible = new Uint8Array(matches.length);
  for (let doc = 0; doc < segment.maxDoc; ) {
    const root = segment.rootOf(doc);
    const isMatch = ((matches[root >>> 3] >>> (root & 7)) & 1) === 1;
    for (; doc <= root; doc++) if (isMatch) visible[doc >>> 3] |= 1 << (doc & 7);
  }
  return visible;
}
