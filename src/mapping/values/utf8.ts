// Terms as UTF-8. `scratchUtf8` avoids an allocation per value: the next call overwrites its result.

const encoder = new TextEncoder();
let scratch = Buffer.allocUnsafe(64 * 1024);

/** UTF-8 bytes of a string, valid until the next call. Lone surrogates become U+FFFD. */
export function scratchUtf8(text: string): Uint8Array {
  const length = text.length;
  if (length * 3 > scratch.length) scratch = Buffer.allocUnsafe(length * 3);
  if (length <= 40) {
    let i = 0;
    for (; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) break;
      scratch[i] = code;
    }
    if (i === length) return scratch.subarray(0, length);
  }
  return scratch.subarray(0, scratch.write(text, 0));
}

/** UTF-8 bytes of a string, newly allocated. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}
