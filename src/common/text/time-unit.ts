// Durations in requests and settings: `30s`, `1m`, `500micros`, `-1`, `0`.

const UNIT_MS: Readonly<Record<string, number>> = { nanos: 1e-6, micros: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds (fractional for micros and nanos), -1 for `-1` and for minus one of a unit; null if the string is not a duration with a unit. */
export function parseDurationMs(text: string): number | null {
  const trimmed = text.trim();
  if (/^-0*1\s*(nanos|micros|ms|s|m|h|d|S|H|D|MS)?$/.test(trimmed)) return -1;
  if (/^0+$/.test(trimmed)) return 0;
  const match = /^(\d+)\s*(nanos|micros|ms|s|m|h|d|S|H|D|MS)$/.exec(trimmed);
  return match ? Number(match[1]) * UNIT_MS[match[2].toLowerCase()] : null;
}

/** `1.2s`, `5.5m`, `17ms`: the largest unit that fits, with one decimal, as Elasticsearch prints human-readable durations. */
export function formatDuration(ms: number): string {
  if (ms === -1) return '-1';
  if (ms === 0) return '0s';
  for (const [suffix, unit] of [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1000],
  ] as const) {
    if (ms >= unit) {
      const tenths = Math.floor((ms / unit) * 10) / 10;
      return `${Number.isInteger(tenths) ? tenths : tenths.toFixed(1)}${suffix}`;
    }
  }
  return ms >= 1 ? `${Math.floor(ms)}ms` : `${Math.floor(ms * 1000)}micros`;
}
