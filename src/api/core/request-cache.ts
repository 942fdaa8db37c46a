// Answers of searches, kept until something they depend on changes. The key holds the request, the metadata version and the generation of
// every shard that was searched, so an answer is never stale: a refresh that brings changes moves the generation.
import type { MutableJsonObject } from '../../common/json-value.ts';
import { writeJson } from '../../common/json-write.ts';
import { RawJson } from '../../common/raw-json.ts';

/** Characters of all answers together, and of the longest one that is kept. */
const MAX_CHARS = 8 << 20;
const MAX_ENTRY_CHARS = 64 << 10;

interface Entry {
  readonly answer: MutableJsonObject;
  readonly chars: number;
  isUsed: boolean;
}

export class RequestCache {
  /** In the order in which they came, or were passed over. Taking one only marks it: tables of a Map that changes with every request pile up. */
  readonly #entries = new Map<string, Entry>();
  #chars = 0;

  /** The answer with a `took` of this time, or null. */
  get(key: string, tookMs: number): MutableJsonObject | null {
    const entry = this.#entries.get(key);
    if (!entry) return null;
    entry.isUsed = true;
    return { ...entry.answer, took: tookMs };
  }

  /** Keeps an answer; its larger parts as text, ready to be sent. */
  put(key: string, answer: MutableJsonObject): void {
    const kept: MutableJsonObject = { ...answer };
    let chars = key.length + 200;
    for (const part of ['hits', 'aggregations']) {
      if (kept[part] === undefined) continue;
      const text = new RawJson(writeJson(kept[part]));
      kept[part] = text;
      chars += text.text.length;
    }
    if (chars > MAX_ENTRY_CHARS) return;
    this.#remove(key);
    this.#entries.set(key, { answer: kept, chars, isUsed: false });
    this.#chars += chars;
    this.#makeRoom();
  }

  /** The oldest go first; one that was used since it came, or since it was last passed over, is passed over. */
  #makeRoom(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#chars <= MAX_CHARS) break;
      this.#remove(key);
      if (!entry.isUsed) continue;
      entry.isUsed = false;
      this.#entries.set(key, entry);
      this.#chars += entry.chars;
    }
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#chars -= entry.chars;
  }
}
