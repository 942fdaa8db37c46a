// Where the operations of a shard become durable, in their order: the seam between a shard's writer and what keeps its operations. A node of its
// own keeps them in its store alone.
import type { LogEntry, Store } from '../store/store.ts';

export interface OperationLog {
  /**
   * Makes a batch durable, all or none of it, and puts it into the store of this node.
   * @returns undefined if it is done, else a promise
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
