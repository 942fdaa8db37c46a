// Segments written in the order of index.sort, against documents sorted by a simple comparison.
import { expect, test } from 'vitest';
import { type DocumentOrder, type MergeInput, mergeSegments } from '../../src/arena/merge.ts';
import { compileEngine } from '../../src/wasm/kernels.ts';
import { bitset } from '../reference/codec.ts';
import { sortDocuments } from '../reference/index-sort.ts';
import type { PlainDocument } from '../reference/segment.ts';
import { addBlock, checkSegment, FIELDS, randomBlock } from '../support/check-segment.ts';
import { eachKernelBuild } from '../support/kernels.ts';
import { forSeeds, type Rng } from '../support/rng.ts';
import { ANALYSIS, createOpenBuffer, openImage } from '../support/segments.ts';

const PAGES = 768;

function randomSort(rng: Rng): DocumentOrder[] {
  const fields = ['tag', 'count', 'price', 'rare', 'unsearched', 'absent'];
  return Array.from({ length: rng.int(1, 3) }, () => ({
    field: rng.pick(fields),
    descending: rng.bool(),
    greatest: rng.bool(),
    missingFirst: rng.bool(),
  }));
}

eachKernelBuild((k, build) => {
  const buffer = createOpenBuffer(build, FIELDS);

  test(`${build}: sorted segments hold the documents in order, flushed or merged`, () =>
    forSeeds(15, (rng) =>
      k.scoped(() => {
        const sort = randomSort(rng);
        let seqNo = 0;
        const inputs: MergeInput[] = [];
        const documents: PlainDocument[] = [];
        const kept: PlainDocument[][] = [];
        for (let segments = rng.pick([1, 1, 3]); segments > 0; segments--) {
          buffer.reset();
          buffer.useMapping('test', FIELDS, ANALYSIS);
          const own = Array.from({ length: rng.pick([1, 7, 90, 400]) }, () => randomBlock(rng, seqNo++, false)[0]);
          for (const document of own) addBlock(buffer, [document]);
          const live = own.map((_, docId) => docId).filter(() => !rng.bool(segments === 2 ? 0.3 : 0));
          kept.push(own);
          for (const docId of live) documents.push(own[docId]);
          const liveDocs = live.length === own.length ? null : bitset(own.length, live);
          inputs.push({ image: buffer.flush().slice(), liveDocs, file: `s${segments}.seg` });
        }
        const sorted = sortDocuments(documents, sort);
        const { image, docMaps } = mergeSegments(compileEngine(build), inputs, { pages: PAGES, sort });
        checkSegment(openImage(k, image), sorted);
        docMaps.forEach((map, input) => {
          expect([...map]).toEqual(kept[input].map((document) => sorted.indexOf(document) >>> 0));
        });
      }),
    ));
});
