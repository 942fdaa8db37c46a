// Values of scripts as numbers of the host.
import { Byte, Double, Float, Short, type Value } from './java/values.ts';
import { ZonedTime } from './library/time/zoned-time.ts';

/** Epoch milliseconds of a date, null for any other value. */
export function millisOf(value: Value): number | null {
  return value instanceof ZonedTime ? value.ms + value.extraNanos / 1e6 : null;
}

/** A script's value as a double, dates as epoch milliseconds; null if it is not numeric. */
export function doubleOf(value: Value): number | null {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  if (value instanceof Double || value instanceof Float || value instanceof Short || value instanceof Byte) return value.value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  return millisOf(value);
}
