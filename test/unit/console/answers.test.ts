import { describe, expect, test } from 'vitest';
import { chartsOf, geohashBounds, shortDate, tileBounds, withFilter } from '../../../src/console/answers/chart-model.ts';
import { columnsOf, compareValues, csvOf, valuesOf } from '../../../src/console/answers/hit-table.ts';
import { costOf, searchAnswer } from '../../../src/console/answers/search-answer.ts';

describe('charts', () => {
  test('of terms are bars, with parts of sub-aggregations and values of metrics', () => {
    const requested = { by: { terms: { field: 'country' }, aggs: { kinds: { terms: { field: 'kind' } }, mean: { avg: { field: 'n' } } } } };
    const bucket = { key: 'DE', doc_count: 3, kinds: { buckets: [{ key: 'a', doc_count: 2 }] }, mean: { value: 4.5 } };
    const [chart] = chartsOf(requested, { 'sterms#by': { buckets: [bucket], sum_other_doc_count: 7 } });
    expect(chart).toMatchObject({ kind: 'bars', name: 'by', series: ['a'], metrics: ['mean'], otherCount: 7 });
    expect(chart.kind === 'bars' && chart.buckets[0]).toEqual({
      label: 'DE',
      count: 3,
      parts: new Map([['a', 2]]),
      metrics: new Map([['mean', 4.5]]),
      filter: { term: { country: 'DE' } },
    });
  });

  test('of dates are columns that are filtered by up to the next one', () => {
    const buckets = [
      { key: 0, key_as_string: '1970-01-01T00:00:00.000Z', doc_count: 1 },
      { key: 86400000, key_as_string: '1970-01-02T00:00:00.000Z', doc_count: 2 },
    ];
    const [chart] = chartsOf({ d: { date_histogram: { field: 'at', calendar_interval: 'day' } } }, { d: { buckets } });
    expect(chart.kind).toBe('columns');
    expect(chart.kind === 'columns' && chart.buckets.map(({ label, filter }) => [label, filter])).toEqual([
      ['1970-01-01', { range: { at: { gte: 0, lt: 86400000, format: 'epoch_millis' } } }],
      ['1970-01-02', { range: { at: { gte: 86400000, format: 'epoch_millis' } } }],
    ]);
  });

  test('of metrics are figures, of single buckets groups', () => {
    expect(chartsOf({}, { a: { value: 3 }, p: { values: { '50.0': 2, '99.0': 9 } } })).toEqual([
      { kind: 'figures', name: 'a', figures: [['value', 3]] },
      {
        kind: 'figures',
        name: 'p',
        figures: [
          ['50.0', 2],
          ['99.0', 9],
        ],
      },
    ]);
    expect(chartsOf({}, { f: { doc_count: 5, m: { value: 1 } } })).toEqual([
      { kind: 'group', name: 'f', count: 5, children: [{ kind: 'figures', name: 'm', figures: [['value', 1]] }] },
    ]);
  });

  test('of grids are cells', () => {
    const [chart] = chartsOf({ g: { geotile_grid: { field: 'where' } } }, { g: { buckets: [{ key: '1/0/0', doc_count: 2 }] } });
    expect(chart.kind === 'map' && chart.cells[0]).toMatchObject({ west: -180, east: 0, south: 0, count: 2 });
    expect(geohashBounds('u')).toEqual({ west: 0, east: 45, south: 45, north: 90 });
    expect(geohashBounds('a!')).toBeNull();
    expect(tileBounds('0/0/0')?.north).toBeCloseTo(85.0511, 3);
  });

  test('label dates without zeros', () => {
    expect(['2024-05-01T00:00:00.000Z', '2024-05-01T10:30:00.000Z', '2024-05-01T10:30:05.123Z'].map(shortDate)).toEqual([
      '2024-05-01',
      '2024-05-01 10:30',
      '2024-05-01 10:30:05.123',
    ]);
  });
});

describe('a filter is added', () => {
  const filter = { term: { a: 1 } };
  test('to any query', () => {
    expect(withFilter({ size: 1 }, filter)).toEqual({ query: { bool: { filter: [filter] } }, size: 1 });
    expect(withFilter({ query: { match: { b: 'x' } } }, filter)).toEqual({
      query: { bool: { must: [{ match: { b: 'x' } }], filter: [filter] } },
    });
    expect(withFilter({ query: { bool: { must: [], filter: { term: { c: 2 } } } } }, filter)).toEqual({
      query: { bool: { must: [], filter: [{ term: { c: 2 } }, filter] } },
    });
  });

  test('without making clauses optional that had to match', () => {
    expect(withFilter({ query: { bool: { should: [{ match_all: {} }] } } }, filter)).toEqual({
      query: { bool: { should: [{ match_all: {} }], minimum_should_match: 1, filter: [filter] } },
    });
  });
});

describe('hits', () => {
  const hits = [
    { _index: 'i', _id: '1', _score: 1, _source: { a: { b: 2 }, c: ['x', 'y'] } },
    { _index: 'i', _id: '2', _score: 1, _source: { d: '=1+1', e: 'a "b", c' }, fields: { f: [3] } },
  ];

  test('have the columns of all of them, objects flattened', () => {
    expect(columnsOf(hits)).toEqual(['a.b', 'c', 'd', 'e', 'f']);
  });

  test('become CSV without formulas', () => {
    expect(csvOf(['a.b', 'c', 'd', 'e'], hits.map(valuesOf))).toBe(`a.b,c,d,e\r\n2,"x, y",,\r\n,,'=1+1,"a ""b"", c"\r\n`);
  });

  test('are sorted by value, absent ones last', () => {
    expect([10, undefined, 9, 'b', 'a'].sort(compareValues)).toEqual([9, 10, 'a', 'b', undefined]);
  });
});

describe('the cost of a response', () => {
  test('names hits, shards and failures', () => {
    const json = {
      took: 3,
      timed_out: false,
      _shards: { total: 2, successful: 1, failed: 1 },
      hits: { total: { value: 10000, relation: 'gte' }, max_score: null, hits: [] },
    };
    expect(costOf(json)).toEqual(['took 3 ms', '10,000+ hits', '2 shards, 1 failed']);
    expect(costOf({ took: 3, errors: true, items: [1] })).toEqual(['took 3 ms', '1 items, with errors']);
    expect(searchAnswer({ acknowledged: true })).toBeNull();
  });
});
