// Writes the JSON of responses: RawJson is inserted unchanged, bigints are written as integers, undefined members are omitted, and numbers that
// JSON cannot represent are quoted, as in Elasticsearch.

import { parseJson } from './json-parse.ts';
import { setOwn } from './own-property.ts';
import { RawJson } from './raw-json.ts';

const NEEDS_ESCAPE = /[\u0000-\u001f"\\\ud800-\udfff]/;
const QUOTE = 34;
const BACKSLASH = 92;
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
  return `${new JsonPrinter().push(compact)}\n`;
}

/** Formats JSON as `prettyJson`, piece by piece. */
export class JsonPrinter {
  #indent = 0;
  /** A bracket whose first item is still to come. */
  #open = '';
  #isInString = false;
  #isEscaped = false;

  /** @param compact  begins where the last piece ended, which may be anywhere */
  push(compact: string): string {
    let out = '';
    for (let i = 0; i < compact.length; i++) {
      if (this.#isInString) {
        const start = i;
        i = this.#endOfString(compact, start);
        out += compact.slice(start, i + 1);
        continue;
      }
      const char = compact[i];
      if (char === ' ' || char === '\n' || char === '\t' || char === '\r') continue;
      const isClosing = char === '}' || char === ']';
      if (this.#open !== '') {
        out += this.#open;
        this.#open = '';
        if (isClosing) {
          out += ` ${char}`;
          continue;
        }
        this.#indent++;
        out += this.#newLine();
      }
      if (char === '{' || char === '[') this.#open = char;
      else if (isClosing) {
        this.#indent--;
        out += this.#newLine() + char;
      } else if (char === ',') out += char + this.#newLine();
      else if (char === ':') out += ' : ';
      else {
        out += char;
        this.#isInString = char === '"';
      }
    }
    return out;
  }

  /** Position of the closing quote, or of the last character if the string continues in the next piece. */
  #endOfString(text: string, start: number): number {
    for (let i = start; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (this.#isEscaped) this.#isEscaped = false;
      else if (code === BACKSLASH) this.#isEscaped = true;
      else if (code === QUOTE) {
        this.#isInString = false;
        return i;
      }
    }
    return text.length - 1;
  }

  #newLine(): string {
    return `\n${'  '.repeat(this.#indent)}`;
  }
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
