import { expect, test } from 'vitest';
import { filterRunner } from '../../src/analysis/analyzer.ts';
import { chainBlob, type KernelStage, termSet, words } from '../../src/analysis/blob.ts';
import { kernelFilter, type TokenFilter } from '../../src/analysis/component.ts';
import { decompoundConfig } from '../../src/analysis/filters/decompound.ts';
import { multiplexerFilter } from '../../src/analysis/filters/nested.ts';
import { synonymProgram } from '../../src/analysis/filters/synonym-program.ts';
import { SynonymMapBuilder } from '../../src/analysis/filters/synonym-rules.ts';
import { wordDelimiterConfig } from '../../src/analysis/filters/word-delimiter.ts';
import { encodeTokens, runChain, type Token, type TokenStream } from '../../src/analysis/tokens/token-stream.ts';
import { StageId, Stemmer } from '../../src/wasm/generated/analysis.ts';
import { decompounded } from '../reference/decompound.ts';
import { flattened } from '../reference/flatten-graph.ts';
import { multiplexed } from '../reference/multiplexer.ts';
import { fingerprint, gramsOnly, minHash, withGrams } from '../reference/summaries.ts';
import { flatSynonyms, graphSynonyms, type SynonymRule } from '../reference/synonyms.ts';
import type { PlainToken } from '../reference/token-filters.ts';
import { type DelimiterOptions, flatDelimited, graphDelimited } from '../reference/word-delimiter.ts';
import { eachAnalysisBuild } from '../support/analysis-builds.ts';
import { forSeeds, type Rng } from '../support/rng.ts';
import { plainOf, randomGraph, randomWords, tokensOf } from '../support/token-lists.ts';

const EMPTY = new Uint8Array(0);

eachAnalysisBuild((host, build) => {
  const through = (stages: readonly KernelStage[], tokens: readonly PlainToken[]): TokenStream =>
    runChain(
      host,
      { blob: chainBlob([{ id: StageId.REPLAY, config: EMPTY }, ...stages]) },
      encodeTokens({ tokens: tokensOf(tokens), endOffset: 9999, endPosInc: 0 }),
    );
  const bare = (tokens: readonly Token[]): PlainToken[] => tokens.map(plainOf);

  for (const graph of [true, false]) {
    test(`${build}: ${graph ? 'synonym_graph' : 'synonym'} equals its twin, across batches`, () => {
      forSeeds(120, (rng) => {
        const rules = randomRules(rng);
        const tokens = randomWords(rng, WORDS);
        const builder = new SynonymMapBuilder();
        for (const { input, output, keepOriginal } of rules) builder.add(input, output, keepOriginal);
        const kernel = { id: StageId.SYNONYM, config: synonymProgram(builder.build(), graph) };
        const twin = graph ? graphSynonyms : flatSynonyms;
        expect(bare(through([kernel], tokens).tokens)).toEqual(twin(rules, tokens));
      });
    });
  }

  test(`${build}: flatten_graph equals its twin, across batches, holes and long paths`, () => {
    forSeeds(150, (rng) => {
      const tokens = randomGraph(rng, WORDS);
      expect(bare(through([{ id: StageId.FLATTEN, config: EMPTY }], tokens).tokens)).toEqual(flattened(tokens));
    });
  });

  for (const graph of [true, false]) {
    test(`${build}: ${graph ? 'word_delimiter_graph' : 'word_delimiter'} equals its twin, across batches`, () => {
      forSeeds(150, (rng) => {
        const options = randomDelimiter(rng);
        const adjust = rng.bool(0.7);
        const tokens = randomWords(rng, COMPOUNDS).map((token) => (rng.bool(0.2) ? { ...token, endOffset: token.endOffset + 1 } : token));
        const flags = FLAGS.reduce((sum, name, bit) => sum | (options[name] ? 1 << bit : 0), (graph ? 1024 : 0) | (adjust ? 2048 : 0));
        const kernel = { id: StageId.WORD_DELIMITER, config: wordDelimiterConfig(flags, options.types, options.protectedWords) };
        const expected = graph ? graphDelimited(tokens, options, adjust) : flatDelimited(tokens, options);
        expect(bare(through([kernel], tokens).tokens)).toEqual(expected);
      });
    });
  }

  for (const queryMode of [false, true]) {
    test(`${build}: common_grams ${queryMode ? 'of queries ' : ''}equals its twin, across batches`, () => {
      forSeeds(100, (rng) => {
        const frequent = new Set(WORDS.filter(() => rng.bool(0.4)));
        const ignoreCase = rng.bool();
        // Also with grams of an earlier filter.
        const tokens = randomWords(rng, ['A', ...WORDS]).map((token) => (rng.bool(0.1) ? { ...token, type: 'gram' } : token));
        const grams = { id: StageId.COMMON_GRAMS, config: words([ignoreCase ? 1 : 0], termSet(frequent)) };
        const only = { id: StageId.GRAMS_ONLY, config: EMPTY };
        const expected = withGrams(tokens, (term) => frequent.has(ignoreCase ? term.toLowerCase() : term));
        const result = bare(through(queryMode ? [grams, only] : [grams], tokens).tokens);
        expect(result).toEqual(queryMode ? gramsOnly(expected) : expected);
      });
    });
  }

  test(`${build}: fingerprint equals its twin, in order of UTF-16 units`, () => {
    forSeeds(100, (rng) => {
      const tokens = randomWords(rng, [...WORDS, '\uffee', '😀', '😁', '\ud83d', '\ud83dx', '\ude00', '']);
      const separator = rng.pick([' ', '+', '\u0000', '語']);
      const maxSize = rng.pick([5, 25, 1000]);
      const config = words([maxSize, new TextEncoder().encode(separator).length], new TextEncoder().encode(separator));
      const result = through([{ id: StageId.FINGERPRINT, config }], tokens);
      expect(bare(result.tokens)).toEqual(fingerprint(tokens, 9999, separator, maxSize));
      expect(result.endPosInc).toBe(1);
    });
  });

  test(`${build}: min_hash equals its twin`, () => {
    forSeeds(40, (rng) => {
      const tokens = randomWords(rng, [...WORDS, 'z\ud83d', '😀', 'a word longer than the block of the hash'], rng.pick([3, 30]));
      const options = {
        hashCount: rng.pick([1, 1, 3]),
        bucketCount: rng.pick([1, 4, 512]),
        hashSetSize: rng.pick([1, 1, 3]),
        withRotation: rng.bool(),
      };
      const { hashCount, bucketCount, hashSetSize, withRotation } = options;
      const config = words([hashCount, bucketCount, hashSetSize, withRotation ? 1 : 0]);
      expect(bare(through([{ id: StageId.MIN_HASH, config }], tokens).tokens)).toEqual(minHash(tokens, options));
    });
  });

  test(`${build}: multiplexer equals its twin, with filters that have state`, () => {
    const env = filterRunner(host);
    forSeeds(25, (rng) => {
      const tokens = tokensOf(randomWords(rng, [...WORDS, 'Foo', 'foobar', 'A b'], rng.pick([3, 20, 300])));
      const branches = Array.from({ length: rng.int(2, 4) }, () => Array.from({ length: rng.int(0, 3) }, () => rng.pick(BRANCH_FILTERS)));
      const run = (branch: number, token: Token): TokenStream =>
        env.run(branches[branch], { tokens: [token], endOffset: 9999, endPosInc: 0 });
      const filter = multiplexerFilter(branches) as { stages: readonly KernelStage[] };
      // Without the stage after it that removes equal terms.
      const kernel: TokenFilter = { kind: 'kernel', stages: filter.stages.slice(0, 1) };
      expect(env.run([kernel], { tokens, endOffset: 9999, endPosInc: 0 }).tokens).toEqual(multiplexed(tokens, branches.length, run));
    });
  });

  test(`${build}: dictionary_decompounder equals its twin, across batches`, () => {
    forSeeds(120, (rng) => {
      const pieces = ['a', 'b', 'ab', 'ba', 'é', '日本', '😀', 'abc'];
      const compound = (): string => Array.from({ length: rng.int(0, 6) }, () => rng.pick(pieces)).join('');
      const list = Array.from({ length: rng.int(0, 6) }, compound);
      const minPart = rng.int(1, 3);
      const options = { minWord: rng.int(1, 5), minPart, maxPart: minPart + rng.int(0, 6), onlyLongest: rng.bool() };
      const tokens = randomWords(rng, Array.from({ length: 8 }, compound));
      const kernel = { id: StageId.DECOMPOUND, config: decompoundConfig(options, list) };
      expect(bare(through([kernel], tokens).tokens)).toEqual(decompounded(tokens, options, new Set(list)));
    });
  });
});

const filterOf = (id: number, ...config: number[]): TokenFilter => kernelFilter(id, words(config));
const BRANCH_FILTERS: readonly TokenFilter[] = [
  filterOf(StageId.CASE, 0),
  filterOf(StageId.REVERSE),
  filterOf(StageId.UNIQUE, 0),
  filterOf(StageId.LENGTH, 2, 5),
  filterOf(StageId.LIMIT, 1, 1),
  filterOf(StageId.NGRAM, 1, 2, 0),
  filterOf(StageId.STEM, Stemmer.PORTER),
];

const FLAGS = [
  'wordParts',
  'numberParts',
  'catenateWords',
  'catenateNumbers',
  'catenateAll',
  'splitOnCaseChange',
  'preserveOriginal',
  'splitOnNumerics',
  'stemEnglishPossessive',
  'ignoreKeywords',
] as const;

const COMPOUNDS = [
  'a',
  'foo-bar',
  'Wi-Fi',
  'PowerShot',
  'SD500',
  "O'Neil's",
  "'s",
  "x's's-",
  '--',
  '',
  'a1b2-c3d4',
  '12-34-ab',
  'ÀBcÉ-ǅx',
  '½ª²',
  'प्रि1',
  '日本-語',
  '😀1',
  '\ud83d-\ude00',
  'x\ude00',
  `${'ab-1'.repeat(300)}`,
];

function randomDelimiter(rng: Rng): DelimiterOptions {
  const types = new Map<number, number>();
  for (const char of "-'a1ª語\ud83d\ude00") if (rng.bool(0.15)) types.set(char.charCodeAt(0), rng.pick([1, 2, 3, 4, 7, 8]));
  return {
    ...(Object.fromEntries(FLAGS.map((name) => [name, rng.bool()])) as Record<(typeof FLAGS)[number], boolean>),
    types,
    protectedWords: new Set(rng.bool(0.3) ? ['foo-bar', '😀1'] : []),
  };
}

const WORDS = ['a', 'b', 'c', 'é', '日本', 'longer-word'];

function randomRules(rng: Rng): SynonymRule[] {
  const phrase = (): string[] => Array.from({ length: rng.int(1, 4) }, () => rng.pick(WORDS));
  return Array.from({ length: rng.int(1, 6) }, () => ({ input: phrase(), output: phrase(), keepOriginal: rng.bool() }));
}
