import { expect, test } from 'vitest';
import { SearchContexts } from '../../../../src/node/main/search-contexts.ts';
import { SnapshotRegistry } from '../../../../src/node/memory/snapshot-registry.ts';

/** State of a scroll that began at this time. */
const stateOf = (nowMs: number) => ({ filters: [], body: '', parameters: {}, nowMs, after: null });
const extent = (ptr: number) => ({ arena: 0, ptr, bytes: 10 });
const snapshot = (generation: number, ptr: number) => ({
  indexUuid: 'u',
  shard: 0,
  generation,
  maxSeqNo: 0,
  segments: [{ id: ptr, name: `s${ptr}`, extent: extent(ptr), sizeBytes: 10, paging: null, maxDoc: 1, liveDocs: null, deleted: 0 }],
});

/** A registry without readers: all but the newest snapshot are freed unless a context holds them. */
function setUp() {
  const freed: number[] = [];
  const registry = new SnapshotRegistry(({ ptr }) => freed.push(ptr));
  const clock = { now: 1000 };
  const contexts = new SearchContexts(registry, 'node', () => clock.now);
  const first = snapshot(1, 100);
  registry.publish(first);
  const open = (kind: 'scroll' | 'pit', limit = 10) =>
    contexts.handle({ action: 'open', kind, snapshots: [first], keepAliveMs: 60, limit, state: stateOf(0) }) as string;
  const use = (kind: 'scroll' | 'pit', key: string) =>
    contexts.handle({ action: 'use', kind, key, keepAliveMs: null }) as { loan: number; state: unknown; snapshots: unknown[] } | null;
  return { freed, registry, clock, contexts, open, use, supersede: () => registry.publish(snapshot(2, 200)) };
}

test('a context keeps its snapshots and its last state until it is closed', () => {
  const { freed, contexts, open, use, supersede } = setUp();
  const key = open('scroll');
  supersede();
  expect(freed).toEqual([]);
  const first = use('scroll', key)!;
  expect(first.state).toEqual(stateOf(0));
  contexts.handle({ action: 'endUse', loan: first.loan, state: stateOf(1) });
  const second = use('scroll', key)!;
  expect(second.state).toEqual(stateOf(1));
  expect(contexts.handle({ action: 'close', kind: 'scroll', keys: [key, 'unknown'] })).toEqual([key]);
  expect(use('scroll', key)).toBeNull();
  expect(freed).toEqual([]); // borrowed still
  contexts.handle({ action: 'endUse', loan: second.loan });
  expect(freed).toEqual([100]);
});

test('an unused context expires, but not while a request uses it', () => {
  const { freed, clock, contexts, open, use, supersede } = setUp();
  const key = open('pit');
  supersede();
  const { loan } = use('pit', key)!;
  clock.now += 1000;
  contexts.sweep();
  expect(freed).toEqual([]);
  contexts.handle({ action: 'endUse', loan });
  clock.now += 59;
  contexts.sweep();
  expect(contexts.handle({ action: 'list', kind: 'pit' })).toMatchObject([{ key, keepAliveMs: 60, indexUuids: ['u'] }]);
  clock.now += 2;
  contexts.sweep();
  expect(freed).toEqual([100]);
  expect(use('pit', key)).toBeNull();
});

test('scrolls and points in time have separate limits and keys', () => {
  const { contexts, open, use } = setUp();
  const scroll = open('scroll', 1);
  expect(() => open('scroll', 1)).toThrow('Trying to create too many scroll contexts. Must be less than or equal to: [1]');
  const pit = open('pit', 1);
  expect(use('pit', scroll)).toBeNull();
  expect(contexts.handle({ action: 'close', kind: 'scroll', keys: null })).toEqual([scroll]);
  expect(use('pit', pit)).not.toBeNull();
});
