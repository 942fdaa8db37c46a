// The service's JSON parser: strict (no duplicate names, no bare words), but it accepts comments and keeps integers beyond 2^53 exact as bigints. A
// quick scan of the text decides whether JSON.parse gives the right result; if not, or if JSON.parse fails, the slow parser below returns the value
// or the error with its position. Our own code, because error messages are those of the Jackson library, on which clients rely.
import { isUtf8 } from 'node:buffer';
import { countKeys, invalidUtf8Error, scan } from './json-scan.ts';
import { JsonSyntaxError, MAX_JSON_DEPTH, SOURCE } from './json-syntax-error.ts';
import { setOwn } from './own-property.ts';
import { MAX_VALUE_BYTES, TOO_MANY_VALUES, VALUE_BYTES } from './value-budget.ts';

/** Maximum length of a number, in characters. */
const MAX_NUMBER_LENGTH = 1000;

/** Parses UTF-8 bytes. @throws JsonSyntaxError, also for invalid UTF-8 */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) throw invalidUtf8Error(bytes);
  return parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
}

/** @throws JsonSyntaxError */
export function parseJson(text: string): unknown {
  const colons = scan(text);
  if (colons >= 0) {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return new JsonParser(text).parseRoot();
    }
    // Fewer names than colons: a name occurs twice in an object.
    if (countKeys(value) === colons) return value;
  }
  return new JsonParser(text).parseRoot();
}

/** An integer written with a fraction or an exponent: `1.0`, `1e3`. */
export class DecimalLiteral {
  constructor(readonly value: number) {}
}

/** Parses a text that `parseJson` accepts, with DecimalLiteral for integers written as decimals. */
export function parseJsonTyped(text: string): unknown {
  return new JsonParser(text, true).parseRoot();
}

const VALUE_EXPECTED = "(JSON String, Number, Array, Object or token 'null', 'true' or 'false')";
const ESCAPES: Readonly<Record<string, string>> = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const WORD = /[\p{ID_Start}$_][\p{ID_Continue}$]*/uy;
type Scope = 'Object' | 'Array' | 'root';

class JsonParser {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  #bytes = 0;
  readonly #keepsDecimals: boolean;

  constructor(text: string, keepsDecimals = false) {
    this.#text = text;
    this.#keepsDecimals = keepsDecimals;
    if (text.charCodeAt(0) === 0xfeff) this.#at = 1;
  }

  parseRoot(): unknown {
    this.#skip();
    if (this.#at >= this.#text.length) throw this.#error('end', 'No content to map due to end-of-input', this.#at);
    const value = this.#value('root');
    this.#skip();
    if (this.#at < this.#text.length)
      throw this.#error('trailing', `Unexpected token [${tokenName(this.#text[this.#at])}] found after the main object.`, this.#at, false);
    return value;
  }

  /** Skips spaces and comments. */
  #skip(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === 32 || code === 10 || code === 13 || code === 9) this.#at++;
      else if (code === 47) this.#comment();
      else return;
    }
  }

  #comment(): void {
    const start = this.#at;
    const next = this.#text[start + 1];
    if (next === '/') {
      const end = this.#text.indexOf('\n', start);
      this.#at = end < 0 ? this.#text.length : end + 1;
    } else if (next === '*') {
      const end = this.#text.indexOf('*/', start + 2);
      if (end < 0) throw this.#error('end', 'Unexpected end-of-input in a comment', this.#text.length);
      this.#at = end + 2;
    } else {
      throw this.#unexpectedError(start + 1, "was expecting either '*' or '/' for a comment");
    }
  }

  #value(scope: Scope): unknown {
    const char = this.#text[this.#at];
    switch (char) {
      case undefined:
        throw this.#error('end', `Unexpected end-of-input within/between ${scope} entries`, this.#at);
      case '{':
        return this.#object();
      case '[':
        return this.#array();
      case '"':
        return this.#string('VALUE_STRING');
      default:
        return char === '-' || (char >= '0' && char <= '9') ? this.#number() : this.#word();
    }
  }

  /** Counts the memory of a value. */
  #spend(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > MAX_VALUE_BYTES) throw this.#error('limit', TOO_MANY_VALUES, this.#at);
  }

  #enter(): void {
    if (++this.#depth > MAX_JSON_DEPTH) {
      const reason = `Document nesting depth (${this.#depth}) exceeds the maximum allowed (${MAX_JSON_DEPTH}, from \`StreamReadConstraints.getMaxNestingDepth()\`)`;
      throw this.#error('limit', reason, this.#at);
    }
    this.#at++;
    this.#skip();
  }

  #object(): Record<string, unknown> {
    this.#enter();
    this.#spend(VALUE_BYTES.object);
    const object: Record<string, unknown> = {};
    if (this.#text[this.#at] === '}') return this.#leave(object);
    if (this.#at >= this.#text.length) throw this.#notClosedError('Object');
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined) throw this.#error('end', 'Unexpected end-of-input within/between Object entries', this.#at);
      if (char !== '"') throw this.#unexpectedError(this.#at, 'was expecting double-quote to start property name');
      const name = this.#string('FIELD_NAME');
      this.#spend(VALUE_BYTES.member);
      if (Object.hasOwn(object, name)) throw this.#error('syntax', `Duplicate Object property "${name}"`, this.#at);
      this.#skip();
      if (this.#at >= this.#text.length) throw this.#error('end', 'Unexpected end-of-input within/between Object entries', this.#at);
      if (this.#text[this.#at] !== ':') throw this.#unexpectedError(this.#at, 'was expecting a colon to separate property name and value');
      this.#at++;
      this.#skip();
      const value = this.#value('Object');
      setOwn(object, name, value);
      if (this.#separator('Object', '}')) return this.#leave(object);
    }
  }

  #array(): unknown[] {
    this.#enter();
    this.#spend(VALUE_BYTES.list);
    const array: unknown[] = [];
    if (this.#text[this.#at] === ']') return this.#leave(array);
    if (this.#at >= this.#text.length) throw this.#notClosedError('Array');
    for (;;) {
      this.#spend(VALUE_BYTES.item);
      array.push(this.#value('Array'));
      if (this.#separator('Array', ']')) return this.#leave(array);
    }
  }

  #leave<T>(value: T): T {
    this.#at++;
    this.#depth--;
    return value;
  }

  /** Reads the separator after an entry. @returns true at the closing bracket, false after a comma */
  #separator(scope: Scope, close: string): boolean {
    this.#skip();
    const char = this.#text[this.#at];
    if (char === close) return true;
    if (char === undefined) throw this.#notClosedError(scope);
    if (char === '}' || char === ']')
      throw this.#error(
        'syntax',
        `Unexpected close marker '${char}': expected '${close}' (for ${scope} starting at [${SOURCE}UNKNOWN])`,
        this.#at,
      );
    if (char !== ',') throw this.#unexpectedError(this.#at, `was expecting comma to separate ${scope} entries`);
    this.#at++;
    this.#skip();
    return false;
  }

  #string(token: 'VALUE_STRING' | 'FIELD_NAME'): string {
    const text = this.#text;
    let start = ++this.#at;
    let value = '';
    for (;;) {
      const code = text.charCodeAt(this.#at);
      if (Number.isNaN(code))
        throw this.#error('end', `Unexpected end-of-input in ${token === 'FIELD_NAME' ? 'property name' : token}`, this.#at);
      if (code === 34) {
        value += text.slice(start, this.#at++);
        return value;
      }
      if (code < 32) {
        const where = token === 'FIELD_NAME' ? 'name' : 'string value';
        throw this.#error(
          'syntax',
          `Illegal unquoted character (${charName(text[this.#at])}): has to be escaped using backslash to be included in ${where}`,
          this.#at,
        );
      }
      if (code !== 92) {
        this.#at++;
        continue;
      }
      value += text.slice(start, this.#at) + this.#escape();
      start = this.#at;
    }
  }

  #escape(): string {
    const char = this.#text[this.#at + 1];
    if (char === 'u') {
      const hex = this.#text.slice(this.#at + 2, this.#at + 6);
      const bad = hex.search(/[^0-9a-fA-F]/);
      if (bad >= 0) throw this.#unexpectedError(this.#at + 2 + bad, 'expected a hex-digit for character escape sequence');
      if (hex.length < 4) throw this.#error('end', 'Unexpected end-of-input in character escape sequence', this.#text.length);
      this.#at += 6;
      return String.fromCharCode(Number.parseInt(hex, 16));
    }
    if (char === undefined) throw this.#error('end', 'Unexpected end-of-input in character escape sequence', this.#text.length);
    const escaped = ESCAPES[char];
    if (escaped === undefined) throw this.#error('syntax', `Unrecognized character escape ${charName(char)}`, this.#at + 1);
    this.#at += 2;
    return escaped;
  }

  #number(): number | bigint | DecimalLiteral {
    const text = this.#text;
    const start = this.#at;
    NUMBER.lastIndex = start;
    const match = NUMBER.exec(text);
    if (!match) throw this.#numberError(start + 1, 'expected digit (0-9) to follow minus sign, for valid numeric value');
    const end = NUMBER.lastIndex;
    const next = text[end] ?? '';
    if (next >= '0' && next <= '9') throw this.#error('syntax', 'Invalid numeric value: Leading zeroes not allowed', end);
    if (next === '.') throw this.#numberError(end + 1, 'Decimal point not followed by a digit');
    if (next === 'e' || next === 'E') throw this.#numberError(end + 1, 'Exponent indicator not followed by a digit');
    if (end - start > MAX_NUMBER_LENGTH) {
      const reason = `Number value length (${end - start}) exceeds the maximum allowed (${MAX_NUMBER_LENGTH}, from \`StreamReadConstraints.getMaxNumberLength()\`)`;
      throw this.#error('limit', reason, start);
    }
    this.#at = end;
    const number = Number(match[0]);
    const isInteger = match[1] === undefined && match[2] === undefined;
    if (isInteger) return Number.isSafeInteger(number) ? number : BigInt(match[0]);
    return this.#keepsDecimals && Number.isInteger(number) ? new DecimalLiteral(number) : number;
  }

  #numberError(at: number, reason: string): JsonSyntaxError {
    if (at >= this.#text.length) return this.#error('end', 'Unexpected end-of-input in a Number value', at);
    return this.#error('syntax', `Unexpected character (${charName(this.#text[at])}) in numeric value: ${reason}`, at);
  }

  #word(): unknown {
    WORD.lastIndex = this.#at;
    const word = WORD.exec(this.#text)?.[0];
    if (word === undefined) {
      if (this.#text[this.#at] === '+')
        throw this.#error(
          'syntax',
          `Unexpected character ('+' (code 43)) in numeric value: JSON spec does not allow numbers to have plus signs: enable \`JsonReadFeature.ALLOW_LEADING_PLUS_SIGN_FOR_NUMBERS\` to allow`,
          this.#at,
        );
      throw this.#unexpectedError(this.#at, `expected a valid value ${VALUE_EXPECTED}`);
    }
    const start = this.#at;
    this.#at += word.length;
    if (word === 'true') return true;
    if (word === 'false') return false;
    if (word === 'null') return null;
    if (word === 'NaN' || word === 'Infinity' || word === 'INF')
      throw this.#error('syntax', `Non-standard token '${word}': enable \`JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS\` to allow`, this.#at);
    throw this.#error('syntax', `Unrecognized token '${word.slice(0, 256)}': was expecting ${VALUE_EXPECTED}`, start);
  }

  #unexpectedError(at: number, expected: string): JsonSyntaxError {
    if (at >= this.#text.length) return this.#error('end', 'Unexpected end-of-input', at);
    return this.#error('syntax', `Unexpected character (${charName(this.#text[at])}): ${expected}`, at);
  }

  #notClosedError(scope: Scope): JsonSyntaxError {
    return this.#error('end', `Unexpected end-of-input: expected close marker for ${scope} (start marker at [${SOURCE}UNKNOWN])`, this.#at);
  }

  #error(kind: JsonSyntaxError['kind'], reason: string, at: number, withPlace = true): JsonSyntaxError {
    const before = this.#text.slice(0, at);
    let line = 1;
    for (let end = before.indexOf('\n'); end >= 0; end = before.indexOf('\n', end + 1)) line++;
    const col = at - before.lastIndexOf('\n');
    const place = withPlace ? `\n at [${SOURCE}${Buffer.byteLength(before)}]` : '';
    return new JsonSyntaxError(kind, reason + place, line, col);
  }
}

function charName(char: string): string {
  const code = char.charCodeAt(0);
  if (code < 32) return `(CTRL-CHAR, code ${code})`;
  return `'${char}' (code ${code}${code > 255 ? ` / 0x${code.toString(16)}` : ''})`;
}

function tokenName(char: string): string {
  if (char === '{') return 'START_OBJECT';
  if (char === '[') return 'START_ARRAY';
  if (char === '"') return 'VALUE_STRING';
  if (char === '}') return 'END_OBJECT';
  if (char === ']') return 'END_ARRAY';
  return /[-0-9]/.test(char) ? 'VALUE_NUMBER' : 'VALUE';
}
