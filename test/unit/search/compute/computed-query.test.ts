// Scripts and score functions see only documents that match the surrounding clauses: others may lack the fields they read.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Engine, open } from '../../../../src/library.ts';

type Body = Record<string, unknown>;

const folder = mkdtempSync(path.join(os.tmpdir(), 'gannet-computed-'));
let engine: Engine;

/** Only documents of kind `song` have `plays`. */
const ROWS: Body[] = [
  { kind: 'song', plays: 4, title: 'storm', part: [{ name: 'a', n: 1 }, { name: 'b' }] },
  { kind: 'book', title: 'storm' },
  { kind: 'song', plays: 9, title: 'calm', part: [{ name: 'a', n: 3 }] },
  { kind: 'film', title: 'storm storm', part: [{ name: 'b' }] },
];

beforeAll(async () => {
  engine = await open({ path: folder, settings: { 'memory.limit': '512mb' } });
  const part = { type: 'nested', properties: { name: { type: 'keyword' }, n: { type: 'integer' } } };
  const properties = { kind: { type: 'keyword' }, plays: { type: 'integer' }, title: { type: 'text' }, part };
  await engine.indices.create({ index: 'rows', body: { mappings: { properties }, settings: { number_of_shards: 1 } } });
  for (const [i, row] of ROWS.entries()) {
    await engine.bulk({ index: 'rows', refresh: i % 2 === 1, operations: [{ index: { _id: String(i) } }, row] });
  }
});

afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

type Hit = { _id: string; _score: number; matched_queries?: string[]; inner_hits?: Record<string, { hits: { hits: Hit[] } }> };

const search = async (body: Body) => (await engine.search({ index: 'rows', body })) as unknown as { hits: { hits: Hit[] } };
const scoresOf = async (query: Body) =>
  Object.fromEntries((await search({ query, sort: '_doc', track_scores: true })).hits.hits.map((hit) => [hit._id, hit._score]));

const SONGS = { term: { kind: 'song' } };
const PLAYS = { function_score: { field_value_factor: { field: 'plays' }, boost_mode: 'replace' } };
const SCRIPT = { script: { script: { source: "doc['plays'].value > 5" } } };
const SCRIPT_SCORE = { script_score: { query: { match_all: {} }, script: { source: "doc['plays'].value" } } };

test('fails on documents without the field unless another clause excludes them', async () => {
  for (const query of [PLAYS, SCRIPT, SCRIPT_SCORE, { bool: { must: [PLAYS], should: [SONGS] } }, { bool: { should: [PLAYS, SONGS] } }]) {
    await expect(search({ query })).rejects.toThrow();
  }
});

describe('functions see only documents that match', () => {
  const songs = { 0: 4, 2: 9 };
  test.each<[string, Body]>([
    ['a filter', { must: [PLAYS], filter: [SONGS] }],
    ['a required clause', { must: [{ constant_score: { filter: SONGS, boost: 0 } }, PLAYS] }],
    ['an excluding clause', { must: [PLAYS], must_not: [{ terms: { kind: ['book', 'film'] } }] }],
    [
      'optional clauses that must match',
      { must: [PLAYS], should: [{ constant_score: { filter: SONGS, boost: 0 } }], minimum_should_match: 1 },
    ],
    ['a filter, from an optional clause', { filter: [SONGS], should: [PLAYS] }],
    ['an excluding clause, from an optional clause', { should: [PLAYS], must_not: [{ terms: { kind: ['book', 'film'] } }] }],
    ['a bool around', { filter: [SONGS], must: [{ bool: { should: [{ dis_max: { queries: [PLAYS] } }] } }] }],
    [
      'a bool around, with a clause that leaves nothing out',
      { filter: [SONGS], must: [{ bool: { must: [PLAYS], filter: [{ match_all: {} }] } }] },
    ],
    ['a script', { filter: [{ script: { script: "doc['plays'].size() > 0" } }], must: [PLAYS] }],
    ['what another function starts from', { must: [{ function_score: { query: SONGS, weight: 0 } }, PLAYS] }],
    [
      'functions with a least score',
      {
        filter: [{ function_score: { query: { match_all: {} }, functions: [{ filter: SONGS, weight: 3 }], min_score: 2 } }],
        must: [PLAYS],
      },
    ],
  ])('%s', async (_, clauses) => {
    expect(await scoresOf({ bool: clauses })).toEqual(songs);
  });

  test('script filters of functions', async () => {
    const functions = [{ filter: SCRIPT, weight: 7 }];
    expect(await scoresOf({ function_score: { query: SONGS, functions, boost_mode: 'replace' } })).toEqual({ 0: 1, 2: 7 });
  });

  test('a filter next to a score script', async () => {
    expect(await scoresOf({ bool: { must: [SCRIPT_SCORE], filter: [SONGS] } })).toEqual(songs);
  });
});

describe('script queries see only documents that match', () => {
  test.each<[string, Body]>([
    ['a filter', { filter: [SCRIPT, SONGS] }],
    ['a filter, from a required clause', { must: [SCRIPT], filter: [SONGS] }],
    ['a filter, from an optional clause', { filter: [SONGS], should: [SCRIPT], minimum_should_match: 1 }],
    ['a bool around', { filter: [SONGS, { bool: { should: [SCRIPT, SCRIPT] } }] }],
    ['a script before them', { filter: [{ script: { script: "doc['plays'].size() > 0" } }, SCRIPT] }],
    ['required scripts before them', { must: [{ script: { script: "doc['plays'].size() > 0" } }, SCRIPT] }],
    ['an excluding clause', { filter: [SCRIPT], must_not: [{ terms: { kind: ['book', 'film'] } }] }],
  ])('%s', async (_, clauses) => {
    expect(Object.keys(await scoresOf({ bool: clauses }))).toEqual(['2']);
  });

  test('a filter, from within must_not', async () => {
    expect(Object.keys(await scoresOf({ bool: { filter: [SONGS], must_not: [SCRIPT] } }))).toEqual(['0']);
  });
});

test('clauses next to functions keep their scores', async () => {
  const title = { match: { title: 'storm' } };
  const plain = await scoresOf({ bool: { must: [title], filter: [SONGS] } });
  // A boost applies to the score that the function starts from, which [replace] discards.
  const sum = await scoresOf({ bool: { must: [title, PLAYS], filter: [SONGS], boost: 2 } });
  expect(sum).toEqual({ 0: expect.closeTo(2 * plain['0'] + 4, 5) });
});

test('min_score within a filter still compares scores', async () => {
  const best = { function_score: { query: { match: { title: 'storm' } }, weight: 1000, min_score: 1 } };
  expect(Object.keys(await scoresOf({ bool: { filter: [best] } }))).toEqual(['0', '1', '3']);
});

test('post filter, rescorer and named queries see only the hits', async () => {
  const ids = async (body: Body) => (await search(body)).hits.hits.map((hit) => hit._id);
  for (const query of [SONGS, { match: { title: 'calm' } }, { dis_max: { queries: [SONGS, { match: { title: 'calm' } }] } }]) {
    expect(await ids({ query, post_filter: SCRIPT })).toEqual(['2']);
  }
  expect(await ids({ query: SONGS, rescore: { window_size: 10, query: { rescore_query: PLAYS } } })).toEqual(['2', '0']);
  const named = { function_score: { ...PLAYS.function_score, min_score: 5, _name: 'played' } };
  const { hits } = (await search({ query: { bool: { filter: [SONGS], should: [named] } } })).hits;
  expect(hits.map((hit) => [hit._id, hit.matched_queries])).toEqual([
    ['2', ['played']],
    ['0', undefined],
  ]);
});

test('nested scripts see only documents that match the nested clauses, also in inner hits', async () => {
  const value = { function_score: { field_value_factor: { field: 'part.n' }, boost_mode: 'replace' } };
  const query = { bool: { must: [value], filter: [{ term: { 'part.name': 'a' } }] } };
  const nested = { nested: { path: 'part', query, score_mode: 'sum', inner_hits: {} } };
  const { hits } = (await search({ query: { bool: { must: [nested], filter: [SONGS] } } })).hits;
  expect(hits.map((hit) => [hit._id, hit._score, hit.inner_hits!['part'].hits.hits.map(({ _score }) => _score)])).toEqual([
    ['2', 3, [3]],
    ['0', 1, [1]],
  ]);
});
