// Turns sections into documents of the prose corpus: removes boilerplate and duplicates, cuts long sections, and drops what is not English prose.
import { HashOrderedWriter } from './output.ts';

export interface ProseSection {
  readonly section: string;
  /** Unique in most cases; a second section with the key gets a suffix. */
  readonly key: string;
  readonly title: string;
  /** A paragraph per line. */
  readonly text: string;
  readonly url?: string;
  /** Shorter documents are dropped. */
  readonly minLength?: number;
}

/** Characters of a document, and of a paragraph. */
const MAX_LENGTH = 8000;
const MIN_LENGTH = 80;
/** How often a paragraph may occur in the corpus, if it has at least LONG_PARAGRAPH characters and if it is shorter. */
const MAX_REPEATS = 3;
const MAX_SHORT_REPEATS = 50;
const LONG_PARAGRAPH = 60;
/** Words that all English prose contains, and their least share among the words of a document of some length. */
const ENGLISH = /\b(?:the|of|to|and|a|an|is|in|for|that|by|be|are|with|on|or|this|it|as|if)\b/gi;
const ENGLISH_SHARE = 0.06;
const ENGLISH_FROM = 300;
const NAVIGATION =
  /\[Contents\]|\[ ?(?:Up|Top) ?[:\]]|^Next: .*(?:Previous|Up): |^From cppreference\.com$|^< ?\u200e?(?:cpp|c)\b|^(?:Home|Previous page|Prev|Next|Up)$/;

export class ProseCollector {
  readonly #writer: HashOrderedWriter;
  readonly #repeats = new Map<number, number>();
  readonly #bodies = new Set<number>();
  readonly #ids = new Map<string, number>();

  constructor(file: string) {
    this.#writer = new HashOrderedWriter(file);
  }

  add({ section, key, title, text, url, minLength = MIN_LENGTH }: ProseSection): void {
    const paragraphs = text.split('\n').flatMap((paragraph) => this.#accepted(paragraph.trim()));
    const shortTitle = title.replace(/\s+/g, ' ').trim().slice(0, 200);
    chunks(paragraphs).forEach((body, i) => {
      if (!isProse(body, minLength) || this.#isDuplicate(body)) return;
      const id = this.#uniqueId(`${section}/${key}${i > 0 ? `~${i + 1}` : ''}`);
      this.#writer.add(id, { id, title: shortTitle, body, section, ...(url ? { url } : {}) });
    });
  }

  close(limit: number): void {
    this.#writer.close(limit);
  }

  /** The pieces of a paragraph, none if it is navigation or occurred too often. */
  #accepted(paragraph: string): string[] {
    if (!paragraph || NAVIGATION.test(paragraph)) return [];
    const hash = hash52(paragraph);
    const repeats = this.#repeats.get(hash) ?? 0;
    if (repeats >= (paragraph.length >= LONG_PARAGRAPH ? MAX_REPEATS : MAX_SHORT_REPEATS)) return [];
    this.#repeats.set(hash, repeats + 1);
    return pieces(paragraph);
  }

  #isDuplicate(body: string): boolean {
    const hash = hash52(body);
    if (this.#bodies.has(hash)) return true;
    this.#bodies.add(hash);
    return false;
  }

  #uniqueId(id: string): string {
    const known = this.#ids.get(id) ?? 0;
    this.#ids.set(id, known + 1);
    return known > 0 ? `${id}~d${known + 1}` : id;
  }
}

/** Cuts a paragraph at spaces into pieces of at most MAX_LENGTH characters. */
function pieces(paragraph: string): string[] {
  const found: string[] = [];
  let start = 0;
  while (paragraph.length - start > MAX_LENGTH) {
    const space = paragraph.lastIndexOf(' ', start + MAX_LENGTH);
    const end = space > start + MAX_LENGTH / 2 ? space : start + MAX_LENGTH;
    found.push(paragraph.slice(start, end).trim());
    start = end;
  }
  found.push(start === 0 ? paragraph : paragraph.slice(start).trim());
  return found;
}

/** Joins paragraphs to bodies of about MAX_LENGTH characters. */
function chunks(paragraphs: readonly string[]): string[] {
  const found: string[] = [];
  let chunk: string[] = [];
  let length = 0;
  for (const paragraph of paragraphs) {
    if (length > 0 && length + paragraph.length > MAX_LENGTH) {
      found.push(chunk.join('\n'));
      chunk = [];
      length = 0;
    }
    chunk.push(paragraph);
    length += paragraph.length + 1;
  }
  if (chunk.length > 0) found.push(chunk.join('\n'));
  return found;
}

/** False for short bodies, tables of symbols, other scripts, other languages and lists of identifiers. */
function isProse(body: string, minLength: number): boolean {
  if (body.length < minLength) return false;
  const words = body.match(/[A-Za-z]{2,}/g)?.length ?? 0;
  if (words < minLength / 10 || words * 12 < body.length) return false;
  if (body.length <= ENGLISH_FROM || minLength < MIN_LENGTH) return true;
  return (body.match(ENGLISH)?.length ?? 0) >= words * ENGLISH_SHARE;
}

/** Two multiplicative hashes of the code units, 52 bits in all. */
function hash52(text: string): number {
  let high = 0x811c9dc5;
  let low = 0x1b873593;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ unit, 0x01000193);
    low = Math.imul(low + unit, 0x85ebca6b) ^ (low >>> 13);
  }
  return (high >>> 0) * 2 ** 20 + ((low >>> 0) & 0xfffff);
}
