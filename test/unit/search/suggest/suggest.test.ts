// Suggesters over two segments: similar terms, and completions by weight.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Engine, open } from '../../../../src/library.ts';
import { STRING_DISTANCES } from '../../../../src/search/matchers/string-distance.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'gannet-suggest-'));
let engine: Engine;

beforeAll(async () => {
  engine = await open({ path: folder, settings: { 'memory.limit': '512mb' } });
  const properties = { body: { type: 'text' }, name: { type: 'completion' } };
  await engine.indices.create({ index: 'birds', body: { mappings: { properties } } });
  const rows = [
    { body: 'storm over stone', name: { input: ['Gannet', 'Solan goose'], weight: 5 } },
    { body: 'storm', name: 'gannets of the north' },
    {
      body: 'water',
      name: [
        { input: 'Goose', weight: 9 },
        { input: 'Grey goose', weight: 2 },
      ],
    },
    { body: 'some water', name: { input: 'Gannet', weight: 7 } },
  ];
  for (const [i, row] of rows.entries())
    await engine.bulk({ index: 'birds', refresh: i % 2 === 1, operations: [{ index: { _id: String(i) } }, row] });
});

afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

async function suggest(body: Record<string, unknown>) {
  const answer = (await engine.search({ index: 'birds', body: { suggest: { s: body } } })) as unknown as Record<string, any>;
  expect(answer['hits'].total).toEqual({ value: 0, relation: 'eq' });
  return answer['suggest'].s as Array<{ text: string; offset: number; length: number; options: any[] }>;
}

test('term suggester returns similar terms for missing words, best first', async () => {
  const [first, second] = await suggest({ text: 'stomr wate', term: { field: 'body' } });
  expect(first).toEqual({
    text: 'stomr',
    offset: 0,
    length: 5,
    options: [
      { text: 'storm', score: 0.8, freq: 2 },
      { text: 'stone', score: 0.6, freq: 1 },
      { text: 'some', score: 0.5, freq: 1 },
    ],
  });
  expect(second).toMatchObject({ offset: 6, length: 4, options: [{ text: 'water', score: 0.75, freq: 2 }] });
  expect((await suggest({ text: 'water', term: { field: 'body' } }))[0].options).toEqual([]);
  expect((await suggest({ text: 'stomr', term: { field: 'body', size: 1, prefix_length: 3 } }))[0].options).toHaveLength(1);
});

test('completion suggester matches by prefix, fuzzily and by regular expression, and returns the best input of each document', async () => {
  const found = async (body: Record<string, unknown>) =>
    (await suggest(body))[0].options.map(({ text, _id, _score }: any) => [text, _id, _score]);
  const all = [
    ['Gannet', '3', 7],
    ['Gannet', '0', 5],
    ['gannets of the north', '1', 1],
  ];
  expect(await found({ prefix: 'gan', completion: { field: 'name' } })).toEqual(all);
  expect(await found({ prefix: 'gsn', completion: { field: 'name', fuzzy: { fuzziness: 1 } } })).toEqual(all);
  expect(await found({ regex: 'g[ae]n', completion: { field: 'name' } })).toEqual(all);
  expect(await found({ prefix: 'gan', completion: { field: 'name', skip_duplicates: true, size: 2 } })).toEqual([all[0], all[2]]);
  expect(await found({ prefix: 'g', completion: { field: 'name', size: 1 } })).toEqual([['Goose', '2', 9]]);
  expect(await found({ prefix: 'grey g', completion: { field: 'name' } })).toEqual([['Grey goose', '2', 2]]);
  expect(await found({ prefix: 'x', completion: { field: 'name' } })).toEqual([]);
});

test('rejects invalid suggestions', async () => {
  const refused = (body: Record<string, unknown>) => suggest(body).catch((error) => [error.type, error.status]);
  expect(await refused({ text: 'x', term: { field: 'nothing' } })).toEqual(['search_phase_execution_exception', 400]);
  expect(await refused({ prefix: 'x', completion: { field: 'body' } })).toEqual(['search_phase_execution_exception', 400]);
  expect(await refused({ text: 'x', term: {} })).toEqual(['parse_exception', 400]);
  expect(await refused({ text: 'x', nothing: { field: 'body' } })).toEqual(['named_object_not_found_exception', 400]);
});

test("string distances equal Lucene's", () => {
  const { internal, levenshtein, jaro_winkler, ngram } = STRING_DISTANCES;
  expect(internal('stomr', 'storm')).toBeCloseTo(0.8, 6);
  expect(levenshtein('stomr', 'storm')).toBeCloseTo(0.6, 6);
  expect(jaro_winkler('herrin', 'herring')).toBeCloseTo(0.9809524, 6);
  expect(jaro_winkler('martha', 'marhta')).toBeCloseTo(0.9611, 3);
  expect(ngram('herrin', 'herring')).toBeCloseTo(0.85714287, 6);
});
