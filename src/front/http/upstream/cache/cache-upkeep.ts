// Background work on a cache zone: a loader finds the files of earlier runs, a manager removes old and surplus ones.
import { readdirSync, statfsSync } from 'node:fs';
import path from 'node:path';
import { nowSeconds } from '../../../../http/wire/clock.ts';

const MANAGER_MS = 10_000;

/** How much work the loader and the manager do at a time. */
export interface Pace {
  files: number;
  thresholdMs: number;
  sleepMs: number;
}
export const PACE: Readonly<Pace> = { files: 100, thresholdMs: 200, sleepMs: 50 };

export interface UpkeepOptions {
  loader: Pace;
  manager: Pace;
  path: string;
  levels: number[];
  inactiveSeconds: number;
  maxSize: number;
  minFree: number;
}

interface Entry {
  exists: boolean;
  size: number;
  usedAt: number;
  /** requests being served from it */
  count: number;
}

/** The interface of a zone for its manager. */
export interface UpkeptZone<E extends Entry> {
  readonly nodes: ReadonlyMap<string, E>;
  readonly totalSize: number;
  /** when any event loop used the entry last, seconds */
  lastUse(node: E): number;
  remove(node: E): void;
}

/** Calls `found` with the name of each file of earlier runs, a few at a time, and `done` after the last. */
export function loadFiles(options: UpkeepOptions, found: (hash: string) => void, done: () => void): void {
  const walk = filesOf(options.path, options.levels);
  const { files, sleepMs, thresholdMs } = options.loader;
  const step = () => {
    const since = Date.now();
    for (let n = 0; n < files && Date.now() - since < thresholdMs; n++) {
      const next = walk.next();
      if (next.done) {
        done();
        return;
      }
      found(next.value);
    }
    setTimeout(step, sleepMs).unref();
  };
  setImmediate(step);
}

function* filesOf(folder: string, levels: readonly number[]): Generator<string, void> {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return;
  }
  const [level, ...below] = levels;
  for (const name of names) {
    if (level !== undefined) {
      if (name.length === level && /^[0-9a-f]+$/.test(name)) yield* filesOf(path.join(folder, name), below);
    } else if (/^[0-9a-f]{32}$/.test(name)) yield name;
  }
}

export class CacheManager<E extends Entry> {
  #timer: NodeJS.Timeout | null = null;

  readonly #options: UpkeepOptions;

  readonly #zone: UpkeptZone<E>;

  constructor(options: UpkeepOptions, zone: UpkeptZone<E>) {
    this.#zone = zone;
    this.#options = options;
  }

  start(): void {
    this.#manageIn(MANAGER_MS);
  }

  #manageIn(ms: number): void {
    clearTimeout(this.#timer ?? undefined);
    this.#timer = setTimeout(() => this.manage(), ms);
    this.#timer.unref();
  }

  /** Removes inactive and surplus entries, as many files at a time as the manager may. */
  manage(): void {
    const { files, sleepMs, thresholdMs } = this.#options.manager;
    const since = Date.now();
    let removed = 0;
    const mayGoOn = () => removed < files && Date.now() - since < thresholdMs;
    for (const node of this.#surplus()) {
      this.#zone.remove(node);
      removed++;
      if (!mayGoOn()) break;
    }
    this.#manageIn(mayGoOn() ? MANAGER_MS : sleepMs);
  }

  /** Entries to remove, least recently used first. */
  *#surplus(): Generator<E> {
    const now = nowSeconds();
    const { inactiveSeconds, maxSize } = this.#options;
    const zone = this.#zone;
    for (const node of [...zone.nodes.values()]) {
      if (node.count > 0 || now - node.usedAt < inactiveSeconds) continue;
      node.usedAt = Math.max(node.usedAt, zone.lastUse(node));
      if (now - node.usedAt >= inactiveSeconds) yield node;
    }
    let excess = Math.max(maxSize > 0 ? zone.totalSize - maxSize : 0, this.#missingSpace());
    if (excess <= 0) return;
    const oldest = [...zone.nodes.values()].filter((n) => n.exists && n.count === 0).sort((a, b) => a.usedAt - b.usedAt);
    for (const node of oldest) {
      if (excess <= 0) break;
      excess -= node.size;
      yield node;
    }
  }

  /** Bytes missing on the file system to satisfy `min_free`. */
  #missingSpace(): number {
    const { minFree } = this.#options;
    if (minFree === 0) return 0;
    const { bavail, bsize } = statfsSync(this.#options.path);
    return minFree - bavail * bsize;
  }
}
