// Checks a segment against the plain documents it was made of, field by field and term by term.
import { expect } from 'vitest';
import type { OpenBuffer } from '../../src/arena/open-buffer.ts';
import type { SegmentImageReader } from '../../src/arena/segment-reader.ts';
import type { FieldSpec } from '../../src/mapping/core/document-sink.ts';
import { CURSOR_BYTES, PostingsCursor } from '../../src/wasm/generated/postings.ts';
import { postingsFlags } from '../../src/wasm/postings.ts';
import { getU32 } from '../../src/wasm/records.ts';
import { invertKeywords, invertTexts, lengthOf, normOf, type PlainDocument, type PlainPosting } from '../reference/segment.ts';
import type { Rng } from './rng.ts';
import { columnField, keywordField, textField } from './segments.ts';

/** Fields of the documents that `randomBlock` makes; a field's number is its index. */
export const FIELDS: readonly FieldSpec[] = [
  textField('body'),
  textField('title', { postings: 'offsets', positionIncrementGap: 7 }),
  textField('plain', { postings: 'freqs', norms: false }),
  keywordField('tag'),
  keywordField('unsearched', { postings: 'none' }),
  columnField('count', 'i64'),
  columnField('price', 'f64'),
  columnField('blob', 'binary'),
  columnField('rare', 'i64'),
];
const TEXTS = ['body', 'title', 'plain'];
const numberOf = (name: string): number => FIELDS.findIndex((field) => field.name === name);

/** A root with up to three nested children, in block order. */
export function randomBlock(rng: Rng, seqNo: number, nested: boolean): PlainDocument[] {
  const block: PlainDocument[] = [];
  const children = nested ? rng.int(0, 3) : 0;
  for (let i = 0; i < children; i++) block.push(randomDocument(rng, null, rng.pick(['items', 'items.parts']), seqNo));
  block.push(randomDocument(rng, `id-${seqNo}-${rng.word(20)}`, null, seqNo));
  return block;
}

function randomDocument(rng: Rng, id: string | null, path: string | null, seqNo: number): PlainDocument {
  const word = (): string => rng.pick([rng.word(2, 'ab'), rng.word(4, 'abc'), rng.word(30), `w${rng.skewed(200)}`]);
  const text = (): string => Array.from({ length: rng.skewed(30) }, word).join(rng.pick([' ', ', ', ' - ']));
  const document: PlainDocument = {
    id,
    path,
    seqNo,
    version: rng.pick([1, 1, 1, rng.int(1, 1e6)]),
    texts: {},
    keywords: {},
    integers: {},
    doubles: {},
    binaries: {},
  };
  const some = <T>(value: () => T): T[] => Array.from({ length: rng.pick([1, 1, 1, 2, 3]) }, value);
  for (const name of TEXTS) if (rng.bool(0.8)) document.texts[name] = some(text);
  if (rng.bool(0.7)) document.keywords.tag = some(word);
  if (rng.bool(0.5)) document.keywords.unsearched = some(() => `${word()}\u00e9${word()}`);
  if (rng.bool(0.9)) document.integers.count = some(() => BigInt(rng.int(-5, 5)) * 1000n);
  if (rng.bool(0.05)) document.integers.rare = some(() => BigInt.asIntN(64, (BigInt(rng.u32()) << 32n) | BigInt(rng.u32())));
  if (rng.bool(0.6)) document.doubles.price = some(() => rng.pick([rng.float(), -rng.float() * 1e9, 0.5, -0, 0]));
  if (rng.bool(0.2)) document.binaries.blob = rng.bytes(rng.int(1, 40));
  return document;
}

/** Writes a block into the buffer's encoder as the document parser would, children inside their parent. */
export function encodeBlock(buffer: OpenBuffer, block: readonly PlainDocument[]): void {
  const { encoder } = buffer;
  encoder.begin(null);
  for (const document of block) {
    if (document.path !== null) encoder.begin(document.path);
    for (const [name, texts] of Object.entries(document.texts)) for (const text of texts) encoder.text(numberOf(name), text);
    for (const [name, words] of Object.entries(document.keywords))
      for (const word of words) encoder.keyword(numberOf(name), Buffer.from(word));
    for (const [name, values] of Object.entries(document.integers)) for (const value of values) encoder.i64(numberOf(name), value);
    for (const [name, values] of Object.entries(document.doubles)) for (const value of values) encoder.f64(numberOf(name), value);
    for (const [name, bytes] of Object.entries(document.binaries)) encoder.binary(numberOf(name), bytes);
    if (document.path !== null) encoder.end();
  }
  encoder.end();
}

/** Adds a block. @returns its root's doc id in the buffer */
export function addBlock(buffer: OpenBuffer, block: readonly PlainDocument[]): number {
  encodeBlock(buffer, block);
  const root = block[block.length - 1];
  return buffer.add({ id: root.id!, seqNo: root.seqNo, version: root.version, primaryTerm: 1 });
}

/** The segment holds exactly these documents in this order. */
export function checkSegment(segment: SegmentImageReader, documents: readonly PlainDocument[]): void {
  expect(segment.maxDoc).toBe(documents.length);
  expect(segment.numRootDocs).toBe(documents.filter(({ path }) => path === null).length);
  for (const field of FIELDS) {
    if (field.analyzer !== null) checkTextField(segment, documents, field);
    else if (field.column === 'ordinals') checkKeywordField(segment, documents, field);
    else if (field.column === 'binary') {
      expect(documents.map((_, docId) => segment.binary(field.name, docId))).toEqual(
        documents.map(({ binaries }) => binaries[field.name] ?? null),
      );
    } else checkNumberField(segment, documents, field);
  }
  checkDocuments(segment, documents);
}

function checkTextField(segment: SegmentImageReader, documents: readonly PlainDocument[], field: FieldSpec): void {
  const index = invertTexts(documents, field.name, field.positionIncrementGap);
  const postings = segment.postings(field.name);
  if (index.size === 0) {
    const isThere = field.norms && documents.some(({ texts }) => texts[field.name]);
    if (isThere) expect(postings).toMatchObject({ termCount: 0, docCount: 0 });
    else expect(postings).toBe(null);
  } else {
    expect(postings).toMatchObject({
      termCount: index.size,
      docCount: documents.filter((document) => (lengthOf(document, field.name) ?? 0) > 0).length,
      sumDocFreq: [...index.values()].reduce((sum, list) => sum + list.length, 0),
      sumTotalTermFreq: [...index.values()].flat().reduce((sum, { freq }) => sum + freq, 0),
    });
  }
  checkTerms(segment, field, index);
  if (field.norms) {
    expect(documents.map((_, docId) => segment.norm(field.name, docId))).toEqual(
      documents.map((document) => normOf(lengthOf(document, field.name))),
    );
  }
}

function checkTerms(segment: SegmentImageReader, field: FieldSpec, index: Map<string, PlainPosting[]>): void {
  const walked = segment.walkTerms(field.name, { from: null, to: null }, Number.POSITIVE_INFINITY);
  expect(walked.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual([...index.keys()]);
  [...index].forEach(([term, list], ord) => {
    const state = segment.lookupTerm(field.name, Buffer.from(term));
    const withFreqs = field.postings !== 'docs' && field.postings !== 'none';
    const totalTermFreq = withFreqs ? list.reduce((sum, { freq }) => sum + freq, 0) : list.length;
    expect(state).toMatchObject({ ord, docFreq: list.length, totalTermFreq });
    if (field.postings !== 'none') expect(readPostings(segment, field, state!)).toEqual(shape(list, field));
  });
}

/** Postings to the extent that the field stores them. */
function shape(list: PlainPosting[], field: FieldSpec): PlainPosting[] {
  const positions = field.postings === 'positions' || field.postings === 'offsets';
  return list.map((posting) => ({
    docId: posting.docId,
    freq: field.postings === 'docs' ? 1 : posting.freq,
    positions: positions ? posting.positions : [],
    offsets: field.postings === 'offsets' ? posting.offsets : [],
  }));
}

function readPostings(segment: SegmentImageReader, field: FieldSpec, state: { ptr: number; docFreq: number }): PlainPosting[] {
  const k = segment.kernels;
  const postings = segment.postings(field.name)!;
  const { hasFreqs, hasPositions, hasOffsets } = postings;
  const flags = postingsFlags(postings);
  return k.scoped(() => {
    const cursor = k.reserve(CURSOR_BYTES);
    k.exports.postingsCursorOpen(cursor, postings.recordAt(state.ptr), state.docFreq, flags, postings.positionsAt(state.ptr));
    const list: PlainPosting[] = [];
    for (let docId = k.exports.postingsCursorNext(cursor); docId !== 0x7fffffff; docId = k.exports.postingsCursorNext(cursor)) {
      const posting: PlainPosting = { docId, freq: hasFreqs ? k.exports.postingsCursorFreq(cursor) : 1, positions: [], offsets: [] };
      if (hasPositions) k.exports.postingsCursorStartPositions(cursor);
      for (let i = 0; hasPositions && i < posting.freq; i++) {
        posting.positions.push(k.exports.postingsCursorNextPosition(cursor));
        if (hasOffsets) posting.offsets.push(offsetsAt(segment, cursor));
      }
      list.push(posting);
    }
    return list;
  });
}

/** Start and end offset of the cursor's position: the last words before `blocksDecoded` in the PostingsCursor. */
function offsetsAt({ kernels: k }: SegmentImageReader, cursor: number): [number, number] {
  return [getU32(k, cursor, PostingsCursor.startOffset), getU32(k, cursor, PostingsCursor.endOffset)];
}

function checkKeywordField(segment: SegmentImageReader, documents: readonly PlainDocument[], field: FieldSpec): void {
  const index = invertKeywords(documents, field.name);
  checkTerms(segment, field, index);
  const terms = [...index.keys()];
  const expected = documents.map(({ keywords }) =>
    [...new Set(keywords[field.name] ?? [])].map((word) => terms.indexOf(word)).sort((a, b) => a - b),
  );
  expect(documents.map((_, docId) => segment.values(field.name, docId))).toEqual(expected);
  expect(segment.column(field.name)?.docCount ?? 0).toBe(expected.filter((ords) => ords.length > 0).length);
  if (terms.length > 0) expect(segment.column(field.name)).toMatchObject({ min: 0, max: terms.length - 1 });
}

function checkNumberField(segment: SegmentImageReader, documents: readonly PlainDocument[], field: FieldSpec): void {
  const valuesOf = (document: PlainDocument): (bigint | number)[] =>
    field.column === 'f64'
      ? [...(document.doubles[field.name] ?? [])].sort((a, b) => a - b || Number(Object.is(b, -0)) - Number(Object.is(a, -0)))
      : [...(document.integers[field.name] ?? [])].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const expected = documents.map(valuesOf);
  expect(documents.map((_, docId) => segment.values(field.name, docId))).toEqual(expected);
  const all = expected.flat().sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const column = segment.column(field.name);
  if (all.length === 0) expect(column).toBe(null);
  else {
    const docCount = expected.filter((values) => values.length > 0).length;
    expect(column).toMatchObject({ valueCount: all.length, docCount, multiValued: docCount < all.length });
    expect([Number(column!.min) + 0, Number(column!.max) + 0]).toEqual([Number(all[0]) + 0, Number(all.at(-1)) + 0]);
  }
}

function checkDocuments(segment: SegmentImageReader, documents: readonly PlainDocument[]): void {
  const nested = documents.some(({ path }) => path !== null);
  expect(segment.rootDocsPtr !== 0).toBe(nested);
  documents.forEach((document, docId) => {
    expect(segment.seqNo(docId)).toBe(document.seqNo);
    if (document.path === null) {
      expect(segment.docOfId(document.id!)).toBe(docId);
      expect(segment.idOf(docId)).toBe(document.id);
      expect(segment.values('_version', docId)).toEqual([BigInt(document.version)]);
      expect(segment.rootOf(docId)).toBe(docId);
    } else {
      expect(segment.rootOf(docId)).toBe(documents.findIndex(({ path }, other) => other > docId && path === null));
      const bits = segment.nestedDocsPtr(document.path);
      expect((segment.kernels.u8[bits + (docId >> 3)] >> (docId & 7)) & 1).toBe(1);
    }
  });
  expect(segment.docOfId('no such id')).toBe(-1);
}
