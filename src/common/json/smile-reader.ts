// Decodes SMILE (smile-format.ts). Byte strings become base64 strings.
import { MAX_JSON_DEPTH } from './json-syntax-error.ts';
import { setOwn } from './own-property.ts';
import { END_OF_STRING, HEADER, MAX_SHARED, SHARES_NAMES } from './smile-format.ts';
import { MAX_VALUE_BYTES, TOO_MANY_VALUES, VALUE_BYTES } from './value-budget.ts';

/** The body is not SMILE or holds a value without a JSON form. */
export class SmileError extends Error {}

const SHARES_STRINGS = 2;
/** Longer strings are not shared. */
const MAX_SHARED_BYTES = 64;
/** Between documents. */
const END_OF_CONTENT = 0xff;

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
