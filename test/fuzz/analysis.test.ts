// Any bytes and any strings: no crash, bounded memory, and every offset inside the text.
import { expect, test } from 'vitest';
import { AnalysisRegistry } from '../../src/analysis/analysis-registry.ts';
import { chainBlob, termSet, words } from '../../src/analysis/blob.ts';
import { TOKEN_FILTERS, TOKENIZERS } from '../../src/analysis/registry.ts';
import { runChain } from '../../src/analysis/tokens/token-stream.ts';
import type { AnalysisHost } from '../../src/wasm/analysis.ts';
import { StageId } from '../../src/wasm/generated/analysis.ts';
import { eachAnalysisBuild } from '../support/analysis-builds.ts';
import { forSeeds, type Rng } from '../support/rng.ts';

const FILTERS: readonly [number, Uint8Array][] = [
  [StageId.CASE, words([0])],
  [StageId.CASE, words([1])],
  [StageId.CASE, words([2])],
  [StageId.CASE, words([3])],
  [StageId.CASE, words([4])],
  [StageId.FOLDING, words([])],
  [StageId.REVERSE, words([])],
  [StageId.TRIM, words([])],
  [StageId.TRUNCATE, words([3])],
  [StageId.APOSTROPHE, words([])],
  [StageId.STOP, words([1], termSet(['a', 'b']))],
  [StageId.CJK_BIGRAM, words([31])],
  [StageId.UNIQUE, words([0])],
  ...Array.from({ length: 12 }, (_, variant): [number, Uint8Array] => [StageId.NORMALIZE, words([variant])]),
];

function fuzzString(rng: Rng): string {
  const pieces = [
    'a',
    'B',
    ' ',
    "'",
    '.',
    '_',
    '1',
    '\u0000',
    '\ud83d',
    '\ude00',
    '😀',
    '\u0301',
    '\u200d',
    '日',
    'ア',
    'ß',
    'İ',
    'ﷺ',
    'ก',
    '<b>',
    '&amp;',
    '|',
    '\n',
    'http://a.com/',
    'x@y.org',
  ];
  return Array.from({ length: rng.skewed(400) }, () => rng.pick(pieces)).join('');
}

/** Parameters of filters that cannot be built without any. */
const PARAMS: Readonly<Record<string, object>> = {
  keep: { keep_words: ['a'] },
  keep_types: { types: ['word'] },
  elision: { articles: ['a', 'l'] },
  truncate: { length: 3 },
  stemmer_override: { rules: ['a => b'] },
  common_grams: { common_words: ['a'] },
  dictionary_decompounder: { word_list: ['a', 'ab'], min_word_size: 1 },
  pattern_replace: { pattern: 'a|', replacement: 'b' },
  pattern_capture: { patterns: ['(a)(b)?'] },
  keyword_marker: { keywords: ['a'] },
  synonym: { synonyms: ['a, b c', 'x => y z'], lenient: true },
  synonym_graph: { synonyms: ['a, b c', 'x => y z'], lenient: true },
  condition: { filter: ['lowercase'], script: { source: 'token.position % 2 == 0' } },
  predicate_token_filter: { script: { source: 'token.term.length() > 0' } },
  multiplexer: { filters: ['lowercase', 'uppercase'] },
  simple_pattern: { pattern: '[a-z]+' },
  simple_pattern_split: { pattern: ' +' },
};
const NEEDS_FILES = new Set([
  'hyphenation_decompounder',
  'hunspell',
  'type_as_payload',
  'keyword_repeat',
  'delimited_payload',
  'delimited_term_freq',
]);

eachAnalysisBuild((host, build) => {
  test(`${build}: kernel chains survive random and malformed bytes`, () => {
    forSeeds(200, (rng) => {
      const tokenizer = rng.pick([
        { id: StageId.STANDARD, config: words([rng.pick([1, 2, 255]), rng.int(0, 1)]) },
        { id: StageId.CLASSIC, config: words([255]) },
        { id: StageId.CHAR_CLASS, config: words([255, rng.int(0, 3), 31, 1, 45]) },
        { id: StageId.KEYWORD, config: words([]) },
        { id: StageId.URL_EMAIL, config: words([255], termSet(['com', 'org'])) },
      ]);
      const filters = Array.from({ length: rng.int(0, 4) }, () => rng.pick(FILTERS)).map(([id, config]) => ({ id, config }));
      const text = rng.bytes(rng.skewed(5000));
      if (rng.bool()) for (let i = 0; i < text.length; i++) if (rng.bool(0.7)) text[i] = rng.pick([0x20, 0x41, 0x61, 0x2e, 0x40]);
      const stream = runChain(host, { blob: chainBlob([tokenizer, ...filters]) }, text);
      let last = 0;
      for (const token of stream.tokens) {
        expect(token.startOffset).toBeGreaterThanOrEqual(last);
        expect(token.endOffset).toBeGreaterThanOrEqual(token.startOffset);
        expect(token.endOffset).toBeLessThanOrEqual(stream.endOffset);
        last = token.startOffset;
      }
      expect(stream.endOffset).toBeLessThanOrEqual(text.length);
    });
  });

  test(`${build}: analyzes a megabyte without a break`, () => {
    const text = new TextEncoder().encode('é'.repeat(1 << 19));
    const standard = runChain(host, { blob: chainBlob([{ id: StageId.STANDARD, config: words([255, 1]) }]) }, text);
    expect(standard.tokens.length).toBe(Math.ceil((1 << 19) / 255));
    const keyword = runChain(
      host,
      {
        blob: chainBlob([
          { id: StageId.KEYWORD, config: words([]) },
          { id: StageId.CASE, config: words([1]) },
        ]),
      },
      text,
    );
    expect(keyword.tokens[0].term).toBe('É'.repeat(1 << 19));
  });

  test(`${build}: every tokenizer and filter accepts odd strings`, () => {
    const names = [...TOKEN_FILTERS.keys()].filter((name) => !NEEDS_FILES.has(name));
    forSeeds(150, (rng) => {
      const tokenizer = rng.pick([...TOKENIZERS.keys()]);
      const filters = Array.from({ length: rng.int(0, 3) }, () => rng.pick(names));
      let registry: AnalysisRegistry;
      try {
        registry = AnalysisRegistry.build(
          { host, files: null },
          {
            analysis: {
              tokenizer: { t: { type: tokenizer, ...PARAMS[tokenizer] } },
              filter: Object.fromEntries(filters.map((type, i) => [`f${i}`, { type, ...PARAMS[type] }])) as never,
              analyzer: {
                my: { tokenizer: 't', filter: filters.map((_, i) => `f${i}`), char_filter: rng.bool(0.3) ? ['html_strip'] : [] },
              },
            },
          },
        );
      } catch (error) {
        // Filters that may not precede a synonym filter.
        expect((error as { type?: string }).type).toBe('illegal_argument_exception');
        return;
      }
      const text = fuzzString(rng);
      for (const token of registry.analyze('my', text)) {
        expect(token.startOffset).toBeGreaterThanOrEqual(0);
        expect(token.endOffset).toBeLessThanOrEqual(text.length);
        expect(token.positionLength).toBeGreaterThanOrEqual(1);
      }
    });
  });
});

test('both builds produce the same tokens from malformed bytes and odd chains', () => {
  const hosts: AnalysisHost[] = [];
  eachAnalysisBuild((host) => hosts.push(host));
  const names = [...TOKEN_FILTERS.keys()].filter((name) => !NEEDS_FILES.has(name));
  forSeeds(80, (rng) => {
    const tokenizer = rng.pick([...TOKENIZERS.keys()]);
    const filters = Array.from({ length: rng.int(1, 3) }, () => rng.pick(names));
    const analysis = {
      tokenizer: { t: { type: tokenizer, ...PARAMS[tokenizer] } },
      filter: Object.fromEntries(filters.map((type, i) => [`f${i}`, { type, ...PARAMS[type] }])),
      analyzer: { my: { tokenizer: 't', filter: filters.map((_, i) => `f${i}`) } },
    };
    const text = fuzzString(rng);
    const [release, debug] = hosts.map((host) => {
      try {
        return AnalysisRegistry.build({ host, files: null }, { analysis: analysis as never }).analyze('my', text);
      } catch (error) {
        return (error as Error).message;
      }
    });
    expect(debug).toEqual(release);
  });
});
