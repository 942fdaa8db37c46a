// The first difference between the answers of the peer and of the service: status, then body, with numbers in their text form.
import { parseJson } from '../../src/common/json/json-parse.ts';

export interface PeerAnswer {
  readonly status: number;
  readonly text: string;
}

export interface Difference {
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** Members that differ from run to run or name the server. */
const VOLATILE = new Set(
  'took state_uuid transport_address version ephemeral_id _shards _scroll_id pit_id uuid index_uuid node nodes cluster_name cluster_uuid stack_trace line col caused_by failed_shards took_in_millis failures'.split(
    ' ',
  ),
);

export function differenceOf(expected: PeerAnswer, actual: PeerAnswer, shape: boolean): Difference | null {
  if (expected.status !== actual.status)
    return { path: 'status', expected: `${expected.status} ${brief(expected)}`, actual: `${actual.status} ${brief(actual)}` };
  const compare = (text: string): unknown => {
    const json = read(text);
    return shape ? shapeOf(json) : json;
  };
  return first(compare(expected.text), compare(actual.text), 'body');
}

function brief({ text }: PeerAnswer): string {
  const json = read(text) as { error?: { type?: string; reason?: string } } | null;
  const error = json?.error;
  return typeof error === 'object' ? `${error.type}: ${error.reason}` : text.slice(0, 120);
}

function read(text: string): unknown {
  if (text.trim() === '') return null;
  try {
    return stable(parseJson(marked(text)));
  } catch {
    return text;
  }
}

/** Numbers as strings of their value; those with a fraction or an exponent are marked. */
function marked(text: string): string {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) => {
    if (token.startsWith('"')) return token;
    return /^-?\d+$/.test(token) ? `"#${token}"` : `"#f${Number(Number(token).toPrecision(6))}"`;
  });
}

/** Removes values that change from run to run, and positions in strings. */
function stable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stable);
  if (typeof value === 'string')
    return value
      .replaceAll(/\[([^\]/[]+)\/[\w-]{22}\]/g, '[$1]')
      .replaceAll(/^(\[-?\d+:-?\d+\] )+/g, '')
      .replaceAll(/\n at \[Source[^\]]*\]/g, '')
      .replaceAll(/@[0-9a-f]{5,8}\b/g, '')
      .replaceAll(/^[\w-]{20}$/g, 'generated');
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !VOLATILE.has(key))
      .map(([key, item]) => [key, stable(item)]),
  );
}

/** The names of members, and the kinds of values. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shapeOf(item)]));
  if (typeof value === 'string' && value.startsWith('#')) return 'number';
  return value === null ? null : typeof value;
}

function first(expected: unknown, actual: unknown, path: string): Difference | null {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (expected.length !== actual.length) return { path: `${path}.length`, expected: expected.length, actual: actual.length };
    for (let i = 0; i < expected.length; i++) {
      const found = first(expected[i], actual[i], `${path}.${i}`);
      if (found) return found;
    }
    return null;
  }
  if (isRecord(expected) && isRecord(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      const found = first(expected[key], actual[key], `${path}.${key}`);
      if (found) return found;
    }
    return null;
  }
  return expected === actual ? null : { path, expected, actual };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
