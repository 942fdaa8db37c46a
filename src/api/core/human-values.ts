// The parameter `human`: adds readable sizes, durations and dates to statistics.

import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { formatByteSize } from '../../common/text/byte-size.ts';
import { formatDuration } from '../../common/text/time-unit.ts';
import type { Dialect } from '../../compat/dialect.ts';

/** Readable names that are not just the name without its unit. */
const READABLE_NAMES: Readonly<Record<string, string>> = {
  fixed_bit_set_memory: 'fixed_bit_set',
  total_time_excluding_waiting_on_lock: 'total_time_excluding_waiting',
};
/** `_in_millis` fields that are dates, not durations. */
const DATES: ReadonlySet<string> = new Set(['start_time', 'stop_time']);

/**
 * Adds a readable value before each size, duration and date: `size` for `size_in_bytes`, `time` for `time_in_millis`.
 * Values that serialise themselves, such as floats, stay as they are.
 */
export function withHumanValues(value: unknown, dialect: Dialect): unknown {
  if (Array.isArray(value)) return value.map((item) => withHumanValues(item, dialect));
  if (typeof value !== 'object' || value === null) return value;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const out: MutableJsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    if (typeof item === 'number') addReadable(out, key, item, value, dialect);
    setOwn(out, key, withHumanValues(item, dialect));
  }
  return out;
}

function addReadable(out: MutableJsonObject, key: string, item: number, section: object, { repeatsGetTime }: Dialect): void {
  if (key.endsWith('_in_bytes')) {
    // The section `bulk` shows its sizes as numbers only.
    if ('total_operations' in section) return;
    const name = key.slice(0, -'_in_bytes'.length);
    setOwn(out, READABLE_NAMES[name] ?? name, formatByteSize(item));
  } else if (key.endsWith('_in_millis')) {
    const name = key.slice(0, -'_in_millis'.length);
    if (DATES.has(name)) out[name] = new Date(item).toISOString();
    // The section `get` calls its duration `getTime`.
    else if (name === 'time' && 'exists_total' in section) {
      out.getTime = formatDuration(item);
      if (repeatsGetTime) out.time = formatDuration(item);
    } else setOwn(out, READABLE_NAMES[name] ?? name, formatDuration(item));
  }
}
