// Strings to UTF-8 and back; lone surrogates become their 3-byte forms and survive the way there and back.
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Lone surrogates: a high one without a low one behind it, or a low one without a high one before it. */
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

export function encodeWtf8(text: string): Uint8Array {
  if (!LONE_SURROGATE.test(text)) return encoder.encode(text);
  const out: number[] = [];
  for (const char of text) {
    const cp = char.codePointAt(0)!;
    if (cp >= 0xd800 && cp < 0xe000) out.push(0xe0 | (cp >> 12), 0x80 | ((cp >> 6) & 63), 0x80 | (cp & 63));
    else out.push(...encoder.encode(char));
  }
  return Uint8Array.from(out);
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
