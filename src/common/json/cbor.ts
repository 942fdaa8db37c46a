// CBOR (RFC 8949) for request and response bodies: the values of JSON, bigints as integers, byte strings decoded to base64 strings. Our own code,
// because cbor-x has no limit on nesting and numbers of values; lengths are limited by the size of the input.

import { BinaryWriter } from './binary-writer.ts';
import { MAX_JSON_DEPTH } from './json-syntax-error.ts';
import { setOwn } from './own-property.ts';
import { MAX_VALUE_BYTES, TOO_MANY_VALUES, VALUE_BYTES } from './value-budget.ts';

/** The body is not CBOR or holds a value without a JSON form. */
export class CborError extends Error {}

/** Encodes a plain value (without RawJson); undefined members are omitted. */
export function encodeCbor(value: unknown): Buffer {
  const writer = new CborWriter();
  writer.value(value);
  return writer.finish();
}

class CborWriter extends BinaryWriter {
  /** Major type and argument. */
  #head(major: number, argument: number): void {
    const type = major << 5;
    if (argument < 24) this.put(type | argument);
    else if (argument < 2 ** 8) this.put(type | 24, argument);
    else if (argument < 2 ** 16) this.put(type | 25, argument >> 8, argument & 0xff);
    else if (argument < 2 ** 32) {
      const at = this.reserve(5);
      this.bytes[at] = type | 26;
      this.bytes.writeUInt32BE(argument, at + 1);
    } else this.#wideHead(type, BigInt(argument));
  }

  #wideHead(type: number, argument: bigint): void {
    const at = this.reserve(9);
    this.bytes[at] = type | 27;
    this.bytes.writeBigUInt64BE(BigInt.asUintN(64, argument), at + 1);
  }

  protected string(value: string): void {
    const bytes = Buffer.byteLength(value);
    this.#head(3, bytes);
    this.utf8(value, bytes);
  }

  protected integer(value: number | bigint): void {
    if (typeof value === 'number') this.#head(value < 0 ? 1 : 0, value < 0 ? -1 - value : value);
    else this.#wideHead(value < 0n ? 0x20 : 0, value < 0n ? -1n - value : value);
  }

  protected double(value: number): void {
    const at = this.reserve(9);
    this.bytes[at] = 0xfb;
    this.bytes.writeDoubleBE(value, at + 1);
  }

  protected boolean(value: boolean): void {
    this.put(value ? 0xf5 : 0xf4);
  }

  protected list(items: readonly unknown[]): void {
    this.#head(4, items.length);
    for (const item of items) this.value(item);
  }

  protected members(members: ReadonlyArray<readonly [name: string, value: unknown]>): void {
    this.#head(5, members.length);
    for (const [name, member] of members) {
      this.string(name);
      this.value(member);
    }
  }

  protected none(): void {
    this.put(0xf6);
  }
}

/** Decodes bytes that hold exactly one value. @throws CborError */
export function decodeCbor(bytes: Buffer): unknown {
  const reader = new CborReader(bytes);
  const value = reader.value(0);
  if (value === BREAK) throw new CborError('break in place of a value');
  if (!reader.isAtEnd) throw new CborError('more than one value');
  return value;
}

/** Decodes values one after another, with or without 0xff between them; a byte string holds a value of its own. @throws CborError */
export function decodeCborSequence(bytes: Buffer): unknown[] {
  const reader = new CborReader(bytes);
  const values: unknown[] = [];
  while (!reader.isAtEnd) {
    const embedded = reader.byteString();
    const value = embedded === null ? reader.value(0) : decodeCbor(embedded);
    if (value !== BREAK) values.push(value);
  }
  return values;
}

const BREAK = Symbol('break');

class CborReader {
  readonly #bytes: Buffer;
  #at = 0;
  #valueBytes = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  #spend(bytes: number): void {
    this.#valueBytes += bytes;
    if (this.#valueBytes > MAX_VALUE_BYTES) throw new CborError(TOO_MANY_VALUES);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  #take(count: number): number {
    const at = this.#at;
    if (at + count > this.#bytes.length) throw new CborError(`unexpected end of input at byte ${this.#bytes.length}`);
    this.#at = at + count;
    return at;
  }

  /** The argument of a head, -1 for an indefinite length. */
  #argument(info: number): number | bigint {
    if (info < 24) return info;
    if (info === 24) return this.#bytes[this.#take(1)];
    if (info === 25) return this.#bytes.readUInt16BE(this.#take(2));
    if (info === 26) return this.#bytes.readUInt32BE(this.#take(4));
    if (info === 27) {
      const wide = this.#bytes.readBigUInt64BE(this.#take(8));
      return wide <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(wide) : wide;
    }
    if (info === 31) return -1;
    throw new CborError(`malformed head at byte ${this.#at - 1}`);
  }

  /** The bytes of a byte string of known length; null if something else follows. */
  byteString(): Buffer | null {
    const head = this.#bytes[this.#at];
    if (head >> 5 !== 2 || (head & 31) === 31) return null;
    this.#at++;
    const length = this.#argument(head & 31);
    if (typeof length === 'bigint') throw new CborError('length beyond the input');
    return this.#chunks(length, 2);
  }

  value(depth: number): unknown {
    if (depth > MAX_JSON_DEPTH) throw new CborError(`nested deeper than ${MAX_JSON_DEPTH}`);
    const head = this.#bytes[this.#take(1)];
    const major = head >> 5;
    const info = head & 31;
    if (major === 7) return this.#simple(info);
    const argument = this.#argument(info);
    if (major === 0) return argument;
    if (major === 1) return typeof argument === 'bigint' ? -1n - argument : this.#negative(argument);
    // Tags describe the value that follows in ways that JSON has no form for.
    if (major === 6) return this.value(depth + 1);
    if (typeof argument === 'bigint') throw new CborError('length beyond the input');
    if (major === 2) return this.#chunks(argument, 2).toString('base64');
    if (major === 3) return this.#chunks(argument, 3).toString('utf8');
    return major === 4 ? this.#list(argument, depth) : this.#map(argument, depth);
  }

  #negative(argument: number): number | bigint {
    const value = -1 - argument;
    return Number.isSafeInteger(value) ? value : -1n - BigInt(argument);
  }

  #simple(info: number): unknown {
    switch (info) {
      case 20:
        return false;
      case 21:
        return true;
      case 22:
      case 23:
        return null;
      case 25:
        return halfFloat(this.#bytes.readUInt16BE(this.#take(2)));
      case 26:
        return this.#bytes.readFloatBE(this.#take(4));
      case 27:
        return this.#bytes.readDoubleBE(this.#take(8));
      case 31:
        return BREAK;
      default:
        throw new CborError(`simple value ${info} at byte ${this.#at - 1}`);
    }
  }

  /** A string of known length, or chunks of the same major type up to a break. */
  #chunks(length: number, major: number): Buffer {
    if (length >= 0) {
      const at = this.#take(length);
      return this.#bytes.subarray(at, at + length);
    }
    const parts: Buffer[] = [];
    for (;;) {
      const head = this.#bytes[this.#take(1)];
      if (head === 0xff) return Buffer.concat(parts);
      if (head >> 5 !== major) throw new CborError(`malformed string at byte ${this.#at - 1}`);
      const size = this.#argument(head & 31);
      if (typeof size === 'bigint' || size < 0) throw new CborError('length beyond the input');
      const at = this.#take(size);
      parts.push(this.#bytes.subarray(at, at + size));
    }
  }

  #list(length: number, depth: number): unknown[] {
    const list: unknown[] = [];
    this.#spend(VALUE_BYTES.list);
    for (let i = 0; length < 0 || i < length; i++) {
      this.#spend(VALUE_BYTES.item);
      const item = this.value(depth + 1);
      if (item === BREAK) {
        if (length < 0) break;
        throw new CborError('break inside a list of known length');
      }
      list.push(item);
    }
    return list;
  }

  #map(length: number, depth: number): Record<string, unknown> {
    const map: Record<string, unknown> = {};
    this.#spend(VALUE_BYTES.object);
    for (let i = 0; length < 0 || i < length; i++) {
      this.#spend(VALUE_BYTES.member);
      const key = this.value(depth + 1);
      if (key === BREAK && length < 0) break;
      if (typeof key !== 'string' && typeof key !== 'number') throw new CborError('a key is no text');
      const value = this.value(depth + 1);
      if (value === BREAK) throw new CborError('break in place of a value');
      setOwn(map, String(key), value);
    }
    return map;
  }
}

function halfFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
