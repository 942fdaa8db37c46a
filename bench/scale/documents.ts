// Generated documents of bench:scale: the n-th document depends on n alone, so that an index of any size is a prefix of a larger one.
// A document has about 1.2 KB: prose-like text whose words have the frequencies of Zipf's law, a word that few others have, keywords of a few and of
// many values, numbers and a date. It takes about 500 bytes of segments.
import { Rng } from '../../test/support/rng.ts';

const VOCABULARY = 400_000;
/** Words are drawn from this many slots, of which a word has a share by its rank. */
const SLOTS = 1 << 21;
const SYLLABLES = ['ba', 'de', 'fi', 'go', 'hu', 'ka', 'le', 'mi', 'no', 'pu', 'ra', 'se', 'ti', 'vo', 'zu', 'an', 'er', 'is', 'on', 'ul'];
const KINDS = 40;
const USERS = 1_000_000;
const MIN_WORDS = 100;
const MAX_WORDS = 220;
const TITLE_WORDS = 6;
const START_MS = Date.UTC(2020, 0, 1);
const MINUTE_MS = 60_000;

export const INDEX = 'scale';

export const INDEX_BODY = {
  settings: { number_of_shards: 1, number_of_replicas: 0, refresh_interval: '10s' },
  mappings: {
    properties: {
      title: { type: 'text' },
      body: { type: 'text' },
      kind: { type: 'keyword' },
      user: { type: 'keyword' },
      time: { type: 'date' },
      size: { type: 'long' },
      price: { type: 'double' },
    },
  },
};

/** The word of a rank, 0 for the most frequent. Frequent words are short. */
export function wordAt(rank: number): string {
  let word = '';
  for (let left = rank + SYLLABLES.length; left > 0; left = Math.floor(left / SYLLABLES.length)) word += SYLLABLES[left % SYLLABLES.length];
  return word;
}

export const kindOf = (rng: Rng): string => `kind${rng.skewed(KINDS - 1)}`;
export const userOf = (rng: Rng): string => `user${rng.int(0, USERS - 1)}`;

export class Documents {
  readonly #words: string[] = [];
  readonly #slots = new Uint32Array(SLOTS);

  constructor() {
    let sum = 0;
    for (let rank = 0; rank < VOCABULARY; rank++) {
      this.#words.push(wordAt(rank));
      sum += 1 / (rank + 1);
    }
    let reached = 0;
    for (let rank = 0, slot = 0; rank < VOCABULARY; rank++) {
      reached += 1 / (rank + 1) / sum;
      for (const end = Math.min(SLOTS, Math.round(reached * SLOTS)); slot < end; slot++) this.#slots[slot] = rank;
    }
  }

  /** A word as frequent as in the text of documents. */
  word(rng: Rng): string {
    return this.#words[this.#slots[rng.u32() & (SLOTS - 1)]];
  }

  /** The document as a line of JSON. */
  document(n: number): string {
    const rng = new Rng(n);
    const title = this.#text(rng, rng.int(2, TITLE_WORDS));
    const body = this.#text(rng, rng.int(MIN_WORDS, MAX_WORDS));
    // A third of the documents share this word with two others at most.
    const rare = n % 3 === 0 ? ` ${rareWord(n)}` : '';
    const time = START_MS + Math.floor(n / 4) * MINUTE_MS;
    return `{"title":"${title}","body":"${body}${rare}","kind":"${kindOf(rng)}","user":"${userOf(rng)}","time":${time},"size":${rng.skewed(
      1_000_000,
    )},"price":${rng.int(0, 1_000_000) / 100}}`;
  }

  /** Body of a `_bulk` request with the documents from `start` on. */
  bulk(start: number, count: number): string {
    let lines = '';
    for (let n = start; n < start + count; n++) lines += `{"index":{"_id":"${n}"}}\n${this.document(n)}\n`;
    return lines;
  }

  #text(rng: Rng, count: number): string {
    let text = this.word(rng);
    for (let i = 1; i < count; i++) text += ` ${this.word(rng)}`;
    return text;
  }
}

/** A word of the n-th document and at most two others. */
export function rareWord(n: number): string {
  return `x${(Math.floor(n / 9) * 2_654_435_761) % 4_294_967_291}`;
}
