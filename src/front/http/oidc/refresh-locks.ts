// Lets one event loop at a time refresh a session: a provider that replaces refresh tokens ends a session whose old token it receives again.
import { onNews, tellLoops } from '../../zone/bus.ts';
import { SharedTable } from '../../zone/table.ts';

/** Sessions that can be refreshed at once. A full table drops the oldest lock. */
const CAPACITY = 4096;
/** A lock is void after this time, which is longer than all requests of a refresh together. */
const MAX_HELD_MS = 300_000;

export class RefreshLocks {
  readonly #topic: string;
  /** time when the lock ends, by session */
  readonly #held: SharedTable;
  readonly #waiting = new Map<string, (() => void)[]>();

  /** To be called while the configuration is read. @param name  of the provider */
  constructor(name: string) {
    this.#topic = `oidc:refresh:${name}`;
    this.#held = new SharedTable(this.#topic, CAPACITY, 1);
    onNews<string>(this.#topic, (id) => this.#wake(id));
  }

  /** @returns false if the session is being refreshed */
  take(id: string): boolean {
    const held = this.#held;
    return held.locked(() => {
      const record = held.take(id);
      if (held.data[record] > Date.now()) return false;
      held.data[record] = Date.now() + MAX_HELD_MS;
      return true;
    });
  }

  /** Called once the refreshed session is stored. */
  release(id: string): void {
    const held = this.#held;
    held.locked(() => {
      const record = held.find(id);
      if (record >= 0) held.remove(record);
    });
    this.#wake(id);
    tellLoops(this.#topic, id);
  }

  /** Waits for the release of a lock that `take` just failed to get. */
  released(id: string): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, MAX_HELD_MS);
      const wake = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#waiting.set(id, [...(this.#waiting.get(id) ?? []), wake]);
    });
  }

  #wake(id: string): void {
    const waiters = this.#waiting.get(id) ?? [];
    this.#waiting.delete(id);
    for (const wake of waiters) wake();
  }
}
