// One search on several threads. A search in a lane shares the segments of its shards with lanes that are idle; each helper gets the same
// request, takes the same snapshots, and sends what it finds in the parts that it claims (help-search.ts).
import { deserialize } from 'node:v8';
import type { SearchRequest } from '../../search/request/search-request.ts';
import { numbersOfRanges } from '../../search/run/document-ranges.ts';
import type { SearchTarget } from '../../search/run/search-environment.ts';
import { type PartOutcome, SegmentSharing, type SharedSegments, shareSegments } from '../../search/run/shared-segments.ts';
import { documentsOf } from './search-targets.ts';

/** Sends a part of a search to idle lanes. Resolves with what each of them found, without those that failed. */
export type AskHelpers = (shared: SharedSegments) => Promise<readonly Uint8Array[]>;

/** Fewer documents are searched before a helper has begun. */
const MIN_DOCUMENTS = 50_000;

/** Asks for help. null if the search is too small, or of a form whose segments depend on each other or on the thread. */
export function shareSearch(
  targets: readonly SearchTarget[],
  request: SearchRequest,
  nowMs: number,
  ask: AskHelpers,
): SegmentSharing | null {
  if (!isShareable(request) || documentsOf(targets) < MIN_DOCUMENTS) return null;
  const shards = targets.map(({ shard }) => ({
    uuid: shard.uuid,
    shard: shard.shard,
    generation: shard.generation,
    ranges: numbersOfRanges(shard, request),
  }));
  if (shards.length === 1 && shards[0].ranges.length < 2 && shards[0].ranges[0] === 1) return null;
  const shared = shareSegments(shards, nowMs);
  return new SegmentSharing(
    shared,
    ask(shared).then((found) => found.flatMap((bytes) => deserialize(bytes) as PartOutcome[])),
  );
}

function isShareable(request: SearchRequest): boolean {
  const { rank, knn, suggest, terminateAfter, collapse, slice, pit, profile, runtimeMappings, indicesBoost, sort } = request;
  if (rank !== null || collapse !== null || slice !== null || pit !== null || runtimeMappings !== null) return false;
  if (knn.length > 0 || suggest.length > 0 || indicesBoost.length > 0 || sort.some(({ by }) => by === 'script')) return false;
  return terminateAfter === 0 && !profile;
}
