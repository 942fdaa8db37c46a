// Definitions that are refused, and those that are accepted although they look wrong, as in OpenSearch.
import { expect, test } from 'vitest';
import { AnalysisRegistry } from '../../../src/analysis/analysis-registry.ts';
import { analyzeText, type FieldAnalysis } from '../../../src/analysis/analyze/analyze-api.ts';
import type { SettingTree } from '../../../src/analysis/settings.ts';
import type { ApiError } from '../../../src/errors/api-error.ts';
import { AnalysisHost } from '../../../src/wasm/analysis.ts';
import { analyzerModule } from '../../support/analysis-server.ts';

const env = { host: new AnalysisHost(analyzerModule()), files: null };
const global = AnalysisRegistry.global(env);
const build = (analysis: SettingTree): AnalysisRegistry => AnalysisRegistry.build(env, { analysis });
const withFilters = (filter: SettingTree, ...chain: string[]): AnalysisRegistry =>
  build({ filter, analyzer: { my: { tokenizer: 'standard', filter: chain } } });

/** `type reason`, of the first suppressed error where there are some. */
function refusal(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    const { type, reason, details } = error as ApiError;
    const [first] = (details?.suppressed as { type: string; reason: string }[] | undefined) ?? [];
    return first ? `${first.type} ${first.reason}` : `${type} ${reason}`;
  }
  return 'accepted';
}

const terms = (registry: AnalysisRegistry, text: string): string[] => registry.analyze('my', text).map(({ term }) => term);
const termsOf = (registry: AnalysisRegistry, analyzer: string, text: string): string[] =>
  registry.analyze(analyzer, text).map(({ term }) => term);
const request = (registry: AnalysisRegistry, index: string | null, body: object): unknown =>
  analyzeText(JSON.stringify({ text: "l'a b", ...body }), { index, registry });

test.each<[SettingTree, string]>([
  [{ type: 'condition', script: { source: 'true' } }, 'illegal_argument_exception Empty list of filters provided to tokenfilter [f]'],
  [
    { type: 'condition', script: { id: 'x' }, filter: ['lowercase'] },
    'illegal_argument_exception Cannot use stored scripts in tokenfilter [f]',
  ],
  [{ type: 'predicate_token_filter', script: { id: 'x' } }, 'illegal_argument_exception Cannot use stored scripts in tokenfilter [f]'],
  [{ type: 'standard' }, 'illegal_argument_exception The [standard] token filter has been removed.'],
  [{ type: 'keyword_repeat' }, 'illegal_argument_exception Unknown filter type [keyword_repeat] for [f]'],
  [{ type: 'elision' }, 'illegal_argument_exception elision filter requires [articles] or [articles_path] setting'],
  [{ type: 'truncate' }, 'illegal_argument_exception length parameter must be provided'],
  [{ type: 'truncate', length: 0 }, 'illegal_argument_exception length parameter must be provided'],
  [{ type: 'min_hash', hash_count: 'x' }, 'number_format_exception For input string: "x"'],
  [{ type: 'keep', keep_words: '' }, 'illegal_argument_exception keep requires either `keep_words` or `keep_words_path` to be configured'],
  [
    { type: 'stop', enable_position_increments: false },
    'illegal_argument_exception enable_position_increments is not supported anymore. Please fix your analysis chain',
  ],
  [
    { type: 'trim', update_offsets: true },
    'illegal_argument_exception update_offsets is not supported anymore. Please fix your analysis chain',
  ],
  [{ type: 'keep_types', types: [] }, 'accepted'],
  [{ type: 'nGram' }, 'accepted'],
  [{ type: 'lowercase', language: '' }, 'illegal_argument_exception [my] language [] not support for lower case'],
  [{ type: 'shingle', output_unigrams: ' ' }, 'accepted'],
])('accepts or refuses %j', (definition, expected) => {
  expect(refusal(() => withFilters({ f: definition }, 'f'))).toBe(expected);
});

test('refuses invalid names of analyzers', () => {
  expect(refusal(() => build({ analyzer: { _x: { type: 'simple' } } }))).toBe(
    `illegal_argument_exception analyzer name must not start with '_'. got "_x"`,
  );
  expect(refusal(() => build({ analyzer: { default_index: { type: 'simple' } } }))).toContain('default_index] is not supported anymore');
  expect(refusal(() => build({ analyzer: { default_search: { type: 'simple' } } }))).toBe('accepted');
  expect(refusal(() => build({ analyzer: { my: { tokenizer: '' } } }))).toContain('failed to find tokenizer under name []');
});

test('refuses filters that contain each other', () => {
  const a = { type: 'multiplexer', filters: ['b'] };
  const b = { type: 'condition', script: { source: 'true' }, filter: ['a'] };
  expect(refusal(() => withFilters({ a, b }, 'a'))).toBe(
    'illegal_argument_exception [my] Token filter [b] refers to [a], which it is part of',
  );
  expect(refusal(() => withFilters({ a: { type: 'multiplexer', filters: ['a'] } }, 'a'))).toContain('refers to [a]');
  // Each twice the one before: 2^20 filters.
  const doubled = Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [
      `m${i}`,
      { type: 'multiplexer', filters: i ? [`m${i - 1}`, `lowercase, m${i - 1}`] : ['lowercase'] },
    ]),
  );
  expect(refusal(() => withFilters(doubled, 'm19'))).toContain('too many token filters inside others');
  expect(terms(withFilters(doubled, 'm6'), 'Ab')).toEqual(['Ab', 'ab']);
  const deep = Object.fromEntries(
    Array.from({ length: 200 }, (_, i) => [
      `m${i}`,
      { type: 'multiplexer', preserve_original: false, filters: [i ? `m${i - 1}` : 'lowercase'] },
    ]),
  );
  expect(refusal(() => withFilters(deep, 'm199'))).toContain('too many token filters inside others');
  expect(terms(withFilters(deep, 'm60'), 'Ab')).toEqual(['ab']);
});

test('a multiplexer without filters does not change tokens', () => {
  expect(terms(withFilters({ f: { type: 'multiplexer' } }, 'f'), 'a B')).toEqual(['a', 'B']);
  expect(terms(withFilters({ f: { type: 'multiplexer', preserve_original: false } }, 'f'), 'a B')).toEqual(['a', 'B']);
});

test('a component that needs parameters cannot be used by its type', () => {
  expect(refusal(() => withFilters({}, 'keep'))).toBe(
    'illegal_argument_exception [my] Custom Analyzer [my] failed to find filter under name [keep]',
  );
  expect(refusal(() => request(global, null, { tokenizer: 'standard', filter: ['keep'] }))).toBe(
    "illegal_argument_exception Analysis settings required - can't instantiate analysis factory",
  );
  expect(refusal(() => request(build({}), 'i', { tokenizer: 'standard', filter: ['keep'] }))).toBe(
    'illegal_argument_exception keep requires either `keep_words` or `keep_words_path` to be configured',
  );
  expect(refusal(() => request(global, null, { filter: [{ type: 'stop' }] }))).toContain('may not use filter [__anonymous__stop]');
});

test('a filter in a request may contain others', () => {
  const multiplexer = { type: 'multiplexer', filters: ['nope'] };
  expect(refusal(() => request(global, null, { tokenizer: 'standard', filter: [multiplexer] }))).toContain(
    'failed to find global filter under [nope]',
  );
  expect(refusal(() => request(build({}), 'i', { tokenizer: 'standard', filter: [multiplexer] }))).toContain(
    'failed to find filter under [nope]',
  );
});

test('accepts lists of words', () => {
  const stop = (definition: SettingTree) => withFilters({ f: { type: 'stop', ...definition } }, 'f');
  expect(terms(stop({ stopwords: 'a,b,,' }), 'a b c')).toEqual(['c']);
  expect(terms(stop({ stopwords: '' }), 'the c')).toEqual(['the', 'c']);
  // Case is ignored for lists in the definition.
  expect(terms(stop({ ignore_case: true }), 'The the c')).toEqual(['The', 'c']);
  expect(terms(stop({ ignore_case: true, stopwords: '_english_' }), 'The the c')).toEqual(['c']);
  expect(terms(stop({ stopwords: ['_none_', 'c'] }), 'the c _none_')).toEqual(['the']);
  const analyzer = (definition: SettingTree) => build({ analyzer: { my: definition } });
  expect(terms(analyzer({ type: 'standard', stopwords: ['Foo'], stopwords_case: true }), 'foo bar')).toEqual(['bar']);
  expect(terms(analyzer({ type: 'english', stem_exclusion: '_none_' }), 'running')).toEqual(['run']);
  expect(terms(analyzer({ type: 'english', stem_exclusion: 'running, _english_' }), 'running runs')).toEqual(['running', 'run']);
  const split = { type: 'word_delimiter', protected_words: ['Wi-Fi'], protected_words_case: true };
  expect(
    termsOf(build({ filter: { split }, analyzer: { my: { tokenizer: 'whitespace', filter: 'split' } } }), 'my', 'WI-FI lo-fi'),
  ).toEqual(['WI-FI', 'lo', 'fi']);
});

test('only custom analyzers have a position gap', () => {
  const offsets = (definition: SettingTree): [number, number] => {
    const { tokens } = request(build({ analyzer: { my: definition } }), 'i', { analyzer: 'my', text: ['a', 'b'] }) as {
      tokens: { start_offset: number; position: number }[];
    };
    return [tokens[1].start_offset, tokens[1].position];
  };
  expect(offsets({ tokenizer: 'standard', position_increment_gap: 3, offset_gap: 5 })).toEqual([6, 4]);
  expect(offsets({ tokenizer: 'standard', offset_gap: -1 })).toEqual([2, 101]);
  expect(offsets({ type: 'standard', position_increment_gap: 3 })).toEqual([2, 101]);
});

test('explain shows the stages of custom analyzers of an index', () => {
  const registry = build({
    analyzer: { my: { tokenizer: 'standard', filter: ['lowercase'] } },
    normalizer: { low: { filter: ['lowercase'] } },
  });
  expect(request(registry, 'i', { analyzer: 'my', explain: true })).toMatchObject({
    detail: { custom_analyzer: true, charfilters: [], tokenizer: { name: 'standard' }, tokenfilters: [{ name: 'lowercase' }] },
  });
  expect(request(registry, 'i', { normalizer: 'low', explain: true })).toMatchObject({
    detail: { custom_analyzer: true, tokenizer: { name: 'keyword' }, tokenfilters: [{ name: 'lowercase' }] },
  });
  expect(request(registry, 'i', { analyzer: 'standard', explain: true })).toMatchObject({ detail: { custom_analyzer: false } });
});

test('resolves escapes', () => {
  const group = (item: string) => refusal(() => build({ tokenizer: { t: { type: 'char_group', tokenize_on_chars: [item] } } }));
  expect(group('\\u41')).toBe('accepted');
  expect(group('\\uzz')).toBe('number_format_exception For input string: "zz" under radix 16');
  expect(group('\\nx')).toBe('accepted');
  expect(group('\\u12345')).toBe('runtime_exception Invalid escaped char in [\\u12345]');
  const mapping = (rule: string) => refusal(() => build({ char_filter: { c: { type: 'mapping', mappings: [rule] } } }));
  expect(mapping('\\uzzzz => a')).toBe('runtime_exception Line [1]: For input string: "zzzz" under radix 16');
});

test('concatenate_graph accepts strings of any length', () => {
  const registry = withFilters({ f: { type: 'concatenate_graph' } }, 'f');
  expect(terms(registry, 'a '.repeat(50_000))).toEqual(['a '.repeat(50_000).trim()]);
});

test('limits the tokens of filters that multiply them', () => {
  const ngram = { type: 'ngram', min_gram: 1, max_gram: 50 };
  const registry = AnalysisRegistry.build(env, {
    max_ngram_diff: 50,
    analysis: {
      tokenizer: { ngram, path: { type: 'path_hierarchy' } },
      filter: { letters: { type: 'pattern_capture', patterns: ['(.)'] } },
      analyzer: { my: { tokenizer: 'ngram', filter: ['letters'] }, path: { tokenizer: 'path', filter: ['lowercase'] } },
    },
  });
  const text = 'a'.repeat(22_000);
  expect(() => registry.analyze('my', text)).toThrow('more than [1048576] tokens');
  // The request has its own bound, which is lower.
  expect(() => request(registry, 'i', { analyzer: 'my', text })).toThrow('exceeded the allowed maximum of [10000]');
  expect(() => registry.analyze('path', '/a'.repeat(40_000))).toThrow('needs too much work on this text');
});

/** `term@position` of several strings. */
const places = (registry: AnalysisRegistry, body: object): string[] =>
  (request(registry, 'i', body) as { tokens: { token: string; position: number }[] }).tokens.map(
    ({ token, position }) => `${token}@${position}`,
  );

test.each<[string[], string[]]>([
  [
    ['stop', 'uppercase'],
    ['X@0', 'x@0', 'THE@1', 'y@2', 'Y@2', 'THE@3', 'z@104', 'Z@104'],
  ],
  [
    ['stop', 'stop'],
    ['x@0', 'y@2', 'z@104'],
  ],
  [['stop'], ['x@0', 'y@2', 'z@104']],
  [
    ['uppercase', 'stop'],
    ['X@0', 'x@0', 'THE@1', 'Y@2', 'y@2', 'THE@3', 'Z@105', 'z@105'],
  ],
])('a multiplexer with the branches %j keeps positions, its end is that of the last branch', (filters, expected) => {
  const registry = withFilters({ m: { type: 'multiplexer', filters, preserve_original: false } }, 'm');
  expect(places(registry, { analyzer: 'my', text: ['x the y the', 'z'] }).sort()).toEqual([...expected].sort());
});

test('a multiplexer without tokens does not change the end of the text', () => {
  const registry = withFilters({ m: { type: 'multiplexer', filters: ['uppercase', 'reverse'] } }, 'stop', 'm');
  expect(places(registry, { analyzer: 'my', text: ['the', 'z'] })).toEqual(['z@101', 'Z@101']);
  expect(places(registry, { analyzer: 'my', text: ['z the', 'z'] })).toEqual(['z@0', 'Z@0', 'z@101', 'Z@101']);
});

test('normalizers, and explained chains of a request, have no gap between strings', () => {
  const registry = build({ normalizer: { low: { filter: ['lowercase'] } }, filter: { lowercase: { type: 'uppercase' } } });
  expect(places(registry, { normalizer: 'low', text: ['a', 'B'] })).toEqual(['A@0', 'B@1']);
  // The built-in one, whatever the index calls lowercase.
  expect(places(registry, { normalizer: 'lowercase', text: ['a', 'B'] })).toEqual(['a@0', 'b@1']);
  expect(places(registry, { tokenizer: 'standard', text: ['a', 'B'] })).toEqual(['a@0', 'B@101']);
  const { detail } = request(registry, 'i', { tokenizer: 'standard', text: ['a', 'B'], explain: true }) as any;
  expect(detail.tokenizer.tokens.map(({ position }: { position: number }) => position)).toEqual([0, 1]);
});

test('uses the gap of a text field, and keeps keywords whole', () => {
  const fields: Record<string, FieldAnalysis> = { t: { analyzer: 'my', gap: 3 }, k: { normalizer: null } };
  const registry = build({ analyzer: { my: { tokenizer: 'standard' } } });
  const ask = (field: string) =>
    analyzeText(JSON.stringify({ field, text: ['a b', 'c'] }), { index: 'i', registry, analyzerOfField: (name) => fields[name] });
  expect(ask('t')).toMatchObject({ tokens: [{ position: 0 }, { position: 1 }, { position: 5 }] });
  expect(ask('k')).toMatchObject({
    tokens: [
      { token: 'a b', position: 0 },
      { token: 'c', position: 1 },
    ],
  });
});

test('reports why a chain cannot be assembled', () => {
  try {
    withFilters({ f: { type: 'dictionary_decompounder', word_list: ['a'], min_word_size: -1 } }, 'f');
    expect.unreachable();
  } catch (error) {
    const cause = { type: 'illegal_argument_exception', reason: 'minWordSize cannot be negative' };
    expect((error as ApiError).details.suppressed).toEqual([{ ...cause, reason: `[my] ${cause.reason}`, caused_by: cause }]);
  }
});

test.each<[SettingTree, string]>([
  [{ type: 'delimited_payload', delimiter: '' }, 'string_index_out_of_bounds_exception Index 0 out of bounds for length 0'],
  [{ type: 'pattern_capture', patterns: '' }, 'accepted'],
  [{ type: 'pattern_replace', pattern: 'a', flags: 'dotall|nope' }, 'illegal_argument_exception Unknown regex flag [NOPE]'],
  [{ type: 'pattern_replace', pattern: 'a\\' }, 'pattern_syntax_exception Unescaped trailing backslash near index 2\na\\'],
  [{ type: 'snowball', language: 'klingon' }, 'illegal_argument_exception [my] Invalid stemmer class specified: Klingon'],
  [
    { type: 'synonym', synonyms: ['a, b'], expand: 'x' },
    'illegal_argument_exception Failed to parse value [x] as only [true] or [false] are allowed.',
  ],
  [{ type: 'synonym', synonyms: ['', ' '] }, 'illegal_argument_exception [my] Failed to build synonyms'],
])('accepts or refuses %j as documented', (definition, expected) => {
  expect(refusal(() => withFilters({ f: definition }, 'f'))).toBe(expected);
});

test('concatenate_graph accepts -1 for no limit, and no other number below 1', () => {
  const chain = (max: number) => withFilters({ f: { type: 'concatenate_graph', max_graph_expansions: max } }, 'f');
  expect(terms(chain(-1), 'a b')).toEqual(['a b']);
  expect(refusal(() => terms(chain(0), 'a b'))).toBe('illegal_argument_exception limit must be -1 (which means no limit), or > 0; got: 0');
});

test('the chinese analyzer ignores parameters', () => {
  const registry = build({ analyzer: { my: { type: 'chinese', stopwords: ['b'], max_token_length: 1 } } });
  expect(terms(registry, 'the abc b')).toEqual(['abc', 'b']);
});

test('some stemmers convert words to lower case', () => {
  const stem = (name: string, text: string) => terms(build({ analyzer: { my: { tokenizer: 'whitespace', filter: [name] } } }), text);
  expect(stem('german_stem', 'ΟΔΟΣ Α.Σ.Α 𐐗')).toEqual(['οδος', 'α.σ.α', '𐐿']);
  expect(stem('brazilian_stem', 'ΟΔΟΣ A𐐗b')).toEqual(['οδος', 'a𐐿b']);
});
