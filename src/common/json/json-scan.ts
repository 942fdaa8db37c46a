// Looks over JSON bytes before they are parsed: depth, memory that the values will need, and invalid UTF-8.
import { isUtf8 } from 'node:buffer';
import { JsonSyntaxError, MAX_JSON_DEPTH, SOURCE } from './json-syntax-error.ts';
import { MAX_VALUE_BYTES, VALUE_BYTES } from './value-budget.ts';

/** Number of colons outside strings, or -1 if JSON.parse cannot be trusted: comments, long integers, deep nesting, many values. */
export function scan(text: string): number {
  // A text that is shorter than that cannot have too many values.
  if (text.length > MAX_VALUE_BYTES / VALUE_BYTES.object && bytesOfValues(text) > MAX_VALUE_BYTES) return -1;
  let colons = 0;
  let depth = 0;
  let digits = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 48 && code <= 57) {
      if (++digits > 15) return -1;
      continue;
    }
    digits = 0;
    if (code === 34) {
      let end = text.indexOf('"', i + 1);
      while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
      if (end < 0) return -1;
      i = end;
    } else if (code === 58) {
      colons++;
    } else if (code === 123 || code === 91) {
      if (++depth > MAX_JSON_DEPTH) return -1;
    } else if (code === 125 || code === 93) {
      depth--;
    } else if (code === 47 || code === 0xfeff) {
      return -1;
    }
  }
  return colons;
}

/** Estimated bytes of the values of a text, counted until they are too many. */
function bytesOfValues(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length && bytes <= MAX_VALUE_BYTES; i++) {
    switch (text.charCodeAt(i)) {
      case 34: {
        let end = text.indexOf('"', i + 1);
        while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
        if (end < 0) return bytes;
        i = end;
        break;
      }
      case 44:
        bytes += VALUE_BYTES.item;
        break;
      case 58:
        bytes += VALUE_BYTES.member;
        break;
      case 91:
        bytes += VALUE_BYTES.list;
        break;
      case 123:
        bytes += VALUE_BYTES.object;
        break;
      default:
    }
  }
  return bytes;
}

function isEscaped(text: string, quote: number): boolean {
  let slashes = 0;
  for (let i = quote - 1; text.charCodeAt(i) === 92; i--) slashes++;
  return (slashes & 1) === 1;
}

export function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') count += countKeys(item);
    return count;
  }
  for (const key in value) {
    count++;
    const item = (value as Record<string, unknown>)[key];
    if (typeof item === 'object') count += countKeys(item);
  }
  return count;
}

export function invalidUtf8Error(bytes: Uint8Array): JsonSyntaxError {
  let at = 0;
  let length = bytes.length;
  // Binary search for the longest valid prefix: the first invalid byte follows it.
  while (length > 0) {
    const half = length >> 1;
    let end = at + half;
    while (end > at && (bytes[end] & 0xc0) === 0x80) end--;
    if (half > 0 && end > at && isUtf8(bytes.subarray(at, end))) {
      length -= end - at;
      at = end;
    } else if (half === 0 || end === at) break;
    else length = end - at;
  }
  const hex = (bytes[at] ?? 0).toString(16);
  return new JsonSyntaxError('syntax', `Invalid UTF-8 start byte 0x${hex}\n at [${SOURCE}${at}]`, 1, at + 1);
}
