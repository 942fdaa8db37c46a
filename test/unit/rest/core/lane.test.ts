import { expect, test } from 'vitest';
import { isLargeBody } from '../../../../src/rest/core/lane.ts';

const json = (text: string): Uint8Array => Buffer.from(text);
const names = (count: number): Uint8Array => json(`{${Array.from({ length: count }, (_, i) => `"a${i}":1`).join()}}`);
const items = (count: number, item: string): Uint8Array => json(`[${Array(count).fill(item).join()}]`);

test('a body with many names or items is large before its bytes are', () => {
  expect(isLargeBody(names(1000), 'json', true)).toBe(false);
  expect(isLargeBody(names(20_000), 'json', true)).toBe(true);
  expect(isLargeBody(items(10_000, '1'), 'json', true)).toBe(false);
  expect(isLargeBody(items(60_000, '1'), 'json', true)).toBe(true);
  expect(isLargeBody(json(`"${'x'.repeat(500_000)}"`), 'json', true)).toBe(false);
  expect(isLargeBody(json(`"${'x'.repeat(600_000)}"`), 'json', true)).toBe(true);
});

test('a vector of 4096 dimensions is not large', () => {
  expect(isLargeBody(items(4096, '-0.12345678901234567'), 'json', true)).toBe(false);
});

test('a body that is only passed on is large by its bytes alone', () => {
  expect(isLargeBody(names(50_000), 'json', false)).toBe(false);
});

test('YAML is slower to parse than JSON, and binary formats are denser', () => {
  const text = json('a'.repeat(20_000));
  expect(isLargeBody(text, 'yaml', true)).toBe(true);
  expect(isLargeBody(text, 'json', true)).toBe(false);
  expect(isLargeBody(new Uint8Array(300_000), 'cbor', true)).toBe(true);
});
