// The expected contents of a segment, from plain documents: the slow twin of assembly/buffer (add, flush, merge).

/** One document; values by field name, in the order of the source. */
export interface PlainDocument {
  /** null for nested children. */
  id: string | null;
  path: string | null;
  seqNo: number;
  version: number;
  /** Strings of ASCII words, analysed by `tokenize`. */
  texts: Record<string, string[]>;
  keywords: Record<string, string[]>;
  integers: Record<string, bigint[]>;
  doubles: Record<string, number[]>;
  binaries: Record<string, Uint8Array>;
}

export interface PlainPosting {
  docId: number;
  freq: number;
  positions: number[];
  offsets: [number, number][];
}

/** Lower-cased runs of letters and digits with their offsets, like the output of the standard tokenizer for plain ASCII words. */
export function tokenize(text: string): { term: string; start: number; end: number }[] {
  return [...text.matchAll(/[A-Za-z0-9]+/g)].map((match) => ({
    term: match[0].toLowerCase(),
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** Postings of a text field by term in byte order; several strings of a document are `gap` positions and one offset apart. */
export function invertTexts(documents: readonly PlainDocument[], field: string, gap: number): Map<string, PlainPosting[]> {
  const index = new Map<string, PlainPosting[]>();
  documents.forEach((document, docId) => {
    let position = -1;
    let offset = 0;
    (document.texts[field] ?? []).forEach((text, i) => {
      if (i > 0) {
        position += gap;
        offset++;
      }
      for (const { term, start, end } of tokenize(text)) {
        position++;
        addPosting(index, term, docId, position, [offset + start, offset + end]);
      }
      offset += text.length;
    });
  });
  return sorted(index);
}

/** Postings of a keyword field. */
export function invertKeywords(documents: readonly PlainDocument[], field: string): Map<string, PlainPosting[]> {
  const index = new Map<string, PlainPosting[]>();
  documents.forEach((document, docId) => {
    for (const term of document.keywords[field] ?? []) addPosting(index, term, docId, 0, [0, 0]);
  });
  return sorted(index);
}

function addPosting(index: Map<string, PlainPosting[]>, term: string, docId: number, position: number, offsets: [number, number]): void {
  let postings = index.get(term);
  if (!postings) {
    postings = [];
    index.set(term, postings);
  }
  let last = postings.at(-1);
  if (last?.docId !== docId) {
    last = { docId, freq: 0, positions: [], offsets: [] };
    postings.push(last);
  }
  last.freq++;
  last.positions.push(position);
  last.offsets.push(offsets);
}

function sorted<T>(index: Map<string, T>): Map<string, T> {
  return new Map([...index].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
}

/** Tokens of a text field in a document, null if it lacks the field. */
export function lengthOf(document: PlainDocument, field: string): number | null {
  const texts = document.texts[field];
  return texts ? texts.reduce((sum, text) => sum + tokenize(text).length, 0) : null;
}

/** Lucene's SmallFloat.intToByte4: exact below 40, then four significant bits. */
export function normOf(length: number | null): number {
  if (length === null) return 0;
  if (length === 0) return 255;
  if (length < 24) return length;
  const rest = length - 24;
  const bits = rest.toString(2);
  if (bits.length < 4) return 24 + rest;
  return 24 + (Number.parseInt(bits.slice(1, 4), 2) | ((bits.length - 4 + 1) << 3));
}
