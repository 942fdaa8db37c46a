import { expect, test } from 'vitest';
import { mergeDocument, parseUpdateBody } from '../../../src/indexing/update.ts';

test('objects merge by key, everything else is replaced', () => {
  const target = { a: 1, o: { x: 1, y: [1, 2] }, keep: true };
  expect(mergeDocument(target, { a: 2, o: { y: [3] }, n: null }, true)).toBe(true);
  expect(target).toEqual({ a: 2, o: { x: 1, y: [3] }, keep: true, n: null });
});

test('an update that changes nothing is a noop, unless detection is off', () => {
  const target = { a: [1, { b: 2 }], o: { x: 1 } };
  expect(mergeDocument(target, { a: [1, { b: 2 }], o: { x: 1 } }, true)).toBe(false);
  expect(mergeDocument(target, { a: [1, { b: 2 }] }, false)).toBe(true);
  expect(mergeDocument(target, { o: {} }, true)).toBe(false);
});

test('a key named __proto__ is a key', () => {
  const target: Record<string, unknown> = {};
  mergeDocument(target, JSON.parse('{"__proto__": {"polluted": true}}'), true);
  expect(Object.keys(target)).toEqual(['__proto__']);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

const noScripts = () => null;

test('refuses bodies without an operation', () => {
  expect(() => parseUpdateBody({}, false, noScripts)).toThrow('script or doc is missing');
  expect(() => parseUpdateBody({ doc: {}, nothing: 1 }, false, noScripts)).toThrow('unknown field [nothing]');
  expect(() => parseUpdateBody({ script: 1 }, false, noScripts)).toThrow('[script] must be a string or an object');
  expect(() => parseUpdateBody({ script: 'ctx', doc: {} }, false, noScripts)).toThrow('both');
  expect(() => parseUpdateBody([], false, noScripts)).toThrow('expected an object');
  expect(parseUpdateBody({ doc: { a: 1 }, doc_as_upsert: true }, false, noScripts)).toMatchObject({ docAsUpsert: true, detectNoop: true });
});
