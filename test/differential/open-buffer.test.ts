import { expect, test } from 'vitest';
import { chainBlob } from '../../src/analysis/blob.ts';
import { OpenBuffer } from '../../src/arena/open-buffer.ts';
import { StageId } from '../../src/wasm/generated/analysis.ts';
import { FIELD_FREQS, FIELD_NORMS, FIELD_POSITIONS } from '../../src/wasm/generated/codec.ts';
import { CURSOR_BYTES } from '../../src/wasm/generated/postings.ts';
import { compileEngine } from '../../src/wasm/kernels.ts';
import type { PlainDocument } from '../reference/segment.ts';
import { addBlock, checkSegment, encodeBlock, FIELDS, randomBlock } from '../support/check-segment.ts';
import { eachKernelBuild } from '../support/kernels.ts';
import { forSeeds } from '../support/rng.ts';
import { ANALYSIS, createOpenBuffer, openImage } from '../support/segments.ts';

eachKernelBuild((k, build) => {
  test(`${build}: a flushed segment holds the documents that were added and not deleted`, () => {
    const buffer = createOpenBuffer(build, FIELDS);
    forSeeds(40, (rng) =>
      k.scoped(() => {
        buffer.reset();
        buffer.useMapping('test', FIELDS, ANALYSIS);
        const nested = rng.bool(0.4);
        const blocks: { block: PlainDocument[]; root: number }[] = [];
        for (let seqNo = 0, count = rng.pick([1, 3, 40, 200]); seqNo < count; seqNo++) {
          const block = randomBlock(rng, seqNo, nested);
          blocks.push({ block, root: addBlock(buffer, block) });
        }
        const deleteChance = rng.pick([0, 0, 0.3, 0.95]);
        const kept = blocks.filter(({ root }) => {
          const stays = !rng.bool(deleteChance);
          if (!stays) buffer.deleteDoc(root);
          return stays;
        });
        const documents = kept.flatMap(({ block }) => block);
        expect(buffer.liveCount).toBe(documents.length);
        const image = buffer.flush();
        if (documents.length === 0) expect(image.length).toBe(0);
        else checkSegment(openImage(k, image), documents);
      }),
    );
  });

  test(`${build}: a document with an immense term is refused and leaves nothing`, () =>
    k.scoped(() => {
      const buffer = createOpenBuffer(build, FIELDS);
      const [first, bad, second] = [0, 1, 2].map((seqNo) => ({
        ...emptyDocument(`id${seqNo}`, seqNo),
        texts: { body: [`alpha beta${seqNo}`] },
      }));
      addBlock(buffer, [first]);
      encodeBlock(buffer, [{ ...bad, keywords: { tag: ['x'.repeat(32767)] } }]);
      expect(() => buffer.add({ id: 'id1', seqNo: 1, version: 1, primaryTerm: 1 })).toThrow(
        expect.objectContaining({
          type: 'illegal_argument_exception',
          status: 400,
          reason: expect.stringContaining('immense term in field="tag" (whose UTF8 encoding is longer than the max length 32766)'),
        }),
      );
      addBlock(buffer, [second]);
      checkSegment(openImage(k, buffer.flush()), [first, second]);
    }));

  test(`${build}: a chain gets more memory when a token needs it, and an immense token is refused`, () =>
    k.scoped(() => {
      const kernelBlob = chainBlob([{ id: StageId.KEYWORD, config: new Uint8Array(0) }]);
      const whole = { kernelBlob, isKernelChain: true, kernelInput: (text: string) => Buffer.from(text) };
      const buffer = new OpenBuffer(compileEngine(build), 1 << 20, 768);
      buffer.useMapping('whole', FIELDS, { analyzer: () => whole });
      const add = (seqNo: number, text: string) => addBlock(buffer, [{ ...emptyDocument(`id${seqNo}`, seqNo), texts: { body: [text] } }]);
      add(0, 'x'.repeat(32_766));
      expect(() => add(1, 'y'.repeat(1_500_000))).toThrow(
        expect.objectContaining({
          type: 'illegal_argument_exception',
          reason: expect.stringContaining("'[121, 121,"),
          causedBy: expect.objectContaining({ reason: 'bytes can be at most 32766 in length; got 1500000' }),
        }),
      );
      add(2, 'z');
      const segment = openImage(k, buffer.flush());
      expect(segment.maxDoc).toBe(2);
      expect(segment.postings('body')!.termCount).toBe(2);
      expect(segment.lookupTerm('body', Buffer.from('z'))).toMatchObject({ docFreq: 1 });
    }));

  test(`${build}: streams of one term grow without end`, () =>
    k.scoped(() => {
      const buffer = createOpenBuffer(build, FIELDS);
      const occurrences = 30_000;
      const documents = 40;
      for (let seqNo = 0; seqNo < documents; seqNo++) {
        addBlock(buffer, [{ ...emptyDocument(`id${seqNo}`, seqNo), texts: { body: ['a '.repeat(occurrences)] } }]);
      }
      const segment = openImage(k, buffer.flush());
      const state = segment.lookupTerm('body', Buffer.from('a'))!;
      expect(state).toMatchObject({ docFreq: documents, totalTermFreq: documents * occurrences });
      const cursor = k.reserve(CURSOR_BYTES);
      k.exports.postingsCursorOpen(
        cursor,
        state.ptr,
        state.docFreq,
        FIELD_FREQS | FIELD_POSITIONS | FIELD_NORMS,
        segment.postings('body')!.positionsAt(state.ptr),
      );
      for (let docId = 0; docId < documents; docId++) {
        expect(k.exports.postingsCursorNext(cursor)).toBe(docId);
        expect(k.exports.postingsCursorFreq(cursor)).toBe(occurrences);
        k.exports.postingsCursorStartPositions(cursor);
        let wrong = 0;
        for (let i = 0; i < occurrences; i++) if (k.exports.postingsCursorNextPosition(cursor) !== i) wrong++;
        expect(wrong).toBe(0);
      }
    }));

  test(`${build}: a full memory is reported, and earlier additions are kept`, () =>
    k.scoped(() => {
      const buffer = createOpenBuffer(build, FIELDS, 96);
      const documents: PlainDocument[] = [];
      expect(() => {
        for (let seqNo = 0; ; seqNo++) {
          const words = Array.from({ length: 400 }, (_, i) => `word${seqNo}x${i}`);
          const document = { ...emptyDocument(`id${seqNo}`, seqNo), texts: { body: [words.join(' ')] } };
          addBlock(buffer, [document]);
          documents.push(document);
        }
      }).toThrow(/open buffer is full/);
      expect(documents.length).toBeGreaterThan(5);
      checkSegment(openImage(k, buffer.flush()), documents);
    }));
});

function emptyDocument(id: string, seqNo: number): PlainDocument {
  return { id, path: null, seqNo, version: 1, texts: {}, keywords: {}, integers: {}, doubles: {}, binaries: {} };
}
