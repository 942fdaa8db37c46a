import { expect, test } from 'vitest';
import { parseUpdateScript, runUpdateScript, type ScriptOutcome } from '../../../src/scripting/update-script.ts';

const noScripts = () => null;
/** The place of the document, which only changes if the script may move it. */
const place = { index: 'i', id: '7', version: 3, routing: null };

function run(script: unknown, source: Record<string, unknown>, options?: { canMove: boolean }): ScriptOutcome {
  return runUpdateScript(parseUpdateScript(script, noScripts), { source, ...place, nowMs: 1000 }, 'index', options);
}

test.each([
  ['ctx._source.n += 5', { n: 1 }, { n: 6 }],
  ['ctx._source.n++; ctx._source.n++', { n: 1 }, { n: 3 }],
  ['ctx._source.n /= 2', { n: 5 }, { n: 2 }],
  ['ctx._source.n = ctx._source.n / 2.0', { n: 5 }, { n: 2.5 }],
  ["ctx._source.remove('k')", { k: 1, m: 2 }, { m: 2 }],
  ["ctx._source.number = ctx._source.remove('n')", { n: 4 }, { number: 4 }],
  ['ctx._source.copy = ctx._id + ctx._version', {}, { copy: '73' }],
  ["ctx._source['a b'] = [1, 'x']; ctx._source.tags.add('t')", { tags: [] }, { tags: ['t'], 'a b': [1, 'x'] }],
  ["if (ctx._source.containsKey('o')) { ctx._source.o.p = true } else { ctx._source.q = 1 }", { o: {} }, { o: { p: true } }],
  ['int sum = 0; for (def x : ctx._source.list) { sum += x } ctx._source.sum = sum', { list: [1, 2, 3] }, { list: [1, 2, 3], sum: 6 }],
  ['ctx._source.list[1] *= 10', { list: [1, 2] }, { list: [1, 20] }],
  ['ctx._source.big += 1L', { big: 9007199254740992n }, { big: 9007199254740993n }],
  [{ source: 'ctx._source.n = params.by * 2', params: { by: 21 } }, {}, { n: 42 }],
])('%j', (script, source, expected) => {
  expect(run(script, source)).toEqual({ op: 'index', source: expected, place });
});

test('operations', () => {
  expect(run("ctx.op = 'none'", {})).toEqual({ op: 'none' });
  expect(run("if (ctx._source.n < 3) { ctx.op = 'delete' }", { n: 1 })).toEqual({ op: 'delete', place });
  expect(() => run("ctx.op = 'explode'", {})).toThrow('Operation type [explode] not allowed');
  expect(() => run("ctx._id = 'x'", {})).toThrow('[_id] cannot be changed');
});

test('a document that may be moved', () => {
  const moved = run("ctx._index = 'j'; ctx._id = null; ctx._routing = 'r'; ctx._version = 5", {}, { canMove: true });
  expect(moved).toEqual({ op: 'index', source: {}, place: { index: 'j', id: null, version: 5, routing: 'r' } });
  expect(() => run('ctx._index = null', {}, { canMove: true })).toThrow("Can't reindex without a destination index!");
  expect(() => run("ctx._version = 'x'", {}, { canMove: true })).toThrow('_version may only be set to an int or a long');
});

test.each([
  ['ctx.nothing(', 'compile error'],
  ['ctx[', 'compile error'],
  ['nothing = 1', 'compile error'],
  ['ctx._source.b.c = 1', 'runtime error'],
  [
    'for (def a : ctx._source.list) { for (def b : ctx._source.list) { for (def c : ctx._source.list) { ctx._source.x = 1 } } }',
    'runtime error',
  ],
])('%s is a script_exception', (script, reason) => {
  expect(() => run(script, { list: Array.from({ length: 200 }, (_, i) => i) })).toThrow(reason);
});

test('values that are not scripts', () => {
  expect(() => parseUpdateScript({ id: 'x' }, noScripts)).toThrow('unable to find script [x]');
  expect(() => parseUpdateScript({ source: '1', lang: 'none' }, noScripts)).toThrow('script_lang not supported [none]');
  expect(() => parseUpdateScript({}, noScripts)).toThrow('must specify either [source]');
});
