import { describe, expect, test } from 'vitest';
import { AnalysisRegistry } from '../../../src/analysis/analysis-registry.ts';
import { analyzeText } from '../../../src/analysis/analyze/analyze-api.ts';
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

  test('reports line and column of an invalid value', () => {
    expect(() => analyzeText('{\n  "analyzer": "standard",\n  "colour": 1, "text": "x"}', { index: null, registry: global })).toThrow(
      '[3:3] [analyze_request] unknown field [colour]',
    );
  });
});

test('definitions of an index: chain, gap, normalizer, normalised terms', () => {
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
