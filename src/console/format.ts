// Human-readable numbers, sizes and times.

/** `1.2 KB`, `3.4 MB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ['KB', 'MB', 'GB', 'TB'];
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** `0.43 ms`, `12 ms`, `3.2 s`. */
export function msText(ms: number): string {
  if (ms === 0) return '0 ms';
  if (ms < 1) return `${ms.toFixed(2)} ms`;
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const decimal = new Intl.NumberFormat('en', { maximumFractionDigits: 3 });

/** `1,234,567`, `0.125`. */
export const numberText = (value: number): string =>
  Number.isInteger(value) ? whole.format(value) : Math.abs(value) < 0.001 ? value.toPrecision(3) : decimal.format(value);

/** `3 hits`, `1 hit`. */
export const countText = (count: number, one: string, many = `${one}s`): string => `${numberText(count)} ${count === 1 ? one : many}`;

const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

export const clockText = (ms: number): string => time.format(ms);
