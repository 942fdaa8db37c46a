import { expect, test } from 'vitest';
import type { ClusterState, IndexMeta } from '../../../src/metadata/cluster-state.ts';
import { emptyClusterState } from '../../../src/metadata/empty-state.ts';
import { assignPrimaries, choosePrimaries } from '../../../src/metadata/primaries.ts';
import type { ReducerEnvironment } from '../../../src/metadata/reducer.ts';
import { Rng } from '../../support/rng.ts';

const ENVIRONMENT: ReducerEnvironment = {
  nowMs: 0,
  newUuid: () => 'u',
  get dialect(): never {
    throw new Error('not used');
  },
  buildMapping: () => {
    throw new Error('not used');
  },
};

function stateOf(count: number): ClusterState {
  const indices = Object.fromEntries(
    Array.from({ length: count }, (_, n) => {
      const meta: IndexMeta = {
        name: `i${n}`,
        uuid: `u${n}`,
        creationDateMs: 0,
        state: 'open',
        settings: {},
        mappings: {},
        mappingVersion: 1,
        settingsVersion: 1,
        aliasesVersion: 1,
        aliases: {},
      };
      return [meta.name, meta];
    }),
  );
  return { ...emptyClusterState('c'), indices };
}

function assign(state: ClusterState, nodes: readonly string[]): ClusterState {
  const primaries = choosePrimaries(state, nodes);
  return primaries === null ? state : assignPrimaries(state, { primaries }, ENVIRONMENT).state;
}

test('spreads indices evenly, and moves only those of nodes that left', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const rng = new Rng(seed);
    const nodes = Array.from({ length: rng.int(2, 40) }, (_, n) => `n${n}`);
    const count = rng.int(1, 500);
    const first = assign(stateOf(count), nodes);
    const perNode = nodes.map((node) => Object.values(first.primaries ?? {}).filter((id) => id === node).length);
    expect(Math.max(...perNode) - Math.min(...perNode)).toBeLessThanOrEqual(1);
    expect(choosePrimaries(first, nodes)).toBeNull();
    const left = nodes.filter((_, n) => n > 0 && (n === 1 || rng.bool(0.8)));
    const second = assign(first, left);
    for (const [uuid, node] of Object.entries(first.primaries ?? {})) {
      if (left.includes(node)) expect(second.primaries?.[uuid]).toBe(node);
      else expect(left).toContain(second.primaries?.[uuid]);
    }
  }
});

test('forgets the nodes of deleted indices', () => {
  const { i1: _, ...indices } = assign(stateOf(3), ['a']).indices;
  const state = { ...assign(stateOf(3), ['a']), indices };
  const next = assignPrimaries(state, { primaries: { u2: 'b', gone: 'b' } }, ENVIRONMENT).state;
  expect(next.primaries).toEqual({ u0: 'a', u2: 'b' });
});
