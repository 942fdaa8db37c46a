// The tokens of a JSON document with their lines and columns: for errors, which name the place in a body only once something is wrong with it.

/** A value of a document. Lines and columns count from 1; columns count bytes of UTF-8. */
export interface JsonToken {
  /** As Elasticsearch's error messages name it: START_OBJECT, VALUE_STRING, ... */
  readonly kind: string;
  /** The name under which an object holds the value; null for items of arrays and for the root. */
  readonly key: string | null;
  readonly keyAt: JsonPlace;
  readonly at: JsonPlace;
  /** The place of the closing bracket of an object or array, otherwise that of the value. */
  end: JsonPlace;
  readonly parent: JsonToken | null;
  readonly children: JsonToken[];
  /** The text of a scalar; empty for objects and arrays. */
  readonly text: string;
}

export interface JsonPlace {
  readonly line: number;
  readonly col: number;
}

const WHITE = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const WORD = /[^\s,:{}[\]"]+/y;

/**
 * Reads a text that was already parsed as JSON.
 * @param most  number of values after which reading stops
 * @returns null for anything that cannot be read as JSON
 */
export function readJsonTokens(text: string, most: number): JsonToken[] | null {
  const tokens: JsonToken[] = [];
  const lines = new LineMap(text);
  const open: JsonToken[] = [];
  let at = 0;
  let key: { text: string; at: JsonPlace } | null = null;
  const match = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null || found[0] === '') return null;
    at += found[0].length;
    return found[0];
  };
  const add = (kind: string, place: JsonPlace, value: string): JsonToken => {
    const parent = open.at(-1) ?? null;
    const token: JsonToken = {
      kind,
      key: key?.text ?? null,
      keyAt: key?.at ?? place,
      at: place,
      end: place,
      parent,
      children: [],
      text: value,
    };
    parent?.children.push(token);
    tokens.push(token);
    key = null;
    return token;
  };
  while (tokens.length < most) {
    match(WHITE);
    if (at >= text.length) break;
    const place = lines.placeOf(at);
    const sign = text[at];
    if (sign === '{' || sign === '[') {
      at++;
      open.push(add(sign === '{' ? 'START_OBJECT' : 'START_ARRAY', place, ''));
    } else if (sign === '}' || sign === ']') {
      at++;
      const closed = open.pop();
      if (closed === undefined) return null;
      closed.end = place;
    } else if (sign === ',' || sign === ':') {
      at++;
    } else if (sign === '"') {
      const literal = match(STRING);
      if (literal === null) return null;
      const value = unquoted(literal);
      if (open.at(-1)?.kind === 'START_OBJECT' && key === null) key = { text: value, at: place };
      else add('VALUE_STRING', place, value);
    } else {
      const word = match(WORD);
      if (word === null) return null;
      add(word === 'null' ? 'VALUE_NULL' : word === 'true' || word === 'false' ? 'VALUE_BOOLEAN' : 'VALUE_NUMBER', place, word);
    }
  }
  return tokens;
}

function unquoted(literal: string): string {
  try {
    return JSON.parse(literal) as string;
  } catch {
    return literal.slice(1, -1);
  }
}

/** Line and column of offsets that ascend. */
class LineMap {
  readonly #text: string;
  #at = 0;
  #line = 1;
  #bytes = 0;

  constructor(text: string) {
    this.#text = text;
  }

  placeOf(offset: number): JsonPlace {
    for (; this.#at < offset; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === 10) {
        this.#line++;
        this.#bytes = 0;
        continue;
      }
      // Each half of a surrogate pair is two of its four bytes.
      this.#bytes += code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3;
    }
    return { line: this.#line, col: this.#bytes + 1 };
  }
}
