// Offsets after character filters, mapped back to the original text.
import { expect, test } from 'vitest';
import { AnalysisRegistry } from '../../../src/analysis/analysis-registry.ts';
import { analyzeText } from '../../../src/analysis/analyze/analyze-api.ts';
import { AnalysisHost } from '../../../src/wasm/analysis.ts';
import { analyzerModule } from '../../support/analysis-server.ts';

const registry = AnalysisRegistry.global({ host: new AnalysisHost(analyzerModule()), files: null });

function offsets(charFilter: Record<string, unknown>[], text: string): [string, number, number][] {
  const body = { tokenizer: 'whitespace', char_filter: charFilter, text };
  const { tokens } = analyzeText(JSON.stringify(body), { index: null, registry }) as {
    tokens: { token: string; start_offset: number; end_offset: number }[];
  };
  return tokens.map((token) => [token.token, token.start_offset, token.end_offset]);
}

const replace = (pattern: string, replacement: string): Record<string, unknown> => ({ type: 'pattern_replace', pattern, replacement });

test('text inserted before the start maps to the start', () => {
  expect(offsets([replace('^', '>> ')], 'a b')).toEqual([
    ['>>', 0, 0],
    ['a', 0, 1],
    ['b', 2, 3],
  ]);
});

test('maps offsets of longer and shorter replacements through two filters', () => {
  expect(offsets([replace('bb+', 'b'), replace('c', 'ccc')], 'abbbb c d')).toEqual([
    ['ab', 0, 5],
    ['ccc', 6, 7],
    ['d', 8, 9],
  ]);
});
