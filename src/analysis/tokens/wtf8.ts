// Strings to UTF-8 and back. Lone surrogates become 3-byte forms and survive the round trip.
import type { TextInput, TextMemory } from '../../wasm/analysis.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Lone surrogates: a high one not followed by a low one, or a low one not preceded by a high one. */
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Whether a string has no lone surrogates. Engines before 2023 lack isWellFormed, which is several times as fast as the expression. */
const isWellFormed: (text: string) => boolean =
  'isWellFormed' in String.prototype
    ? (text) => (text as string & { isWellFormed(): boolean }).isWellFormed()
    : (text) => !LONE_SURROGATE.test(text);

export function encodeWtf8(text: string): Uint8Array {
  if (isWellFormed(text)) return encoder.encode(text);
  const out = new Uint8Array(text.length * 3);
  return out.subarray(0, writeWtf8(out, 0, text));
}

/** A string that is encoded directly into the kernels' memory. */
export class StringInput implements TextInput {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get maxBytes(): number {
    return this.#text.length * 3;
  }

  writeTo(bytes: Uint8Array, memory: TextMemory): number {
    if (memory.isShared) return writeWtf8(bytes, 0, this.#text);
    const { written } = encoder.encodeInto(this.#text, bytes);
    // The encoder writes U+FFFD (three bytes) for a lone surrogate.
    if (written === this.#text.length || !memory.hasReplacement(written) || isWellFormed(this.#text)) return written;
    return writeWtf8(bytes, 0, this.#text);
  }
}

/** Encodes a string at `at`, where three bytes per unit are free. Returns the number of bytes written. */
export function writeWtf8(out: Uint8Array, at: number, text: string): number {
  let to = at;
  for (let i = 0; i < text.length; i++) {
    let cp = text.charCodeAt(i);
    if (cp < 0x80) {
      out[to++] = cp;
      continue;
    }
    if (cp < 0x800) {
      out[to++] = 0xc0 | (cp >> 6);
      out[to++] = 0x80 | (cp & 63);
      continue;
    }
    const low = (cp & 0xfc00) === 0xd800 ? text.charCodeAt(i + 1) : 0;
    if ((low & 0xfc00) === 0xdc00) {
      cp = 0x10000 + ((cp & 0x3ff) << 10) + (low & 0x3ff);
      i++;
      out[to++] = 0xf0 | (cp >> 18);
      out[to++] = 0x80 | ((cp >> 12) & 63);
    } else out[to++] = 0xe0 | (cp >> 12);
    out[to++] = 0x80 | ((cp >> 6) & 63);
    out[to++] = 0x80 | (cp & 63);
  }
  return to - at;
}

export function decodeWtf8(bytes: Uint8Array, from: number, to: number): string {
  let ascii = '';
  if (to - from <= 24) {
    let i = from;
    for (; i < to && bytes[i] < 0x80; i++) ascii += String.fromCharCode(bytes[i]);
    if (i === to) return ascii;
  }
  for (let i = from; i + 1 < to; i++) if (bytes[i] === 0xed && bytes[i + 1] >= 0xa0) return decodeWithSurrogates(bytes, from, to);
  return decoder.decode(bytes.subarray(from, to));
}

function decodeWithSurrogates(bytes: Uint8Array, from: number, to: number): string {
  let text = '';
  let plain = from;
  for (let i = from; i < to; i++) {
    if (bytes[i] !== 0xed || i + 2 >= to || bytes[i + 1] < 0xa0) continue;
    text += decoder.decode(bytes.subarray(plain, i)) + String.fromCharCode(0xd000 | ((bytes[i + 1] & 63) << 6) | (bytes[i + 2] & 63));
    plain = i + 3;
    i += 2;
  }
  return text + decoder.decode(bytes.subarray(plain, to));
}
