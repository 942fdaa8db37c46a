// What nodes of a cluster send each other for a search over shards of several nodes: the request for a part of it, and what was found.
//   asked node   PartRequest ─────────────────────────► node with the shards   (search-part.ts)
//                DistantOutcome[] ◄── encoded PartReply
import { deserialize, serialize } from 'node:v8';
import type { ReadKind, ReadResults } from '../../../aggs/reduce/segment-reads.ts';
import type { MutableJsonObject } from '../../../common/json/json-value.ts';
import { writeJson } from '../../../common/json/json-write.ts';
import { RawJson } from '../../../common/json/raw-json.ts';
import { ApiError, type ApiErrorData } from '../../../errors/api-error.ts';
import type { PartHit, PartOfSearch, PartShard } from '../../../search/part-search.ts';
import type { DistantOutcome, DistantReads, DistantSegmentResults } from '../../../search/run/distant-shards.ts';
import type { ShardHit, ShardHits } from '../../../search/run/shard-hits.ts';
import type { SearchParameters } from '../../core/search-parameters.ts';
import type { SearchIndices } from '../search-call.ts';

/** A type, not an interface: it is the part of a request (src/rest/core/lane.ts). */
export type PartRequest = {
  readonly kind: 'search';
  /** As the search was requested: each node resolves the names, with the rights of the user. */
  readonly indices: SearchIndices;
  readonly parameters: SearchParameters;
  readonly body: string;
  /** In the order of the search. */
  readonly shards: ReadonlyArray<{ readonly uuid: string; readonly shard: number }>;
  /** Whether shards that cannot match are skipped. */
  readonly isFiltered: boolean;
  /** The value of `now`. */
  readonly nowMs: number;
  readonly opaqueId: string | null;
};

/** Asks for what the reduction of aggregations reads of segments as a part has searched them. */
export type ReadRequest = Omit<PartRequest, 'kind' | 'shards'> & {
  readonly kind: 'read';
  /** Of the reply to the part. */
  readonly context: string;
  /** `position` is that of the shard in the part. */
  readonly wanted: readonly DistantReads[];
};

/** Nothing more is read of the segments of a part. */
export type CloseRequest = { readonly kind: 'close'; readonly context: string };

/** Parallel to `wanted` and its reads. */
export type ReadReply = ReadonlyArray<ReadonlyArray<ReadResults[ReadKind]>>;

/** What was found in a part with the context that keeps its segments for further reads, or which of its shards this node does not have. */
export type PartReply = (PartOfSearch & { readonly context: string | null }) | { readonly missing: readonly number[] };

type EncodedShard =
  | {
      readonly kind: 'found';
      readonly found: Omit<ShardHits, 'hits'>;
      readonly segments: readonly DistantSegmentResults[] | null;
      readonly profile: string | null;
    }
  | { readonly kind: 'skipped' }
  | { readonly kind: 'failed'; readonly error: ApiErrorData };

interface EncodedHit extends Omit<PartHit, 'fetched'> {
  /** Members of the hit with their JSON. */
  readonly members: ReadonlyArray<readonly [name: string, json: string]> | null;
  readonly error: ApiErrorData | null;
}

type EncodedReply =
  | { readonly context: string | null; readonly shards: readonly EncodedShard[]; readonly hits: readonly EncodedHit[] }
  | { readonly missing: readonly number[] };

export function encodeReply(reply: PartReply): Uint8Array {
  if ('missing' in reply) return serialize(reply);
  const encoded: EncodedReply = {
    context: reply.context,
    shards: reply.shards.map(encodedShard),
    hits: reply.hits.map(({ fetched, ...hit }) =>
      fetched instanceof ApiError
        ? { ...hit, members: null, error: fetched.toData() }
        : { ...hit, members: membersOf(fetched), error: null },
    ),
  };
  return serialize(encoded);
}

function encodedShard(shard: PartShard): EncodedShard {
  if (shard.kind === 'failed') return { kind: 'failed', error: shard.error.toData() };
  return shard.kind === 'skipped' ? shard : { ...shard, profile: shard.profile && writeJson(shard.profile) };
}

function membersOf(hit: MutableJsonObject): [string, string][] {
  return Object.entries(hit).flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, writeJson(value)]]));
}

/** Members that requests read which search internally; the others go into the response as they are. */
const READ_MEMBERS: ReadonlySet<string> = new Set(['_index', '_id', '_version', '_seq_no', '_primary_term', '_routing']);

function hitOf(members: NonNullable<EncodedHit['members']>): MutableJsonObject {
  return Object.fromEntries(members.map(([name, json]) => [name, READ_MEMBERS.has(name) ? JSON.parse(json) : new RawJson(json)]));
}

/**
 * @param positions  of the shards of the part, in the search
 * @returns the outcome of each, or the positions in the search of those that the node does not have
 */
export function decodeReply(
  bytes: Uint8Array,
  positions: readonly number[],
  node: string,
): { readonly outcomes: readonly DistantOutcome[]; readonly context: string | null } | { readonly missing: readonly number[] } {
  const reply = deserialize(bytes) as EncodedReply;
  if ('missing' in reply) return { missing: reply.missing.map((at) => positions[at]) };
  const hits = positions.map((): ShardHit[] => []);
  for (const { members, error, group, ...hit } of reply.hits) {
    const fetched = members === null ? errorOf(error) : hitOf(members);
    hits[hit.shard].push({ ...hit, shard: positions[hit.shard], distant: { fetched, group } });
  }
  const outcomes = reply.shards.map((shard, at): DistantOutcome => {
    const position = positions[at];
    if (shard.kind === 'failed') return { position, kind: 'failed', node, error: ApiError.fromData(shard.error) };
    if (shard.kind === 'skipped') return { position, kind: 'skipped' };
    const profile = shard.profile === null ? null : new RawJson(shard.profile);
    const { found, segments } = shard;
    return { position, kind: 'found', found: { ...found, hits: hits[at] }, segments, profile };
  });
  return { outcomes, context: reply.context };
}

function errorOf(error: ApiErrorData | null): ApiError {
  return error === null ? new ApiError('illegal_state_exception', 500, 'a hit without contents') : ApiError.fromData(error);
}
