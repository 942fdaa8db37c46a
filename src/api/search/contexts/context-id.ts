// Ids and limits of scrolls and points in time, as shown to clients.
import { parseDurationMs } from '../../../common/text/time-unit.ts';
import type { ApiError } from '../../../errors/api-error.ts';
import { illegalArgumentError } from '../../../errors/catalog.ts';
import { allShardsFailedError, searchContextMissingError } from '../../../errors/search-errors.ts';
import type { EngineContext } from '../../core/context.ts';
import { notHereError } from '../../core/held-elsewhere.ts';
import { type ContextKind, nodeOfContext } from '../../core/search-context.ts';

const DEFAULT_MAX_KEEP_ALIVE = '24h';
const LIMITS = {
  scroll: { setting: 'search.max_open_scroll_context', fallback: 500 },
  pit: { setting: 'search.max_open_pit_context', fallback: 300 },
} as const;
/** Contexts that clients know. */
export type ShownKind = Exclude<ContextKind, 'part'>;
const PREFIX = { scroll: 'gs1', pit: 'gp1' } as const;

/** A cluster setting. Transient settings override persistent ones. */
function clusterSetting(ctx: EngineContext, name: string): string | undefined {
  const { transient, persistent } = ctx.cluster.settings;
  const value = transient[name] ?? persistent[name];
  return value === undefined ? undefined : String(value);
}

/** Largest number of contexts of this kind. */
export function contextLimit(ctx: EngineContext, kind: ShownKind): number {
  const { setting, fallback } = LIMITS[kind];
  return Number(clusterSetting(ctx, setting) ?? fallback);
}

/** @throws ApiError illegal_argument_exception: longer than `search.max_keep_alive` */
export function checkKeepAlive(ctx: EngineContext, ms: number): void {
  const limit = clusterSetting(ctx, 'search.max_keep_alive') ?? DEFAULT_MAX_KEEP_ALIVE;
  const limitMs = parseDurationMs(limit) ?? Number.POSITIVE_INFINITY;
  if (ms <= limitMs) return;
  throw illegalArgumentError(
    `Keep alive for request (${durationText(ms)}) is too large. It must be less than (${durationText(limitMs)}). This limit can be set by changing the [search.max_keep_alive] cluster level setting.`,
  );
}

/** A duration as Elasticsearch writes it: the largest unit, one decimal at most. */
function durationText(ms: number): string {
  for (const [unit, size] of [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1000],
  ] as const) {
    if (ms >= size) return `${Math.floor((ms / size) * 10) / 10}${unit}`;
  }
  return `${ms}ms`;
}

export function encodeContextId(kind: ShownKind, key: string): string {
  return Buffer.from(`${PREFIX[kind]}:${key}`).toString('base64url');
}

/** @throws ApiError illegal_argument_exception: not an id made by encodeContextId */
export function decodeContextId(text: string, kind: ShownKind): string {
  const plain = Buffer.from(text, 'base64url').toString('utf8');
  const prefix = `${PREFIX[kind]}:`;
  if (plain.startsWith(prefix) && Buffer.from(plain).toString('base64url') === text.replace(/=+$/, '')) return plain.slice(prefix.length);
  throw illegalArgumentError(kind === 'scroll' ? 'Cannot parse scroll id' : `invalid id: [${text}]`);
}

/** HeldElsewhere if another node has the context. */
export function contextMissingError(ctx: EngineContext, key: string): ApiError {
  const error = allShardsFailedError('query', [{ shard: -1, index: null, node: null, error: searchContextMissingError(key) }]);
  return notHereError(ctx, nodeOfContext(key), error);
}
