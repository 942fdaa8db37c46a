// Documents whose numbers keep their type. A double such as `1.0` or `1E10` must not become the integer `1` when a part of a document is written
// again: clients with static or dynamic types would read another type.
import { isUtf8 } from 'node:buffer';
import { JsonFloat, jsonDouble } from './json-float.ts';
import { DecimalLiteral, parseJson, parseJsonBytes, parseJsonTyped } from './json-parse.ts';
import { setOwn } from './own-property.ts';

/** Finds every double that JavaScript prints otherwise than Java, and a few strings. */
const PRINTED_OTHERWISE = /\d[eE]|\.0|\d{7}\.\d/;

/** False if JavaScript parses and prints all numbers of a JSON text as Java does. */
export function hasJavaNumbers(text: string): boolean {
  return PRINTED_OTHERWISE.test(text);
}

/** Parses JSON to be written again: doubles that JavaScript would print otherwise than Java are JsonFloat. @throws JsonSyntaxError */
export function parseToWrite(text: string): unknown {
  return hasJavaNumbers(text) ? withFloats(parseJsonTyped(text)) : parseJson(text);
}

/** `parseToWrite` of UTF-8 bytes. @throws JsonSyntaxError, also for invalid UTF-8 */
export function parseBytesToWrite(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) return parseJsonBytes(bytes);
  return parseToWrite(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
}

/** True for a value that is an object in JSON, and not a number. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonFloat);
}

function withFloats(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? value : jsonDouble(value);
  if (value instanceof DecimalLiteral) return jsonDouble(value.value);
  if (Array.isArray(value)) return value.map(withFloats);
  if (typeof value !== 'object' || value === null) return value;
  const out: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) setOwn(out, key, withFloats(member));
  return out;
}
