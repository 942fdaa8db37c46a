// Scrolls and points in time: snapshots held for a client between requests. A context lives in the thread that opened it; its id also says
// what is needed to go on elsewhere, which another thread can as long as the shards have not changed since.
import { randomBytes } from 'node:crypto';
import { illegalArgument } from '../errors/catalog.ts';
import { allShardsFailed, searchContextMissing } from '../errors/search-errors.ts';
import type { SearchTarget } from '../search/search-shards.ts';
import type { AcquiredTargets } from './search-targets.ts';

/** At most so many contexts in a thread. */
const MAX_OPEN_CONTEXTS = 500;
const SWEEP_MS = 5000;
/** Longest time between two requests of a context. */
const MAX_KEEP_ALIVE_MS = 24 * 3_600_000;
const MAX_TOMBSTONES = 10_000;

export interface ContextId {
  readonly key: string;
  readonly kind: 'scroll' | 'pit';
  /** Index expressions and routing that the targets come from. */
  readonly indices: readonly string[];
  readonly routing: string | null;
  /** Generation of each target's snapshot, in order. */
  readonly generations: readonly number[];
  /** Body of a scroll's first request, and where its last page ended. */
  readonly body: string;
  readonly after: unknown;
}

interface OpenContext {
  readonly acquired: AcquiredTargets;
  keepAliveMs: number;
  expiresMs: number;
}

export class SearchContexts {
  readonly #open = new Map<string, OpenContext>();
  /** Contexts closed here: ids of theirs are refused although they could go on. */
  readonly #closed = new Set<string>();
  #sweeper: NodeJS.Timeout | null = null;

  /** Keeps snapshots until they are closed or not asked for in time. @returns the context's key */
  open(acquired: AcquiredTargets, keepAliveMs: number): string {
    if (this.#open.size >= MAX_OPEN_CONTEXTS) {
      acquired.release();
      throw illegalArgument(
        `Trying to create too many scroll contexts. Must be less than or equal to: [${MAX_OPEN_CONTEXTS}]. This limit can be set by changing the [search.max_open_scroll_context] setting.`,
      );
    }
    const key = randomBytes(12).toString('base64url');
    this.#open.set(key, { acquired, keepAliveMs, expiresMs: Date.now() + keepAliveMs });
    this.#sweeper ??= setInterval(() => this.#sweep(), SWEEP_MS).unref();
    return key;
  }

  /** The context's targets, null if this thread has none of that key. @param keepAliveMs  new time to live, null: as before */
  targets(key: string, keepAliveMs: number | null): readonly SearchTarget[] | null {
    const context = this.#open.get(key);
    if (!context) return null;
    if (keepAliveMs !== null) context.keepAliveMs = keepAliveMs;
    context.expiresMs = Date.now() + context.keepAliveMs;
    return context.acquired.targets;
  }

  isClosed(key: string): boolean {
    return this.#closed.has(key);
  }

  /** @returns whether there was such a context, here or elsewhere */
  close(key: string): boolean {
    const wasClosed = this.#closed.has(key);
    this.#open.get(key)?.acquired.release();
    this.#open.delete(key);
    if (this.#closed.size >= MAX_TOMBSTONES) this.#closed.delete(this.#closed.values().next().value!);
    this.#closed.add(key);
    return !wasClosed;
  }

  get keys(): string[] {
    return [...this.#open.keys()];
  }

  #sweep(): void {
    const now = Date.now();
    for (const [key, context] of this.#open) if (context.expiresMs < now) this.close(key);
    if (this.#open.size === 0 && this.#sweeper) {
      clearInterval(this.#sweeper);
      this.#sweeper = null;
    }
  }
}

export function checkKeepAlive(ms: number, what: string): number {
  if (ms > MAX_KEEP_ALIVE_MS) {
    throw illegalArgument(
      `Keep alive for request (${what}) is too large. It must be less than (1d). This limit can be set by changing the [search.max_keep_alive] cluster level setting.`,
    );
  }
  return ms;
}

export function encodeContextId(id: ContextId): string {
  const json = JSON.stringify(id, (_key, value) => (typeof value === 'bigint' ? { $long: value.toString() } : value));
  return Buffer.from(json).toString('base64url');
}

/** @throws ApiError illegal_argument_exception: no id of ours */
export function decodeContextId(text: string, kind: ContextId['kind']): ContextId {
  try {
    const id = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'), (_key, value) =>
      typeof value === 'object' && value !== null && typeof value.$long === 'string' ? BigInt(value.$long) : value,
    ) as ContextId;
    if (id.kind === kind && typeof id.key === 'string' && Array.isArray(id.generations)) return id;
  } catch {
    // not JSON: refused below
  }
  throw illegalArgument(kind === 'scroll' ? 'Cannot parse scroll id' : `invalid id: [${text}]`);
}

export function contextMissing(key: string) {
  return allShardsFailed('query', [{ shard: -1, index: null, node: null, error: searchContextMissing(key) }]);
}
