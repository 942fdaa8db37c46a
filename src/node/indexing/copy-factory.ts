// Makes the copies of an indexer's shards: the only ones, or those of a cluster.
import type { ShardIdentity } from '../../indexing/writer-environment.ts';
import type { SegmentFiles } from '../../store/segment-files.ts';
import type { Store } from '../../store/store.ts';
import type { Channel } from '../messages/channel.ts';
import type { FromIndexer, ToIndexer } from '../messages/messages.ts';
import type { NodeOptions } from '../threads/node-options.ts';
import type { FillProgress } from './copy-snapshots.ts';
import { type ShardHolds, shardKey } from './open-shard.ts';
import { type ShardCopy, SoleCopy } from './shard-copy.ts';

export interface CopyFactory {
  /** @param filled  how the copy was filled; null if it was not */
  make(identity: ShardIdentity, files: SegmentFiles, filled: FillProgress | null): ShardCopy | Promise<ShardCopy>;
  /** Replaces the contents of a closed copy by the newest snapshot, if there is one. */
  fill(identity: ShardIdentity, files: SegmentFiles, progress: FillProgress): Promise<void>;
  /** Ends what would delay the end of the node: copies that are being filled. */
  cancel(): void;
  close(): Promise<void>;
}

interface CopyFactoryParts {
  readonly options: NodeOptions;
  readonly store: Store;
  readonly main: Channel<FromIndexer, ToIndexer>;
  readonly holds: ShardHolds;
  readonly logError: (message: string, error: unknown) => void;
  /** A copy cannot follow its log. @param isRefillable  it can be filled anew */
  readonly onFailed: (identity: ShardIdentity, error: Error, isRefillable: boolean) => void;
}

/** @param number  of the indexer */
export async function makeCopies(
  { options, store, main, holds, logError, onFailed }: CopyFactoryParts,
  number: number,
): Promise<CopyFactory> {
  if (options.settings['cluster.nats.servers'].length === 0)
    return {
      make: (identity) => new SoleCopy(store, identity),
      fill: async () => undefined,
      cancel: () => undefined,
      close: async () => undefined,
    };
  const { ClusterCopies } = await import('./cluster-copies.ts');
  return ClusterCopies.connect(
    {
      options,
      store,
      ask: (node, request) => main.request({ type: 'askNode', node, request }) as Promise<Uint8Array | null>,
      refreshOthers: (uuid, shard) => main.request({ type: 'refreshOthers', uuid, shard }),
      committedOthers: (uuid, shard) => main.request({ type: 'committedOthers', uuid, shard }),
      hold: ({ uuid, shard }) => {
        holds.hold(shardKey(uuid, shard));
        return () => holds.release(shardKey(uuid, shard));
      },
      onSnapshotFailed: ({ index, shard }, error) => logError(`[${index}][${shard}] no snapshot for other copies was stored`, error),
      onFailed,
    },
    number,
  );
}
