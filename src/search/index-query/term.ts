// Terms of an index: a field and the bytes that its dictionary holds, and their order.

/** UTF-8 for text and keywords; the encoding of the field type for everything else. */
export type Bytes = Uint8Array;

/** `key` is the cache key of the bytes: a latin-1 string, one character per byte. */
export interface Term {
  readonly field: string;
  readonly bytes: Bytes;
  readonly key: string;
}

const utf8 = new TextEncoder();

export function termOfText(field: string, text: string): Term {
  return termOfBytes(field, utf8.encode(text));
}

export function termOfBytes(field: string, bytes: Bytes): Term {
  return { field, bytes, key: keyOf(bytes) };
}

export function keyOf(bytes: Bytes): string {
  let key = '';
  for (let i = 0; i < bytes.length; i++) key += String.fromCharCode(bytes[i]);
  return key;
}

/** Compares byte by byte, as term dictionaries are sorted. */
export function compareBytes(a: Bytes, b: Bytes): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
}

/** The smallest byte string that sorts after every string with this prefix; null if there is none. */
export function afterPrefix(prefix: Bytes): Bytes | null {
  let end = prefix.length;
  while (end > 0 && prefix[end - 1] === 0xff) end--;
  if (end === 0) return null;
  const next = prefix.slice(0, end);
  next[end - 1]++;
  return next;
}

/** The bytes that `keyOf` made the key from. */
export function bytesOfKey(key: string): Bytes {
  return Uint8Array.from(key, (char) => char.charCodeAt(0));
}
