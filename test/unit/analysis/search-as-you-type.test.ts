import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { AnalysisRegistry } from '../../../src/analysis/analysis-registry.ts';
import { AnalysisHost } from '../../../src/wasm/analysis.ts';

const host = new AnalysisHost(new WebAssembly.Module(readFileSync(new URL('../../../build/analyzer.wasm', import.meta.url))));
const synonyms = { type: 'synonym_graph', synonyms: ['fast, quick'] };
const registry = AnalysisRegistry.build(
  { host, files: null },
  { analysis: { filter: { s: synonyms }, analyzer: { syn: { tokenizer: 'standard', filter: ['lowercase', 's'] } } } },
);
const terms = (analyzer: string, text: string): string[] =>
  registry.analyze(analyzer, text).map(({ term, position }) => `${position}:${term}`);

describe('analyzers of search_as_you_type', () => {
  test('shingles have exactly their number of words', () => {
    expect(terms('standard#2gram', 'Quick brown fox')).toEqual(['0:quick brown', '1:brown fox']);
    expect(terms('standard#3gram', 'Quick brown fox')).toEqual(['0:quick brown fox']);
    expect(terms('standard#3gram', 'Quick brown')).toEqual([]);
  });

  test('removed words become empty words', () => {
    expect(terms('english#2gram', 'man of war')).toEqual(['0:man ']);
  });

  test('words at the same position form separate shingles', () => {
    expect(terms('syn#2gram', 'quick fox').sort()).toEqual(['0:fast fox', '0:quick fox']);
  });

  test('prefixes of shingles are emitted, the last ones with words missing', () => {
    expect(terms('standard#prefix2gram', 'ab c')).toEqual(['0:a', '0:ab', '0:ab ', '0:ab c', '1:c', '1:c ']);
    expect(terms('standard#prefix2gram', 'abcdefghijklmnopqrstuvw').slice(-2)).toEqual([
      '0:abcdefghijklmnopqrst',
      '0:abcdefghijklmnopqrstuvw ',
    ]);
  });

  test('a derived name needs a base analyzer', () => {
    expect([registry.hasAnalyzer('nothing#2gram'), registry.hasAnalyzer('standard#5gram'), registry.hasAnalyzer('standard#2gram')]).toEqual(
      [false, false, true],
    );
  });
});
