// Sheets of requests: `METHOD path` lines, each followed by a JSON body, by lines of NDJSON, or by nothing.
//   # a comment, also // like this, between requests and on lines of their own in bodies
//   GET books/_search?size=5
//   { "query": { "match": { "title": """a "raw" string""" } } }
// Positions are offsets in UTF-16 code units. Independent of the editor.

export interface SheetRequest {
  readonly method: string;
  /** As written, but always with a leading `/`. */
  readonly path: string;
  /** Start of the request line. */
  readonly from: number;
  /** End of the last line of the body that is not blank, or of the request line. */
  readonly to: number;
  /** Where the path starts. */
  readonly pathFrom: number;
  /** Where the body starts: the first line after the request line. */
  readonly bodyFrom: number;
}

export const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'PATCH', 'OPTIONS'] as const;

const REQUEST_LINE = /^[ \t]*(GET|POST|PUT|DELETE|HEAD|PATCH|OPTIONS)[ \t]+(\S[^\r\n]*?)[ \t]*$/i;
const COMMENT_LINE = /^[ \t]*(?:#|\/\/)/;

/** The requests of a sheet in order. */
export function parseSheet(text: string): SheetRequest[] {
  const requests: SheetRequest[] = [];
  let open: { method: string; path: string; from: number; to: number; pathFrom: number; bodyFrom: number } | null = null;
  let inRaw = false;
  for (let at = 0; at <= text.length; ) {
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(at, end);
    const match = inRaw ? null : REQUEST_LINE.exec(line);
    if (match) {
      if (open) requests.push(open);
      const path = match[2];
      open = {
        method: match[1].toUpperCase(),
        path: path.startsWith('/') ? path : `/${path}`,
        from: at,
        to: at + line.trimEnd().length,
        pathFrom: at + line.indexOf(path, line.search(/\S/) + match[1].length),
        bodyFrom: Math.min(end + 1, text.length),
      };
    } else if (open && line.trim() !== '' && (inRaw || !COMMENT_LINE.test(line))) {
      open.to = at + line.trimEnd().length;
      if (line.split('"""').length % 2 === 0) inRaw = !inRaw;
    }
    at = end + 1;
  }
  if (open) requests.push(open);
  return requests;
}

/** The request that contains a position, or the last one before it. */
export function requestAt(requests: readonly SheetRequest[], position: number): SheetRequest | null {
  return requests.findLast(({ from }) => from <= position) ?? requests[0] ?? null;
}

/** Requests that a selection touches; the one at the cursor if it is empty. */
export function requestsIn(requests: readonly SheetRequest[], from: number, to: number): SheetRequest[] {
  if (from === to) {
    const found = requestAt(requests, from);
    return found ? [found] : [];
  }
  return requests.filter((request) => request.from < to && request.to > from);
}

/** A body in the form in which it is sent. */
export interface Body {
  /** Empty if there is no body. Several values become NDJSON, one line each. */
  readonly text: string;
  readonly isNdjson: boolean;
  /** Offset in the sheet of a position in `text`. */
  sourceOf(position: number): number;
  /** The first syntax error, as an offset in the sheet; null without one. */
  readonly error: BodyError | null;
}

export interface BodyError {
  readonly at: number;
  readonly message: string;
}

/** Reads the body between two offsets of a sheet: removes comments, turns raw strings into JSON ones, finds syntax errors. */
export function readBody(sheet: string, from: number, to: number): Body {
  const out = new Pieces();
  let at = from;
  while (at < to) {
    const char = sheet[at];
    if (sheet.startsWith('"""', at)) {
      const close = sheet.indexOf('"""', at + 3);
      const end = close < 0 || close + 3 > to ? to : close + 3;
      const content = sheet.slice(at + 3, end === to && !sheet.slice(at + 3, to).endsWith('"""') ? to : end - 3);
      out.add(JSON.stringify(content.replace(/^\r?\n/, '').replace(/\r?\n[ \t]*$/, '')), at);
      at = end;
    } else if (char === '"') {
      const end = stringEnd(sheet, at, to);
      out.add(sheet.slice(at, end), at);
      at = end;
    } else if (char === '#' || sheet.startsWith('//', at)) {
      const newline = sheet.indexOf('\n', at);
      at = newline < 0 || newline > to ? to : newline;
    } else {
      out.add(char, at);
      at++;
    }
  }
  const { values, error } = scanValues(out.text);
  const errorAt = error && { at: Math.min(out.sourceOf(error.at), to), message: error.message };
  if (values.length <= 1 || error)
    return { text: out.text.trim() === '' ? '' : out.text, isNdjson: false, sourceOf: (p) => out.sourceOf(p), error: errorAt };
  const lines = new Pieces();
  for (const { from: start, to: end } of values) {
    const value = out.text.slice(start, end);
    lines.add(value.includes('\n') ? compactJson(value) : value, out.sourceOf(start));
    lines.add('\n', out.sourceOf(end - 1));
  }
  return { text: lines.text, isNdjson: true, sourceOf: (p) => lines.sourceOf(p), error: null };
}

/** Text assembled from parts of a source. */
class Pieces {
  readonly #starts: number[] = [];
  readonly #sources: number[] = [];
  readonly #parts: string[] = [];
  #length = 0;

  add(part: string, source: number): void {
    this.#starts.push(this.#length);
    this.#sources.push(source);
    this.#parts.push(part);
    this.#length += part.length;
  }

  get text(): string {
    return this.#parts.join('');
  }

  sourceOf(position: number): number {
    const i = this.#starts.findLastIndex((start) => start <= position);
    return i < 0 ? (this.#sources[0] ?? 0) : this.#sources[i] + position - this.#starts[i];
  }
}

/** End of the string that starts at `at`; an unclosed string ends at the line break. */
function stringEnd(text: string, at: number, to: number): number {
  for (let i = at + 1; i < to; i++) {
    const char = text[i];
    if (char === '\\') i++;
    else if (char === '"') return i + 1;
    else if (char === '\n') return i;
  }
  return to;
}

/** Removes white space outside of strings. */
export function compactJson(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|\s+/g, (match) => (match.startsWith('"') ? match : ''));
}

interface Span {
  readonly from: number;
  readonly to: number;
}

const LITERAL = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;

/** The JSON values of a text and its first syntax error. */
export function scanValues(text: string): { readonly values: Span[]; readonly error: BodyError | null } {
  const values: Span[] = [];
  const closers: string[] = [];
  // What may follow: a value, a key, a colon, a comma or the end of a container. `[1,]` is an error, `[]` is not.
  let state: 'value' | 'firstValue' | 'key' | 'firstKey' | 'colon' | 'after' = 'value';
  let start = 0;
  const error = (at: number, message: string) => ({ values, error: { at, message } });
  for (let at = 0; at < text.length; ) {
    const char = text[at];
    if (char === ' ' || char === '\n' || char === '\t' || char === '\r') {
      at++;
      continue;
    }
    if (closers.length === 0) start = at;
    if (state === 'colon') {
      if (char !== ':') return error(at, 'expected [:] after the name');
      state = 'value';
      at++;
      continue;
    }
    if (state === 'after' && char === ',') {
      state = closers.at(-1) === '}' ? 'key' : 'value';
      at++;
      continue;
    }
    if (char === closers.at(-1) && state !== 'key' && state !== 'value') {
      closers.pop();
      at++;
    } else if (state === 'key' || state === 'firstKey') {
      STRING.lastIndex = at;
      const match = STRING.exec(text);
      if (!match) return error(at, char === '}' ? 'a comma must not be the last thing in an object' : 'expected a name in double quotes');
      at += match[0].length;
      state = 'colon';
      continue;
    } else if (state === 'after') {
      return error(at, `expected [,] or [${closers.at(-1)}]`);
    } else if (char === '{' || char === '[') {
      closers.push(char === '{' ? '}' : ']');
      state = char === '{' ? 'firstKey' : 'firstValue';
      at++;
      continue;
    } else {
      const pattern = char === '"' ? STRING : LITERAL;
      pattern.lastIndex = at;
      const match = pattern.exec(text);
      if (!match)
        return error(
          at,
          char === ']'
            ? 'a comma must not be the last thing in an array'
            : char === '"'
              ? 'the string is not closed'
              : 'expected a JSON value',
        );
      at += match[0].length;
    }
    state = closers.length > 0 ? 'after' : 'value';
    if (closers.length === 0) values.push({ from: start, to: at });
  }
  return closers.length > 0 || state === 'colon'
    ? error(text.trimEnd().length, `expected [${closers.at(-1)}] before the end`)
    : { values, error: null };
}
