/** MurmurHash2 (32 bits; nginx uses the length alone as the seed). Source: Austin Appleby, public domain. */
export function murmur2(text: string): number {
  const M = 0x5bd1e995;
  let length = text.length;
  let h = length >>> 0;
  let pos = 0;
  while (length >= 4) {
    let k = text.charCodeAt(pos) | (text.charCodeAt(pos + 1) << 8) | (text.charCodeAt(pos + 2) << 16) | (text.charCodeAt(pos + 3) << 24);
    k = Math.imul(k, M);
    k ^= k >>> 24;
    k = Math.imul(k, M);
    h = Math.imul(h, M) ^ k;
    pos += 4;
    length -= 4;
  }
  if (length >= 3) h ^= text.charCodeAt(pos + 2) << 16;
  if (length >= 2) h ^= text.charCodeAt(pos + 1) << 8;
  if (length >= 1) h = Math.imul(h ^ text.charCodeAt(pos), M);
  h ^= h >>> 13;
  h = Math.imul(h, M);
  return (h ^ (h >>> 15)) >>> 0;
}
