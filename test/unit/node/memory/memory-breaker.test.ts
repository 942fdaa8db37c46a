import { expect, test } from 'vitest';
import { MemoryBreaker, newBreakerMemory } from '../../../../src/node/memory/memory-breaker.ts';
import { anonymousBytes } from '../../../../src/node/memory/process-memory.ts';

const MB = 1 << 20;

/** Two threads that share the breakers of a process. */
function twoThreads(limit: number) {
  const shared = newBreakerMemory();
  const process = { bytes: 50 * MB };
  const make = () => new MemoryBreaker(shared, limit, () => process.bytes);
  const main = make();
  main.setSegments(10 * MB);
  main.setBase();
  return { main, other: make(), process };
}

const errorOf = (call: () => void): any => {
  try {
    call();
  } catch (error) {
    return error;
  }
  return null;
};

test('bodies of all threads count twice, until they are released', () => {
  const { main, other } = twoThreads(100 * MB);
  main.reserve(30 * MB, 'a');
  const error = errorOf(() => other.reserve(21 * MB, '<http_request>'));
  expect(error).toMatchObject({
    type: 'circuit_breaking_exception',
    status: 429,
    reason:
      '[in_flight_requests] Data too large, data for [<http_request>] would be [106954752/102mb], which is larger than the limit of [104857600/100mb]',
    details: { bytes_wanted: 102 * MB, bytes_limit: 100 * MB, durability: 'TRANSIENT' },
  });
  other.reserve(20 * MB, 'b');
  main.release(30 * MB);
  other.reserve(25 * MB, 'c');
});

test('a body that arrives in parts holds no memory after its release', () => {
  const { main } = twoThreads(100 * MB);
  const estimated = () => main.stats().find(({ name }) => name === 'in_flight_requests')?.estimated;
  let held = 0;
  for (const part of [1, 1500, 1024, 70_001, 3]) {
    main.reserve(part, 'a', held);
    held += part;
  }
  expect(estimated()).toBe(Math.ceil(held / 1024) * 1024);
  main.release(held);
  expect(estimated()).toBe(0);
});

test('sections of paged segments are listed as segments, as each thread sees them at that moment', () => {
  const { main, other, process } = twoThreads(100 * MB);
  const sections = { bytes: 0 };
  for (const breaker of [main, other]) breaker.useSections(() => sections.bytes);
  sections.bytes = 60 * MB;
  process.bytes = 150 * MB;
  for (const breaker of [main, other]) {
    const { reason } = errorOf(() => breaker.check(MB, 'POST /_search'));
    expect(reason).toContain('usages [request=41943040/40mb, in_flight_requests=0/0b, segments=73400320/70mb]');
  }
  sections.bytes = 0;
  expect(main.stats().find(({ name }) => name === 'fielddata')?.estimated).toBe(10 * MB);
});

test('the process may grow to the limit, not counting what it needs without data', () => {
  const { other, process } = twoThreads(100 * MB);
  process.bytes = 140 * MB;
  const { reason } = errorOf(() => other.check(MB, 'POST /_search'));
  expect(reason).toBe(
    '[parent] Data too large, data for [POST /_search] would be [105906176/101mb], which is larger than the limit of [104857600/100mb], ' +
      'real usage: [104857600/100mb], new bytes reserved: [1048576/1mb], usages [request=94371840/90mb, in_flight_requests=0/0b, segments=10485760/10mb]',
  );
});

test('a body waits for the garbage of earlier ones, which their thread collects', async () => {
  const shared = newBreakerMemory();
  const process = { bytes: 90 * MB };
  let collections = 0;
  const collect = () => {
    collections++;
    process.bytes = 20 * MB;
  };
  const breaker = new MemoryBreaker(shared, 100 * MB, () => process.bytes, collect);
  // Nothing was released: the memory is in use.
  expect(breaker.makeRoom(30 * MB)).toBeNull();
  breaker.reserve(2 * MB, 'a');
  breaker.release(2 * MB);
  expect(breaker.makeRoom(MB)).toBeNull();
  await Promise.all([breaker.makeRoom(30 * MB), breaker.makeRoom(40 * MB)]);
  expect(collections).toBe(1);
  breaker.reserve(40 * MB, 'b');
  // This much garbage is collected at once if memory becomes scarce.
  process.bytes = 60 * MB;
  await expect.poll(() => breaker.usedBytes).toBe(60 * MB);
  breaker.release(40 * MB);
  await expect.poll(() => collections).toBe(2);
  breaker.reserve(20 * MB, 'c');
  breaker.release(20 * MB);
  expect(breaker.makeRoom(30 * MB)).toBeNull();
  expect(collections).toBe(2);
});

test('figures name each breaker and count its refusals', () => {
  const { main, other } = twoThreads(100 * MB);
  other.reserve(20 * MB, 'a');
  errorOf(() => main.reserve(90 * MB, 'b'));
  other.countRequest();
  const stats = Object.fromEntries(main.stats().map(({ name, ...figures }) => [name, figures]));
  expect(stats).toEqual({
    request: { limit: 100 * MB, estimated: 0, overhead: 1, tripped: 1 },
    fielddata: { limit: 100 * MB, estimated: 10 * MB, overhead: 1, tripped: 0 },
    in_flight_requests: { limit: 100 * MB, estimated: 20 * MB, overhead: 2, tripped: 1 },
    parent: { limit: 100 * MB, estimated: 10 * MB, overhead: 1, tripped: 0 },
  });
});

test('the memory of this process is measured', () => {
  const before = anonymousBytes();
  expect(before).toBeGreaterThan(MB);
  expect(before).toBeLessThanOrEqual(process.memoryUsage.rss() * 1.5);
  const block = Buffer.alloc(200 * MB, 1);
  expect(anonymousBytes() - before).toBeGreaterThan(150 * MB);
  expect(block.length).toBe(200 * MB);
});
