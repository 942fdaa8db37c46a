import { describe, expect, test } from 'vitest';
import type { Value } from '../../../src/scripting/java/values.ts';
import { compileScript } from '../../../src/scripting/painless.ts';
import { MAX_STATE_BYTES, StateMemory } from '../../../src/scripting/state-memory.ts';
import { fromScript } from '../../../src/scripting/update-script.ts';

const CONTEXT = { returns: 'def', variables: {} };

/** The value that a script returns. */
function run(source: string): Value {
  return compileScript(source, CONTEXT).run({});
}

/** The cause of a script's error. */
function failure(source: string): { type: string; reason: string } {
  try {
    run(source);
  } catch (error) {
    const { causedBy } = error as { causedBy: { type: string; reason: string } | null };
    if (causedBy) return { type: causedBy.type, reason: causedBy.reason };
    throw error;
  }
  throw new Error('the script succeeded');
}

const START = "String s = 'xxxx'; def l = ['x']; def m = [:]; for (int r = 0; r < 100000; r++) {";

describe('a script cannot let its values grow without bound', () => {
  test.each([
    's += s',
    "s = s.replace('x', 'xxxxxxxx')",
    "s = s.replace('', 'xxxxxxxx')",
    's = String.join(s, [s, s])',
    's = s.concat(s)',
    "l.addAll(Arrays.asList(s.splitOnToken('x'))); s += s",
    'l.addAll(s.toCharArray().length > 0 ? l : l); s += s',
    'l.addAll(l)',
    'l = new ArrayList(l); l.addAll(l)',
    'm.put(m.size(), l); l.addAll(m.values()); l.addAll(l)',
    'l.addAll(m.keySet()); m.put(l.size(), 1); l.addAll(l)',
    'l = [l, l, l, l]; s = l.toString()',
    'l = [l, l, l, l]; s = s + l',
    "l = [l, l, l, l]; s = l.join(',')",
    'l = [l, l, l, l]; m.put(l, 1)',
    'for (x in l) { l.add(x) }',
    'l.sort((a, b) -> 1); l.addAll(l)',
    'l.removeIf(x -> false); l.addAll(l)',
  ])('%s', (step) => {
    expect(failure(`${START} ${step} } return 1`).reason).toMatch(
      /maximum number of statements|needs more than \d+ bytes|at most 1048576 characters/,
    );
  });
});

describe('values that contain themselves', () => {
  test.each([
    ['as text', "def l = []; l.add([l]); return '' + l"],
    ['as text of a map', "def m = [:]; m.put('m', [m]); return m.toString()"],
    ['as a key', 'def l = []; l.add(l); def m = [:]; m.put(l, 1); return m'],
    ['compared', 'def a = []; a.add(a); def b = []; b.add(b); return a == b'],
  ])('%s', (_name, source) => {
    expect(failure(source)).toEqual({ type: 'stack_overflow_error', reason: null });
  });

  test('returned', () => {
    expect(() => fromScript(run('def l = []; l.add(l); return l'))).toThrow('self-referencing');
    expect(() => fromScript(run("def m = [:]; m.put('m', [m]); return m"))).toThrow('self-referencing');
  });

  test('a shared part is not one', () => {
    expect(fromScript(run('def l = [1]; return [l, l, [l]]'))).toEqual([[1], [1], [[1]]]);
  });

  test('shared parts that are too large when written out are refused', () => {
    const source = 'def l = [1]; for (int i = 0; i < 60; i++) { l = [l, l] } return l';
    expect(() => fromScript(run(source))).toThrow(expect.objectContaining({ type: 'circuit_breaking_exception', status: 429 }));
  });
});

test('functions that call each other without end are refused', () => {
  expect(failure('int f(int x) { return f(x) + 1 } f(1)')).toMatchObject({ type: 'stack_overflow_error' });
});

test('the time of a loop counts its size, not only its iterations', () => {
  const body = Array.from({ length: 300 }, () => 'x = x * 31 + 7;').join(' ');
  expect(failure(`int x = 1; for (int i = 0; i < 500000; i++) { ${body} } return x`).type).toBe('painless_error');
});

test('lists of a hundred thousand items are added whole', () => {
  const source = 'def l = []; for (int i = 0; i < 1000; i++) { l.add(i) } for (int i = 0; i < 8; i++) { l.addAll(l) } return l.size()';
  expect(run(source)).toBe(256_000);
});

describe('StateMemory', () => {
  test('refuses a state that keeps growing', () => {
    const state: Value[] = [];
    const memory = new StateMemory(() => [state]);
    const script = compileScript("String s = 'x'; for (int i = 0; i < 16; i++) { s += s } state.add(s)", {
      returns: 'void',
      variables: { state: 'List' },
    });
    const grow = (): void => {
      for (let i = 0; i < 10_000; i++) memory.run(1000, (budget) => script.run({ state }, budget));
    };
    expect(grow).toThrow(expect.objectContaining({ type: 'circuit_breaking_exception', status: 429 }));
    expect(state.length * 65_536).toBeLessThan(3 * MAX_STATE_BYTES);
  });

  test('lets garbage go', () => {
    const memory = new StateMemory(() => []);
    const script = compileScript("String s = 'x'; for (int i = 0; i < 16; i++) { s += s } return s.length()", CONTEXT);
    for (let i = 0; i < 3000; i++) expect(memory.run(1000, (budget) => script.run({}, budget))).toBe(65_536);
  });
});
