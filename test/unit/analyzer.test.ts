import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { loadAnalyzer as loadInBrowser } from '../../src/analyzer.ts';
import { type AnalyzedToken, loadAnalyzer, type TokenCursor } from '../../src/analyzer-node.ts';

const SETTINGS = {
  analysis: {
    filter: { start: { type: 'edge_ngram', min_gram: 2, max_gram: 4 } },
    analyzer: { complete: { tokenizer: 'standard', filter: ['lowercase', 'start'] } },
  },
};

test('finds analyzers of settings and built-in ones by name', async () => {
  const analysis = await loadAnalyzer({ settings: SETTINGS });
  expect(analysis.analyze('Quick Fox').map((token) => token.term)).toEqual(['quick', 'fox']);
  expect(analysis.analyze('Quick', 'complete').map((token) => token.term)).toEqual(['qu', 'qui', 'quic']);
  expect(() => analysis.analyze('x', 'nope')).toThrow('failed to find analyzer [nope]');
  expect(() => analysis.define({ analysis: { analyzer: { a: { tokenizer: 'nope' } } } })).toThrow('Failed to build analyzers: [a]');
});

test('the cursor visits the same tokens as analyze, with and without kernels', async () => {
  const analysis = await loadAnalyzer({ settings: SETTINGS });
  const text = 'Ünïcode 3.14 日本 '.repeat(800);
  for (const analyzer of ['standard', 'complete']) {
    const seen: unknown[] = [];
    const count = analysis.forEachToken(
      text,
      (token) => {
        const { term, startOffset, endOffset, type, position, positionLength } = token;
        seen.push({ term, startOffset, endOffset, type, position, positionLength });
      },
      analyzer,
    );
    expect(seen).toEqual(analysis.analyze(text, analyzer));
    expect(count).toBe(seen.length);
  }
});

/** The fields that a cursor reports for each token. */
function read(cursor: TokenCursor): AnalyzedToken[] {
  const seen: AnalyzedToken[] = [];
  while (cursor.next()) {
    const { term, startOffset, endOffset, type, position, positionLength } = cursor;
    seen.push({ term, startOffset, endOffset, type, position, positionLength });
  }
  return seen;
}

test('visits each token once, even if the text is restarted because a late token exceeds the memory', async () => {
  const analysis = await loadAnalyzer({
    settings: {
      analysis: {
        tokenizer: { long: { type: 'char_group', tokenize_on_chars: ['whitespace'], max_token_length: 1 << 20 } },
        filter: { gone: { type: 'stop', stopwords: ['w7', 'w600'] } },
        analyzer: { long: { tokenizer: 'long', filter: ['gone'] } },
      },
    },
  });
  const text = `${Array.from({ length: 1300 }, (_, i) => `w${i}`).join(' ')} ${'あ'.repeat(1 << 20)} end`;
  const seen = read(analysis.tokens(text, 'long'));
  expect(seen.length).toBe(1300);
  expect(seen.at(-1)).toEqual(expect.objectContaining({ term: 'end', position: 1301 }));
  expect(seen).toEqual(analysis.analyze(text, 'long'));
});

test('cursors of alternating analyzers work, and an unknown one is refused', async () => {
  const analysis = await loadAnalyzer({ settings: SETTINGS });
  const terms = (analyzer?: string): string[] => read(analysis.tokens('The Fox', analyzer)).map(({ term }) => term);
  for (let i = 0; i < 2; i++) {
    expect(terms('whitespace')).toEqual(['The', 'Fox']);
    expect(terms()).toEqual(['the', 'fox']);
    expect(terms('complete')).toEqual(['th', 'the', 'fo', 'fox']);
    expect(() => terms('nope')).toThrow('failed to find analyzer [nope]');
  }
  const other = analysis.define({ analysis: { analyzer: { whitespace: { type: 'english' } } } });
  expect(read(other.tokens('The Foxes', 'whitespace')).map(({ term }) => term)).toEqual(['fox']);
  expect(terms('whitespace')).toEqual(['The', 'Fox']);
});

test('a cursor is lost when another text is analyzed', async () => {
  const analysis = await loadAnalyzer();
  const cursor = analysis.tokens('one two');
  expect(cursor.next()).toBe(true);
  analysis.analyze('three');
  expect(() => cursor.next()).toThrow('the tokens of a text are lost');
  expect(read(analysis.tokens('', 'english'))).toEqual([]);
});

test('lone surrogates and U+FFFD are preserved', async () => {
  const analysis = await loadAnalyzer();
  for (const text of ['a\ud800b \ufffd c', '\udc00 日本 \ufffd', 'é\ufffdé']) {
    expect(read(analysis.tokens(text, 'whitespace')).map(({ term }) => term)).toEqual(text.split(' '));
  }
});

test('highlighting marks tokens by their offsets', async () => {
  const analysis = await loadAnalyzer();
  expect(analysis.highlight('A quick 👩‍🚀 QUICK end', 'quick')).toEqual(['A <em>quick</em> 👩‍🚀 <em>QUICK</em> end']);
  expect(analysis.highlight('nothing here', 'quick')).toEqual([]);
  const fragments = analysis.highlight(`${'x '.repeat(100)}fox ${'y '.repeat(100)}fox fox`, 'fox', {
    fragmentSize: 20,
    numberOfFragments: 1,
  });
  expect(fragments).toEqual([expect.stringContaining('<em>fox</em> <em>fox</em>')]);
});

test('the module is below 400 KB gzipped', () => {
  expect(gzipSync(readFileSync(new URL('../../build/analyzer.wasm', import.meta.url))).length).toBeLessThan(400 * 1024);
});

test('files can be given as strings by path: synonyms, stop words, Hunspell dictionaries', async () => {
  const filter = {
    same: { type: 'synonym', synonyms_path: 'synonyms.txt' },
    stop: { type: 'stop', stopwords_path: 'lists/stop.txt' },
    stems: { type: 'hunspell', locale: 'xx' },
  };
  const analyzer = { mine: { tokenizer: 'standard', filter: ['lowercase', 'stop', 'same', 'stems'] }, other: { type: 'german' } };
  const files = {
    'synonyms.txt': 'big, large',
    'lists/stop.txt': '# articles\nthe\n',
    'hunspell/xx/xx.aff': 'SET UTF-8\nSFX S Y 1\nSFX S 0 s .\n',
    'hunspell/xx/xx.dic': '2\nhouse/S\nbig\n',
  };
  const analysis = await loadAnalyzer({ settings: { analysis: { filter, analyzer } }, files });
  expect(analysis.analyze('The big houses', 'mine').map((token) => token.term)).toEqual(['big', 'large', 'house']);
  await expect(loadAnalyzer({ settings: { analysis: { filter, analyzer } }, files: {} })).rejects.toMatchObject({
    status: expect.any(Number),
  });
  expect(analysis.analyzers.slice(0, 3)).toEqual(['mine', 'other', 'standard']);
});

test.each([
  ['a missing file', () => new Response('', { status: 404 })],
  ['the page of a development server', () => new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } })],
])('in browsers %s in place of the kernels is reported with its address', async (_, answer) => {
  vi.stubGlobal('fetch', async () => answer());
  await expect(loadInBrowser()).rejects.toThrow(/no analyzer\.wasm at file:.*give its address/);
  vi.unstubAllGlobals();
});
