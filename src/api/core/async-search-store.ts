// Interface of the stored asynchronous searches of a node.

/** An asynchronous search: running, or complete with its outcome. */
export interface AsyncSearch {
  readonly id: string;
  /** The user or API key that started it; empty without users. */
  readonly owner: string;
  readonly startMs: number;
  readonly expirationMs: number;
  /** The task that runs it; null when it is complete. */
  readonly task: number | null;
  readonly completionMs: number | null;
  /** Shards to search. */
  readonly shards: number;
  /** Status of the outcome; null while it runs. */
  readonly status: number | null;
  /** Body of the response, or error object, as JSON text; null while it runs. */
  readonly response: string | null;
  readonly error: string | null;
}

/** Searches by id, on disk. Expired ones do not exist. */
export interface AsyncSearchStore {
  /** Adds or replaces a search. @throws ApiError too_many_requests: the store is full */
  put(search: AsyncSearch): Promise<void>;
  get(id: string): Promise<AsyncSearch | null>;
  /** @returns false if there was none */
  delete(id: string): Promise<boolean>;
}
