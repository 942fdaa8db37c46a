import { expect, test } from 'vitest';
import { CURSOR_BYTES } from '../../src/wasm/generated/postings.ts';
import type { Kernels } from '../../src/wasm/kernels.ts';
import { PostingsEncoder } from '../../src/wasm/postings.ts';
import { competitive, decodeRecord, type FieldFlags, flagBits, type PostingsDoc } from '../reference/postings.ts';
import { eachKernelBuild } from '../support/kernels.ts';
import { forSeeds, type Rng } from '../support/rng.ts';

const NO_MORE_DOCS = 0x7fffffff;

function randomFlags(rng: Rng): FieldFlags {
  const freqs = rng.bool(0.8);
  const positions = freqs && rng.bool(0.7);
  return { freqs, positions, offsets: positions && rng.bool(0.3), norms: rng.bool(0.8) };
}

function randomTerm(rng: Rng, flags: FieldFlags): PostingsDoc[] {
  const count = rng.pick([1, 2, 127, 128, 129, 255, 256, 300, rng.skewed(900) + 1]);
  const gap = rng.pick([1, 2, 3, 9, 200, 70000]);
  const [maxFreq, maxNorm, maxStep] = [rng.pick([1, 3, 20, 300]), rng.pick([1, 40, 255]), rng.pick([1, 90, 5000])];
  return rng.ascending(count, gap).map((doc) => {
    const freq = flags.freqs ? rng.skewed(maxFreq) + 1 : 1;
    let position = 0;
    let start = 0;
    const positions = Array.from({ length: flags.positions ? freq : 0 }, (): [number, number, number] => {
      position += rng.int(0, maxStep);
      if (!flags.offsets) return [position, 0, 0];
      start += rng.int(0, maxStep);
      return [position, start, start + rng.int(1, 200)];
    });
    return { doc, freq, norm: flags.norms ? rng.int(1, maxNorm) : 1, positions };
  });
}

function encodeTerms(k: Kernels, flags: FieldFlags, terms: PostingsDoc[][]) {
  const room = 1 << 20;
  const maxDoc = 1 + Math.max(...terms.flat().map((doc) => doc.doc));
  const [out, positions] = [k.reserve(room), k.reserve(2 * room)];
  const encoder = new PostingsEncoder(k, flagBits(flags), Math.min(maxDoc, 1 << 20), out, room, positions, 2 * room);
  const states = terms.map((docs) => {
    encoder.begin();
    for (const { doc, freq, norm, positions } of docs) {
      encoder.addDoc(doc, freq, norm);
      for (const position of positions) encoder.addPosition(...position);
    }
    return encoder.finish();
  });
  return { out, positions, encoder, states };
}

eachKernelBuild((k, build) => {
  test(`${build}: records read back as specified, and impacts are the competitive pairs`, () =>
    forSeeds(60, (rng) =>
      k.scoped(() => {
        const flags = randomFlags(rng);
        const terms = Array.from({ length: rng.int(1, 4) }, () => randomTerm(rng, flags));
        const { out, positions, encoder, states } = encodeTerms(k, flags, terms);
        const section = k.copyOut(out, encoder.postingsBytes);
        const positionsSection = k.copyOut(positions, encoder.positionsBytes);
        terms.forEach((docs, i) => {
          expect(states[i].docFreq).toBe(docs.length);
          expect(states[i].totalTermFreq).toBe(docs.reduce((sum, doc) => sum + doc.freq, 0));
          const decoded = decodeRecord(section, positionsSection, states[i].termOff, docs.length, flags);
          expect(decoded.docs).toEqual(docs.map(({ doc, freq, positions }) => ({ doc, freq, positions })));
          if (!decoded.impacts) return;
          for (const [b, pairs] of decoded.impacts.blocks.entries()) expect(pairs).toEqual(competitive(docs.slice(b * 128, b * 128 + 128)));
          for (const [g, pairs] of decoded.impacts.groups.entries())
            expect(pairs).toEqual(competitive(docs.slice(g * 4096, g * 4096 + 4096)));
          expect(decoded.impacts.term).toEqual(competitive(docs));
        });
      }),
    ));

  test(`${build}: a cursor steps and advances as a list does`, () =>
    forSeeds(120, (rng) =>
      k.scoped(() => {
        const flags = randomFlags(rng);
        const docs = randomTerm(rng, flags);
        const { out, positions, states } = encodeTerms(k, flags, [randomTerm(rng, flags), docs]);
        const cursor = k.reserve(CURSOR_BYTES);
        const x = k.exports;
        x.postingsCursorOpen(cursor, out + states[1].termOff, docs.length, flagBits(flags), positions);
        let at = -1;
        const advances = rng.bool();
        const reach = rng.pick([3, 1000, 100000]);
        for (;;) {
          const target = at < 0 ? rng.int(0, reach) : docs[at].doc + rng.int(1, reach);
          const found = advances ? x.postingsCursorAdvance(cursor, target) : x.postingsCursorNext(cursor);
          at = advances ? docs.findIndex((doc) => doc.doc >= target) : at + 1;
          if (at < 0 || at >= docs.length) {
            expect(found).toBe(NO_MORE_DOCS);
            break;
          }
          expect(found).toBe(docs[at].doc);
          if (rng.bool()) expect(x.postingsCursorFreq(cursor)).toBe(docs[at].freq);
          if (flags.positions && rng.bool()) {
            x.postingsCursorStartPositions(cursor);
            const some = docs[at].positions.slice(0, rng.int(0, docs[at].freq));
            expect(some.map(() => x.postingsCursorNextPosition(cursor))).toEqual(some.map(([position]) => position));
          }
        }
      }),
    ));

  test(`${build}: a full extent is a status, not a write past its end`, () =>
    forSeeds(30, (rng) =>
      k.scoped(() => {
        const docs = randomTerm(rng, { freqs: true, positions: true, offsets: false, norms: true });
        const room = rng.int(0, 40) * 4;
        const [out, positions, guard] = [k.reserve(room), k.reserve(room), k.reserve(16)];
        k.u8.fill(7, guard, guard + 16);
        const encoder = new PostingsEncoder(k, 11, 1 << 17, out, room, positions, room);
        encoder.begin();
        for (const { doc, freq, norm, positions } of docs) {
          encoder.addDoc(doc, freq, norm);
          for (const [position] of positions) encoder.addPosition(position);
        }
        if (docs.length > 40) expect(() => encoder.finish()).toThrow(RangeError);
        expect([...k.u8.subarray(guard, guard + 16)]).toEqual(Array(16).fill(7));
      }),
    ));
});
