// Where hosts without a scheme end: facts of Lucene 10.5's UAX29URLEmailTokenizer, whose rules look one character beyond the host.
import { expect, test } from 'vitest';
import { AnalysisRegistry } from '../../../src/analysis/analysis-registry.ts';
import { analyzeText } from '../../../src/analysis/analyze/analyze-api.ts';
import { AnalysisHost } from '../../../src/wasm/analysis.ts';
import { analyzerModule } from '../../support/analysis-server.ts';

const registry = AnalysisRegistry.global({ host: new AnalysisHost(analyzerModule()), files: null });

/** Tokens as `term<TYPE>`. */
function tokensOf(text: string, maxTokenLength = 255): string[] {
  const tokenizer = { type: 'uax_url_email', max_token_length: maxTokenLength };
  const { tokens } = analyzeText(JSON.stringify({ tokenizer, text }), { index: null, registry }) as {
    tokens: { token: string; type: string }[];
  };
  return tokens.map(({ token, type }) => token + type);
}

test('letters, marks, digits and connectors after a host invalidate it, joiners do not', () => {
  for (const behind of ['', ' ', '\u200d', '\u200c', '\u00ad', '!']) {
    expect(tokensOf(`shop.org${behind}`)).toEqual(['shop.org<URL>']);
  }
  for (const behind of ['é', '\u0301', '\u24b6', '\u0663', '\u203f', '\ufe0f']) {
    expect(tokensOf(`shop.org${behind}`)[0], `U+${behind.charCodeAt(0).toString(16)}`).not.toBe('shop.org<URL>');
  }
});

test('characters newer than Unicode 12.1 are not letters', () => {
  expect(tokensOf('shop.org\u0870')).toEqual(['shop.org<URL>']);
});

test('an IPv4 address at the end of the text is a URL only if its last part has one digit', () => {
  expect(tokensOf('10.20.30.4')).toEqual(['10.20.30.4<URL>']);
  expect(tokensOf('10.20.30.40')).toEqual(['10.20.30.40<NUM>']);
  expect(tokensOf('10.20.30.40 ')).toEqual(['10.20.30.40<URL>']);
  expect(tokensOf('10.20.30.40/x')).toEqual(['10.20.30.40/x<URL>']);
  expect(tokensOf('[::1]')).toEqual(['[::1]<URL>']);
});

test('counts characters after a host in UTF-16 units, up to the maximum token length', () => {
  expect(tokensOf('co.ukか', 6)).toEqual(['co.uk<ALPHANUM>', 'か<HIRAGANA>']);
  expect(tokensOf('co.ukか', 5)).toEqual(['co.uk<URL>', 'か<HIRAGANA>']);
  expect(tokensOf('co.uk\u{10400}', 6)).toEqual(['co.uk<URL>', '\u{10400}<ALPHANUM>']);
  expect(tokensOf('co.uk\u200d', 6)).toEqual(['co.uk<URL>']);
});
