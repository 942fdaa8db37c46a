import { describe, expect, test } from 'vitest';
import { forSeeds, type Rng } from '../support/rng.ts';
import { type DocumentAction, documentStep, type IndexAction, indexStep } from './document-model.ts';
import { isLinearizable, type Operation } from './linearizable.ts';

const at = <Action>(callMs: number, returnMs: number, action: Action): Operation<Action> => ({ action, callMs, returnMs });
const check = (...history: Operation<DocumentAction>[]) => isLinearizable(history, null, documentStep);
const write = (value: string, result: 'created' | 'updated' | null = 'created') => ({ kind: 'index', value, result }) as const;
const read = (value: string | null) => ({ kind: 'read', value }) as const;

describe('a history of a document', () => {
  test('may order concurrent operations in any way', () => {
    expect(check(at(0, 10, write('a')), at(1, 9, read(null)), at(2, 8, read('a')))).toBe(true);
    expect(check(at(0, 10, write('a')), at(5, 20, write('b', 'updated')), at(21, 22, read('a')))).toBe(false);
    expect(check(at(0, 10, write('a', 'updated')), at(5, 20, write('b')), at(21, 22, read('a')))).toBe(true);
  });

  test('may not lose an acknowledged write', () => {
    expect(check(at(0, 1, write('a')), at(2, 3, read(null)))).toBe(false);
    expect(check(at(0, 1, write('a')), at(2, 3, write('b', 'updated')), at(4, 5, read('a')))).toBe(false);
  });

  test('may not show a write that nobody sent', () => {
    expect(check(at(0, 1, read('refused')))).toBe(false);
  });

  test('may not go back to an older state', () => {
    expect(check(at(0, 9, write('a')), at(1, 2, read('a')), at(3, 4, read(null)))).toBe(false);
  });

  test('may show a write without an answer at any later time, once, or never', () => {
    const unknown = at(0, Infinity, write('a', null));
    expect(check(unknown, at(5, 6, read(null)))).toBe(true);
    expect(check(unknown, at(5, 6, read(null)), at(7, 8, read('a')))).toBe(true);
    expect(check(unknown, at(5, 6, read('a')), at(7, 8, read(null)))).toBe(false);
    expect(check(at(1, 2, write('b')), at(3, 4, read('a')), at(5, Infinity, write('a', null)))).toBe(false);
  });

  test('has only one of two writes with the same condition', () => {
    const replace = (value: string, result: 'updated' | 'conflict') => ({ kind: 'replace', expected: 'a', value, result }) as const;
    const first = at(0, 1, write('a'));
    expect(check(first, at(2, 9, replace('b', 'updated')), at(2, 9, replace('c', 'conflict')), at(10, 11, read('b')))).toBe(true);
    expect(check(first, at(2, 9, replace('b', 'updated')), at(2, 9, replace('c', 'updated')))).toBe(false);
    expect(check(first, at(2, 9, replace('b', 'conflict')))).toBe(false);
  });

  test('refuses a write that conflicted and was made all the same', () => {
    const create = { kind: 'create', value: 'a', result: 'conflict' } as const;
    expect(check(at(0, 1, create), at(2, 3, read('a')))).toBe(false);
    expect(check(at(0, 1, create))).toBe(false);
  });

  test('has deletions that find what was there', () => {
    const remove = (result: 'deleted' | 'not_found' | null) => ({ kind: 'delete', result }) as const;
    expect(check(at(0, 1, write('a')), at(2, 3, remove('deleted')), at(4, 5, read(null)))).toBe(true);
    expect(check(at(0, 1, write('a')), at(2, 3, remove('not_found')))).toBe(false);
    expect(check(at(0, 1, write('a')), at(2, Infinity, remove(null)), at(4, 5, read('a')), at(6, 7, read(null)))).toBe(true);
  });

  test('is accepted whenever it was made by a register that takes effect between call and answer', () => {
    forSeeds(200, (rng) => expect(check(...registerHistory(rng))).toBe(true));
  });

  test('is refused when one of its reads shows an overwritten value', () => {
    forSeeds(200, (rng) => {
      const history = registerHistory(rng);
      const end = Math.max(...history.map(({ returnMs }) => (returnMs === Infinity ? 0 : returnMs))) + 1000;
      const last = [at(end, end + 1, write('x', null)), at(end + 2, end + 3, write('y', 'updated'))];
      expect(check(...history, ...last, at(end + 4, end + 5, read('y')))).toBe(true);
      expect(check(...history, ...last, at(end + 4, end + 5, read('never written')))).toBe(false);
      expect(check(...history, ...last, at(end + 4, end + 5, read(null)))).toBe(false);
    });
  });
});

/** Operations on a real register by four clients; each takes effect at a moment between its call and its answer. */
function registerHistory(rng: Rng): Operation<DocumentAction>[] {
  const planned = Array.from({ length: 40 }, (_, n) => {
    const callMs = rng.int(0, 300);
    const effectMs = callMs + rng.int(0, 20);
    return { n, callMs, effectMs, returnMs: effectMs + rng.int(0, 20), isWrite: rng.bool(), isAnswered: rng.bool(0.9) };
  }).sort((a, b) => a.effectMs - b.effectMs || a.n - b.n);
  let state: string | null = null;
  return planned.map(({ n, callMs, returnMs, isWrite, isAnswered }) => {
    if (!isWrite) return at(callMs, returnMs, read(state));
    const result = state === null ? 'created' : 'updated';
    state = `v${n}`;
    return isAnswered ? at(callMs, returnMs, write(state, result)) : at(callMs, Infinity, write(state, null));
  });
}

describe('a history of an index', () => {
  const check2 = (...history: Operation<IndexAction>[]) => isLinearizable(history, null, indexStep);
  const create = (result: 'acknowledged' | 'exists' | null) => ({ kind: 'create', result }) as const;
  const remove = (result: 'acknowledged' | 'missing' | null) => ({ kind: 'delete', result }) as const;

  test('has one creation before each deletion', () => {
    expect(check2(at(0, 1, create('acknowledged')), at(2, 3, create('exists')), at(4, 5, remove('acknowledged')))).toBe(true);
    expect(check2(at(0, 5, create('acknowledged')), at(1, 6, create('acknowledged')))).toBe(false);
    expect(check2(at(0, 1, create('acknowledged')), at(2, 3, remove('missing')))).toBe(false);
    expect(check2(at(0, Infinity, create(null)), at(2, 3, remove('acknowledged')), at(4, 5, remove('missing')))).toBe(true);
  });

  test('shows an acknowledged creation', () => {
    expect(check2(at(0, 1, create('acknowledged')), at(2, 3, { kind: 'read', exists: false }))).toBe(false);
    expect(check2(at(0, 1, create('acknowledged')), at(2, 3, { kind: 'read', exists: true }))).toBe(true);
  });
});
