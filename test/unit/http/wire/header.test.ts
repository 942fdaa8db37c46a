import { describe, expect, test } from 'vitest';
import { learnField, parseHeaderLine, recallField } from '../../../../src/http/wire/header.ts';

describe('cached lines', () => {
  test('are found inside other text, and only as a whole', () => {
    const field = learnField('X-Known: some value')!;
    expect(field).toEqual({ name: 'X-Known', lname: 'x-known', value: 'some value' });
    const text = 'GET / HTTP/1.1\r\nX-Known: some value\r\nX-Known: some valuf\r\n';
    const at = text.indexOf('X-Known');
    expect(recallField(text, at, at + 19)).toBe(field);
    expect(recallField(text, at, at + 18)).toBeUndefined();
    expect(recallField(text, at + 21, at + 40)).toBeUndefined();
  });

  test('do not include lines that are not valid everywhere', () => {
    for (const line of ['under_score: 1', 'odd!name: 1', ': x', 'a b: c', 'a: b\0c', 'a: b\rc']) expect(learnField(line)).toBeUndefined();
  });

  test('do not include long and tiny lines', () => {
    for (const line of [`A: ${'x'.repeat(500)}`, 'a:']) {
      expect(learnField(line)).toEqual(parseHeaderLine(line, false, true));
      expect(recallField(line, 0, line.length)).toBeUndefined();
    }
  });
});
