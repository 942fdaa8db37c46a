// Long runs without a space: each tokenizer reads them a bounded number of times. If it read them from each word to their end, these tests would
// take hours and exceed vitest's limit.
import { expect, test } from 'vitest';
import { AnalysisRegistry } from '../../../src/analysis/analysis-registry.ts';
import { AnalysisHost } from '../../../src/wasm/analysis.ts';
import { analyzerModule } from '../../support/analysis-server.ts';

const host = new AnalysisHost(analyzerModule());
const COUNT = 400_000;

function countTokens(tokenizer: Record<string, unknown>, text: string): number {
  const analysis = { tokenizer: { mine: tokenizer }, analyzer: { mine: { tokenizer: 'mine' } } };
  const { tokens } = AnalysisRegistry.build({ host, files: null }, { analysis } as never)
    .analyzer('mine')
    .stream(text);
  return tokens.length;
}

test.each([
  ['classic', 'foo-', COUNT],
  ['classic', 'foo_', COUNT],
  ['uax_url_email', 'foo-', COUNT],
  ['uax_url_email', 'foo@', COUNT],
  ['uax_url_email', '"', 0],
  ['standard', 'foo-', COUNT],
])('%s over a million of %s', (type, part, count) => {
  expect(countTokens({ type }, part.repeat(COUNT))).toBe(count);
});

test('classic finds tokens of thousands of characters, like Lucene', () => {
  // An address that is too long for a token leaves a hole, and the words in it are not tokens.
  const local = 'ab-'.repeat(2000);
  expect(countTokens({ type: 'classic' }, `x ${local}a@b.com ${local}a@b.com y`)).toBe(2);
  expect(countTokens({ type: 'classic', max_token_length: 20_000 }, `x ${local}a@b.com ${local}z y`)).toBe(3 + 2001);
});

test('a word longer than the lookahead of a tokenizer is one token', () => {
  const word = 'x'.repeat(10_000);
  expect(countTokens({ type: 'classic', max_token_length: 20_000 }, `${word} and ${word}-${word}`)).toBe(4);
});
