// Stems of words that each exercise one rule of the published descriptions (snowballstem.org/algorithms).
import { expect, test } from 'vitest';
import { AnalysisRegistry } from '../../../src/analysis/analysis-registry.ts';
import { analyzeText } from '../../../src/analysis/analyze-api.ts';
import { AnalysisHost } from '../../../src/wasm/analysis.ts';
import { analyzerModule } from '../../support/analysis-server.ts';

const registry = AnalysisRegistry.global({ host: new AnalysisHost(analyzerModule()), files: null });

function stems(language: string, text: string): string {
  const body = { tokenizer: 'whitespace', filter: [{ type: 'stemmer', language }], text };
  const { tokens } = analyzeText(JSON.stringify(body), { index: null, registry }) as { tokens: { token: string }[] };
  return tokens.map(({ token }) => token).join(' ');
}

test.each([
  ['dutch', 'maan brood mogelijkheden gemeen hé', 'man brod mogelijk gemen he'],
  ['finnish', 'eläkk aatonaatto', 'eläk aatonaato'],
  ['hungarian', 'babakocsijáért babonákkal bagolyszemüveges mulatságnak ba', 'babakocs babona bagolyszemüveges mulatság ba'],
  ['estonian', 'jõime viib soost eest', 'joo viima soos eest'],
])('%s', (language, text, expected) => {
  expect(stems(language, text)).toBe(expected);
});
