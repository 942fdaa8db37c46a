import { expect, test } from 'vitest';
import { eachKernelBuild } from '../support/kernels.ts';
import { forSeeds, type Rng } from '../support/rng.ts';
import { ANALYSIS, createOpenBuffer, keywordField, openImage } from '../support/segments.ts';

/** Distinct byte strings in order: short, long, with shared prefixes, zero bytes and bytes above 127. */
function randomTerms(rng: Rng): Buffer[] {
  const stem = Buffer.from(rng.bytes(rng.skewed(40)));
  const term = (): Buffer => {
    const kind = rng.int(0, 4);
    if (kind === 0) return Buffer.from(rng.word(12));
    if (kind === 1) return Buffer.concat([stem, rng.bytes(rng.skewed(12))]);
    if (kind === 2) return Buffer.concat([stem, Buffer.alloc(rng.int(0, 20))]);
    if (kind === 3) return Buffer.from(rng.bytes(rng.int(0, 3)));
    return Buffer.from('ab'.repeat(rng.skewed(1500)) + rng.word(3, 'ab'));
  };
  const terms = new Map(Array.from({ length: rng.pick([1, 20, 32, 33, 64, 900]) }, term).map((bytes) => [bytes.toString('latin1'), bytes]));
  return [...terms.values()].sort(Buffer.compare);
}

eachKernelBuild((k, build) => {
  test(`${build}: look-up, seek, ordinals and walks equal a sorted list`, () => {
    const fields = [keywordField('tag')];
    const buffer = createOpenBuffer(build, fields);
    forSeeds(40, (rng) =>
      k.scoped(() => {
        buffer.reset();
        buffer.useMapping('test', fields, ANALYSIS);
        const terms = randomTerms(rng);
        const { encoder } = buffer;
        encoder.begin(null);
        for (const bytes of rng.shuffle([...terms])) encoder.keyword(0, bytes);
        encoder.end();
        buffer.add({ id: 'a', seqNo: 0, version: 1, primaryTerm: 1 });
        const segment = openImage(k, buffer.flush());
        expect(segment.postings('tag')!.termCount).toBe(terms.length);
        terms.forEach((bytes, ord) => {
          expect(segment.lookupTerm('tag', bytes)).toMatchObject({ ord, docFreq: 1 });
          expect(Buffer.compare(segment.termOf('tag', ord), bytes)).toBe(0);
        });
        for (let i = 0; i < 60; i++) {
          const near = Buffer.concat([rng.pick(terms), rng.bytes(rng.int(0, 2))]);
          const probe = rng.bool() ? near : near.subarray(0, rng.int(0, near.length));
          const ord = terms.findIndex((bytes) => Buffer.compare(bytes, probe) >= 0);
          expect(segment.seekOrd('tag', probe)).toBe(ord < 0 ? terms.length : ord);
          const exact = ord >= 0 && terms[ord].equals(probe);
          expect(segment.lookupTerm('tag', probe)?.ord).toBe(exact ? ord : undefined);
        }
        for (let i = 0; i < 20; i++) {
          const bound = (): Buffer | null => (rng.bool(0.2) ? null : rng.bool() ? rng.pick(terms) : Buffer.from(rng.bytes(rng.int(0, 3))));
          const range = { from: bound(), to: bound(), includeFrom: rng.bool(), includeTo: rng.bool() };
          const limit = rng.pick([1, 10, 10_000]);
          const filter = rng.bool() ? (bytes: Uint8Array) => bytes.length % 2 === 0 : undefined;
          const expected = terms.filter((bytes) => {
            const low = range.from === null ? 1 : Buffer.compare(bytes, range.from);
            const high = range.to === null ? -1 : Buffer.compare(bytes, range.to);
            return (
              (low > 0 || (low === 0 && range.includeFrom)) && (high < 0 || (high === 0 && range.includeTo)) && (filter?.(bytes) ?? true)
            );
          });
          const walked = segment.walkTerms('tag', range, limit, filter);
          expect(walked.map(({ bytes }) => Buffer.from(bytes).toString('latin1'))).toEqual(
            expected.slice(0, limit).map((bytes) => bytes.toString('latin1')),
          );
        }
      }),
    );
  });

  test(`${build}: stores terms of the greatest length, and many with one long prefix`, () =>
    k.scoped(() => {
      const buffer = createOpenBuffer(build, [keywordField('tag')], 768);
      const long = Buffer.alloc(32_766, 'x');
      const terms = Array.from({ length: 70 }, (_, i) => Buffer.concat([long.subarray(0, 32_763), Buffer.from(String(100 + i))]));
      const { encoder } = buffer;
      encoder.begin(null);
      for (const bytes of [...terms].reverse()) encoder.keyword(0, bytes);
      encoder.keyword(0, long);
      encoder.end();
      buffer.add({ id: 'a', seqNo: 0, version: 1, primaryTerm: 1 });
      const segment = openImage(k, buffer.flush());
      expect([...terms, long].map((bytes) => segment.lookupTerm('tag', bytes)?.ord)).toEqual(Array.from({ length: 71 }, (_, ord) => ord));
      expect(segment.walkTerms('tag', { from: terms[3], to: terms[5] }, 10)).toHaveLength(3);
    }));
});
