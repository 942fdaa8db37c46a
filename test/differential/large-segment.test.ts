// Searches on a segment of several windows, against a plain model.
import { expect, test } from 'vitest';
import { executePlan } from '../../src/plan/execute.ts';
import { COUNT_ALL, type PlanNode } from '../../src/plan/query-plan.ts';
import type { SegmentReader } from '../../src/plan/segment-reader.ts';
import { WINDOW_DOCS } from '../../src/wasm/generated/search.ts';
import { eachKernelBuild, type KernelBuild } from '../support/kernels.ts';
import { Rng } from '../support/rng.ts';
import { createOpenBuffer, keywordField, openImage } from '../support/segments.ts';

// Documents at first and four times as many in all; a few more, so that the last window is not whole.
const MAX_DOC = 4 * WINDOW_DOCS + 100;
const rng = new Rng(3);
const TAGS = Array.from({ length: MAX_DOC }, (_, doc): string[] => {
  const late = doc > 3 * WINDOW_DOCS && rng.bool(0.01) ? [`late${rng.int(0, 300)}`] : [];
  return [`a${rng.skewed(400)}`, ...(rng.bool(0.2) ? [`b${rng.int(0, 3)}`] : []), ...late, ...(doc % 30_000 === 5 ? ['rare'] : [])];
});

function writeSegment(build: KernelBuild): Uint8Array {
  const buffer = createOpenBuffer(build, [keywordField('tag')], 2048);
  for (const [seqNo, words] of TAGS.entries()) {
    buffer.encoder.begin(null);
    for (const word of words) buffer.encoder.keyword(0, Buffer.from(word));
    buffer.encoder.end();
    buffer.add({ id: String(seqNo), seqNo, version: 1, primaryTerm: 1 });
  }
  return buffer.flush().slice();
}

const termOf = (segment: SegmentReader, word: string) => segment.lookupTerm('tag', Buffer.from(word))!;

eachKernelBuild((k, build) => {
  const image = writeSegment(build);

  test(`${build}: the first hits of many terms are those of all matches`, () =>
    k.scoped(() => {
      const segment = openImage(k, image);
      const postings = segment.postings('tag')!;
      const ordOf = (word: string): number => segment.seekOrd('tag', Buffer.from(word));
      const prefix = (word: string): PlanNode => ({ op: 'termRange', postings, from: ordOf(word), to: ordOf(`${word}\u{7f}`) });
      const anyOf = (words: readonly string[]): PlanNode => {
        const pairs = words.map((word) => termOf(segment, word)).flatMap(({ ptr, docFreq }) => [ptr, docFreq]);
        return { op: 'anyTerm', postings, terms: Uint32Array.from(pairs) };
      };
      const filters: ReadonlyArray<readonly [PlanNode, (words: readonly string[]) => boolean]> = [
        [prefix('a'), () => true],
        [prefix('a1'), (words) => words[0].startsWith('a1')],
        [prefix('late'), (words) => words.some((word) => word.startsWith('late'))],
        [anyOf(['b1', 'rare']), (words) => words.includes('b1') || words.includes('rare')],
        [anyOf(['rare', 'late7']), (words) => words.includes('rare') || words.includes('late7')],
      ];
      for (const [i, [child, accepts]] of filters.entries()) {
        const [other, acceptsOther] = filters[(i + 3) % filters.length];
        const both = { op: 'bool', must: [], filter: [child, other], should: [], mustNot: [], minimumShouldMatch: 0 } as const;
        for (const [query, matches] of [
          [{ op: 'constantScore', child, score: 2 }, accepts],
          [both, (words: readonly string[]) => accepts(words) && acceptsOther(words)],
        ] as const) {
          const expected = TAGS.flatMap((words, doc) => (matches(words) ? [doc] : []));
          for (const [size, upTo] of [
            [10, 10],
            [10, 2000],
            [300, 0],
            [10, Infinity],
          ]) {
            const found = executePlan(k, segment, query, { ...COUNT_ALL, size, trackTotalHitsUpTo: upTo });
            expect([...found.docs]).toEqual(expected.slice(0, size));
            if (expected.length <= upTo) expect([found.total, found.totalIsLowerBound]).toEqual([expected.length, false]);
            else expect(found.total).toBeGreaterThan(upTo);
          }
        }
      }
    }));

  test(`${build}: a disjunction scores no more documents than have its terms`, () =>
    k.scoped(() => {
      const segment = openImage(k, image);
      const postings = segment.postings('tag')!;
      const terms = ['late7', 'rare', 'b1'].map((word) => termOf(segment, word));
      const scorer = { weight: 2, normInverse: new Float32Array(256).fill(1) };
      const should = terms.map((term): PlanNode => ({ op: 'term', postings, term, scorer }));
      // Scratch is not cleared between searches.
      k.u8.fill(0xff, k.mark(), k.mark() + 2 ** 20);
      const counters = { blocksDecoded: 0, docsScored: 0, windows: 0, docsCollected: 0 };
      const query: PlanNode = { op: 'bool', must: [], filter: [], should, mustNot: [], minimumShouldMatch: 1 };
      executePlan(k, segment, query, { ...COUNT_ALL, size: 10, trackTotalHitsUpTo: 10 }, { counters });
      expect(counters.docsScored).toBeGreaterThanOrEqual(10);
      expect(counters.docsScored).toBeLessThanOrEqual(terms.reduce((sum, { docFreq }) => sum + docFreq, 0));
    }));
});
