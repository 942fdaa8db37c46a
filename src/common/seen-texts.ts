// Whether a text was met before, lately: caches take what comes again, and leave alone what comes once. A kept entry costs more than its making
// where nobody asks for it: it outlives its request, so the collector copies it twice and then has to look for it among the old ones.

const SLOTS = 1 << 12;
/** Longer texts are told apart by so many characters of their beginning, their end and their length. */
const MAX_HASHED_PART = 1024;

/** A table of hashes: a text is forgotten when another one takes its slot. Two texts of one hash pass for each other, which costs a kept entry. */
export class SeenTexts {
  readonly #hashes = new Uint32Array(SLOTS);

  /** True if the text was asked about before and is not forgotten yet; it is remembered from now on. */
  meet(text: string): boolean {
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
