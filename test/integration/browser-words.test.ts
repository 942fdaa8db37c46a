// Words of languages of the bundle for browsers, which loads them as files, here in Node. Needs `npm run build`.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type * as AnalyzerModule from '../../src/analyzer.ts';
import { loadAnalyzer as loadInNode } from '../../src/analyzer-node.ts';

const wasm = readFileSync(new URL('../../build/analyzer.wasm', import.meta.url));
const bundle = new URL('../../dist/analyzer.browser.js', import.meta.url);

/** A separate page, where nothing is loaded yet. */
let pages = 0;
async function load(languages?: string[]): Promise<AnalyzerModule.TextAnalysis> {
  const { loadAnalyzer } = (await import(/* @vite-ignore */ `${bundle.href}?page=${pages++}`)) as typeof AnalyzerModule;
  return loadAnalyzer(languages ? { wasm, languages } : { wasm });
}

const TEXT = 'The und der ภาษาไทยไม่มีช่องว่าง et le running houses και των и не вот ও এবং';

test('all languages have the same words as in Node if none are named', async () => {
  const [page, node] = [await load(), await loadInNode()];
  expect(page.analyzers).toEqual(node.analyzers);
  for (const name of node.analyzers) expect(page.analyze(TEXT, name), name).toEqual(node.analyze(TEXT, name));
  const kstem = { analysis: { analyzer: { k: { tokenizer: 'standard', filter: ['lowercase', 'kstem'] } } } };
  expect(page.define(kstem).analyze(TEXT, 'k')).toEqual(node.define(kstem).analyze(TEXT, 'k'));
});

test('languages that were not requested are reported by name', async () => {
  const [page, node] = [await load(['german']), await loadInNode()];
  for (const name of ['german', 'english', 'standard', 'whitespace']) expect(page.analyze(TEXT, name)).toEqual(node.analyze(TEXT, name));
  expect(() => page.analyze(TEXT, 'french')).toThrow(
    "the words of [french] are not loaded; load them with loadAnalyzer({ languages: ['french'] })",
  );
  expect(() => page.analyze(TEXT, 'thai')).toThrow('the words of [thai] are not loaded');
  expect(() => page.define({ analysis: { analyzer: { s: { type: 'stop', stopwords: '_russian_' } } } })).toThrow('the words of [russian]');
  expect(() => page.request({ text: 'x', tokenizer: 'standard', filter: ['kstem'] })).toThrow('the words of [kstem] are not loaded');
});

test('dictionaries are loaded with their language', async () => {
  const [page, node] = [await load(['thai', 'kstem', 'english']), await loadInNode()];
  expect(page.analyze(TEXT, 'thai')).toEqual(node.analyze(TEXT, 'thai'));
  const body = { text: TEXT, tokenizer: 'standard', filter: ['kstem'] };
  expect(page.request(body)).toEqual(node.request(body));
});

test('unknown languages are refused, in Node too', async () => {
  await expect(load(['klingon'])).rejects.toThrow('unknown language [klingon], there are [arabic, armenian,');
  await expect(loadInNode({ languages: ['klingon'] })).rejects.toThrow('unknown language [klingon]');
});
