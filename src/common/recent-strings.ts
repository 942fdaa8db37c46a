// Remembers which strings were seen recently, so that caches store only what is requested repeatedly. Storing an entry that is never used costs
// more than computing it: it outlives its request, so the garbage collector copies it twice and later traces it in the old generation.

const SLOTS = 1 << 12;
/** Of longer strings only this many characters at either end are hashed, and the length. */
const MAX_HASHED_PART = 1024;

/** A table of hashes: a string is forgotten when another one takes its slot. A collision of hashes only causes a useless cache entry. */
export class RecentStrings {
  readonly #hashes = new Uint32Array(SLOTS);

  /** Remembers a string. @returns true if it was remembered already */
  seen(text: string): boolean {
    const hash = hashOf(text);
    const slot = hash & (SLOTS - 1);
    if (this.#hashes[slot] === hash) return true;
    this.#hashes[slot] = hash;
    return false;
  }
}

/** FNV-1a over UTF-16 units, mixed so that all bits count. @returns u32 */
function hashOf(text: string): number {
  const { length } = text;
  const head = Math.min(length, MAX_HASHED_PART);
  let hash = 0x811c9dc5 ^ length;
  for (let i = 0; i < head; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  for (let i = Math.max(head, length - MAX_HASHED_PART); i < length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
