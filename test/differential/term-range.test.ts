import { expect, test } from 'vitest';
import { countPlan, planToBitset } from '../../src/plan/execute.ts';
import { bitset } from '../reference/codec.ts';
import { eachKernelBuild } from '../support/kernels.ts';
import { forSeeds } from '../support/rng.ts';
import { createOpenBuffer, openImage, textField } from '../support/segments.ts';

eachKernelBuild((k, build) => {
  test(`${build}: a range of a dictionary matches the documents that have one of its terms`, () =>
    forSeeds(12, (rng) =>
      k.scoped(() => {
        const buffer = createOpenBuffer(build, [textField('body', { postings: rng.pick(['docs', 'freqs', 'positions']) })]);
        const docs = Array.from({ length: rng.int(1, 600) }, () =>
          Array.from({ length: rng.int(0, 8) }, () => rng.pick([`common${rng.int(0, 2)}`, `rare${rng.int(0, 400)}`, 'always'])),
        );
        for (const [seqNo, words] of docs.entries()) {
          buffer.encoder.begin(null);
          if (words.length) buffer.encoder.text(0, words.join(' '));
          buffer.encoder.end();
          buffer.add({ id: String(seqNo), seqNo, version: 1, primaryTerm: 1 });
        }
        const segment = openImage(k, buffer.flush());
        const terms = [...new Set(docs.flat())].sort();
        if (terms.length === 0) return;
        const postings = segment.postings('body')!;
        const [from, to] = [rng.int(0, terms.length), rng.int(0, terms.length + 1)];
        const wanted = new Set(terms.slice(from, to));
        const plan = { op: 'termRange', postings, from, to } as const;
        const matching = [...docs.keys()].filter((doc) => docs[doc].some((word) => wanted.has(word)));
        expect(countPlan(k, segment, plan)).toBe(matching.length);
        const bytes = Math.ceil(docs.length / 512) * 64;
        const out = k.reserve(bytes);
        planToBitset(k, segment, plan, out);
        expect(k.copyOut(out, bytes)).toEqual(bitset(docs.length, matching));
      }),
    ));
});
