import { expect, test } from 'vitest';
import { filterSource } from '../../../../src/common/json/source-filter.ts';

const source = { a: 1, o: { x: 1, y: { z: 2 } }, list: [{ k: 1, v: 2 }, { k: 3 }], empty: {}, tags: ['p', 'q'] };
const filter = (includes: string[], excludes: string[] = []) => filterSource(source, { enabled: true, includes, excludes });

test('a name selects everything below it, a path one branch', () => {
  expect(filter(['o'])).toEqual({ o: { x: 1, y: { z: 2 } } });
  expect(filter(['o.y.z', 'a'])).toEqual({ a: 1, o: { y: { z: 2 } } });
  expect(filter(['list.k'])).toEqual({ list: [{ k: 1 }, { k: 3 }] });
});

test('excludes win, and objects that become empty are removed', () => {
  expect(filter(['o'], ['o.y'])).toEqual({ o: { x: 1 } });
  expect(filter([], ['o.*', 'list', 'tags'])).toEqual({ a: 1, o: {}, empty: {} });
  expect(filter(['*'], ['*.k'])).toEqual({ a: 1, o: { x: 1, y: { z: 2 } }, list: [{ v: 2 }, {}], empty: {}, tags: ['p', 'q'] });
});

test('stars match dots', () => {
  // A list whose objects become empty is removed.
  expect(filter(['*.z'])).toEqual({ o: { y: { z: 2 } } });
  expect(filter(['o*'])).toEqual({ o: { x: 1, y: { z: 2 } } });
  expect(filter(['nothing*'])).toEqual({});
});
