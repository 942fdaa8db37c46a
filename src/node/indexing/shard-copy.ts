// The copy of a shard on this node for its indexer: the target of writes, the synchronization of reads, and refreshes on other nodes.
import { Packr } from 'msgpackr';
import type { CopyRecovery } from '../../api/core/context.ts';
import type { WriteOperation } from '../../api/core/write.ts';
import { type OperationLog, StoreLog } from '../../indexing/operation-log.ts';
import type { ShardOutcome } from '../../indexing/shard-operation.ts';
import type { ShardWriter } from '../../indexing/shard-writer.ts';
import type { ShardIdentity } from '../../indexing/writer-environment.ts';
import type { Store } from '../../store/store.ts';

const packr = new Packr({ int64AsType: 'number' });

export function unpackOperations(packed: Uint8Array): WriteOperation[] {
  return packr.unpack(packed) as WriteOperation[];
}

export function packOutcomes(outcomes: readonly ShardOutcome[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(packr.pack(outcomes));
}

export function unpackOutcomes(packed: Uint8Array): ShardOutcome[] {
  return packr.unpack(packed) as ShardOutcome[];
}

export interface ShardCopy {
  readonly log: OperationLog;
  /** How the copy was filled; null if it was opened from the store of this node. */
  readonly recovery: CopyRecovery | null;
  /** Position of the shared log up to which the store has been committed; 0 without a shared log. */
  readonly committed: number;
  /** To be called when the writer has recovered. */
  start(writer: ShardWriter): void;
  /** @param primary  id of the node with the primary; null if none is assigned */
  usePrimary(primary: string | null): void;
  /** Performs a write, here or on the node with the primary. @param packed  WriteOperations */
  write(packed: Uint8Array): Promise<ShardOutcome[]>;
  /** Like `write`, for another node. @throws NotPrimaryError */
  writeHere(packed: Uint8Array): Promise<ShardOutcome[]>;
  /** Waits until the copy has every write that was acknowledged before the call; undefined if it has them. */
  sync(): undefined | Promise<void>;
  /** Whether reads may use the copy as it is after `sync` has failed. */
  readonly mayBeStale: boolean;
  /** Makes all other nodes refresh the operations acknowledged before the call; undefined if there are none. */
  refreshOthers(): undefined | Promise<void>;
  /** The progress that readers compare with their snapshot: for later operations they ask the indexer. */
  progressOf(writer: ShardWriter): number;
  /** Stores how far the copy has read the log. */
  saveProgress(): void;
  /** Stores a snapshot for other copies in the background, and trims the log, if both are due. */
  snapshotIfDue(): void;
  /** The copy is removed from this node. */
  forget(): void;
  close(): void;
}

/** The only copy of a shard. */
export class SoleCopy implements ShardCopy {
  readonly log: OperationLog;
  readonly mayBeStale = false;
  readonly recovery = null;
  readonly committed = 0;
  #writer: ShardWriter | null = null;

  constructor(store: Store, { log }: ShardIdentity) {
    this.log = new StoreLog(store, log);
  }

  start(writer: ShardWriter): void {
    this.#writer = writer;
  }

  write(packed: Uint8Array): Promise<ShardOutcome[]> {
    if (this.#writer === null) throw new Error('a write before the shard is open');
    return this.#writer.apply(unpackOperations(packed));
  }

  writeHere(packed: Uint8Array): Promise<ShardOutcome[]> {
    return this.write(packed);
  }

  progressOf(writer: ShardWriter): number {
    return writer.maxSeqNo;
  }

  usePrimary(): void {}
  sync(): undefined {}
  refreshOthers(): undefined {}
  saveProgress(): void {}
  snapshotIfDue(): void {}
  forget(): void {}
  close(): void {}
}
