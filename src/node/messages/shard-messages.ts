// Requests of readers to the indexer of a shard, on this node or on another one of the cluster.
import type { Refresh } from '../../api/core/write.ts';

/** Reader -> indexer, requests. `operations` are WriteOperations packed by msgpackr. */
export type ShardRequest =
  | {
      readonly type: 'write';
      readonly uuid: string;
      readonly shard: number;
      readonly operations: Uint8Array;
      readonly refresh: Refresh;
      /** `traceparent` of the request; undefined if it is not traced. */
      readonly trace: string | undefined;
    }
  | { readonly type: 'locate'; readonly uuid: string; readonly shard: number; readonly docId: string }
  | { readonly type: 'refresh'; readonly uuid: string; readonly shard: number; readonly trace: string | undefined }
  | { readonly type: 'flush'; readonly uuid: string; readonly shard: number; readonly force: boolean }
  | {
      readonly type: 'forceMerge';
      readonly uuid: string;
      readonly shard: number;
      readonly maxNumSegments: number;
      readonly onlyExpungeDeletes: boolean;
    }
  /** The newest version of a document, for another node. */
  | { readonly type: 'document'; readonly uuid: string; readonly shard: number; readonly docId: string }
  | { readonly type: 'stats'; readonly uuid: string; readonly shard: number };
