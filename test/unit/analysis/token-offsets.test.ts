// Filters that join tokens after filters that reorder them.
import { expect, test } from 'vitest';
import { AnalysisRegistry } from '../../../src/analysis/analysis-registry.ts';
import { analyzeText } from '../../../src/analysis/analyze/analyze-api.ts';
import { AnalysisHost } from '../../../src/wasm/analysis.ts';
import { analyzerModule } from '../../support/analysis-server.ts';

const registry = AnalysisRegistry.global({ host: new AnalysisHost(analyzerModule()), files: null });
const SPLIT = { type: 'word_delimiter_graph', preserve_original: true };

test('a token that would end before its start is refused', () => {
  const analyze = (...filter: unknown[]) =>
    analyzeText(JSON.stringify({ tokenizer: 'whitespace', filter, text: 'ab-cd' }), { index: null, registry });
  expect(analyze(SPLIT, SPLIT)).toHaveProperty('tokens');
  expect(() => analyze(SPLIT, SPLIT, 'shingle')).toThrow(
    'startOffset must be non-negative, and endOffset must be >= startOffset; got startOffset=3,endOffset=2',
  );
});
