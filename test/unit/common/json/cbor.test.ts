import { expect, test } from 'vitest';
import { CborError, decodeCbor, encodeCbor } from '../../../../src/common/json/cbor.ts';

// Examples of RFC 8949, appendix A.
test.each([
  ['00', 0],
  ['17', 23],
  ['1818', 24],
  ['1903e8', 1000],
  ['1a000f4240', 1_000_000],
  ['1b000000e8d4a51000', 1_000_000_000_000],
  ['1bffffffffffffffff', 18446744073709551615n],
  ['3bffffffffffffffff', -18446744073709551616n],
  ['20', -1],
  ['3903e7', -1000],
  ['fb3ff199999999999a', 1.1],
  ['f4', false],
  ['f6', null],
  ['60', ''],
  ['6449455446', 'IETF'],
  ['62c3bc', 'ü'],
  ['83010203', [1, 2, 3]],
  ['a26161016162820203', { a: 1, b: [2, 3] }],
])('reads and writes %s', (hex, value) => {
  expect(decodeCbor(Buffer.from(hex, 'hex'))).toEqual(value);
  expect(encodeCbor(value).toString('hex')).toBe(hex);
});

test.each([
  ['f93e00', 1.5],
  ['fa47c35000', 100_000],
  ['c11a514b67b0', 1363896240],
  ['4401020304', 'AQIDBA=='],
  ['7f657374726561646d696e67ff', 'streaming'],
  ['9f018202039f0405ffff', [1, [2, 3], [4, 5]]],
  ['bf61610161629f0203ffff', { a: 1, b: [2, 3] }],
])('%s is read', (hex, value) => {
  expect(decodeCbor(Buffer.from(hex, 'hex'))).toEqual(value);
});

test.each(['', '18', '61', '8201', 'a161', 'ff', '1c', '0000', '9bffffffffffffffff', `${'81'.repeat(2000)}00`, '5f61ff'])(
  '%s is refused',
  (hex) => {
    expect(() => decodeCbor(Buffer.from(hex, 'hex'))).toThrow(CborError);
  },
);

test('values of any size survive the growth of the buffer', () => {
  // Each kind of head at each position around the size at which the buffer grows.
  for (const value of [7, 200, 70_000, 2 ** 40, 1.5, true, null, 'x'.repeat(30), [], {}]) {
    for (let before = 1000; before < 1030; before++) {
      const list = ['a'.repeat(before - 3), value, value];
      expect(decodeCbor(encodeCbor(list))).toEqual(list);
    }
  }
});
