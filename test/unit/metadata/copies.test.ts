// Copies as part of the metadata: commands that change them, and what the allocator decides from it.
import { describe, expect, test } from 'vitest';
import { decideCopies } from '../../../src/metadata/allocation/cluster-input.ts';
import type { AllocationNode } from '../../../src/metadata/allocation/routing.ts';
import type { ClusterState, IndexMeta } from '../../../src/metadata/cluster-state.ts';
import {
  allocateCopies,
  copyOn,
  hasCopy,
  hasStartedCopy,
  indicesOf,
  intendedReplicas,
  routingOf,
  startCopy,
  useAllocation,
} from '../../../src/metadata/copies.ts';
import { emptyClusterState } from '../../../src/metadata/empty-state.ts';
import type { ReducerEnvironment } from '../../../src/metadata/reducer.ts';
import { Rng } from '../../support/rng.ts';

const ENVIRONMENT = {} as ReducerEnvironment;

function indexNamed(name: string, settings: Record<string, string> = {}): IndexMeta {
  return { name, uuid: `u-${name}`, state: 'open', settings, creationDateMs: 1 } as unknown as IndexMeta;
}

function stateOf(...indices: IndexMeta[]): ClusterState {
  return { ...emptyClusterState('uuid'), indices: Object.fromEntries(indices.map((index) => [index.name, index])) };
}

function nodesNamed(...names: string[]): AllocationNode[] {
  return names.map((name) => ({ id: name, name, host: '10.0.0.1', attributes: {}, disk: null }));
}

const run = (state: ClusterState, nodes: AllocationNode[], nowMs = 0, isEverywhere = false): ClusterState => {
  const { changes } = decideCopies(state, { nowMs, nodes, bytes: new Map(), isEverywhere });
  return allocateCopies(state, { changes }, ENVIRONMENT).state;
};
/** Every copy on these nodes is filled. */
const start = (state: ClusterState, nodes: AllocationNode[]): ClusterState => {
  let next = state;
  for (const [uuid, copies] of Object.entries(state.copies ?? {}))
    for (const { node, id } of copies)
      if (nodes.some((one) => one.id === node)) next = startCopy(next, { uuid, node, id }, ENVIRONMENT).state;
  return next;
};
const settle = (state: ClusterState, nodes: AllocationNode[], nowMs = 0, isEverywhere = false): ClusterState => {
  for (let round = 0, before = state; round < 200; round++) {
    const next = start(run(before, nodes, nowMs, isEverywhere), nodes);
    if (next === before) return next;
    before = next;
  }
  throw new Error('allocation does not come to an end');
};
const allocated = (state: ClusterState, nodes: AllocationNode[]): ClusterState =>
  useAllocation(state, { nodes: nodes.map(({ id }) => id) }, ENVIRONMENT).state;

const NODES = nodesNamed('a', 'b', 'c');

describe('without allocation', () => {
  const state = stateOf(indexNamed('docs'));

  test('every node has a copy that may be searched', () => {
    expect([hasCopy(state, 'u-docs', 'a'), hasStartedCopy(state, 'u-docs', 'any'), copyOn(state, 'u-docs', 'a')]).toEqual([
      true,
      true,
      null,
    ]);
    expect(indicesOf(state, 'a')).toEqual(new Set(['u-docs']));
  });

  test('decisions and starts change nothing', () => {
    const change = { uuid: 'u-docs', before: routingOf(state, 'u-docs'), after: { primary: 'a', copies: [] } };
    expect(allocateCopies(state, { changes: [change] }, ENVIRONMENT)).toEqual({ state, response: { changed: 0 } });
    expect(startCopy(state, { uuid: 'u-docs', node: 'a', id: 1 }, ENVIRONMENT).state).toBe(state);
  });
});

describe('allocation', () => {
  test('begins with the copies that all nodes have, and removes those that are too many, never the primary', () => {
    const before = { ...stateOf(indexNamed('docs', { 'index.number_of_replicas': '1' })), primaries: { 'u-docs': 'c' } };
    const first = allocated(before, NODES);
    expect(NODES.every(({ id }) => hasStartedCopy(first, 'u-docs', id))).toBe(true);
    expect(allocated(first, nodesNamed('a')).copies).toBe(first.copies);
    const settled = settle(first, NODES);
    expect(settled.primaries).toEqual({ 'u-docs': 'c' });
    expect(settled.copies?.['u-docs'].map(({ node }) => node).sort()).toHaveLength(2);
    expect(hasStartedCopy(settled, 'u-docs', 'c')).toBe(true);
  });

  test('gives a new index copies that are to be filled, and no node a copy before that', () => {
    const state = { ...allocated(stateOf(), NODES), indices: stateOf(indexNamed('new')).indices };
    expect(NODES.some(({ id }) => hasCopy(state, 'u-new', id))).toBe(false);
    const decided = run(state, NODES);
    const [copy] = decided.copies?.['u-new'] ?? [];
    expect(copy).toMatchObject({ isStarted: false, leftMs: null, replaces: null });
    expect([hasCopy(decided, 'u-new', copy.node), hasStartedCopy(decided, 'u-new', copy.node)]).toEqual([true, false]);
    expect(hasStartedCopy(start(decided, NODES), 'u-new', copy.node)).toBe(true);
  });

  test('skips decisions about an index that has changed since', () => {
    const state = settle(allocated(stateOf(indexNamed('docs'), indexNamed('more')), NODES), NODES);
    const lost = nodesNamed('a');
    const { changes } = decideCopies(state, { nowMs: 0, nodes: lost, bytes: new Map(), isEverywhere: false });
    expect(changes).toHaveLength(2);
    const once = allocateCopies(state, { changes: [changes[0]] }, ENVIRONMENT);
    const twice = allocateCopies(once.state, { changes }, ENVIRONMENT);
    expect([once.response.changed, twice.response.changed]).toEqual([1, 1]);
    expect(allocateCopies(twice.state, { changes }, ENVIRONMENT).state).toBe(twice.state);
  });

  test('a copy that was replaced by another one on the same node is not started by a late report', () => {
    const state = { ...allocated(stateOf(), NODES), indices: stateOf(indexNamed('new')).indices };
    const decided = run(state, nodesNamed('a'));
    const [copy] = decided.copies?.['u-new'] ?? [];
    expect(startCopy(decided, { uuid: 'u-new', node: 'a', id: copy.id - 1 }, ENVIRONMENT).state).toBe(decided);
    expect(startCopy(decided, { uuid: 'u-new', node: 'b', id: copy.id }, ENVIRONMENT).state).toBe(decided);
  });

  test('forgets the copies of deleted indices', () => {
    const state = settle(allocated(stateOf(indexNamed('docs'), indexNamed('more')), NODES), NODES);
    const without = { ...state, indices: stateOf(indexNamed('more')).indices };
    const next = run({ ...without, indices: { ...without.indices, ...stateOf(indexNamed('new')).indices } }, NODES);
    expect(Object.keys(next.copies ?? {}).sort()).toEqual(['u-more', 'u-new']);
    expect(Object.keys(next.primaries ?? {}).sort()).toEqual(['u-more', 'u-new']);
  });

  test('everywhere gives every node a copy', () => {
    const state = settle(allocated(stateOf(indexNamed('docs', { 'index.number_of_replicas': '0' })), NODES), NODES);
    expect(state.copies?.['u-docs']).toHaveLength(1);
    const everywhere = settle(state, NODES, 0, true);
    expect(NODES.every(({ id }) => hasStartedCopy(everywhere, 'u-docs', id))).toBe(true);
  });

  test('counts all shards of an index, which are together', () => {
    const limit = { 'index.routing.allocation.total_shards_per_node': '2', 'index.number_of_replicas': '0' };
    const small = indexNamed('small', { ...limit, 'index.number_of_shards': '2' });
    const large = indexNamed('large', { ...limit, 'index.number_of_shards': '3' });
    const state = { ...allocated(stateOf(), NODES), indices: stateOf(small, large).indices };
    const settled = settle(state, NODES);
    expect(settled.copies?.['u-small']).toHaveLength(1);
    expect(settled.copies?.['u-large'] ?? []).toEqual([]);
  });

  test('balances shards, not indices', () => {
    const settings = (shards: number) => ({ 'index.number_of_replicas': '0', 'index.number_of_shards': String(shards) });
    const indices = [indexNamed('six', settings(6)), ...[1, 2, 3, 4, 5, 6].map((n) => indexNamed(`one-${n}`, settings(1)))];
    const nodes = nodesNamed('a', 'b');
    const state = settle({ ...allocated(stateOf(), nodes), indices: stateOf(...indices).indices }, nodes);
    const [{ node }] = state.copies?.['u-six'] ?? [];
    const alone = Object.entries(state.copies ?? {}).filter(([, [copy]]) => copy.node === node);
    expect(alone.map(([uuid]) => uuid)).toEqual(['u-six']);
  });
});

describe('a primary that moves', () => {
  test('becomes a replica before its copy is removed', () => {
    const index = (node: string) =>
      stateOf(indexNamed('docs', { 'index.number_of_replicas': '0', 'index.routing.allocation.require._name': node })).indices;
    const settled = settle({ ...allocated(stateOf(), NODES), indices: index('a') }, NODES);
    const filling = run({ ...settled, indices: index('b') }, NODES);
    expect(filling.copies?.['u-docs'].map(({ node, replaces }) => [node, replaces])).toEqual([
      ['a', null],
      ['b', 'a'],
    ]);
    const both = run(start(filling, NODES), NODES);
    expect([both.primaries?.['u-docs'], both.copies?.['u-docs'].length]).toEqual(['b', 2]);
    const moved = run(both, NODES);
    expect(moved.copies?.['u-docs'].map(({ node, replaces }) => [node, replaces])).toEqual([['b', null]]);
  });
});

test('replicas follow the number of nodes if they expand', () => {
  const of = (settings: Record<string, string>) => intendedReplicas({ settings }, 4);
  expect([of({}), of({ 'index.number_of_replicas': '2' })]).toEqual([1, 2]);
  const expanding = (range: string) => of({ 'index.auto_expand_replicas': range, 'index.number_of_replicas': '9' });
  expect([expanding('0-1'), expanding('0-all'), expanding('5-all'), expanding('false')]).toEqual([1, 3, 5, 9]);
});

test('whatever happens, an index with a live started copy has a live primary after each decision', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const rng = new Rng(seed);
    const pool = nodesNamed('a', 'b', 'c', 'd', 'e');
    const indices = [0, 1, 2].map((n) =>
      indexNamed(`i${n}`, { 'index.number_of_replicas': String(rng.int(0, 2)), 'index.number_of_shards': '2' }),
    );
    let state = allocated(stateOf(...indices), pool.slice(0, 3));
    let live = pool;
    for (let step = 0, nowMs = 0; step < 40; step++, nowMs += rng.int(0, 40_000)) {
      if (rng.int(0, 2) === 0) live = pool.filter(() => rng.int(0, 2) > 0);
      if (live.length === 0) live = pool;
      state = run(rng.int(0, 1) === 0 ? start(state, live) : state, live, nowMs);
      for (const [uuid, copies] of Object.entries(state.copies ?? {})) {
        const where = `seed ${seed}, step ${step}`;
        const ids = new Set(live.map(({ id }) => id));
        if (new Set(copies.map(({ node }) => node)).size < copies.length) throw new Error(`two copies on a node: ${where}`);
        const isStarted = copies.some((copy) => copy.isStarted && ids.has(copy.node));
        if (isStarted && !ids.has(state.primaries?.[uuid] ?? '')) throw new Error(`no live primary: ${where}`);
      }
    }
  }
});
