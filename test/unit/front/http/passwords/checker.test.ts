// The queue of the thread that checks passwords: results, cache, limits, and threads that fail.
import { afterEach, describe, expect, test } from 'vitest';
import { type CheckerOptions, PasswordChecker, type Verdict } from '../../../../../src/front/http/passwords/checker.ts';

/** Compares instead of hashing. The password `slow` takes forever, `crash` ends the thread. */
const PROGRAM = `
import { parentPort } from 'node:worker_threads';
parentPort.on('message', ({ password, stored }) => {
  const name = Buffer.from(password).toString();
  if (name === 'crash') throw new Error('crashed');
  while (name === 'slow') {}
  parentPort.postMessage(name === stored);
});`;
const program = new URL(`data:text/javascript,${encodeURIComponent(PROGRAM)}`);

let checker = new PasswordChecker();
afterEach(() => checker.close());

const make = (options: CheckerOptions = {}): void => {
  checker = new PasswordChecker({ program, ...options });
};

function check(password: string, stored: string): Promise<Verdict> {
  return new Promise((resolve) => {
    const result = checker.check(Buffer.from(password), stored, resolve);
    if (typeof result === 'string') resolve(result);
  });
}

describe('PasswordChecker', () => {
  test('checks by the real program', async () => {
    checker = new PasswordChecker({ program: new URL('../../../../../dist/front/http/passwords/check-thread.js', import.meta.url) });
    await checker.warmUp();
    expect(await check('secret', '$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a')).toBe('match');
    expect(await check('Secret', '$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a')).toBe('mismatch');
    expect(await check('secret', '$6$')).toBe('mismatch');
  });

  test('caches results of right and wrong passwords', async () => {
    make();
    expect(await check('a', 'a')).toBe('match');
    expect(await check('b', 'a')).toBe('mismatch');
    const never = (): never => expect.fail('the result must be cached');
    expect(checker.check(Buffer.from('a'), 'a', never)).toBe('match');
    expect(checker.check(Buffer.from('b'), 'a', never)).toBe('mismatch');
  });

  test('checks many at once, each of them once', async () => {
    make();
    const names = Array.from({ length: 400 }, (_, n) => `user${n % 200}`);
    const verdicts = await Promise.all(names.map((name, n) => check(name, n % 2 === 0 ? name : 'other')));
    expect(verdicts).toEqual(names.map((_, n) => (n % 2 === 0 ? 'match' : 'mismatch')));
  });

  test('a full queue is busy; a cancelled check leaves it', async () => {
    make({ maxQueued: 2 });
    const verdicts: string[] = [];
    const cancels = ['a', 'b', 'c'].map((name) => checker.check(Buffer.from(name), name, (verdict) => verdicts.push(name + verdict)));
    expect(checker.check(Buffer.from('d'), 'd', () => {})).toBe('busy');
    for (const cancel of cancels.slice(0, 2)) if (typeof cancel === 'function') cancel();
    // The first one runs already; the second one is no longer in the queue.
    expect(await check('d', 'd')).toBe('match');
    expect(verdicts).toEqual(['cmatch']);
    expect(checker.check(Buffer.from('a'), 'a', () => {})).toBe('match');
    expect(typeof checker.check(Buffer.from('b'), 'b', () => {})).toBe('function');
  });

  test('a check that takes too long fails, and the next one has a new thread', async () => {
    make({ timeoutMs: 1000 });
    const [slow, next] = await Promise.all([check('slow', 'x'), check('a', 'a')]);
    expect([slow, next]).toEqual(['failed', 'match']);
    expect(checker.failure).toBe('took longer than 1000 ms');
  });

  test('a thread that dies fails the check under way only', async () => {
    make();
    expect(await Promise.all([check('crash', 'x'), check('a', 'a')])).toEqual(['failed', 'match']);
    expect(checker.failure).toBe('crashed');
  });

  test('a thread that the system refuses fails each check, after check() has returned', async () => {
    // Node refuses the scheme in the constructor, as it does a thread that cannot be created.
    make({ program: new URL('http://127.0.0.1/check-thread.js') });
    let verdict: Verdict | null = null;
    const cancel = checker.check(Buffer.from('a'), 'a', (given) => {
      verdict = given;
    });
    expect([typeof cancel, verdict]).toEqual(['function', null]);
    expect(await check('b', 'b')).toBe('failed');
    expect(verdict).toBe('failed');
    expect(checker.failure).toMatch(/scheme|protocol/i);
  });

  test('a check cancelled while the system refuses its thread gets no verdict, and the next one is tried', async () => {
    make({ program: new URL('http://127.0.0.1/check-thread.js') });
    const cancel = checker.check(Buffer.from('a'), 'a', () => expect.fail('cancelled'));
    if (typeof cancel === 'function') cancel();
    expect(await check('b', 'b')).toBe('failed');
  });

  test('a program that cannot be loaded fails each check', async () => {
    make({ program: new URL('file:///nonexistent/check-thread.js') });
    await checker.warmUp();
    expect(await Promise.all([check('a', 'a'), check('b', 'b')])).toEqual(['failed', 'failed']);
    expect(checker.failure).toMatch(/Cannot find module/);
  });
});
