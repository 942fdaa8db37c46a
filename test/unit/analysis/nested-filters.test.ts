// Filters inside others: results of Lucene 10.5 and of the recorded server's multiplexer where filters read ahead, drop tokens or stop early.
import { expect, test } from 'vitest';
import { AnalysisRegistry } from '../../../src/analysis/analysis-registry.ts';
import type { AnalysisSettings } from '../../../src/analysis/component-table.ts';
import { AnalysisHost } from '../../../src/wasm/analysis.ts';
import { analyzerModule } from '../../support/analysis-server.ts';

const host = new AnalysisHost(analyzerModule());
const FILTERS = {
  pairs: { type: 'shingle', output_unigrams: false },
  first: { type: 'limit', max_token_count: 1 },
  two: { type: 'limit', max_token_count: 2 },
  two_of_all: { type: 'limit', max_token_count: 2, consume_all_tokens: true },
  no_ac: { type: 'stop', stopwords: ['a', 'c'] },
  long: { type: 'length', min: 3 },
  inner: { type: 'multiplexer', filters: ['reverse', 'uppercase'] },
};

/** Terms with their positions; `end` is the increment after the last one. */
function tokensOf(filter: Record<string, unknown>, text: string): { tokens: string; end: number } {
  const analysis = { filter: { ...FILTERS, my: filter }, analyzer: { my: { tokenizer: 'whitespace', filter: ['my'] } } };
  const analyzer = AnalysisRegistry.build({ host, files: null }, { analysis } as AnalysisSettings).analyzer('my');
  const tokens = analyzer.analyze(text).map(({ term, position }) => `${term.replaceAll(' ', '_')}@${position}`);
  return { tokens: tokens.join(' '), end: analyzer.stream(text).endPosInc };
}

const multiplexed = (filters: string[], text: string, preserve_original = true): string =>
  tokensOf({ type: 'multiplexer', filters, preserve_original }, text).tokens;

test('tokens that a branch emits after reading ahead pass through the filters of the next turn', () => {
  expect(multiplexed(['shingle, lowercase', 'pairs'], 'A b C')).toBe('A@0 a_A@0 b@1 b_b@1 C@2 c_C@2');
  expect(multiplexed(['shingle, lowercase', 'pairs'], 'a')).toBe('a@0 a_a@0');
  expect(multiplexed(['fingerprint', 'uppercase'], 'b a b')).toBe('b@0 B@0 B@1 a@2 A@2 A@3 b@4 B@4 B@5');
});

test('a limit in a branch ends the text', () => {
  expect(multiplexed(['first', 'uppercase'], 'a b c')).toBe('a@0');
  expect(multiplexed(['uppercase', 'first'], 'a b c')).toBe('a@0 A@0');
});

test('adds the positions of dropped tokens to the next branch', () => {
  expect(multiplexed(['no_ac', 'uppercase'], 'a b c d a', false)).toBe('A@0 b@1 B@1 C@2 d@3 D@3 A@4');
  expect(multiplexed(['no_ac', 'uppercase'], 'a b c d a')).toBe('a@0 A@0 b@1 B@1 c@2 C@2 d@3 D@3 a@4 A@4');
});

test('nests multiplexers, and supports a single branch', () => {
  expect(multiplexed(['inner', 'long'], 'ab abc')).toBe('ab@0 ba@0 AB@0 abc@1 cba@1 ABC@1');
  expect(multiplexed(['pairs'], 'a b c', false)).toBe('a_b@0 b_c@1');
});

test('filters nested thirty deep get the memory that they need', () => {
  for (const type of ['multiplexer', 'condition']) {
    const nested = new AnalysisHost(analyzerModule());
    const filter = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => {
        const inside = i === 0 ? 'reverse' : `f${i - 1}`;
        const own: Record<string, string | string[]> =
          type === 'multiplexer' ? { filters: [inside, 'uppercase'] } : { filter: [inside], 'script.source': 'token.position >= 0' };
        return [`f${i}`, { type, ...own } as Record<string, string | string[]>];
      }),
    );
    const analysis = { filter, analyzer: { my: { tokenizer: 'whitespace', filter: ['f29'] } } };
    const analyzer = AnalysisRegistry.build({ host: nested, files: null }, { analysis } as AnalysisSettings).analyzer('my');
    const terms = analyzer.analyze('ab').map(({ term }) => term);
    expect(terms).toEqual(type === 'multiplexer' ? ['ab', 'ba', 'AB'] : ['ba']);
    expect(nested.memoryBytes.length).toBeLessThan(64 << 20);
  }
});

for (const [kind, of] of [
  ['of the term', ''],
  ['of more than the term', 'token.position >= 0 && '],
]) {
  const conditional = (filter: string[], text: string): ReturnType<typeof tokensOf> =>
    tokensOf({ type: 'condition', filter, script: { source: `${of}token.term != 'x'` } }, text);

  test(`condition with a script ${kind}: restarts filters for each run, and adds holes to the next token`, () => {
    expect(conditional(['pairs'], 'a b x c d e').tokens).toBe('a_b@0 x@1 c_d@2 d_e@3');
    expect(conditional(['no_ac'], 'a x b c')).toEqual({ tokens: 'x@1 b@2', end: 1 });
    expect(conditional(['two_of_all'], 'a b c x d e f').tokens).toBe('a@0 b@1 x@2 d@3 e@4');
    expect(conditional(['two'], 'a x b c d x e').tokens).toBe('a@0 x@1 b@2 c@3');
  });

  test(`predicate_token_filter with a script ${kind} adds the positions of dropped tokens to the next one`, () => {
    const filter = { type: 'predicate_token_filter', script: { source: `${of}token.term != 'x'` } };
    expect(tokensOf(filter, 'x a x x b x')).toEqual({ tokens: 'a@1 b@4', end: 1 });
  });
}

test('a script sees all of a token, counts its own positions, and its failure refuses the text', () => {
  const kept = (source: string, text: string): string => tokensOf({ type: 'predicate_token_filter', script: { source } }, text).tokens;
  expect(kept('token.position % 2 == 1', 'a b c d')).toBe('b@1 d@3');
  expect(kept('token.getStartOffset() > 1 && token.endOffset < 6', 'a b c d')).toBe('b@1 c@2');
  expect(kept("token.type == 'word' && token.positionIncrement == 1 && token.positionLength == 1 && !token.isKeyword()", 'a b')).toBe(
    'a@0 b@1',
  );
  expect(() => kept('token.term.charAt(1) == (char) 98', 'ab a')).toThrow('runtime error');
});
