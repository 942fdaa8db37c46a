// Thresholds of the slow log of an index: `index.search.slowlog.threshold.query.warn: 2s`, from when on which level a search or a write is logged.
import { parseDurationMs } from '../../common/text/time-unit.ts';
import type { FlatSettings } from './index-settings.ts';

/** From the most to the least severe. */
const LEVELS = ['warn', 'info', 'debug', 'trace'] as const;
export type SlowLevel = (typeof LEVELS)[number];

/** Milliseconds from which on each level applies; absent if the level is off. */
type Thresholds = Readonly<Partial<Record<SlowLevel, number>>>;

export interface SlowThresholds {
  /** null if the phase is not logged. */
  readonly query: Thresholds | null;
  readonly fetch: Thresholds | null;
  readonly index: Thresholds | null;
  /** Characters of the source of a document that are logged; 0: none. */
  readonly sourceChars: number;
  /** Whether entries of searches name the user. */
  readonly includesUser: boolean;
}

const DEFAULT_SOURCE_CHARS = 1000;

/** By the settings of an index, which are replaced when one of them changes. */
const known = new WeakMap<FlatSettings, SlowThresholds | 'off'>();

/** null if the index has no slow log. */
export function slowThresholds(settings: FlatSettings): SlowThresholds | null {
  let thresholds = known.get(settings);
  if (thresholds === undefined) {
    thresholds = readThresholds(settings) ?? 'off';
    known.set(settings, thresholds);
  }
  return thresholds === 'off' ? null : thresholds;
}

function readThresholds(settings: FlatSettings): SlowThresholds | null {
  const query = levelsOf(settings, 'index.search.slowlog.threshold.query');
  const fetch = levelsOf(settings, 'index.search.slowlog.threshold.fetch');
  const index = levelsOf(settings, 'index.indexing.slowlog.threshold.index');
  if (query === null && fetch === null && index === null) return null;
  return {
    query,
    fetch,
    index,
    sourceChars: sourceChars(settings['index.indexing.slowlog.source']),
    includesUser: settings['index.search.slowlog.include.user'] === 'true',
  };
}

function levelsOf(settings: FlatSettings, prefix: string): Thresholds | null {
  const levels: Partial<Record<SlowLevel, number>> = {};
  for (const level of LEVELS) {
    const value = settings[`${prefix}.${level}`];
    const ms = typeof value === 'string' ? parseDurationMs(value) : null;
    if (ms !== null && ms >= 0) levels[level] = ms;
  }
  return Object.keys(levels).length === 0 ? null : levels;
}

/** `true`: the whole source; `false` or `0`: none. */
function sourceChars(value: unknown): number {
  if (value === undefined) return DEFAULT_SOURCE_CHARS;
  if (value === 'true') return Number.POSITIVE_INFINITY;
  const chars = Number(value);
  return Number.isInteger(chars) && chars >= 0 ? chars : value === 'false' ? 0 : DEFAULT_SOURCE_CHARS;
}

/** The most severe level whose threshold was exceeded; null if none was. */
export function slowLevel(thresholds: Thresholds | null, tookMs: number): SlowLevel | null {
  if (thresholds === null) return null;
  return LEVELS.find((level) => tookMs > (thresholds[level] ?? Number.POSITIVE_INFINITY)) ?? null;
}
