// A hit for the parts of the fetch phase.
import { parseJsonBytes } from '../../common/json/json-parse.ts';
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import type { IndexQuery } from '../index-query/index-query.ts';
import type { PreparedShard } from '../run/prepared-shard.ts';
import type { ShardHit } from '../run/shard-hits.ts';
import type { SearchShard, ShardDocument } from '../shard/search-shard.ts';

/** A shard after the query phase. */
export interface FetchShard {
  readonly shard: SearchShard;
  readonly prepared: PreparedShard;
  /** Subqueries with a `_name`. */
  readonly named: ReadonlyArray<{ readonly name: string; readonly query: IndexQuery }>;
  readonly scriptFields: readonly ScriptField[];
}

/** The shard of a hit. Only shards with a result have hits. */
export function fetchShardOf(shards: readonly (FetchShard | null)[], { shard }: ShardHit): FetchShard {
  const at = shards[shard];
  if (!at) throw new RangeError(`no result of shard ${shard}`);
  return at;
}

/** Adds something to a hit: highlights, inner hits, explanations. */
export type FetchPart = (target: FetchTarget, hit: MutableJsonObject) => void;

export interface FetchTarget {
  readonly at: FetchShard;
  readonly segment: SegmentReader;
  readonly hit: ShardHit;
  readonly document: ShardDocument;
  /** The parsed source. Parsed on the first call only. */
  source(): MutableJsonObject;
}

/** Computes a script field of a hit and adds it to its `fields`. */
export type ScriptField = (target: FetchTarget, fields: MutableJsonObject) => void;

/** The stored document of a hit. */
export function documentOf(shard: SearchShard, segment: SegmentReader, docId: number): ShardDocument {
  const document = shard.record(segment.seqNo(docId));
  if (!document) {
    throw new ApiError('illegal_state_exception', 500, `no record of document ${docId} in [${shard.index}][${shard.shard}]`);
  }
  return document;
}

/** Returns a function that parses the source of a document when it is first called. */
export function lazySource(document: ShardDocument): () => MutableJsonObject {
  let parsed: MutableJsonObject | null = null;
  return () => (parsed ??= document.source ? (parseJsonBytes(document.source) as MutableJsonObject) : {});
}
