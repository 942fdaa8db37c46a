// Makes the operations of a shard durable, in order: the interface between a shard's writer and the storage of its operations. A single
// node stores them in its own store only.
import { ApiError } from '../errors/api-error.ts';
import type { LogEntry, Store } from '../store/store.ts';

export interface OperationLog {
  /**
   * Makes a batch durable, all or none of it, and puts it into the store of this node.
   * @returns undefined if it is done when the call returns, otherwise a promise
   * @throws ApiError, at once or by the promise: the batch is refused, and nothing of it is in the store
   */
  append(entries: readonly LogEntry[]): undefined | Promise<void>;
}

/** The log of a shard that has a copy on this node only. */
export class StoreLog implements OperationLog {
  readonly #store: Store;
  readonly #log: number;

  /** @param log  number of the shard's log in the store */
  constructor(store: Store, log: number) {
    this.#store = store;
    this.#log = log;
  }

  append(entries: readonly LogEntry[]): undefined {
    this.#store.append(this.#log, entries);
  }
}

/** This copy may not write to the shard any more: another one has become the primary. Nothing was written. */
export class NotPrimaryError extends ApiError {
  constructor(where: { readonly index: string; readonly shard: number }) {
    super('shard_not_in_primary_mode_exception', 503, `[${where.index}][${where.shard}] is not the primary`);
  }
}

/** The log did not answer, so it is unknown whether it contains the write. The service must not repeat it. */
export class UnknownOutcomeError extends ApiError {
  constructor(where: { readonly index: string; readonly shard: number }) {
    super(
      'unavailable_shards_exception',
      503,
      `[${where.index}][${where.shard}] the log of the cluster does not answer: it is not known whether the write was accepted`,
      { details: { index: where.index, shard: String(where.shard) } },
    );
  }
}
