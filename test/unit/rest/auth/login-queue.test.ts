// Turns and delays of password checks.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LoginMemory, newLoginMemory } from '../../../../src/rest/auth/login-memory.ts';
import { addressKey, LoginQueue } from '../../../../src/rest/auth/login-queue.ts';

const CHECK_MS = 50;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const check = (isRight: boolean) => () => new Promise<boolean>((resolve) => setTimeout(() => resolve(isRight), CHECK_MS));

/** Time until the attempt is decided. */
async function timed(attempt: Promise<boolean>): Promise<number> {
  const start = Date.now();
  let took = -1;
  attempt.then(
    () => {
      took = Date.now() - start;
    },
    () => undefined,
  );
  while (took < 0) await vi.advanceTimersByTimeAsync(10);
  return took;
}

test('a login from another address waits for few of many attempts', async () => {
  const queue = new LoginQueue();
  for (let i = 0; i < 200; i++) queue.run('10.0.0.1', 'ann', check(false)).catch(() => undefined);
  expect(await timed(queue.run('10.0.0.2', 'bob', check(true)))).toBeLessThanOrEqual(3 * CHECK_MS);
});

test('a login of another user of the same address waits for one pause', async () => {
  const queue = new LoginQueue();
  for (let i = 0; i < 50; i++) queue.run('10.0.0.1', 'ann', check(false)).catch(() => undefined);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await timed(queue.run('10.0.0.1', 'bob', check(true)))).toBeLessThanOrEqual(4000);
});

test('each failure of an address lengthens its pause, up to a bound', async () => {
  const queue = new LoginQueue();
  const took: number[] = [];
  for (let i = 0; i < 12; i++) took.push(await timed(queue.run('10.0.0.1', `user ${i}`, check(false))));
  expect(took[0]).toBeLessThanOrEqual(CHECK_MS + 10);
  expect(took[6]).toBeGreaterThan(took[4]);
  expect(took[11]).toBeGreaterThanOrEqual(1000);
  expect(Math.max(...took)).toBeLessThanOrEqual(1000 + 2 * CHECK_MS);
});

test('failures of a user delay logins from elsewhere, but not from where he has logged in', async () => {
  const queue = new LoginQueue();
  await timed(queue.run('10.0.0.9', 'ann', check(true)));
  for (let i = 0; i < 20; i++) await timed(queue.run(`10.1.0.${i}`, 'ann', check(false)));
  const elsewhere = await timed(queue.run('10.0.0.8', 'ann', check(true)));
  expect(elsewhere).toBeGreaterThanOrEqual(1000);
  expect(elsewhere).toBeLessThanOrEqual(2000 + 2 * CHECK_MS);
  expect(await timed(queue.run('10.0.0.9', 'ann', check(true)))).toBeLessThanOrEqual(CHECK_MS + 10);
});

test('a known user does not wait for the attempts of others', async () => {
  const queue = new LoginQueue();
  await timed(queue.run('10.0.0.1', 'ann', check(true)));
  for (let i = 0; i < 250; i++) queue.run('10.0.0.1', `user ${i}`, check(false)).catch(() => undefined);
  expect(await timed(queue.run('10.0.0.1', 'ann', check(true)))).toBeLessThanOrEqual(CHECK_MS + 10);
});

test('beyond the limit an attempt of the user with the most is refused', async () => {
  const queue = new LoginQueue();
  let refused = 0;
  for (let i = 0; i < 300; i++) queue.run('10.0.0.1', 'ann', check(false)).catch(() => refused++);
  const other = queue.run('10.0.0.1', 'bob', check(true));
  await vi.advanceTimersByTimeAsync(0);
  expect(refused).toBeGreaterThanOrEqual(43);
  expect(await timed(other)).toBeLessThanOrEqual(4000);
});

test('an attack from many addresses does not keep its victim from logging in', async () => {
  const queue = new LoginQueue();
  let isOver = false;
  const attack = async (address: string, user: string) => {
    while (!isOver) await queue.run(address, user, check(false)).catch(() => undefined);
  };
  for (let i = 0; i < 60; i++) void attack(`10.2.0.${i}`, i % 2 === 0 ? 'ann' : `user ${i}`);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await timed(queue.run('10.3.0.1', 'ann', check(true)))).toBeLessThanOrEqual(2000 + 2 * 61 * CHECK_MS);
  expect(await timed(queue.run('10.3.0.2', 'bob', check(true)))).toBeLessThanOrEqual(2 * 61 * CHECK_MS);
  isOver = true;
  await vi.advanceTimersByTimeAsync(10_000);
});

test('failures are forgotten in time', async () => {
  const queue = new LoginQueue();
  for (let i = 0; i < 10; i++) await timed(queue.run('10.0.0.1', 'ann', check(false)));
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(await timed(queue.run('10.0.0.1', 'ann', check(true)))).toBeLessThanOrEqual(CHECK_MS + 10);
});

describe('a closed connection', () => {
  /** Attempts of one address whose connections can be closed. */
  function attempts(queue: LoginQueue, count: number, user = 'ann') {
    const closed: Array<() => void> = [];
    const state = { checked: 0, cancelled: 0 };
    for (let i = 0; i < count; i++) {
      const counted = () => {
        state.checked++;
        return check(false)();
      };
      queue
        .run('10.0.0.1', user, counted, (call) => closed.push(call))
        .catch((error) => {
          if (error.type === 'task_cancelled_exception') state.cancelled++;
        });
    }
    return { close: () => closed.forEach((call) => call()), state };
  }

  test('takes its attempt out of the queue', async () => {
    const queue = new LoginQueue();
    const { close, state } = attempts(queue, 250);
    close();
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    // One was being checked, and the check of that one is finished.
    expect(state).toEqual({ checked: 1, cancelled: 250 });
    expect(await timed(queue.run('10.0.0.1', 'bob', check(true)))).toBeLessThanOrEqual(CHECK_MS + 10);
  });

  test('leaves room for others', async () => {
    const queue = new LoginQueue();
    attempts(queue, 256).close();
    let refused = 0;
    for (let i = 0; i < 200; i++) queue.run('10.0.0.1', 'ann', check(false)).catch(() => refused++);
    await vi.advanceTimersByTimeAsync(0);
    expect(refused).toBe(0);
  });

  test('does not shorten the delay of its user, and an attempt that is being checked counts', async () => {
    const queue = new LoginQueue();
    for (let i = 0; i < 20; i++) await timed(queue.run(`10.1.0.${i}`, 'ann', check(false)));
    const { close, state } = attempts(queue, 1);
    await vi.advanceTimersByTimeAsync(100);
    close();
    expect(state).toEqual({ checked: 0, cancelled: 0 });
    expect(await timed(queue.run('10.0.0.1', 'ann', check(true)))).toBeGreaterThanOrEqual(1000);
    expect(state).toEqual({ checked: 0, cancelled: 1 });
  });

  test('of a known user does not count against the limit', async () => {
    const queue = new LoginQueue();
    await timed(queue.run('10.0.0.1', 'ann', check(true)));
    const { close, state } = attempts(queue, 100);
    close();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(state).toEqual({ checked: 1, cancelled: 100 });
    expect(await timed(queue.run('10.0.0.1', 'ann', check(true)))).toBeLessThanOrEqual(2000 + CHECK_MS);
  });
});

test('an error of a check is passed on and does not stop the queue', async () => {
  const queue = new LoginQueue();
  await expect(queue.run('10.0.0.1', 'ann', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await timed(queue.run('10.0.0.1', 'ann', check(true)))).toBeLessThanOrEqual(CHECK_MS + 10);
});

describe('queues of several threads', () => {
  const queues = (count: number): LoginQueue[] => {
    const shared = newLoginMemory();
    return Array.from({ length: count }, () => new LoginQueue(new LoginMemory(shared)));
  };

  test('failures in one thread lengthen the pauses of their address and the delays of their user in another', async () => {
    const [first, second] = queues(2);
    for (let i = 0; i < 12; i++) await timed(first.run('10.0.0.1', 'ann', check(false)));
    expect(await timed(second.run('10.0.0.1', 'bob', check(true)))).toBeGreaterThanOrEqual(900);
    expect(await timed(second.run('10.0.0.2', 'ann', check(true)))).toBeGreaterThanOrEqual(1900);
    expect(await timed(second.run('10.0.0.2', 'bob', check(true)))).toBeLessThanOrEqual(CHECK_MS + 10);
  });

  test('more threads do not let an address try more passwords', async () => {
    const three = queues(3);
    let tried = 0;
    for (const queue of three)
      for (let i = 0; i < 250; i++)
        queue
          .run('10.0.0.1', `user ${i}`, check(false))
          .then(() => tried++)
          .catch(() => undefined);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(tried).toBeGreaterThan(50);
    expect(tried).toBeLessThanOrEqual(75);
  });

  test('threads take turns, so that a user of the attacked address waits for one turn of each', async () => {
    const three = queues(3);
    for (const queue of three) for (let i = 0; i < 250; i++) queue.run('10.0.0.1', 'ann', check(false)).catch(() => undefined);
    await vi.advanceTimersByTimeAsync(30_000);
    for (const queue of three)
      expect(await timed(queue.run('10.0.0.1', `bob ${three.indexOf(queue)}`, check(true)))).toBeLessThanOrEqual(6000);
  });

  test('who has logged in through one thread is known to the others', async () => {
    const [first, second] = queues(2);
    await timed(first.run('10.0.0.1', 'ann', check(true)));
    for (let i = 0; i < 250; i++) second.run('10.0.0.1', `user ${i}`, check(false)).catch(() => undefined);
    expect(await timed(second.run('10.0.0.1', 'ann', check(true)))).toBeLessThanOrEqual(CHECK_MS + 10);
  });

  test('failures of many other names do not make a thread forget those of one', async () => {
    const [first, second] = queues(2);
    for (let i = 0; i < 12; i++) await timed(first.run('10.0.0.1', 'ann', check(false)));
    for (let i = 0; i < 500; i++) await timed(first.run(`10.7.${i >> 8}.${i & 255}`, `user ${i}`, check(false)));
    await vi.advanceTimersByTimeAsync(1000);
    expect(await timed(second.run('10.0.0.9', 'ann', check(true)))).toBeGreaterThanOrEqual(500);
  });
});

test.each([
  ['10.1.2.3', '10.1.2.3'],
  ['::ffff:10.1.2.3', '10.1.2.3'],
  ['0000:0000:0000:0000:0000:ffff:0a01:0203', '10.1.2.3'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:0db8:0001:0002::9', '2001:db8:1:2'],
  ['::1', '0:0:0:0'],
])('senders of %s are counted as %s', (address, key) => {
  expect(addressKey(address)).toBe(key);
});
