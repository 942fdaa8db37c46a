import { expect, test } from 'vitest';
import { decodeSmile, decodeSmileDocuments, SmileError } from '../../../../src/common/json/smile-reader.ts';
import { encodeSmile } from '../../../../src/common/json/smile-writer.ts';
import { Rng } from '../../../support/rng.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

test.each([
  ['c0', 0],
  ['c1', -1],
  ['de', 15],
  ['df', -16],
  ['24 a0', 16],
  ['24 7f be', 4095],
  ['24 1f 7f 7f 7f bf', -2147483648],
  ['29 00 3f 78 00 00 00 00 00 00 00', 1],
  ['20', ''],
  ['21', null],
  ['22', false],
  ['40 61', 'a'],
  ['81 c3 bc 61', 'üa'],
  ['f8 c2 c4 f9', [1, 2]],
  ['fa 80 61 fa 40 c2 fb fb', { a: { a: 1 } }],
])('%s is read', (bytes, value) => {
  expect(decodeSmile(Buffer.concat([hex('3a290a01'), hex(bytes)]))).toEqual(value);
});

test.each([
  0,
  -17,
  1.5,
  -0.1,
  2 ** 40,
  -9223372036854775808n,
  9223372036854775807n,
  'x'.repeat(64),
  'ä'.repeat(40),
  'long '.repeat(50),
  'ü',
])('reads and writes %s', (value) => {
  expect(decodeSmile(encodeSmile({ value, list: [value] }))).toEqual({ value, list: [value] });
});

test('names are shared, also more than the table can hold', () => {
  const rows = Array.from({ length: 3 }, () => Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`name ${i}`, i])));
  const bytes = encodeSmile(rows);
  expect(decodeSmile(bytes)).toEqual(rows);
  const few = Array.from({ length: 300 }, () => Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`name ${i}`, 1])));
  expect(decodeSmile(encodeSmile(few))).toEqual(few);
  expect(encodeSmile(few).length).toBeLessThan(300 * 300 * 4);
});

test('strings that are shared, floats, byte strings and large numbers are read', () => {
  expect(decodeSmile(hex('3a290a03 f8 42 616263 01 f9'))).toEqual(['abc', 'abc']);
  expect(decodeSmile(hex('3a290a00 28 03 7c 00 00 00'))).toBe(1);
  expect(decodeSmile(hex('3a290a04 fd 83 010203'))).toBe('AQID');
  expect(decodeSmile(hex('3a290a00 e8 83 00 40 40 03'))).toBe('AQID');
  expect(decodeSmile(hex('3a290a00 26 81 7f 01'))).toBe(-1);
});

test('documents follow each other with 0xff between them', () => {
  const documents = [{ index: {} }, { a: 1 }];
  const bytes = Buffer.concat(documents.flatMap((document) => [encodeSmile(document), Buffer.of(0xff)]));
  expect(decodeSmileDocuments(bytes)).toEqual(documents);
  expect(() => decodeSmile(bytes)).toThrow(SmileError);
});

test('whatever the bytes are, the result is a value or a SmileError', () => {
  const rng = new Rng(3);
  const good = encodeSmile({ a: [1, -2.5, 'text', { b: null, c: 'ü'.repeat(70) }], d: 2n ** 60n });
  for (let i = 0; i < 5000; i++) {
    const bytes = Buffer.from(good);
    for (let n = rng.int(1, 3); n > 0; n--) bytes[rng.int(4, bytes.length - 1)] = rng.int(0, 255);
    try {
      decodeSmile(bytes.subarray(0, rng.int(0, 1) === 0 ? bytes.length : rng.int(0, bytes.length)));
    } catch (error) {
      expect(error).toBeInstanceOf(SmileError);
    }
  }
  expect(() => decodeSmile(Buffer.concat([hex('3a290a01'), Buffer.alloc(5000, 0xf8)]))).toThrow('nested deeper');
});
