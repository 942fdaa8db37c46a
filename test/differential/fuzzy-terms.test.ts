import { expect, test } from 'vitest';
import { fuzzyMatcher } from '../../src/search/edit-distance.ts';
import { eachKernelBuild } from '../support/kernels.ts';
import { forSeeds } from '../support/rng.ts';
import { createOpenBuffer, openImage, textField } from '../support/segments.ts';

eachKernelBuild((k, build) => {
  test(`${build}: the walk that leaves out far terms finds what the host's matcher finds`, () =>
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
});
