import { expect, test } from 'vitest';
import type { ClusterState, IndexMeta } from '../../../src/metadata/cluster-state.ts';
import { emptyClusterState } from '../../../src/metadata/empty-state.ts';
import { applyChange, changeOf } from '../../../src/metadata/state-change.ts';
import { decodeChange, encodeChange } from '../../../src/node/metadata/state-encoding.ts';

const LONG = Array.from({ length: 10_000 }, (_, i) => `word ${i}`);

function index(name: string): IndexMeta {
  return {
    name,
    uuid: `uuid of ${name}`,
    creationDateMs: 1,
    state: 'open',
    settings: { 'index.analysis.filter.f.stopwords': LONG },
    mappings: { properties: { a: { type: 'long' } } },
    mappingVersion: 1,
    settingsVersion: 1,
    aliasesVersion: 1,
    aliases: {},
  } as IndexMeta;
}

const first = index('a');
const before: ClusterState = {
  ...emptyClusterState('u'),
  indices: { a: first, b: index('b') },
  scripts: { s: { script: { source: '1' } } },
};

/** Applies a change like a thread that has a copy of the state. */
function sent(next: ClusterState, times = 1): { state: ClusterState; bytes: number } {
  const change = changeOf(before, next);
  if (change === null) throw new Error('nothing changed');
  const shared = encodeChange(change);
  let state = structuredClone(before);
  for (let i = 0; i < times; i++) state = applyChange(state, decodeChange(shared));
  return { state, bytes: shared.byteLength };
}

test('new, changed and removed entries', () => {
  const changed = { ...first, mappings: { properties: { b: { type: 'keyword' } } }, mappingVersion: 2 };
  const own = Object.fromEntries([['__proto__', { script: { source: '2' } }]]);
  const next: ClusterState = { ...before, version: 7, indices: { c: index('c'), a: changed }, scripts: own, synonymSets: { s: [] } };
  for (const times of [1, 2]) {
    const { state } = sent(next, times);
    expect(state).toEqual(next);
    expect(Object.keys(state.scripts)).toEqual(['__proto__']);
    expect(Object.keys(state.indices)).toEqual(['a', 'c']);
  }
  expect(sent({ ...before, scripts: {} }).state.scripts).toEqual({});
});

test('has the size of what changed', () => {
  const { bytes } = sent({ ...before, indices: { ...before.indices, a: { ...first, aliases: { x: {} }, aliasesVersion: 2 } } });
  expect(bytes).toBeLessThan(1000);
});

test('is null for the same state', () => {
  expect(changeOf(before, before)).toBeNull();
  const { state } = sent({ ...before });
  expect(state).toEqual(before);
});
