// filter_path: what paths select, and that the work of patterns grows with their size alone.
import { expect, test } from 'vitest';
import { filterPaths, filterSteps, parseFilterPath } from '../../../../src/common/json/filter-path.ts';

const filtered = (value: unknown, path: string): unknown => {
  const filter = parseFilterPath(path);
  return filter === null ? value : filterPaths(value, filter);
};

const RESPONSE = { took: 1, hits: { total: { value: 2 }, hits: [{ _id: 'a', _source: { 'x.y': 1, x: { z: 2 } } }, { _id: 'b' }] } };

test.each<[string, unknown]>([
  ['took', { took: 1 }],
  ['hits.total', { hits: { total: { value: 2 } } }],
  ['hits.hits._id', { hits: { hits: [{ _id: 'a' }, { _id: 'b' }] } }],
  ['h*.t*l.*', { hits: { total: { value: 2 } } }],
  ['**.value', { hits: { total: { value: 2 } } }],
  ['**.**.***.value', { hits: { total: { value: 2 } } }],
  ['hits.**._id', { hits: { hits: [{ _id: 'a' }, { _id: 'b' }] } }],
  ['hits.hits._source.x\\.y', { hits: { hits: [{ _source: { 'x.y': 1 } }] } }],
  ['hits.hits._source.x', { hits: { hits: [{ _source: { x: { z: 2 } } }] } }],
  ['**', RESPONSE],
  ['-hits', { took: 1 }],
  ['hits,-**._source,-**.total', { hits: { hits: [{ _id: 'a' }, { _id: 'b' }] } }],
  ['-**._*', { took: 1, hits: { total: { value: 2 } } }],
  ['nothing', {}],
  [' , ', RESPONSE],
])('%s', (path, expected) => {
  expect(filtered(RESPONSE, path)).toEqual(expected);
});

test('a pattern with many stars is matched without backtracking', () => {
  const name = 'a'.repeat(5000);
  expect(filtered({ [name]: 1, other: 2 }, `${'a*'.repeat(2000)}b`)).toEqual({});
  expect(filtered({ [name]: 1, other: 2 }, 'a*'.repeat(2000))).toEqual({ [name]: 1 });
});

test('many ** do not multiply with the depth of the response', () => {
  const deep = (depth: number): unknown => (depth === 0 ? { end: 1 } : { a: deep(depth - 1) });
  const steps = (path: string): number => {
    const filter = parseFilterPath(path);
    if (filter === null) throw new Error('no filter');
    return [...filterSteps(deep(60), filter)].length;
  };
  expect(filtered(deep(60), `${'**.a.'.repeat(30)}**.end`)).toEqual(deep(60));
  expect(filtered(deep(60), '**.'.repeat(500) + 'end')).toEqual(deep(60));
  expect(steps(`${'**.a.'.repeat(30)}**.end`)).toBe(steps('**.end'));
});

test('an object of many members can be left within', () => {
  const filter = parseFilterPath('x*');
  const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`m${i}`, i]));
  expect(filter === null ? 0 : [...filterSteps(wide, filter)].length).toBeGreaterThan(600);
});
