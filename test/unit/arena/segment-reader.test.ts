import { expect, test } from 'vitest';
import { bitset } from '../../reference/codec.ts';
import { addBlock, FIELDS, randomBlock } from '../../support/check-segment.ts';
import { eachKernelBuild } from '../../support/kernels.ts';
import { forSeeds } from '../../support/rng.ts';
import { ANALYSIS, createOpenBuffer, openImage } from '../../support/segments.ts';

eachKernelBuild((k, build) => {
  const buffer = createOpenBuffer(build, FIELDS);

  test(`${build}: live docs hide documents and ids, but not the contents of the segment`, () =>
    forSeeds(20, (rng) =>
      k.scoped(() => {
        buffer.reset();
        buffer.useMapping('test', FIELDS, ANALYSIS);
        const nested = rng.bool();
        const blocks = Array.from({ length: rng.int(1, 80) }, (_, seqNo) => randomBlock(rng, seqNo, nested));
        for (const block of blocks) addBlock(buffer, block);
        const all = openImage(k, buffer.flush());
        const live: number[] = [];
        const liveRoots: number[] = [];
        const dead: string[] = [];
        let docId = 0;
        for (const block of blocks) {
          const stays = rng.bool(0.6);
          for (const { path, id } of block) {
            if (stays) live.push(docId);
            if (path === null) stays ? liveRoots.push(docId) : dead.push(id!);
            docId++;
          }
        }
        const reader = all.withLiveDocs(k.copyIn(bitset(docId, live)), 77);
        expect(reader).toMatchObject({ id: 77, maxDoc: docId, numDocs: live.length, numRootDocs: liveRoots.length });
        expect(dead.map((id) => reader.docOfId(id))).toEqual(dead.map(() => -1));
        expect(dead.every((id) => all.docOfId(id) >= 0)).toBe(true);
        expect(liveRoots.map((root) => reader.docOfId(reader.idOf(root)))).toEqual(liveRoots);
        expect(reader.postings('body')).toBe(all.postings('body'));
        expect(reader.withLiveDocs(0).numDocs).toBe(docId);
      }),
    ));

  test(`${build}: unknown fields have nothing`, () =>
    k.scoped(() => {
      buffer.reset();
      buffer.useMapping('test', FIELDS, ANALYSIS);
      forSeeds(1, (rng) => addBlock(buffer, randomBlock(rng, 0, false)));
      const segment = openImage(k, buffer.flush());
      expect(segment.postings('no')).toBe(null);
      expect(segment.column('no')).toBe(null);
      expect(segment.lookupTerm('no', Buffer.from('a'))).toBe(null);
      expect(segment.walkTerms('no', { from: null, to: null }, 10)).toEqual([]);
      expect(segment.seekOrd('no', Buffer.from('a'))).toBe(0);
      expect(() => segment.termOf('no', 0)).toThrow(/no terms/);
      expect(segment.values('no', 0)).toEqual([]);
      expect(segment.binary('no', 0)).toBe(null);
      expect(segment.norm('no', 0)).toBe(0);
      expect(segment.nestedDocsPtr('no')).toBe(0);
    }));
});
