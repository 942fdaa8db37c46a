import { expect, test } from 'vitest';
import { BoundedMap } from '../../../src/common/bounded-map.ts';

test('the entry added first is evicted, whether it was read since or not', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  expect(map.get('a')).toBe(1);
  map.set('c', 3);
  expect([...map.entries()]).toEqual([
    ['b', 2],
    ['c', 3],
  ]);
  expect(map.size).toBe(2);
  expect(map.has('a')).toBe(false);
});

test('replacing an entry evicts nothing and keeps its age', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 10);
  expect([...map.entries()]).toEqual([
    ['a', 10],
    ['b', 2],
  ]);
  map.set('c', 3);
  expect(map.has('a')).toBe(false);
});

test('getOrMake makes a value once, and again after it was evicted', () => {
  const map = new BoundedMap<string, string>(1);
  let made = 0;
  const make = (key: string) => {
    made++;
    return key.toUpperCase();
  };
  expect([map.getOrMake('a', make), map.getOrMake('a', make), made]).toEqual(['A', 'A', 1]);
  expect(map.getOrMake('b', make)).toBe('B');
  expect([map.getOrMake('a', make), made]).toEqual(['A', 3]);
});

test('getOrMake stores nothing if making the value fails', () => {
  const map = new BoundedMap<string, string>(1);
  const fail = () => {
    throw new Error('no such zone');
  };
  expect(() => map.getOrMake('a', fail)).toThrow('no such zone');
  expect(map.size).toBe(0);
});

test('deleted and cleared entries are gone', () => {
  const map = new BoundedMap<string, number>(3);
  map.set('a', 1);
  map.set('b', 2);
  expect([map.delete('a'), map.delete('a'), map.size]).toEqual([true, false, 1]);
  map.clear();
  expect([map.size, map.get('b')]).toEqual([0, undefined]);
});
