// The parameter `human`: adds readable sizes and durations to statistics.

import { formatByteSize } from '../../common/byte-size.ts';
import type { MutableJsonObject } from '../../common/json-value.ts';
import { setOwn } from '../../common/own-property.ts';
import { formatDuration } from '../../common/time-unit.ts';

/** Adds a readable value next to each size and duration: `size` for `size_in_bytes`, `time` for `time_in_millis`. */
export function withHumanValues(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const out: MutableJsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    if (typeof item === 'number' && key.endsWith('_in_bytes')) {
      const name = key.slice(0, -'_in_bytes'.length);
      out[name === 'fixed_bit_set_memory' ? 'fixed_bit_set' : name] = formatByteSize(item);
    }
    if (typeof item === 'number' && key.endsWith('_in_millis')) {
      const name = key.slice(0, -'_in_millis'.length);
      setOwn(out, name, formatDuration(item));
      // The section `get` shows its duration under two names.
      if (name === 'time' && 'exists_total' in value) out.getTime = formatDuration(item);
    }
    setOwn(out, key, withHumanValues(item));
  }
  return out;
}
