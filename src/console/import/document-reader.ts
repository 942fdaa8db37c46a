// Documents of a file that arrives in pieces: NDJSON, with or without actions of `_bulk`; JSON, as an array or as objects in sequence; CSV with a
// header. Anything else is reported with its place, and reading continues. Independent of the page's components.

export interface ReadDocument {
  /** Line of the file, or for JSON the number of the element, counted from 1. */
  readonly at: number;
  /** One line of JSON, copied from the file so that long numbers keep their digits. */
  readonly source: string;
  /** The action of a `_bulk` file; null for documents without one. */
  readonly action: string | null;
  /** Why this is not a document; null for a document. */
  readonly error: string | null;
}

export interface DocumentReader {
  /** Reads the next piece of the file. @returns the documents that it completes */
  read(text: string): ReadDocument[];
  /** Reads the end of the file. */
  end(): ReadDocument[];
}

export const FORMATS = ['ndjson', 'json', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

/** @param start  the first characters of the file */
export function formatOf(name: string, start: string): Format {
  if (/\.[ct]sv$/i.test(name)) return 'csv';
  const text = start.trimStart();
  if (text.startsWith('[')) return 'json';
  if (!text.startsWith('{')) return 'csv';
  const line = text.slice(0, text.indexOf('\n') === -1 ? undefined : text.indexOf('\n'));
  return isObject(parsed(line)) ? 'ndjson' : 'json';
}

/** @param isNumeric  columns of a CSV file whose values become numbers; `isBoolean` likewise */
export function readerOf(format: Format, columns: ColumnTypes = { isNumeric: () => true, isBoolean: () => true }): DocumentReader {
  return format === 'csv' ? new CsvReader(columns) : format === 'json' ? new JsonReader() : new LineReader();
}

export interface ColumnTypes {
  isNumeric(column: string): boolean;
  isBoolean(column: string): boolean;
}

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const good = (at: number, source: string, action: string | null = null): ReadDocument => ({ at, source, action, error: null });
const bad = (at: number, source: string, error: string): ReadDocument => ({ at, source, action: null, error });

// ---------------------------------------------------------------------------------------------------------------- NDJSON

const ACTION = /^\s*\{\s*"(index|create|update|delete)"\s*:\s*\{/;

function isAction(line: string): boolean {
  const value = ACTION.test(line) ? parsed(line) : null;
  return isObject(value) && Object.keys(value).length === 1 && isObject(Object.values(value)[0]);
}

class LineReader implements DocumentReader {
  #rest = '';
  #at = 0;
  #hasActions: boolean | null = null;
  #action: string | null = null;

  read(text: string): ReadDocument[] {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.#line(line.trim()));
  }

  end(): ReadDocument[] {
    const last = this.#line(this.#rest.trim());
    this.#rest = '';
    return this.#action === null ? last : [...last, bad(this.#at, this.#action, 'an action without its document')];
  }

  #line(line: string): ReadDocument[] {
    this.#at++;
    if (line === '') return [];
    this.#hasActions ??= isAction(line);
    if (this.#hasActions && this.#action === null) {
      if (!isAction(line)) return [bad(this.#at, line, 'must be an action like {"index":{}}')];
      if (/^\s*\{\s*"delete"/.test(line)) return [good(this.#at, '', line)];
      this.#action = line;
      return [];
    }
    const action = this.#action;
    this.#action = null;
    const problem = problemOf(line);
    return [problem === null ? good(this.#at, line, action) : bad(this.#at, line, problem)];
  }
}

/** Why `text` is not a JSON object; null if it is one. */
function problemOf(text: string): string | null {
  try {
    return isObject(JSON.parse(text)) ? null : 'must be a JSON object';
  } catch (error) {
    return (error as Error).message;
  }
}

// ------------------------------------------------------------------------------------------------------------------ JSON

/** Longer elements are reported unread, since the service would refuse them. */
const MAX_ELEMENT = 100_000_000;

/** Finds the elements of an array, or objects in sequence, by their brackets. */
class JsonReader implements DocumentReader {
  #text = '';
  /** Next character to examine. */
  #next = 0;
  #start = -1;
  #depth = 0;
  #isInString = false;
  #at = 0;

  read(text: string): ReadDocument[] {
    this.#text += text;
    const found: ReadDocument[] = [];
    for (; this.#next < this.#text.length; this.#next++) this.#step(this.#text.charCodeAt(this.#next), found);
    const kept = this.#start === -1 ? this.#next : this.#start;
    this.#text = this.#text.slice(kept);
    this.#next -= kept;
    if (this.#start !== -1) this.#start = 0;
    if (this.#text.length > MAX_ELEMENT) throw new Error(`element ${this.#at + 1} is longer than ${MAX_ELEMENT} characters`);
    return found;
  }

  end(): ReadDocument[] {
    const rest = this.#start === -1 ? '' : this.#text.slice(this.#start).trim();
    this.#start = -1;
    return rest === '' ? [] : [bad(++this.#at, rest, 'the file ends within this element')];
  }

  #step(char: number, found: ReadDocument[]): void {
    if (this.#isInString) {
      if (char === 0x5c) this.#next++;
      else if (char === 0x22) this.#isInString = false;
      return;
    }
    if (char === 0x22) this.#isInString = true;
    if (this.#start === -1) {
      // `[`, `]`, `,` and white space separate elements; the array itself is not counted.
      if (char <= 0x20 || char === 0x2c || char === 0x5b || char === 0x5d || char === 0xfeff) return;
      this.#start = this.#next;
      this.#depth = 0;
    }
    if (char === 0x7b || char === 0x5b) this.#depth++;
    else if (char === 0x7d || char === 0x5d) {
      if (this.#depth === 0) this.#finish(this.#next, found);
      else if (--this.#depth === 0) this.#finish(this.#next + 1, found);
    } else if (char === 0x2c && this.#depth === 0) this.#finish(this.#next, found);
  }

  #finish(end: number, found: ReadDocument[]): void {
    const text = this.#text
      .slice(this.#start, end)
      .replace(/[\r\n]+\s*/g, ' ')
      .trim();
    this.#start = -1;
    this.#at++;
    const problem = problemOf(text);
    found.push(problem === null ? good(this.#at, text) : bad(this.#at, text, problem));
  }
}

// ------------------------------------------------------------------------------------------------------------------- CSV

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const SEPARATORS = [',', ';', '\t', '|'];

/** A longer row is treated as one with an unclosed quote. */
const MAX_ROW = 20_000_000;

/** Values in quotes may contain separators, line feeds and doubled quotes (RFC 4180). */
class CsvReader implements DocumentReader {
  readonly #columns: ColumnTypes;
  #separator: string | null = null;
  #header: string[] | null = null;
  #rest = '';
  /** Line of the start of `rest`. */
  #line = 1;

  constructor(columns: ColumnTypes) {
    this.#columns = columns;
  }

  read(text: string): ReadDocument[] {
    this.#rest += text;
    const found: ReadDocument[] = [];
    let start = 0;
    let lines = 0;
    let isQuoted = false;
    for (let i = 0; i < this.#rest.length; i++) {
      const char = this.#rest[i];
      if (char === '"') isQuoted = !isQuoted;
      else if (char === '\n') {
        lines++;
        if (isQuoted) continue;
        found.push(...this.#row(this.#rest.slice(start, i)));
        this.#line += lines;
        lines = 0;
        start = i + 1;
      }
    }
    this.#rest = this.#rest.slice(start);
    if (this.#rest.length > MAX_ROW)
      throw new Error(`line ${this.#line}: a row is longer than ${MAX_ROW} characters: is a quote not closed?`);
    return found;
  }

  end(): ReadDocument[] {
    const last = this.#row(this.#rest);
    this.#rest = '';
    return last;
  }

  #row(raw: string): ReadDocument[] {
    const row = raw.replace(/\r$/, '').replace(/^\ufeff/, '');
    if (row.trim() === '') return [];
    this.#separator ??= SEPARATORS.reduce((best, one) => (row.split(one).length > row.split(best).length ? one : best));
    const values = csvValues(row, this.#separator);
    if (values === null) return [bad(this.#line, row, 'a quoted value is not closed')];
    if (this.#header === null) {
      this.#header = values.map((name, i) => name.trim() || `column${i + 1}`);
      return [];
    }
    const header = this.#header;
    if (values.length > header.length) return [bad(this.#line, row, `has ${values.length} values, the header ${header.length}`)];
    const fields = values.map((value, i): [string, unknown] => [header[i], value]).filter(([, value]) => value !== '');
    return [
      good(this.#line, JSON.stringify(Object.fromEntries(fields.map(([name, value]) => [name, this.#valueOf(name, String(value))])))),
    ];
  }

  #valueOf(column: string, value: string): unknown {
    if (NUMBER.test(value) && Number.isSafeInteger(Math.trunc(Number(value))) && this.#columns.isNumeric(column)) return Number(value);
    if ((value === 'true' || value === 'false') && this.#columns.isBoolean(column)) return value === 'true';
    return value;
  }
}

/** Values of a row; null if a quote is still open at its end. */
function csvValues(row: string, separator: string): string[] | null {
  const values: string[] = [];
  for (let i = 0; i <= row.length; i++) {
    if (row[i] === '"') {
      let value = '';
      for (i++; ; i++) {
        if (i >= row.length) return null;
        if (row[i] !== '"') value += row[i];
        else if (row[i + 1] === '"') value += row[++i];
        else break;
      }
      const next = row.indexOf(separator, i);
      values.push(value + row.slice(i + 1, next === -1 ? row.length : next).trim());
      i = next === -1 ? row.length : next;
    } else {
      const next = row.indexOf(separator, i);
      values.push(row.slice(i, next === -1 ? row.length : next).trim());
      i = next === -1 ? row.length : next;
    }
  }
  return values;
}
