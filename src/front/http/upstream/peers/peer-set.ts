// The peers of an upstream and the method of choosing among them.
import { loop } from '../../../zone/memory.ts';
import type { SharedTable } from '../../../zone/table.ts';
import type { Session } from '../../model/types.ts';
import type { Peer, TimeKind } from './peer.ts';

export type Method =
  | { kind: 'round_robin' | 'ip_hash' | 'least_conn' }
  | { kind: 'hash'; key: (r: Session) => string; consistent: boolean }
  /** `timeWord`: the time in the words of the configuration */
  | { kind: 'random'; two: 'no' | 'least_conn' | 'least_time'; timeOf: TimeKind; timeWord: string }
  | { kind: 'least_time'; timeOf: TimeKind; timeWord: string; inflight: boolean };

export class PeerSet {
  primary: Peer[] = [];
  backup: Peer[] = [];
  points: { hash: number; server: string }[] | null = null;

  readonly #table: SharedTable | null;

  /** @param table  memory of the peers' rows, if event loops share it */
  constructor(
    readonly method: Method,
    table?: SharedTable,
  ) {
    this.#table = table ?? null;
  }

  /** Between `lock` and `unlock`, no other event loop reads or changes the state of peers. */
  lock(): void {
    if (this.#table && loop.count > 1) this.#table.lock();
  }

  unlock(): void {
    if (this.#table && loop.count > 1) this.#table.unlock();
  }

  /** Runs work between `lock` and `unlock`. */
  locked<T>(work: () => T): T {
    this.lock();
    try {
      return work();
    } finally {
      this.unlock();
    }
  }

  /** The method considers how long requests have been in flight. */
  get watchesInflight(): boolean {
    return this.method.kind === 'least_time' && this.method.inflight;
  }

  /** The time to the header is counted as soon as it arrives, and the request no longer as in flight. */
  get notesHeaders(): boolean {
    return this.watchesInflight && this.method.kind === 'least_time' && this.method.timeOf === 'header';
  }

  get single(): boolean {
    return this.primary.length === 1 && this.backup.length === 0;
  }

  replace(primary: Peer[], backup: Peer[]): void {
    this.primary = primary;
    this.backup = backup;
    this.points = null;
  }

  get tries(): number {
    return countUp(this.primary) + countUp(this.backup);
  }

  all(): Peer[] {
    return [...this.primary, ...this.backup];
  }
}

/** Peers that are not marked down. */
export function countUp(peers: readonly Peer[]): number {
  let count = 0;
  for (const peer of peers) if (!peer.options.down) count++;
  return count;
}
