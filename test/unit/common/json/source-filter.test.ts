import { expect, test } from 'vitest';
import { filterSource } from '../../../../src/common/json/source-filter.ts';

const source = { a: 1, o: { x: 1, y: { z: 2 } }, list: [{ k: 1, v: 2 }, { k: 3 }], empty: {}, tags: ['p', 'q'] };
const filter = (includes: string[], excludes: string[] = [], byPath = false) =>
  filterSource(source, { enabled: true, includes, excludes }, byPath);

test('a name selects everything below it, a path one branch', () => {
  expect(filter(['o'])).toEqual({ o: { x: 1, y: { z: 2 } } });
  expect(filter(['o.y.z', 'a'])).toEqual({ a: 1, o: { y: { z: 2 } } });
  expect(filter(['list.k'])).toEqual({ list: [{ k: 1 }, { k: 3 }] });
});

test('excludes win, and objects that become empty are removed', () => {
  expect(filter(['o'], ['o.y'])).toEqual({ o: { x: 1 } });
  expect(filter([], ['o.*', 'list', 'tags'])).toEqual({ a: 1, o: {}, empty: {} });
  expect(filter(['*'], ['*.k'])).toEqual({ a: 1, o: { x: 1, y: { z: 2 } }, list: [{ v: 2 }], empty: {}, tags: ['p', 'q'] });
});

test('objects of a list that become empty are removed, those that no pattern reaches are kept', () => {
  const lists = { list: [{ k: 1, v: 2 }, { k: 3 }, {}], other: [{}, { v: 1 }] };
  const of = (includes: string[], excludes: string[] = [], byPath = false) =>
    filterSource(lists, { enabled: true, includes, excludes }, byPath);
  for (const byPath of [false, true]) {
    expect(of(['list.v'], [], byPath)).toEqual({ list: [{ v: 2 }] });
    expect(of([], ['list.k'], byPath)).toEqual({ list: [{ v: 2 }], other: [{}, { v: 1 }] });
    expect(of(['list'], [], byPath)).toEqual({ list: [{ k: 1, v: 2 }, { k: 3 }, {}] });
  }
});

test('by path, a star matches within one name, and what becomes empty by excludes is removed', () => {
  expect(filter(['*.z'], [], true)).toEqual({});
  expect(filter(['*.*.z'], [], true)).toEqual({ o: { y: { z: 2 } } });
  expect(filter(['**.z'], [], true)).toEqual({ o: { y: { z: 2 } } });
  expect(filter(['o'], ['o.x', 'o.y'], true)).toEqual({});
  // Excludes with stars are no paths.
  expect(filter(['*.z'], ['*.k'], true)).toEqual({ o: { y: { z: 2 } } });
  const dotted = filterSource({ 'x.y': 5, x: { z: 1 } }, { enabled: true, includes: ['x.*'], excludes: ['x.z'] }, true);
  expect(dotted).toEqual({ 'x.y': 5 });
});

test('stars match dots', () => {
  // A list whose objects become empty is removed.
  expect(filter(['*.z'])).toEqual({ o: { y: { z: 2 } } });
  expect(filter(['o*'])).toEqual({ o: { x: 1, y: { z: 2 } } });
  expect(filter(['nothing*'])).toEqual({});
});
