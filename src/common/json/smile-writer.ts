// Encodes SMILE (smile-format.ts). Names are shared, strings are not.
import { BinaryWriter } from './binary-writer.ts';
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

class SmileWriter extends BinaryWriter {
  /** Places of the names that were written; null if names are not shared. */
  readonly #names: Map<string, number> | null;

  /** @param isWhole  writes a header, and shares names */
  constructor(isWhole = true) {
    super();
    this.#names = isWhole ? new Map() : null;
    if (isWhole) this.put(...HEADER, SHARES_NAMES);
  }

  /** Seven bits in each byte, six in the last one, which has the highest bit set. */
  #variable(value: bigint): void {
    const bytes = [Number(value & 0x3fn) | 0x80];
    for (let rest = value >> 6n; rest > 0n; rest >>= 7n) bytes.unshift(Number(rest & 0x7fn));
    this.put(...bytes);
  }

  protected integer(value: number | bigint): void {
    const wide = BigInt(value);
    const zigzag = wide < 0n ? -wide * 2n - 1n : wide * 2n;
    if (zigzag < 32n) this.put(0xc0 + Number(zigzag));
    else if (zigzag < 1n << 64n) {
      this.put(zigzag < 1n << 32n ? 0x24 : 0x25);
      this.#variable(zigzag);
    } else this.double(Number(value));
  }

  protected double(value: number): void {
    const scratch = Buffer.allocUnsafe(8);
    scratch.writeDoubleBE(value);
    const bits = scratch.readBigUInt64BE();
    this.put(0x29, ...Array.from({ length: 10 }, (_, i) => Number((bits >> BigInt(63 - i * 7)) & 0x7fn)));
  }

  protected boolean(value: boolean): void {
    this.put(value ? 0x23 : 0x22);
  }

  protected none(): void {
    this.put(0x21);
  }

  protected string(value: string): void {
    const bytes = Buffer.byteLength(value);
    if (bytes === 0) {
      this.put(0x20);
      return;
    }
    const isAscii = bytes === value.length;
    if (isAscii && bytes <= 64) this.put(bytes <= 32 ? 0x3f + bytes : 0x60 + bytes - 33);
    else if (!isAscii && bytes <= 65) this.put(bytes <= 33 ? 0x80 + bytes - 2 : 0xa0 + bytes - 34);
    else {
      this.put(isAscii ? 0xe0 : 0xe4);
      this.utf8(value, bytes);
      this.put(END_OF_STRING);
      return;
    }
    this.utf8(value, bytes);
  }

  protected list(items: readonly unknown[]): void {
    this.put(0xf8);
    for (const item of items) this.value(item);
    this.put(0xf9);
  }

  protected members(members: ReadonlyArray<readonly [name: string, value: unknown]>): void {
    this.put(0xfa);
    for (const [name, member] of members) {
      this.name(name);
      this.value(member);
    }
    this.put(0xfb);
  }

  name(name: string): void {
    const known = this.#names?.get(name);
    // References whose last byte would be 0xfe or 0xff are not written.
    if (known !== undefined && (known & 0xff) < 0xfe) {
      if (known < 64) this.put(0x40 + known);
      else this.put(0x30 + (known >> 8), known & 0xff);
      return;
    }
    const bytes = Buffer.byteLength(name);
    const isAscii = bytes === name.length;
    if (bytes === 0) this.put(0x20);
    else if (bytes > (isAscii ? 64 : 57)) {
      this.put(0x34);
      this.utf8(name, bytes);
      this.put(END_OF_STRING);
    } else {
      this.put(isAscii ? 0x7f + bytes : 0xc0 + bytes - 2);
      this.utf8(name, bytes);
      if (this.#names) place(this.#names, name);
    }
  }
}

/** A name has a place each time that it is written, as its reader gives it one. */
function place(names: Map<string, number>, name: string): void {
  if (names.size === MAX_SHARED) names.clear();
  names.set(names.has(name) ? `${name}\0${names.size}` : name, names.size);
}
