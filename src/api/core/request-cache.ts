// Cache of search responses. The key contains the request, the metadata version and the generation of every searched shard, so a response is never
// stale: a refresh with changes increases the generation.
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { RawJson } from '../../common/json/raw-json.ts';

/** Limits in characters: for all responses together, and for one response. */
const MAX_CHARS = 8 << 20;
const MAX_ENTRY_CHARS = 64 << 10;

interface Entry {
  readonly answer: MutableJsonObject;
  readonly chars: number;
  isUsed: boolean;
}

export class RequestCache {
  /** Ordered from oldest to newest. A hit only sets a mark, because moving the entry would make the Map rebuild its table repeatedly. */
  readonly #entries = new Map<string, Entry>();
  #chars = 0;

  /** The cached response with this `took`, or null. */
  get(key: string, tookMs: number): MutableJsonObject | null {
    const entry = this.#entries.get(key);
    if (!entry) return null;
    entry.isUsed = true;
    return { ...entry.answer, took: tookMs };
  }

  /** Stores a response, with its large parts as JSON text that can be sent unchanged. */
  put(key: string, answer: MutableJsonObject): void {
    const stored: MutableJsonObject = { ...answer };
    let chars = key.length + 200;
    for (const part of ['hits', 'aggregations']) {
      if (stored[part] === undefined) continue;
      const text = new RawJson(writeJson(stored[part]));
      stored[part] = text;
      chars += text.text.length;
    }
    if (chars > MAX_ENTRY_CHARS) return;
    this.#remove(key);
    this.#entries.set(key, { answer: stored, chars, isUsed: false });
    this.#chars += chars;
    this.#makeRoom();
  }

  /** Evicts the oldest entries. An entry that was used since it was added or last spared is spared once (second chance). */
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
