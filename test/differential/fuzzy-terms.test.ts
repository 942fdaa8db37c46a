import { expect, test } from 'vitest';
import { readImage } from '../../src/arena/segment-image.ts';
import { fuzzyMatcher } from '../../src/search/matchers/edit-distance.ts';
import { FuzzyWalk, TermState, TermsHeader } from '../../src/wasm/generated/terms.ts';
import { getU32, setU32 } from '../../src/wasm/records.ts';
import { fuzzyTerms } from '../../src/wasm/terms.ts';
import { eachKernelBuild } from '../support/kernels.ts';
import { forSeeds } from '../support/rng.ts';
import { createOpenBuffer, openImage, textField } from '../support/segments.ts';

eachKernelBuild((k, build) => {
  test(`${build}: the walk that skips distant terms finds the same terms as the host's matcher`, () =>
    forSeeds(15, (rng) =>
      k.scoped(() => {
        const buffer = createOpenBuffer(build, [textField('body', { postings: rng.pick(['docs', 'positions']) })]);
        const alphabet = rng.pick(['ab', 'abcd', 'aéбв', 'abcdefghijklmnopqrstuvwxyz']);
        const words = Array.from({ length: rng.int(1, 1500) }, () => rng.word(rng.pick([3, 6, 12]), alphabet));
        for (const [seqNo, word] of words.entries()) {
          buffer.encoder.begin(null);
          buffer.encoder.text(0, word);
          buffer.encoder.end();
          buffer.add({ id: String(seqNo), seqNo, version: 1, primaryTerm: 1 });
        }
        const segment = openImage(k, buffer.flush());
        for (let i = 0; i < 8; i++) {
          const target = rng.bool() ? rng.pick(words) : rng.word(8, alphabet);
          const { matches } = fuzzyMatcher(target, rng.int(0, 2), 0, rng.bool());
          const from = rng.bool(0.3) ? Buffer.from(rng.word(2, alphabet)) : null;
          const range = { from, to: null };
          const near = segment.walkTerms('body', range, Infinity, matches);
          const all = segment.walkTerms('body', range, Infinity, (term) => matches(term));
          expect(near).toEqual(all);
        }
      }),
    ));

  test(`${build}: an output with room for one term at a time receives the same terms`, () =>
    forSeeds(10, (rng) =>
      k.scoped(() => {
        const buffer = createOpenBuffer(build, [textField('body', { postings: 'docs' })]);
        buffer.encoder.begin(null);
        buffer.encoder.text(0, Array.from({ length: 1500 }, () => rng.word(9, 'abc')).join(' '));
        buffer.encoder.end();
        buffer.add({ id: '0', seqNo: 0, version: 1, primaryTerm: 1 });
        const bytes = buffer.flush();
        const ptr = k.reserve(bytes.length + 64, 64);
        k.u8.set(bytes, ptr);
        const { terms } = readImage(k, ptr, bytes.length, { file: 'fuzzy', verify: true }).fields.get('body')!;
        const termCount = getU32(k, terms, TermsHeader.termCount);
        const longest = getU32(k, terms, TermsHeader.longestTerm);
        const word = Uint32Array.from(rng.word(9, 'abc'), (char) => char.charCodeAt(0));
        const maxEdits = rng.int(1, 2);
        const all: number[] = [];
        fuzzyTerms(k, terms, 0, termCount, word, maxEdits, (_, { ord }) => all.push(ord) > 0);
        const walk = k.reserve(k.exports.termsFuzzyScratchBytes(longest), 8);
        setU32(k, walk, FuzzyWalk.dictionary, terms);
        setU32(k, walk, FuzzyWalk.ord, 0);
        setU32(k, walk, FuzzyWalk.toOrd, termCount);
        setU32(k, walk, FuzzyWalk.word, k.copyInU32(word));
        setU32(k, walk, FuzzyWalk.length, word.length);
        setU32(k, walk, FuzzyWalk.maxEdits, maxEdits);
        const room = TermState.sizeof + longest + 8;
        const out = k.reserve(room, 8);
        const single: number[] = [];
        while (getU32(k, walk, FuzzyWalk.ord) < termCount) {
          if (k.exports.termsFuzzy(walk, out, out + room) > 0) single.push(getU32(k, out, TermState.ord));
        }
        expect(single).toEqual(all);
        expect(all).toEqual(all.toSorted((a, b) => a - b));
      }),
    ));
});
