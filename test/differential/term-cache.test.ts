// Filters that change, mark or drop single terms run as one stage that caches its result for a term. It must return what the stages return one
// by one, from the first token to the last: with entries that exist, that collide, that were evicted because the cache was full.
import { expect, test } from 'vitest';
import { chainBlob, type KernelStage, termMap, termSet, words } from '../../src/analysis/blob.ts';
import { mergeRewrites } from '../../src/analysis/fusion.ts';
import { encodeTokens, makeToken, runChain, type Token } from '../../src/analysis/tokens/token-stream.ts';
import { encodeWtf8 } from '../../src/analysis/tokens/wtf8.ts';
import { StageId, Stemmer } from '../../src/wasm/generated/analysis.ts';
import { eachAnalysisBuild } from '../support/analysis-builds.ts';
import { forSeeds, type Rng } from '../support/rng.ts';

const EMPTY = new Uint8Array(0);
const ALPHABETS = ["Aesinogtku'", 'еиаыхмюяст', 'ηταςομενι', 'ািकतबমযক', 'اليهةوtان', "lLd’'aéÉ"];
const REPLAY: KernelStage = { id: StageId.REPLAY, config: EMPTY };

function lists(rng: Rng, alphabet: string): Uint8Array {
  return termSet(Array.from({ length: rng.int(1, 12) }, () => rng.word(3, alphabet)));
}

function anyStage(rng: Rng, alphabet: string): KernelStage {
  const ignoreCase = rng.int(0, 1);
  switch (rng.int(0, 8)) {
    case 0:
      return { id: StageId.STOP, config: words([ignoreCase], lists(rng, alphabet)) };
    case 1:
      return { id: StageId.ELISION, config: words([ignoreCase], lists(rng, alphabet)) };
    case 2:
      return { id: StageId.APOSTROPHE, config: EMPTY };
    case 3:
      return { id: StageId.KEYWORD_MARKER, config: words([ignoreCase], lists(rng, alphabet)) };
    case 4: {
      const rules = Array.from({ length: rng.int(1, 9) }, () => [rng.word(3, alphabet), encodeWtf8(rng.word(9, alphabet) || 'x')] as const);
      return { id: StageId.STEMMER_OVERRIDE, config: words([0], termMap(rules)) };
    }
    case 5:
      return { id: StageId.CASE, config: words([rng.pick([0, 1, 2, 3, 4])]) };
    case 6:
      return { id: StageId.NORMALIZE, config: words([rng.pick([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])]) };
    default:
      // KSTEM is the only one with a word list.
      return { id: StageId.STEM, config: words([rng.pick(Object.values(Stemmer).filter((id) => id !== Stemmer.KSTEM))]) };
  }
}

/** Words that repeat, some long, some keywords, some with holes before them. */
function anyTokens(rng: Rng, alphabet: string, count: number): Token[] {
  let at = 0;
  return Array.from({ length: count }, (_, i) => {
    const term = rng.bool(0.01) ? rng.word(160, alphabet) : rng.word(rng.pick([2, 6, 20]), alphabet);
    const token = makeToken(term, at, at + term.length, 'word', i === 0 ? 1 : rng.pick([1, 1, 1, 2]));
    token.keyword = rng.bool(0.05);
    at += term.length + 1;
    return token;
  });
}

eachAnalysisBuild((host, build) => {
  test(`${build}: a cached sequence of stages equals the single stages`, () => {
    forSeeds(150, (rng) => {
      const alphabet = rng.pick(ALPHABETS);
      const stages = Array.from({ length: rng.int(2, 5) }, () => anyStage(rng, alphabet));
      const merged = mergeRewrites(stages);
      expect(merged.map((stage) => stage.id)).toEqual([StageId.STEM]);
      const program = { blob: chainBlob([REPLAY, ...merged]) };
      for (let round = 0; round < 2; round++) {
        const input = encodeTokens({ tokens: anyTokens(rng, alphabet, rng.int(0, 700)), endOffset: 9999, endPosInc: 0 });
        const expected = runChain(host, { blob: chainBlob([REPLAY, ...stages]) }, input);
        expect(runChain(host, program, input)).toEqual(expected);
        expect(runChain(host, program, input)).toEqual(expected);
      }
    });
  });

  test(`${build}: more words than the cache holds give the same terms`, () => {
    const stages = [
      { id: StageId.STOP, config: words([0], termSet(['aa', 'noise'])) },
      { id: StageId.STEM, config: words([Stemmer.PORTER]) },
    ];
    const plain = { blob: chainBlob([REPLAY, ...stages]) };
    const cached = { blob: chainBlob([REPLAY, ...mergeRewrites(stages)]), regionBytes: 1 << 16 };
    forSeeds(4, (rng) => {
      const input = encodeTokens({ tokens: anyTokens(rng, 'abcdeingsnoi', 6000), endOffset: 99999, endPosInc: 0 });
      expect(runChain(host, cached, input)).toEqual(runChain(host, plain, input));
    });
  });

  test(`${build}: chains do not share their caches`, () => {
    const chain = (stop: string[], stemmer: number) => ({
      blob: chainBlob([
        REPLAY,
        ...mergeRewrites([
          { id: StageId.STOP, config: words([0], termSet(stop)) },
          { id: StageId.STEM, config: words([stemmer]) },
        ]),
      ]),
    });
    const input = encodeTokens({ tokens: [makeToken('running', 0, 7), makeToken('laufen', 8, 14)], endOffset: 14, endPosInc: 0 });
    const [english, german, none] = [
      chain(['running'], Stemmer.PORTER),
      chain([], Stemmer.LIGHT_GERMAN),
      chain(['running', 'laufen'], Stemmer.PORTER),
    ];
    for (let round = 0; round < 2; round++) {
      const terms = [english, german, none].map((program) => runChain(host, program, input).tokens.map((token) => token.term));
      expect(terms).toEqual([['laufen'], ['running', 'lauf'], []]);
    }
  });
});
