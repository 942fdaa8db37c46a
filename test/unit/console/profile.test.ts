import { describe, expect, test } from 'vitest';
import { type Explanation, scoreParts, sumText } from '../../../src/console/answers/explain-model.ts';
import { shardProfiles } from '../../../src/console/answers/profile-model.ts';
import { explainableQuery } from '../../../src/console/answers/search-answer.ts';
import {
  type Comparison,
  comparisonRows,
  intervalMarks,
  scoredOf,
  skippedTexts,
  verdictText,
} from '../../../src/console/profile/comparison.ts';
import { searchOf } from '../../../src/console/profile/searches.ts';
import { openRestNode } from '../../support/rest-node.ts';

const side = { median_micros: 100, min_micros: 90, timed_out: false, _shards: { total: 1 }, profile: {} };
const comparison = (ratio: Comparison['ratio']): Comparison => ({
  rounds: 50,
  stopped_by: 'precision',
  ratio,
  same_hits: true,
  counters: { documents_scored: { a: 200, b: 100 } },
  a: { ...side, total: { value: 200, relation: 'eq' } },
  b: { ...side, median_micros: 50, total: { value: 10000, relation: 'gte' } },
});

describe('explanations', () => {
  test('of the service become sums of clauses, with words for rarity and frequency', async () => {
    const node = await openRestNode();
    await node.ok('PUT /docs', { mappings: { properties: { t: { type: 'text' }, n: { type: 'integer' } } } });
    await node.ok('PUT /docs/_doc/1?refresh=true', { t: 'red fox fox', n: 1 });
    await node.ok('PUT /docs/_doc/2?refresh=true', { t: 'red', n: 1 });
    const explain = async (query: unknown): Promise<Explanation> => (await node.ok('POST /docs/_explain/1', { query })).explanation;
    const both = scoreParts(await explain({ match: { t: 'red fox' } }));
    expect(both).toMatchObject({ joint: '+', parts: [{ label: 't:red' }, { label: 't:fox' }] });
    expect(sumText(both)).toMatch(/^\d\.\d+ = t:red 0\.\d+ \+ t:fox 0\.\d+$/);
    const [, fox] = both.parts;
    expect(fox).toMatchObject({ joint: '×', parts: [{ label: 'boost' }, { label: 'idf' }, { label: 'tf' }] });
    expect(fox.parts[1].note).toBe('Rarity: 1 of 2 documents contain it.');
    expect(fox.parts[2].note).toBe('It occurs 2 times among 3 terms of the field; the mean length is 2.0.');
    const filtered = scoreParts(await explain({ bool: { must: { term: { t: 'fox' } }, filter: { range: { n: { gte: 1 } } } } }));
    expect(filtered.parts.map(({ label, value }) => [label, value > 0])).toEqual([
      ['t:fox', true],
      [expect.stringContaining('n:[1 TO'), false],
    ]);
    const nested = await explain({ bool: { must: { match: { t: 'red fox' } }, filter: { term: { n: 1 } } } });
    expect(scoreParts(nested).parts.map(({ label }) => label)).toEqual(['t:red', 't:fox', expect.stringContaining('n:[1 TO 1]')]);
    const best = scoreParts(await explain({ dis_max: { queries: [{ term: { t: 'fox' } }, { term: { t: 'red' } }] } }));
    expect(best.joint).toBe('max');
    expect(sumText(best)).toMatch(/= max\(t:fox .*, t:red .*\)$/);
    await node.close();
  });

  test('are offered only for searches that [_explain] repeats', () => {
    expect(explainableQuery('books/_search', {})).toEqual({ match_all: {} });
    expect(explainableQuery('/books/_search?size=1', { query: { term: {} } })).toEqual({ term: {} });
    expect(explainableQuery('books/_search?q=a', {})).toBeNull();
    expect(explainableQuery('books/_search', { knn: {} })).toBeNull();
    expect(explainableQuery('books/_search/template', {})).toBeNull();
    expect(explainableQuery('books/_search', null)).toBeNull();
  });
});

describe('comparisons', () => {
  test('name the faster search only if the interval excludes 1', () => {
    expect(verdictText(comparison({ b_to_a: 0.5, low: 0.4, high: 0.8 }))).toBe(
      'B is faster: A takes 2.00 times as long (1.25 to 2.50 with a confidence of 95 %; 50 rounds).',
    );
    expect(verdictText(comparison({ b_to_a: 20, low: 10, high: 40 }))).toMatch(
      /^A is faster: B takes 20\.0 times as long \(10\.0 to 40\.0/,
    );
    expect(verdictText(comparison({ b_to_a: 0.9, low: 0.7, high: 1.1 }))).toMatch(/^The difference is not significant/);
    expect(verdictText(comparison(null))).toMatch(/^Too few rounds/);
  });

  test('have a scale with 1 in its middle that holds the whole interval', () => {
    for (const ratio of [
      { b_to_a: 0.5, low: 0.4, high: 0.8 },
      { b_to_a: 30, low: 10, high: 90 },
      { b_to_a: 1.001, low: 0.999, high: 1.003 },
    ]) {
      const { low, middle, high, ticks } = intervalMarks(ratio);
      expect(low).toBeGreaterThan(0);
      expect(middle).toBeGreaterThan(low);
      expect(high).toBeGreaterThan(middle);
      expect(high).toBeLessThan(100);
      expect(ticks.find(([label]) => label === '1 ×')?.[1]).toBe(50);
    }
  });

  test('show how the counters differ', () => {
    expect(comparisonRows(comparison(null))).toEqual([
      ['median time, µs', '100', '50', '−50 %'],
      ['least time, µs', '90', '90', 'same'],
      ['documents scored', '200', '100', '−50 %'],
      ['total hits', '200', '10,000 or more', ''],
    ]);
  });

  test('name the skipped work', async () => {
    expect(skippedTexts({ _shards: { total: 4, skipped: 3 }, total: { value: 200, relation: 'eq' }, scored: 200 })).toEqual([
      '3 of 4 shards were skipped: none of their documents can match.',
    ]);
    expect(skippedTexts({ total: { value: 200, relation: 'eq' }, scored: 20, timed_out: true })).toEqual([
      '20 of 200 matching documents were scored: the others could not enter the page.',
      'The search ended at its timeout, before all documents were visited.',
    ]);
    const node = await openRestNode();
    await node.ok('PUT /docs/_doc/1?refresh=true', { t: 'fox' });
    const answer = await node.ok('POST /docs/_search', { profile: true, query: { match: { t: 'fox' } } });
    expect(scoredOf(shardProfiles(answer))).toBe(1);
    await node.close();
  });
});

describe('sheets of searches', () => {
  test('have a path and a body without [profile]', () => {
    expect(searchOf('# a\nGET books/_search\n{ "profile": true, "size": 1 }\n', 'A')).toEqual({
      path: '/books/_search',
      body: { size: 1 },
    });
  });

  test('are refused with a reason', () => {
    expect(() => searchOf('', 'B')).toThrow('B has no request');
    expect(() => searchOf('GET books/_count', 'A')).toThrow('A is not a search');
    expect(() => searchOf('GET _search\n{ "a": }', 'A')).toThrow('is not valid JSON');
    expect(() => searchOf('GET _search\n[1]', 'A')).toThrow('must be an object');
  });
});
