// Units of nginx.conf: sizes, offsets and times. All functions return null for a malformed string.

/** Bytes of `512`, `8k`, `1m`. */
export function parseSize(text: string): number | null {
  return /g$/i.test(text) ? null : parseOffset(text);
}

/** Like parseSize, but also accepts `2g`: for values that may exceed the size of memory. */
export function parseOffset(text: string): number | null {
  const match = /^(\d+)([kKmMgG]?)$/.exec(text);
  if (!match) return null;
  const unit = match[2].toLowerCase();
  const bytes = Number(match[1]) * (unit === 'k' ? 1024 : unit === 'm' ? 1 << 20 : unit === 'g' ? 1 << 30 : 1);
  return Number.isSafeInteger(bytes) ? bytes : null;
}

const TIME_UNITS_MS: Record<string, number> = {
  y: 31_536_000_000,
  M: 2_592_000_000,
  w: 604_800_000,
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  '': 1000,
};
const TIME_ORDER = ['y', 'M', 'w', 'd', 'h', 'm', 's', 'ms'];

/** Milliseconds of a time with units that descend from the one at `first` in TIME_ORDER; a bare number is seconds and must come last. */
function parseTime(text: string, first: number): number | null {
  const parts = /^(?:\d+(?:ms|[yMwdhms])? *)+$/.test(text) ? [...text.matchAll(/(\d+)(ms|[yMwdhms])?/g)] : [];
  if (parts.length === 0) return null;
  let total = 0;
  let rank = first - 1;
  for (const [n, [, digits, unit]] of parts.entries()) {
    if (unit === undefined && n < parts.length - 1) return null;
    const at = TIME_ORDER.indexOf(unit ?? 's');
    if (at <= rank) return null;
    rank = at;
    total += Number(digits) * TIME_UNITS_MS[unit ?? ''];
  }
  return Number.isSafeInteger(total) ? total : null;
}

/** Milliseconds of `30`, `1m30s`, `500ms`, `1d 12h`. As in nginx, only times in seconds accept months and years. */
export function parseTimeMs(text: string): number | null {
  return parseTime(text, TIME_ORDER.indexOf('w'));
}

/** Like parseTimeMs, but in whole seconds, with months and years and without milliseconds. */
export function parseTimeSec(text: string): number | null {
  if (text.includes('ms')) return null;
  const ms = parseTime(text, 0);
  return ms === null ? null : ms / 1000;
}
