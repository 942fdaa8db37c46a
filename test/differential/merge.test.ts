import { expect, test } from 'vitest';
import { type MergeInput, mergeSegments } from '../../src/arena/merge.ts';
import { compileEngine } from '../../src/wasm/kernels.ts';
import { bitset } from '../reference/codec.ts';
import type { PlainDocument } from '../reference/segment.ts';
import { addBlock, checkSegment, FIELDS, randomBlock } from '../support/check-segment.ts';
import { eachKernelBuild } from '../support/kernels.ts';
import { forSeeds } from '../support/rng.ts';
import { ANALYSIS, createOpenBuffer, openImage } from '../support/segments.ts';

const PAGES = 768;
const DROPPED = 0xffffffff;

eachKernelBuild((k, build) => {
  const buffer = createOpenBuffer(build, FIELDS);
  const merge = (inputs: MergeInput[]) => mergeSegments(compileEngine(build), inputs, { pages: PAGES });

  test(`${build}: a merged segment holds the live documents of its inputs in order`, () =>
    forSeeds(25, (rng) =>
      k.scoped(() => {
        let seqNo = 0;
        const inputs: MergeInput[] = [];
        const documents: PlainDocument[] = [];
        const maps: number[][] = [];
        for (let segments = rng.int(1, 5); segments > 0; segments--) {
          buffer.reset();
          // Some fields are missing in some segments, as when a mapping grew between two flushes.
          buffer.useMapping('test', FIELDS, ANALYSIS);
          const nested = rng.bool(0.3);
          const blocks = Array.from({ length: rng.pick([1, 5, 60]) }, () => randomBlock(rng, seqNo++, nested));
          for (const block of blocks) {
            const lacking = rng.pick(['body', 'tag', 'none', 'none']);
            for (const document of block) {
              delete document.texts[lacking];
              delete document.keywords[lacking];
            }
            addBlock(buffer, block);
          }
          const deleteChance = rng.pick([0, 0.2, 1]);
          const live: number[] = [];
          const map: number[] = [];
          let docId = 0;
          for (const block of blocks) {
            const stays = !rng.bool(deleteChance);
            for (const document of block) {
              map.push(stays ? documents.length : DROPPED);
              if (stays) {
                documents.push(document);
                live.push(docId);
              }
              docId++;
            }
          }
          maps.push(map);
          const allLive = live.length === docId;
          inputs.push({
            image: buffer.flush().slice(),
            liveDocs: allLive && rng.bool() ? null : bitset(docId, live),
            file: `s${segments}.seg`,
          });
        }
        const merged = merge(inputs);
        expect(merged.docMaps.map((map) => [...map])).toEqual(maps);
        if (documents.length === 0) {
          expect(merged.image.length).toBe(0);
          return;
        }
        checkSegment(openImage(k, merged.image), documents);
        // Merging again changes nothing.
        const again = merge([{ image: merged.image.slice(), liveDocs: null, file: 'm.seg' }]);
        expect(Buffer.compare(again.image, merged.image)).toBe(0);
      }),
    ));

  test(`${build}: a merge without enough memory is reported`, () => {
    buffer.reset();
    buffer.useMapping('test', FIELDS, ANALYSIS);
    forSeeds(1, (rng) => {
      for (let seqNo = 0; seqNo < 50; seqNo++) addBlock(buffer, randomBlock(rng, seqNo, false));
    });
    const image = buffer.flush().slice();
    expect(() => mergeSegments(compileEngine(build), [{ image, liveDocs: null, file: 's.seg' }], { pages: 130 })).not.toThrow();
    expect(() => mergeSegments(compileEngine(build), Array(100).fill({ image, liveDocs: null, file: 's.seg' }), { pages: 30 })).toThrow(
      /too small/,
    );
  });
});
