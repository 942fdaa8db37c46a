// Encodes SMILE (smile-format.ts). Names are shared, strings are not.
import { END_OF_STRING, HEADER, MAX_SHARED, SHARES_NAMES } from './smile-format.ts';

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
