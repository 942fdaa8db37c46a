// Segments whose merge puts similar documents next to each other, against graph bisection of the plain documents.
import { expect, test } from 'vitest';
import { type MergeInput, mergeSegments } from '../../src/arena/merge.ts';
import { compileEngine } from '../../src/wasm/kernels.ts';
import { bisectOrder } from '../reference/bisect.ts';
import { bitset } from '../reference/codec.ts';
import { invertKeywords, invertTexts, type PlainDocument } from '../reference/segment.ts';
import { addBlock, checkSegment, FIELDS, randomBlock } from '../support/check-segment.ts';
import { eachKernelBuild } from '../support/kernels.ts';
import { forSeeds, Rng } from '../support/rng.ts';
import { ANALYSIS, createOpenBuffer, openImage } from '../support/segments.ts';

const PAGES = 1024;
const DOCS = 1100;

/** Numbers of each document's terms that decide its place: those of at least 8 documents. */
function frequentTerms(documents: readonly PlainDocument[]): number[][] {
  const terms = documents.map((): number[] => []);
  let number = 0;
  for (const { name, postings, positionIncrementGap } of FIELDS) {
    if (postings === 'none') continue;
    const index = name === 'tag' ? invertKeywords(documents, name) : invertTexts(documents, name, positionIncrementGap);
    for (const list of index.values()) {
      if (list.length < 8) continue;
      for (const { docId } of list) terms[docId].push(number);
      number++;
    }
  }
  return terms;
}

eachKernelBuild((k, build) => {
  const buffer = createOpenBuffer(build, FIELDS);
  const flush = (documents: readonly PlainDocument[]): Uint8Array => {
    buffer.reset();
    buffer.useMapping('test', FIELDS, ANALYSIS);
    for (const document of documents) addBlock(buffer, [document]);
    return buffer.flush().slice();
  };
  const plain = (seqNo: number, body: string): PlainDocument => ({
    id: `id-${seqNo}`,
    path: null,
    seqNo,
    version: 1,
    texts: { body: [body] },
    keywords: {},
    integers: {},
    doubles: {},
    binaries: {},
  });

  test(`${build}: a reordered merge holds all documents in the order of the bisection`, () =>
    forSeeds(1, (rng) =>
      k.scoped(() => {
        let seqNo = 0;
        const parts = 3;
        const kept: PlainDocument[][] = [];
        const live: PlainDocument[] = [];
        const inputs = Array.from({ length: parts }, (_, part): MergeInput => {
          const own = Array.from({ length: Math.ceil(DOCS / parts) + 30 }, () => randomBlock(rng, seqNo++, false)[0]);
          const ids = own.map((_document, docId) => docId).filter(() => part !== 1 || rng.bool(0.9));
          kept.push(own);
          for (const docId of ids) live.push(own[docId]);
          return { image: flush(own), liveDocs: ids.length === own.length ? null : bitset(own.length, ids), file: `s${part}.seg` };
        });
        const { image, docMaps } = mergeSegments(compileEngine(build), inputs, { pages: PAGES, reorder: true });
        const ordered = bisectOrder(frequentTerms(live)).map((doc) => live[doc]);
        checkSegment(openImage(k, image), ordered);
        docMaps.forEach((map, input) => {
          expect([...map]).toEqual(kept[input].map((document) => ordered.indexOf(document) >>> 0));
        });
      }),
    ));

  test(`${build}: documents of two topics are separated`, () => {
    const rng = new Rng(7);
    const documents = Array.from({ length: 1200 }, (_, seqNo) => {
      const topic = seqNo % 2 === 0 ? 'even' : 'odd';
      return plain(seqNo, Array.from({ length: 12 }, () => `${topic}${rng.int(0, 40)}`).join(' '));
    });
    const { docMaps } = mergeSegments(compileEngine(build), [{ image: flush(documents), liveDocs: null, file: 's0.seg' }], {
      pages: PAGES,
      reorder: true,
    });
    const halves = documents.map((_, docId) => Number(docMaps[0][docId] >= 600));
    expect(new Set(halves.filter((_, docId) => docId % 2 === 0)).size).toBe(1);
    expect(new Set(halves.filter((_, docId) => docId % 2 === 1)).size).toBe(1);
  });

  test(`${build}: few documents, nested ones, and a memory without room for another order keep theirs`, () => {
    const few = Array.from({ length: 40 }, (_, seqNo) => plain(seqNo, seqNo % 2 ? 'a b c' : 'd e f'));
    // The segments are several pages large.
    const long = (seqNo: number): string => Array.from('abcdef', (letter) => letter.repeat(200) + seqNo).join(' ');
    const many = Array.from({ length: DOCS }, (_, seqNo) => plain(seqNo, `${seqNo % 2 ? 'a b c' : 'd e f'} ${long(seqNo)}`));
    const inOrder = (documents: readonly PlainDocument[]): number[] => documents.map((_, docId) => docId);
    const mapOf = (images: readonly Uint8Array[], pages: number): number[] => {
      const inputs = images.map((image, i) => ({ image, liveDocs: null, file: `s${i}.seg` }));
      return mergeSegments(compileEngine(build), inputs, { pages, reorder: true }).docMaps.flatMap((map) => [...map]);
    };
    expect(mapOf([flush(few)], PAGES)).toEqual(inOrder(few));
    const images = [many.slice(0, 500), many.slice(500)].map(flush);
    expect(mapOf(images, PAGES)).not.toEqual(inOrder(many));
    const inLeastMemory = Array.from({ length: PAGES - 16 }, (_, i) => () => mapOf(images, 16 + i)).find((attempt) => {
      try {
        return attempt().length > 0;
      } catch (error) {
        if (error instanceof RangeError) return false;
        throw error;
      }
    });
    expect(inLeastMemory?.()).toEqual(inOrder(many));
    buffer.reset();
    buffer.useMapping('test', FIELDS, ANALYSIS);
    for (const document of many) addBlock(buffer, document.seqNo === 3 ? [{ ...document, id: null, path: 'items' }, document] : [document]);
    expect(mapOf([buffer.flush().slice()], PAGES)).toEqual([...inOrder(many), many.length]);
  });
});
