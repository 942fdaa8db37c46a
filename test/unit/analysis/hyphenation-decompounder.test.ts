// Parts of compounds between hyphenation points.
import { expect, test } from 'vitest';
import { AnalysisRegistry } from '../../../src/analysis/analysis-registry.ts';
import { analyzeText } from '../../../src/analysis/analyze/analyze-api.ts';
import { Hyphenator } from '../../../src/analysis/filters/hyphenator.ts';
import { AnalysisHost } from '../../../src/wasm/analysis.ts';
import { analyzerModule } from '../../support/analysis-server.ts';

const PATTERNS = `<hyphenation-info><classes>aA bB nN oO rR tT</classes>
<exceptions>ra-tor-a</exceptions><patterns>t1b n1t o1r</patterns></hyphenation-info>`;
const registry = AnalysisRegistry.global({ host: new AnalysisHost(analyzerModule()), files: { read: () => PATTERNS } });

test('finds points by patterns; characters without a class are only allowed around the letters', () => {
  const hyphenator = new Hyphenator(PATTERNS);
  expect(hyphenator.points('botboot')).toEqual([0, 3, 7]);
  expect(hyphenator.points('Bot-boot')).toBeNull();
  expect(hyphenator.points('botboot!')).toEqual([0, 3, 7]);
  // The last point counts letters, the others positions in the word.
  expect(hyphenator.points('--botboot')).toEqual([0, 5, 7]);
  expect(hyphenator.points('abba')).toBeNull();
});

test('points of an exception leave two letters after them', () => {
  expect(new Hyphenator(PATTERNS).points('ratora')).toEqual([0, 2, 6]);
});

function parts(options: Record<string, unknown>, text: string): string[] {
  const filter = {
    type: 'hyphenation_decompounder',
    hyphenation_patterns_path: 'patterns.xml',
    word_list: ['bot', 'boot', 'botboot', 'ton', 'tor'],
    ...options,
  };
  const body = { tokenizer: 'whitespace', filter: [filter], text };
  const { tokens } = analyzeText(JSON.stringify(body), { index: null, registry }) as { tokens: { token: string }[] };
  return tokens.map(({ token }) => token);
}

test('cuts a word of the list only if all parts are requested', () => {
  expect(parts({}, 'botboot')).toEqual(['botboot', 'bot', 'boot']);
  for (const option of ['only_longest_match', 'no_sub_matches', 'no_overlapping_matches']) {
    expect(parts({ [option]: true }, 'botboot')).toEqual(['botboot']);
    // Nor one with one letter more.
    expect(parts({ [option]: true }, 'botboott')).toEqual(['botboott']);
    expect(parts({ [option]: true }, 'bootbot')).toEqual(['bootbot', 'boot', 'bot']);
  }
});

test('reads a word with a million points once', () => {
  // Pairs of all its points would take many minutes and exceed vitest's limit.
  const word = 'bot'.repeat(1 << 20);
  const filter = { type: 'hyphenation_decompounder', hyphenation_patterns_path: 'patterns.xml', word_list: ['ton'] };
  const analysis = { filter: { filter }, analyzer: { mine: { tokenizer: 'keyword', filter: ['filter'] } } };
  const { tokens } = AnalysisRegistry.build({ host: new AnalysisHost(analyzerModule()), files: { read: () => PATTERNS } }, { analysis })
    .analyzer('mine')
    .stream(word);
  expect(tokens.map(({ term }) => term.length)).toEqual([word.length]);
});
