// Orders of java.util.HashSet, as a Java program prints them.
import { expect, test } from 'vitest';
import { hashSetOrder } from '../../../../src/common/text/hash-set-order.ts';

test.each([
  [
    ['b', 'c', 'a'],
    ['a', 'b', 'c'],
  ],
  [
    ['20', '16', '20'],
    ['16', '20'],
  ],
  // Two strings with the same hash keep their order.
  [
    ['BB', 'Aa'],
    ['BB', 'Aa'],
  ],
  [
    ['Aa', 'BB'],
    ['Aa', 'BB'],
  ],
  [
    ['width', 'depth'],
    ['depth', 'width'],
  ],
  [[], []],
])('%j', (texts, expected) => {
  expect(hashSetOrder(texts)).toEqual(expected);
});

test('a larger set has more slots', () => {
  const ids = Array.from({ length: 30 }, (_, i) => `id-${i * 37}`);
  expect(hashSetOrder(ids).join(' ').replaceAll('id-', '')).toBe(
    '148 962 444 740 222 888 666 629 925 1073 407 703 0 1036 370 111 296 592 555 851 333 37 999 777 259 518 814 481 74 185',
  );
});
