/** The phrase suggester: scores computed by hand, highlighting, collation, limits. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
const TEXTS = ['quick brown fox', 'quick brown fox', 'quick brown dog', 'lazy fox'];

beforeAll(async () => {
  node = await openRestNode();
  const analysis = {
    filter: { grams: { type: 'shingle', max_shingle_size: 3 }, pairs: { type: 'shingle', output_unigrams: false } },
    analyzer: {
      grams: { type: 'custom', tokenizer: 'standard', filter: ['lowercase', 'grams'] },
      pairs: { type: 'custom', tokenizer: 'standard', filter: ['lowercase', 'pairs'] },
      reversed: { type: 'custom', tokenizer: 'standard', filter: ['lowercase', 'reverse'] },
    },
  };
  const fields = { pairs: { type: 'text', analyzer: 'pairs' }, words: { type: 'text' }, reversed: { type: 'text', analyzer: 'reversed' } };
  const settings = { index: { number_of_shards: 1 }, analysis };
  await node.ok('PUT /phrases', { settings, mappings: { properties: { text: { type: 'text', analyzer: 'grams', fields } } } });
  await node.ok('PUT /empty', { mappings: { properties: { text: { type: 'text' } } } });
  await node.ok(
    'POST /phrases/_bulk?refresh=true',
    TEXTS.flatMap((text, i) => [{ index: { _id: String(i) } }, { text }]),
  );
});
afterAll(() => node.close());

const suggest = async (text: string, phrase: object, index = 'phrases') =>
  (await node.ok(`POST /${index}/_search?size=0`, { suggest: { s: { text, phrase: { field: 'text', ...phrase } } } })).suggest.s[0];
const refusal = async (phrase: object) => {
  const { status, json } = await node.send('POST /phrases/_search', { suggest: { s: { text: 'quik brown', phrase } } });
  return [status, json.error.root_cause[0].reason];
};

/** Occurrences of all terms of the field, and number of different ones: words and sequences of two and three. */
const [OCCURRENCES, TERMS] = [11 + 7 + 3, 5 + 4 + 2];
const LIKELIHOOD = Math.fround(0.95);
/** One edit in a word of four letters. */
const SIMILARITY = 0.75;
const phraseScore = (...probabilities: number[]) => Math.exp(probabilities.reduce((sum, probability) => sum + Math.log10(probability), 0));

describe('scores', () => {
  test('stupid backoff over sequences of three, the longest of the analyzer', async () => {
    const { options } = await suggest('quik brown fox', {});
    expect(options.map(({ text }: { text: string }) => text)).toEqual(['quick brown fox']);
    const first = SIMILARITY * ((1 + 3) / (OCCURRENCES + TERMS));
    expect(options[0].score).toBeCloseTo(phraseScore(first, LIKELIHOOD * (3 / 3), LIKELIHOOD * (2 / 2)), 6);
  });
  test('laplace over pairs', async () => {
    const { options } = await suggest('quik brown', { gram_size: 2, smoothing: { laplace: { alpha: 0.5 } } });
    const first = SIMILARITY * ((0.5 + 3) / (OCCURRENCES + 0.5 * TERMS));
    expect(options[0].score).toBeCloseTo(phraseScore(first, LIKELIHOOD * ((0.5 + 3) / (3 + 0.5 * TERMS))), 6);
  });
  test('linear interpolation', async () => {
    const lambdas = { trigram_lambda: 0, bigram_lambda: 0.6, unigram_lambda: 0.4 };
    const { options } = await suggest('quik brown', { gram_size: 2, smoothing: { linear_interpolation: lambdas } });
    const unigram = (1 + 3) / (OCCURRENCES + TERMS);
    expect(options[0].score).toBeCloseTo(phraseScore(SIMILARITY * unigram, LIKELIHOOD * (0.6 * (3 / 3.5) + 0.4 * unigram)), 6);
  });
  test('a text that is as good as any has no suggestions, unless the confidence is 0', async () => {
    expect((await suggest('quick brown fox', {})).options).toEqual([]);
    const { options } = await suggest('quick brown fox', { confidence: 0 });
    expect(options[0].text).toBe('quick brown fox');
  });
});

describe('candidates', () => {
  test('two errors need max_errors', async () => {
    const generators = [{ field: 'text', suggest_mode: 'always', min_word_length: 3 }];
    const texts = async (max_errors: number) =>
      (await suggest('quik brown fax', { max_errors, direct_generator: generators })).options.map(({ text }: { text: string }) => text);
    expect(await texts(1)).not.toContain('quick brown fox');
    expect((await texts(2))[0]).toBe('quick brown fox');
  });
  test('a generator with filters finds words by their ends', async () => {
    // The first letter must be right: reversed, it is the last one.
    const plain = await suggest('wuick brown', {});
    expect(plain.options).toEqual([]);
    const reversed = { field: 'text.reversed', suggest_mode: 'always', pre_filter: 'reversed', post_filter: 'reversed' };
    const { options } = await suggest('wuick brown', { direct_generator: [{ field: 'text' }, reversed] });
    expect(options[0].text).toBe('quick brown');
  });
  test('long strings and fields without documents have no suggestions', async () => {
    expect((await suggest('quik brown fox', { token_limit: 3 })).options).toEqual([]);
    expect(await suggest('quik', {}, 'empty')).toEqual({ text: 'quik', offset: 0, length: 4, options: [] });
  });
});

test('highlights runs of corrected words', async () => {
  const { options } = await suggest('quik brwon fox', { max_errors: 2, highlight: { pre_tag: '<b>', post_tag: '</b>' } });
  expect(options[0]).toMatchObject({ text: 'quick brown fox', highlighted: '<b>quick brown</b> fox' });
});

test('collates: leaves out, or marks, what no document matches', async () => {
  const query = { source: { match_phrase: { 'text.words': '{{suggestion}}' } } };
  const generators = [{ field: 'text', suggest_mode: 'always', min_word_length: 3 }];
  const common = { confidence: 0, direct_generator: generators, size: 10 };
  const all = (await suggest('quik brown dig', { ...common, max_errors: 2 })).options.map(({ text }: { text: string }) => text);
  expect(all).toContain('quick brown dig');
  const kept = (await suggest('quik brown dig', { ...common, max_errors: 2, collate: { query } })).options;
  expect(kept.map(({ text }: { text: string }) => text)).toEqual(['quick brown dog']);
  const marked = (await suggest('quik brown dig', { ...common, max_errors: 2, collate: { query, prune: true } })).options;
  expect(marked.map(({ text, collate_match }: { text: string; collate_match: boolean }) => [text, collate_match])).toEqual(
    all.map((text: string) => [text, text === 'quick brown dog']),
  );
});

test('wrong options', async () => {
  expect(await refusal({ field: 'text', confidence: -1 })).toEqual([400, 'confidence must be >= 0.0']);
  expect(await refusal({ field: 'text', gram_size: 0 })).toEqual([400, 'gramSize must be >= 1']);
  expect(await refusal({ field: 'text', nothing: 1 })).toEqual([400, "suggester[phrase] doesn't support field [nothing]"]);
  expect(await refusal({ field: 'text', highlight: { pre_tag: 'x' } })).toEqual([
    400,
    'Pre and post tag must both be null or both not be null.',
  ]);
  expect(await refusal({ field: 'text', smoothing: { linear: { trigram_lambda: 1, bigram_lambda: 1, unigram_lambda: 1 } } })).toEqual([
    400,
    'linear smoothing lambdas must sum to 1',
  ]);
  expect(await refusal({ field: 'text.pairs' })).toMatchObject([400, expect.stringContaining("doesn't emit unigrams")]);
});
