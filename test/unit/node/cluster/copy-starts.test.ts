// Copies that a node is being given are reported as started once they contain everything.
import { expect, test } from 'vitest';
import type { ClusterState } from '../../../../src/metadata/cluster-state.ts';
import { CopyStarts } from '../../../../src/node/cluster/copy-starts.ts';

function stateOf(id: number, isStarted = false, node = 'own'): ClusterState {
  return {
    indices: { docs: { name: 'docs', uuid: 'u', state: 'open', settings: { 'index.number_of_shards': '2' } } },
    copies: { u: [{ node, id, isStarted, leftMs: null, replaces: null }] },
  } as unknown as ClusterState;
}

/** A node whose requests are recorded. @param refuse  makes them fail */
function world(initial: ClusterState, refuse: (what: string) => boolean = () => false) {
  const seen: string[] = [];
  const at = { state: initial, isLeaving: false, done: (): void => {} };
  const act = (what: string) => {
    if (refuse(what)) throw new Error(`no ${what}`);
    seen.push(what);
  };
  const starts = new CopyStarts({
    nodeId: 'own',
    node: () => ({
      state: () => at.state,
      askShard: async ({ kind, shard }) => act(`${kind} ${shard}`),
      command: async (name, args) => {
        act(`${name} ${JSON.stringify(args)}`);
        at.done();
      },
    }),
    isLeaving: () => at.isLeaving,
  });
  return { starts, seen, at };
}

test('each shard is refreshed before the copy is reported', async () => {
  const { starts, seen, at } = world(stateOf(7));
  const done = new Promise<void>((resolve) => (at.done = resolve));
  starts.update(at.state);
  starts.update(at.state);
  await done;
  expect(seen).toEqual(['refresh 0', 'refresh 1', 'startCopy {"uuid":"u","node":"own","id":7}']);
});

test('nothing is done for copies of others, for started ones, and where every node has a copy', async () => {
  for (const state of [stateOf(7, true), stateOf(7, false, 'other'), { ...stateOf(7), copies: undefined }]) {
    const { starts, seen } = world(state);
    starts.update(state);
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toEqual([]);
  }
});

test('what fails is repeated, until the copy is no longer wanted', async () => {
  let failures = 0;
  const { starts, seen, at } = world(stateOf(7), (what) => what === 'refresh 1' && failures++ < 2);
  const done = new Promise<void>((resolve) => (at.done = resolve));
  starts.update(at.state);
  await done;
  expect([failures, seen.at(-1)]).toEqual([3, 'startCopy {"uuid":"u","node":"own","id":7}']);

  const asked = { count: 0 };
  const replaced = world(stateOf(7), () => {
    asked.count++;
    // The copy was taken away, and another one has come.
    replaced.at.state = stateOf(8);
    return true;
  });
  replaced.starts.update(replaced.at.state);
  await expect.poll(() => asked.count).toBe(1);
  replaced.at.isLeaving = true;
  expect(replaced.seen).toEqual([]);
});
