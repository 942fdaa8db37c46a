// The end of a text after a limit: the position to which the tokenizer has read for the last token, from which the next value begins. As in Lucene 10.5.
import { expect, test } from 'vitest';
import { AnalysisRegistry } from '../../../src/analysis/analysis-registry.ts';
import { analyzeText } from '../../../src/analysis/analyze/analyze-api.ts';
import { AnalysisHost } from '../../../src/wasm/analysis.ts';
import { analyzerModule } from '../../support/analysis-server.ts';

const registry = AnalysisRegistry.global({ host: new AnalysisHost(analyzerModule()), files: null });
const LIMIT = { type: 'limit', max_token_count: 2 };
const OF = { type: 'stop', stopwords: ['of'] };

/** Start offset and position of the first token of a second value. */
function second(tokenizer: unknown, text: string, filter: unknown[], extra: object = {}): [number, number] {
  const body = JSON.stringify({ tokenizer, filter, text: [text, text], ...extra });
  const { tokens } = analyzeText(body, { index: null, registry }) as {
    tokens: { start_offset: number; position: number; token: string }[];
  };
  const next = tokens.findIndex((token, i) => i > 0 && token.position - tokens[i - 1].position >= 100);
  return [tokens[next].start_offset, tokens[next].position];
}

test.each<[string, unknown, string, unknown[], [number, number]]>([
  ['a word', 'standard', 'a b c d', [LIMIT], [4, 102]],
  ['no word left', 'standard', 'a b', [LIMIT], [4, 102]],
  ['consume_all_tokens', 'standard', 'a b c d', [{ ...LIMIT, consume_all_tokens: true }], [8, 102]],
  ['the whole text is read first', { type: 'pattern', pattern: ' ' }, 'a b c d', [LIMIT], [8, 102]],
  ['an expression', { type: 'simple_pattern', pattern: '[a-z]' }, 'a b c d', [LIMIT], [4, 102]],
  ['an expression and the separator', { type: 'simple_pattern_split', pattern: '[ ]' }, 'a b c d', [LIMIT], [5, 102]],
  ['a path and its delimiter', 'path_hierarchy', 'a/b/c/d', [LIMIT], [5, 101]],
  ['a hole before the last word counts again', 'standard', 'a of b c d', [OF, LIMIT], [7, 104]],
  ['a word is looked ahead', 'standard', 'a b c d', [{ type: 'shingle' }, LIMIT], [4, 101]],
  ['filters of the host between', 'standard', 'a b c d', ['keyword_repeat', 'lowercase', LIMIT], [2, 101]],
  ['a filter of the host behind', 'standard', 'a b c d', [LIMIT, 'keyword_repeat'], [4, 102]],
  ['all is read', 'standard', 'a b c d', ['fingerprint', LIMIT], [8, 102]],
])('%s', (_, tokenizer, text, filter, expected) => {
  expect(second(tokenizer, text, filter)).toEqual(expected);
});

test('maps offsets to the text before character filters', () => {
  expect(second('whitespace', 'a<b>x</b> y z', [LIMIT], { char_filter: ['html_strip'] })).toEqual([12, 102]);
});
