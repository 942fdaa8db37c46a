// Writes the JSON of responses: RawJson is inserted unchanged, bigints are written as integers, undefined members are omitted, and numbers that
// JSON cannot represent are quoted, as in Elasticsearch.

import { parseJson } from './json-parse.ts';
import { setOwn } from './own-property.ts';
import { RawJson } from './raw-json.ts';

const NEEDS_ESCAPE = /[\u0000-\u001f"\\\ud800-\udfff]/;
const MAX_CACHED_KEYS = 4096;
/** Quoted member names after an opening brace, and after a comma. */
const firstKeys = new Map<string, string>();
const nextKeys = new Map<string, string>();

function quote(text: string): string {
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}

function quoteKey(known: Map<string, string>, before: string, key: string): string {
  let quoted = known.get(key);
  if (quoted === undefined) {
    quoted = `${before}${quote(key)}:`;
    if (known.size < MAX_CACHED_KEYS && key.length < 64) known.set(key, quoted);
  }
  return quoted;
}

/** Compact JSON. A value without a JSON form (a function, undefined at the root) becomes `null`. */
export function writeJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
      return Number.isFinite(value) ? String(value) : `"${value}"`;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'bigint':
      return value.toString();
    case 'object':
      break;
    default:
      return 'null';
  }
  if (value === null) return 'null';
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    let text = `[${writeJson(value[0])}`;
    for (let i = 1; i < value.length; i++) text += `,${writeJson(value[i])}`;
    return `${text}]`;
  }
  let text = '';
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    text += (text === '' ? quoteKey(firstKeys, '{', key) : quoteKey(nextKeys, ',', key)) + writeJson(member);
  }
  return text === '' ? '{}' : `${text}}`;
}

/** Formats compact JSON as Elasticsearch's `pretty`: two spaces, ` : `, one item per line, `{ }` and `[ ]`, a final line feed. */
export function prettyJson(compact: string): string {
  let out = '';
  let indent = 0;
  const newLine = (): string => `\n${'  '.repeat(indent)}`;
  for (let i = 0; i < compact.length; i++) {
    const char = compact[i];
    if (char === '"') {
      let end = i + 1;
      while (compact[end] !== '"') end += compact[end] === '\\' ? 2 : 1;
      out += compact.slice(i, end + 1);
      i = end;
    } else if (char === '{' || char === '[') {
      let next = i + 1;
      while (compact[next] === ' ' || compact[next] === '\n' || compact[next] === '\t' || compact[next] === '\r') next++;
      if (compact[next] === '}' || compact[next] === ']') {
        out += `${char} ${compact[next]}`;
        i = next;
      } else {
        indent++;
        out += char + newLine();
      }
    } else if (char === '}' || char === ']') {
      indent--;
      out += newLine() + char;
    } else if (char === ',') {
      out += char + newLine();
    } else if (char === ':') {
      out += ' : ';
    } else if (char !== ' ' && char !== '\n' && char !== '\t' && char !== '\r') {
      out += char;
    }
  }
  return `${out}\n`;
}

/** A copy with RawJson parsed and without undefined members, for YAML, msgpack and path filters. */
export function toPlain(value: unknown): unknown {
  if (value instanceof RawJson) return parseJson(value.text);
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== 'object' || value === null) return value;
  const plain: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) if (member !== undefined) setOwn(plain, key, toPlain(member));
  return plain;
}
