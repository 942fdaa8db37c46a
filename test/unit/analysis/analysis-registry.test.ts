import { describe, expect, test, vi } from 'vitest';
import { AnalysisRegistry } from '../../../src/analysis/analysis-registry.ts';
import { analyzeText } from '../../../src/analysis/analyze/analyze-api.ts';
import { closeTurn, openTurn, TooHeavy } from '../../../src/common/turns/turn.ts';
import { AnalysisHost } from '../../../src/wasm/analysis.ts';
import { analyzerModule } from '../../support/analysis-server.ts';

const env = { host: new AnalysisHost(analyzerModule()), files: null };
const global = AnalysisRegistry.global(env);
const ask = (body: object) => analyzeText(JSON.stringify(body), { index: null, registry: global });
const terms = (registry: AnalysisRegistry, analyzer: string, text: string) => registry.analyze(analyzer, text).map((token) => token.term);

describe('_analyze', () => {
  test('returns tokens with offsets in UTF-16 units and positions with holes', () => {
    const answer = ask({ tokenizer: 'standard', filter: ['lowercase', 'stop'], text: 'The 😀 Fox' });
    expect(answer).toEqual({
      tokens: [
        { token: '😀', start_offset: 4, end_offset: 6, type: '<EMOJI>', position: 1 },
        { token: 'fox', start_offset: 7, end_offset: 10, type: '<ALPHANUM>', position: 2 },
      ],
    });
  });

  test('explains every step of a chain', () => {
    const { detail } = ask({
      tokenizer: 'whitespace',
      char_filter: ['html_strip'],
      filter: ['uppercase'],
      text: '<b>a</b> b',
      explain: true,
      attributes: ['keyword'],
    }) as {
      detail: { charfilters: unknown; tokenizer: { tokens: unknown[] }; tokenfilters: { name: string; tokens: unknown[] }[] };
    };
    expect(detail.charfilters).toEqual([{ name: 'html_strip', filtered_text: ['a b'] }]);
    expect(detail.tokenizer.tokens[0]).toEqual({ token: 'a', start_offset: 3, end_offset: 8, type: 'word', position: 0 });
    expect(detail.tokenfilters[0].tokens[1]).toMatchObject({ token: 'B', start_offset: 9, end_offset: 10 });
  });

  test('explains positions spanned by a token whatever attributes are chosen', () => {
    const { detail } = ask({ tokenizer: 'whitespace', filter: ['shingle'], text: 'a b', explain: true, attributes: ['keyword'] }) as any;
    expect(detail.tokenfilters[0].tokens[1]).toMatchObject({ token: 'a b', positionLength: 2 });
  });

  test('checks the filters of a normalizer in their order', () => {
    expect(() => ask({ filter: ['kstem', 'none'], text: 'a' })).toThrow('Custom normalizer may not use filter [kstem]');
    expect(() => ask({ filter: ['none', 'kstem'], text: 'a' })).toThrow('failed to find global filter under [none]');
  });

  test('the analyzer classic removes English stop words, and is no type of a definition', () => {
    expect(ask({ analyzer: 'classic', text: "The dog's I.B.M." })).toEqual({
      tokens: [
        { token: 'dog', start_offset: 4, end_offset: 9, type: '<APOSTROPHE>', position: 1 },
        { token: 'ibm', start_offset: 10, end_offset: 16, type: '<ACRONYM>', position: 2 },
      ],
    });
    const analysis = { analyzer: { mine: { type: 'classic' } } };
    expect(() => AnalysisRegistry.build(env, { analysis })).toThrow('Unknown analyzer type [classic] for [mine]');
  });

  test('a normalizer of the type lowercase ignores other settings', () => {
    const registry = AnalysisRegistry.build(env, { analysis: { normalizer: { n: { type: 'lowercase', tokenizer: 'standard' } } } });
    expect(registry.normalize('n', 'A B')).toBe('a b');
  });

  test('the script of a condition has a source', () => {
    const condition = { type: 'condition', filter: ['lowercase'], script: 'true' };
    expect(() => ask({ tokenizer: 'standard', filter: [condition], text: 'A' })).toThrow('must specify either [source]');
  });

  test('reports line and column of an invalid value', () => {
    expect(() => analyzeText('{\n  "analyzer": "standard",\n  "colour": 1, "text": "x"}', { index: null, registry: global })).toThrow(
      '[3:3] [analyze_request] unknown field [colour]',
    );
  });
});

test('builds the definitions of an index: chains, gaps, normalizers and normalized terms', () => {
  const registry = AnalysisRegistry.build(env, {
    analysis: {
      filter: { kurz: { type: 'truncate', length: 3 } },
      analyzer: { my: { tokenizer: 'standard', filter: ['lowercase', 'asciifolding', 'kurz', 'shingle'], position_increment_gap: 7 } },
      normalizer: { fold: { type: 'custom', filter: ['lowercase', 'asciifolding'] } },
    },
  });
  expect(terms(registry, 'my', 'Étoile Blanche')).toEqual(['eto', 'eto bla', 'bla']);
  expect(registry.analyzer('my').positionIncrementGap).toBe(7);
  expect(registry.normalize('fold', 'ÀB c')).toBe('ab c');
  expect(registry.normalizeTerm('my', 'ÉTOILES*')).toBe('eto');
  expect(registry.normalizeTerm('standard', 'WiLd*')).toBe('wild*');
});

test('reports invalid definitions at once, or collected when analyzers are assembled', () => {
  expect(() => AnalysisRegistry.build(env, { analysis: { tokenizer: { bad: { type: 'nope' } } } })).toThrow(
    'Unknown tokenizer type [nope] for [bad]',
  );
  expect(() => AnalysisRegistry.build(env, { analysis: { analyzer: { a: { tokenizer: 'nope' }, b: { type: 'custom' } } } })).toThrow(
    'Failed to build analyzers: [a, b]',
  );
});

test('accepts unknown parameters with a warning', () => {
  const registry = AnalysisRegistry.build(env, { analysis: { filter: { f: { type: 'stop', stopword: ['x'] } } } });
  expect(registry.warnings).toEqual(['[f] has no parameter [stopword] and ignores it']);
});

describe('restore', () => {
  const chain = (filter: string) => ({ tokenizer: 'whitespace', filter: [filter] });

  test('builds an analyzer on first use', () => {
    const registry = AnalysisRegistry.restore(env, { analysis: { analyzer: { good: chain('lowercase'), bad: chain('nope') } } });
    expect(registry.definedAnalyzers()).toEqual(['good', 'bad']);
    expect(registry.hasAnalyzer('bad')).toBe(true);
    expect(terms(registry, 'good', 'A')).toEqual(['a']);
    expect(() => registry.analyzer('bad')).toThrow('failed to find filter under name [nope]');
  });

  test('an analyzer of synonym rules is one that is defined before', () => {
    const synonyms = (name: string) => ({ type: 'synonym', synonyms: ['A => b'], synonym_analyzer: name });
    const analysis = { filter: { f: synonyms('later') }, analyzer: { first: chain('f'), later: chain('f') } };
    for (const registry of [AnalysisRegistry.build(env, { analysis }), AnalysisRegistry.restore(env, { analysis })]) {
      expect(terms(registry, 'later', 'A')).toEqual(['b']);
      expect(terms(registry, 'first', 'A')).toEqual(['b']);
    }
  });

  test('synonyms that take longer than a turn are built in several', () => {
    const synonyms = Array.from({ length: 1000 }, (_, i) => `a${i} => b${i}`);
    const registry = AnalysisRegistry.restore(env, {
      analysis: { filter: { f: { type: 'synonym', synonyms } }, analyzer: { a: chain('f') } },
    });
    // Time passes with each reading of the clock.
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => ++now);
    let turns = 0;
    for (;;) {
      turns++;
      openTurn(now + 8);
      try {
        registry.analyzer('a');
        break;
      } catch (error) {
        if (!(error instanceof TooHeavy)) throw error;
      } finally {
        closeTurn();
      }
    }
    clock.mockRestore();
    expect(turns).toBeGreaterThan(1);
    expect(terms(registry, 'a', 'a999')).toEqual(['b999']);
  });

  test('a long list of words is left to threads without a listener', () => {
    const stopwords = Array.from({ length: 10_000 }, (_, i) => `w${i}`);
    const registry = AnalysisRegistry.restore(env, {
      analysis: { filter: { f: { type: 'stop', stopwords } }, analyzer: { a: chain('f') } },
    });
    openTurn(Number.MAX_VALUE);
    try {
      expect(() => registry.analyzer('a')).toThrow(TooHeavy);
    } finally {
      closeTurn();
    }
    expect(terms(registry, 'a', 'w1 x')).toEqual(['x']);
  });
});

test('builds synonyms of 150,000 words, and a rule of 200 equivalent ones', () => {
  const stopwords = Array.from({ length: 150_000 }, (_, i) => `w${i}`);
  const synonyms = [Array.from({ length: 200 }, (_, i) => `s${i}`).join()];
  const registry = AnalysisRegistry.build(env, {
    analysis: {
      filter: { stop: { type: 'stop', stopwords }, f: { type: 'synonym', synonyms } },
      analyzer: { stops: { tokenizer: 'whitespace', filter: ['stop'] }, a: { tokenizer: 'whitespace', filter: ['f'] } },
    },
  });
  expect(terms(registry, 'stops', 'w149999 x')).toEqual(['x']);
  expect(new Set(terms(registry, 'a', 's7')).size).toBe(200);
});

test('a chain with host stages passes its tokens to kernels unchanged', () => {
  const registry = AnalysisRegistry.build(env, { analysis: { analyzer: { my: { tokenizer: 'pattern', filter: ['lowercase'] } } } });
  const analyzer = registry.analyzer('my');
  expect(analyzer.isKernelChain).toBe(false);
  expect(registry.analyzer('standard').isKernelChain).toBe(true);
  const seen: number[] = [];
  env.host.run(
    { blob: analyzer.kernelBlob },
    analyzer.kernelInput('A b, C'),
    (_, words, at, count) => {
      for (let i = 0; i < count; i++) seen.push(words[(at >>> 2) + i * 8 + 2]);
    },
    () => {},
  );
  expect(seen).toEqual([0, 2, 5]);
});
