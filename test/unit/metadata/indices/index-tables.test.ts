import { expect, test } from 'vitest';
import type { ClusterState } from '../../../../src/metadata/cluster-state.ts';
import { namesOfIndex } from '../../../../src/metadata/indices/data-streams.ts';
import { membersOfName, openShards, streamsOfAlias } from '../../../../src/metadata/indices/index-tables.ts';
import { fakeEngine } from '../../../support/fake-engine.ts';
import { forSeeds, type Rng } from '../../../support/rng.ts';

const NAMES = ['a', 'b', 'c', 'd', 's-1', 's-2', 's-3', 'x', 'y', '__proto__', 'constructor'];

/** The answers from all metadata of a state, without tables. */
function slowly(state: ClusterState): unknown {
  const indices = Object.values(state.indices);
  const streams = Object.values(state.dataStreams ?? {});
  const shards = (settings: (typeof indices)[0]['settings']) =>
    Number(settings['index.number_of_shards']) * (1 + Number(settings['index.number_of_replicas']));
  return {
    members: NAMES.map((name) => indices.filter((meta) => Object.hasOwn(namesOfIndex(state, meta), name)).map((meta) => meta.name)),
    streams: NAMES.map((name) => streams.filter(({ aliases }) => Object.hasOwn(aliases, name)).map((stream) => stream.name)),
    shards: indices.reduce((sum, meta) => sum + (meta.state === 'open' ? shards(meta.settings) : 0), 0),
  };
}

function byTables(state: ClusterState): unknown {
  const order = Object.keys(state.dataStreams ?? {});
  return {
    members: NAMES.map((name) => membersOfName(state, name).map((meta) => meta.name)),
    streams: NAMES.map((name) => [...streamsOfAlias(state.dataStreams ?? {}, name)].sort((p, q) => order.indexOf(p) - order.indexOf(q))),
    shards: openShards(state),
  };
}

async function change(engine: ReturnType<typeof fakeEngine>, rng: Rng): Promise<unknown> {
  const { indices, dataStreams = {} } = engine.cluster;
  const name = rng.pick(NAMES);
  const some = Object.keys(indices).filter(() => rng.bool(0.3));
  const streams = Object.keys(dataStreams).filter(() => rng.bool(0.3));
  switch (rng.int(0, 8)) {
    case 0: {
      const aliases = JSON.parse(`{${rng.bool() ? `${JSON.stringify(rng.pick(NAMES))}:{"is_write_index":${rng.bool()}}` : ''}}`);
      return engine.command('createIndex', { index: name, body: { aliases, settings: { number_of_replicas: rng.int(0, 2) } } });
    }
    case 1:
      return engine.command('createDataStream', { name });
    case 2:
      return engine.command('autoCreateIndices', { indices: [name, rng.pick(NAMES), rng.pick(NAMES)] });
    case 3:
      return engine.command('deleteIndex', { indices: some });
    case 4:
      return engine.command('deleteDataStreams', { names: streams });
    case 5:
      return engine.command('closeIndices', { indices: some });
    case 6:
      return engine.command('openIndices', { indices: some });
    case 7: {
      const from = rng.pick(Object.keys(dataStreams).concat('none'));
      const last = dataStreams[from]?.indices.at(-1) ?? '';
      return engine.command('rolloverDataStream', { name: from, from: last, metConditions: [], lazy: rng.bool(0.2) });
    }
    default: {
      const target = { indices: some, dataStreams: streams, aliases: [name] };
      const alias = rng.bool() ? {} : { is_write_index: rng.bool() };
      const kind = rng.bool(0.7) ? { kind: 'add' as const, alias } : { kind: 'remove' as const, mustExist: null };
      return engine.command('updateAliases', { actions: [{ ...target, ...kind }] });
    }
  }
}

test('tables that commands carry over answer as all metadata does, for each state', async () => {
  const seeds: Rng[] = [];
  forSeeds(25, (rng) => seeds.push(rng));
  let changes = 0;
  let refusals = 0;
  for (const rng of seeds) {
    const engine = fakeEngine();
    await engine.command('putIndexTemplate', {
      name: 't',
      create: false,
      body: { index_patterns: ['s-*'], data_stream: {}, template: rng.bool() ? { aliases: { x: {} } } : {} },
    });
    const states: ClusterState[] = [];
    for (let i = 0; i < 40; i++) {
      await change(engine, rng).then(
        () => changes++,
        () => refusals++,
      );
      states.push(engine.cluster);
      if (rng.bool(0.7)) expect(byTables(engine.cluster), `seed ${rng.seed}, change ${i}`).toEqual(slowly(engine.cluster));
    }
    const old = rng.pick(states);
    expect(byTables(old), `seed ${rng.seed}, an older state`).toEqual(slowly(old));
    expect(byTables(engine.cluster), `seed ${rng.seed}, the newest state`).toEqual(slowly(engine.cluster));
  }
  expect(Math.min(changes, refusals)).toBeGreaterThan(200);
});
