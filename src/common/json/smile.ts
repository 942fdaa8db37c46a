// SMILE, the binary form of JSON that Jackson reads and writes, for request and response bodies. Names are shared; strings are shared in what is read
// only. Byte strings become base64 strings. Source: the Smile format specification 1.0.
// Reader and writer share the tokens of the format, and are therefore in one file.
import { MAX_JSON_DEPTH } from './json-syntax-error.ts';
import { setOwn } from './own-property.ts';
import { MAX_VALUE_BYTES, TOO_MANY_VALUES, VALUE_BYTES } from './value-budget.ts';

/** The body is not SMILE or holds a value without a JSON form. */
export class SmileError extends Error {}

/** `:)` and a line feed; the flags follow. */
const HEADER = [0x3a, 0x29, 0x0a];
const SHARES_NAMES = 1;
const SHARES_STRINGS = 2;
/** Names and strings that can be referred to, and their largest size. */
const MAX_SHARED = 1024;
const MAX_SHARED_BYTES = 64;
const END_OF_STRING = 0xfc;
/** Between documents. */
const END_OF_CONTENT = 0xff;

/** Encodes a plain value (without RawJson); undefined members are omitted. */
export function encodeSmile(value: unknown): Buffer {
  const writer = new SmileWriter();
  writer.value(value);
  return writer.finish();
}

/** Starts a document that is written part by part, without shared names. */
export const SMILE_HEADER = Buffer.of(...HEADER, 0);

/** A value within such a document. */
export function encodeSmilePart(value: unknown): Buffer {
  const writer = new SmileWriter(false);
  writer.value(value);
  return writer.finish();
}

/** The name of a member within such a document. */
export function encodeSmileName(name: string): Buffer {
  const writer = new SmileWriter(false);
  writer.name(name);
  return writer.finish();
}

class SmileWriter {
  #bytes = Buffer.allocUnsafe(1024);
  #length = 0;
  /** Places of the names that were written; null if names are not shared. */
  readonly #names: Map<string, number> | null;

  /** @param isWhole  writes a header, and shares names */
  constructor(isWhole = true) {
    this.#names = isWhole ? new Map() : null;
    if (isWhole) this.#put(...HEADER, SHARES_NAMES);
  }

  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(count: number): number {
    const at = this.#length;
    if (at + count > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, at + count));
      this.#bytes.copy(larger, 0, 0, at);
      this.#bytes = larger;
    }
    this.#length = at + count;
    return at;
  }

  #put(...bytes: number[]): void {
    const at = this.#reserve(bytes.length);
    for (let i = 0; i < bytes.length; i++) this.#bytes[at + i] = bytes[i];
  }

  /** Seven bits in each byte, six in the last one, which has the highest bit set. */
  #variable(value: bigint): void {
    const bytes = [Number(value & 0x3fn) | 0x80];
    for (let rest = value >> 6n; rest > 0n; rest >>= 7n) bytes.unshift(Number(rest & 0x7fn));
    this.#put(...bytes);
  }

  value(value: unknown): void {
    switch (typeof value) {
      case 'string':
        this.#string(value);
        return;
      case 'number':
        if (Number.isSafeInteger(value) && !Object.is(value, -0)) this.#integer(BigInt(value));
        else this.#double(value);
        return;
      case 'bigint':
        this.#integer(value);
        return;
      case 'boolean':
        this.#put(value ? 0x23 : 0x22);
        return;
      case 'object':
        if (value !== null) {
          this.#container(value);
          return;
        }
    }
    this.#put(0x21);
  }

  #integer(value: bigint): void {
    const zigzag = value < 0n ? -value * 2n - 1n : value * 2n;
    if (zigzag < 32n) this.#put(0xc0 + Number(zigzag));
    else if (zigzag < 1n << 64n) {
      this.#put(zigzag < 1n << 32n ? 0x24 : 0x25);
      this.#variable(zigzag);
    } else this.#double(Number(value));
  }

  #double(value: number): void {
    const scratch = Buffer.allocUnsafe(8);
    scratch.writeDoubleBE(value);
    const bits = scratch.readBigUInt64BE();
    this.#put(0x29, ...Array.from({ length: 10 }, (_, i) => Number((bits >> BigInt(63 - i * 7)) & 0x7fn)));
  }

  #text(value: string, bytes: number): void {
    const at = this.#reserve(bytes);
    this.#bytes.write(value, at, bytes, 'utf8');
  }

  #string(value: string): void {
    const bytes = Buffer.byteLength(value);
    if (bytes === 0) {
      this.#put(0x20);
      return;
    }
    const isAscii = bytes === value.length;
    if (isAscii && bytes <= 64) this.#put(bytes <= 32 ? 0x3f + bytes : 0x60 + bytes - 33);
    else if (!isAscii && bytes <= 65) this.#put(bytes <= 33 ? 0x80 + bytes - 2 : 0xa0 + bytes - 34);
    else {
      this.#put(isAscii ? 0xe0 : 0xe4);
      this.#text(value, bytes);
      this.#put(END_OF_STRING);
      return;
    }
    this.#text(value, bytes);
  }

  #container(value: object): void {
    if (Array.isArray(value)) {
      this.#put(0xf8);
      for (const item of value) this.value(item);
      this.#put(0xf9);
      return;
    }
    this.#put(0xfa);
    for (const [key, member] of Object.entries(value)) {
      if (member === undefined) continue;
      this.name(key);
      this.value(member);
    }
    this.#put(0xfb);
  }

  name(name: string): void {
    const known = this.#names?.get(name);
    // References whose last byte would be 0xfe or 0xff are not written.
    if (known !== undefined && (known & 0xff) < 0xfe) {
      if (known < 64) this.#put(0x40 + known);
      else this.#put(0x30 + (known >> 8), known & 0xff);
      return;
    }
    const bytes = Buffer.byteLength(name);
    const isAscii = bytes === name.length;
    if (bytes === 0) this.#put(0x20);
    else if (bytes > (isAscii ? 64 : 57)) {
      this.#put(0x34);
      this.#text(name, bytes);
      this.#put(END_OF_STRING);
    } else {
      this.#put(isAscii ? 0x7f + bytes : 0xc0 + bytes - 2);
      this.#text(name, bytes);
      if (this.#names) place(this.#names, name);
    }
  }
}

/** A name has a place each time that it is written, as its reader gives it one. */
function place(names: Map<string, number>, name: string): void {
  if (names.size === MAX_SHARED) names.clear();
  names.set(names.has(name) ? `${name}\0${names.size}` : name, names.size);
}

/** Decodes bytes that hold exactly one document. @throws SmileError */
export function decodeSmile(bytes: Buffer): unknown {
  const reader = new SmileReader(bytes);
  const value = reader.document();
  reader.skipEnds();
  if (!reader.isAtEnd) throw new SmileError('more than one value');
  return value;
}

/** Decodes documents that each start with a header, with 0xff between them. @throws SmileError */
export function decodeSmileDocuments(bytes: Buffer): unknown[] {
  const reader = new SmileReader(bytes);
  const documents: unknown[] = [];
  for (reader.skipEnds(); !reader.isAtEnd; reader.skipEnds()) documents.push(reader.document());
  return documents;
}

class SmileReader {
  readonly #bytes: Buffer;
  #at = 0;
  #valueBytes = 0;
  #names: string[] | null = null;
  #strings: string[] | null = null;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  skipEnds(): void {
    while (this.#bytes[this.#at] === END_OF_CONTENT) this.#at++;
  }

  document(): unknown {
    const start = this.#take(4);
    const version = this.#bytes[start + 3] >> 4;
    if (HEADER.some((byte, i) => this.#bytes[start + i] !== byte)) throw new SmileError(`no header at byte ${start}`);
    if (version !== 0) throw new SmileError(`unknown version ${version}`);
    const flags = this.#bytes[start + 3];
    this.#names = flags & SHARES_NAMES ? [] : null;
    this.#strings = flags & SHARES_STRINGS ? [] : null;
    return this.#value(this.#byte(), 0);
  }

  #spend(bytes: number): void {
    this.#valueBytes += bytes;
    if (this.#valueBytes > MAX_VALUE_BYTES) throw new SmileError(TOO_MANY_VALUES);
  }

  #take(count: number): number {
    const at = this.#at;
    if (at + count > this.#bytes.length) throw new SmileError(`unexpected end of input at byte ${this.#bytes.length}`);
    this.#at = at + count;
    return at;
  }

  #byte(): number {
    return this.#bytes[this.#take(1)];
  }

  #value(token: number, depth: number): unknown {
    if (depth > MAX_JSON_DEPTH) throw new SmileError(`nested deeper than ${MAX_JSON_DEPTH}`);
    if (token >= 0xc0 && token < 0xe0) return unzigzag(BigInt(token & 31));
    if (token >= 0x40 && token < 0xc0) return this.#shortString(token);
    if (token >= 1 && token < 0x20) return this.#shared(this.#strings, token - 1);
    if (token >= 0xec && token <= 0xef) return this.#shared(this.#strings, ((token & 3) << 8) | this.#byte());
    switch (token) {
      case 0x20:
        return '';
      case 0x21:
        return null;
      case 0x22:
      case 0x23:
        return token === 0x23;
      case 0x24:
      case 0x25:
        return unzigzag(this.#variable());
      case 0x26:
        return integerOf(this.#sevenBits());
      case 0x28:
        return this.#float();
      case 0x29:
        return this.#double();
      case 0x2a: {
        const scale = Number(unzigzag(this.#variable()));
        return Number(`${integerOf(this.#sevenBits())}e${-scale}`);
      }
      case 0xe0:
      case 0xe4:
        return this.#longString();
      case 0xe8:
        return this.#sevenBits().toString('base64');
      case 0xfd: {
        const length = this.#length();
        const at = this.#take(length);
        return this.#bytes.toString('base64', at, at + length);
      }
      case 0xf8:
        return this.#list(depth);
      case 0xfa:
        return this.#map(depth);
      default:
        throw new SmileError(`byte 0x${token.toString(16)} in place of a value at ${this.#at - 1}`);
    }
  }

  /** An unsigned integer of at most 64 bits. */
  #variable(): bigint {
    let value = 0n;
    for (let i = 0; i < 10; i++) {
      const byte = this.#byte();
      if (byte & 0x80) return (value << 6n) | BigInt(byte & 0x3f);
      value = (value << 7n) | BigInt(byte);
    }
    throw new SmileError(`a number is too long at byte ${this.#at}`);
  }

  #length(): number {
    const length = this.#variable();
    if (length > BigInt(this.#bytes.length)) throw new SmileError('length beyond the input');
    return Number(length);
  }

  #shortString(token: number): string {
    const length = token < 0x60 ? token - 0x3f : token < 0x80 ? token - 0x60 + 33 : token < 0xa0 ? token - 0x80 + 2 : token - 0xa0 + 34;
    const at = this.#take(length);
    const text = this.#bytes.toString('utf8', at, at + length);
    if (length <= MAX_SHARED_BYTES) share(this.#strings, text);
    return text;
  }

  #longString(): string {
    const end = this.#bytes.indexOf(END_OF_STRING, this.#at);
    if (end < 0) throw new SmileError('a string has no end');
    const text = this.#bytes.toString('utf8', this.#at, end);
    this.#at = end + 1;
    return text;
  }

  #shared(list: readonly string[] | null, index: number): string {
    const text = list?.[index];
    if (text === undefined) throw new SmileError(`reference ${index} to nothing at byte ${this.#at - 1}`);
    return text;
  }

  #float(): number {
    let bits = 0;
    for (let i = 0; i < 5; i++) bits = ((bits << 7) | (this.#byte() & 0x7f)) >>> 0;
    const scratch = Buffer.allocUnsafe(4);
    scratch.writeUInt32BE(bits);
    return scratch.readFloatBE();
  }

  #double(): number {
    let bits = 0n;
    for (let i = 0; i < 10; i++) bits = (bits << 7n) | BigInt(this.#byte() & 0x7f);
    const scratch = Buffer.allocUnsafe(8);
    scratch.writeBigUInt64BE(BigInt.asUintN(64, bits));
    return scratch.readDoubleBE();
  }

  /** Bytes of which each has seven bits; the last one has those that are left. */
  #sevenBits(): Buffer {
    const length = this.#length();
    const bytes = Buffer.alloc(length);
    for (let i = 0; i < length; i += 7) {
      const count = Math.min(7, length - i);
      let bits = 0n;
      for (let j = 0; j < count; j++) bits = (bits << 7n) | BigInt(this.#byte() & 0x7f);
      bits = (bits << BigInt(count)) | BigInt(this.#byte() & ((1 << count) - 1));
      for (let j = count - 1; j >= 0; j--) {
        bytes[i + j] = Number(bits & 0xffn);
        bits >>= 8n;
      }
    }
    return bytes;
  }

  #list(depth: number): unknown[] {
    const list: unknown[] = [];
    this.#spend(VALUE_BYTES.list);
    for (let token = this.#byte(); token !== 0xf9; token = this.#byte()) {
      this.#spend(VALUE_BYTES.item);
      list.push(this.#value(token, depth + 1));
    }
    return list;
  }

  #map(depth: number): Record<string, unknown> {
    const map: Record<string, unknown> = {};
    this.#spend(VALUE_BYTES.object);
    for (let token = this.#byte(); token !== 0xfb; token = this.#byte()) {
      this.#spend(VALUE_BYTES.member);
      const name = this.#name(token);
      setOwn(map, name, this.#value(this.#byte(), depth + 1));
    }
    return map;
  }

  #name(token: number): string {
    if (token === 0x20) return '';
    if (token === 0x34) return this.#longString();
    if (token >= 0x30 && token <= 0x33) return this.#shared(this.#names, ((token & 3) << 8) | this.#byte());
    if (token >= 0x40 && token < 0x80) return this.#shared(this.#names, token - 0x40);
    if (token < 0x80 || token > 0xf7) throw new SmileError(`byte 0x${token.toString(16)} in place of a name at ${this.#at - 1}`);
    const length = token < 0xc0 ? token - 0x7f : token - 0xc0 + 2;
    const at = this.#take(length);
    const name = this.#bytes.toString('utf8', at, at + length);
    share(this.#names, name);
    return name;
  }
}

function share(list: string[] | null, text: string): void {
  if (list === null) return;
  if (list.length === MAX_SHARED) list.length = 0;
  list.push(text);
}

function unzigzag(value: bigint): number | bigint {
  const signed = value & 1n ? -(value >> 1n) - 1n : value >> 1n;
  const plain = Number(signed);
  return Number.isSafeInteger(plain) ? plain : signed;
}

/** A two's complement integer, most significant byte first. */
function integerOf(bytes: Buffer): number | bigint {
  if (bytes.length > 64) throw new SmileError('an integer is too long');
  const value = BigInt.asIntN(bytes.length * 8, BigInt(`0x${bytes.toString('hex') || '0'}`));
  const plain = Number(value);
  return Number.isSafeInteger(plain) ? plain : value;
}
