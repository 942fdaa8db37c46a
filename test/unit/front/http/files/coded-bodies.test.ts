// Compressed forms are made once for a cached body, and never for another.
import { expect, test } from 'vitest';
import { formOf, holdForms, holdsForms } from '../../../../../src/front/http/files/coded-bodies.ts';

const maker = (bytes: number) => {
  const calls = { count: 0 };
  const code = () => {
    calls.count++;
    return Buffer.alloc(bytes, calls.count);
  };
  return { calls, code };
};

test('keeps one form for each coding, and creates it again when its parameters change', () => {
  const body = Buffer.alloc(100);
  const { calls, code } = maker(50);
  holdForms(body);
  const first = formOf(body, 'gzip', 'level 1', code);
  expect(formOf(body, 'gzip', 'level 1', code)).toBe(first);
  expect(calls.count).toBe(1);
  formOf(body, 'br', 'level 1', code);
  expect(formOf(body, 'gzip', 'level 1', code)).toBe(first);
  const other = formOf(body, 'gzip', 'level 9', code);
  expect(other).not.toBe(first);
  expect(formOf(body, 'gzip', 'level 1', code)).not.toBe(first);
  expect(calls.count).toBe(4);
});

test('bodies that shrink by less than half, or that need not be kept, are compressed each time', () => {
  const held = Buffer.alloc(100);
  const other = Buffer.alloc(100);
  holdForms(held);
  expect([holdsForms(held), holdsForms(other), holdsForms(held.subarray(0))]).toEqual([true, false, false]);
  const large = maker(51);
  formOf(held, 'gzip', 'k', large.code);
  formOf(held, 'gzip', 'k', large.code);
  expect(large.calls.count).toBe(2);
  const small = maker(1);
  formOf(other, 'gzip', 'k', small.code);
  formOf(other, 'gzip', 'k', small.code);
  expect(small.calls.count).toBe(2);
});
