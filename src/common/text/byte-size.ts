// Byte sizes in settings and responses: `100mb`, `4gb`, `512b`.

/** Bytes of each unit. */
export const BYTE_UNITS: Readonly<Record<string, number>> = {
  b: 1,
  k: 2 ** 10,
  kb: 2 ** 10,
  m: 2 ** 20,
  mb: 2 ** 20,
  g: 2 ** 30,
  gb: 2 ** 30,
  t: 2 ** 40,
  tb: 2 ** 40,
  p: 2 ** 50,
  pb: 2 ** 50,
};

/** Bytes of a string such as `10mb`, `-1` or `0`; null if it is not a byte size (other numbers need a unit). */
export function parseByteSize(text: string): number | null {
  const trimmed = text.trim().toLowerCase();
  if (trimmed === '-1' || trimmed === '0') return Number(trimmed);
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/.exec(trimmed);
  const unit = match ? BYTE_UNITS[match[2]] : undefined;
  return match && unit !== undefined ? Math.floor(Number(match[1]) * unit) : null;
}

/** `1.2kb`, `208b`: at most one decimal, truncated, as Elasticsearch prints human-readable sizes. */
export function formatByteSize(bytes: number): string {
  for (const [suffix, unit] of [
    ['pb', 2 ** 50],
    ['tb', 2 ** 40],
    ['gb', 2 ** 30],
    ['mb', 2 ** 20],
    ['kb', 2 ** 10],
  ] as const) {
    if (bytes >= unit) return formatOneDecimal(bytes / unit) + suffix;
  }
  return `${bytes}b`;
}

function formatOneDecimal(value: number): string {
  const rounded = Math.floor(value * 10) / 10;
  return Number.isInteger(rounded) ? String(rounded) : rounded.toFixed(1);
}
