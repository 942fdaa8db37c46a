// Simulation of allocation: nodes come and go, settings and sizes change, and copies start one after another. A failure names its seed.
import { describe, expect, test } from 'vitest';
import { allocate } from '../../../../src/metadata/allocation/allocate.ts';
import type { AllocationDecision, AllocationIndex, AllocationInput, AllocationNode } from '../../../../src/metadata/allocation/routing.ts';
import { NOT_ROUTED, type ShardRouting } from '../../../../src/metadata/copy-routing.ts';
import { Rng } from '../../../support/rng.ts';

const GB = 2 ** 30;

function nodeOf(number: number, attributes: Record<string, string> = {}, disk: AllocationNode['disk'] = null): AllocationNode {
  return { id: `n${number}`, name: `node-${number}`, host: `10.0.0.${number}`, attributes, disk };
}

function nodesOf(count: number, attributes: (number: number) => Record<string, string> = () => ({})): AllocationNode[] {
  return Array.from({ length: count }, (_, number) => nodeOf(number, attributes(number)));
}

function indexOf(number: number, shards: number, replicas: number, bytes = 0, settings: Record<string, string> = {}): AllocationIndex {
  return {
    uuid: `u${number}`,
    name: `index-${number}`,
    replicas,
    creationDateMs: number,
    settings,
    weight: 1,
    shards: Array.from({ length: shards }, () => ({ routing: NOT_ROUTED, bytes })),
  };
}

/** A cluster in which decisions are carried out. */
class World {
  nowMs = 0;
  nodes: AllocationNode[];
  indices: AllocationIndex[];
  settings: Record<string, unknown>;
  moves = 0;

  constructor(nodes: AllocationNode[], indices: AllocationIndex[], settings: Record<string, unknown> = {}) {
    this.nodes = nodes;
    this.indices = indices;
    this.settings = settings;
  }

  get input(): AllocationInput {
    return this;
  }

  decide(): AllocationDecision {
    const decision = allocate(this.input);
    const byIndex = new Map<string, Map<number, ShardRouting>>();
    for (const { uuid, shard, routing } of decision.changes) {
      const changed = byIndex.get(uuid) ?? new Map<number, ShardRouting>();
      byIndex.set(uuid, changed.set(shard, routing));
    }
    this.#map((index, shard, routing) => {
      const next = byIndex.get(index.uuid)?.get(shard) ?? routing;
      const before = new Set(routing.copies.map(({ node }) => node));
      this.moves += next.copies.filter(({ node, replaces }) => replaces !== null && !before.has(node)).length;
      return next;
    });
    return decision;
  }

  #map(change: (index: AllocationIndex, shard: number, routing: ShardRouting) => ShardRouting): void {
    this.indices = this.indices.map((index) => ({
      ...index,
      shards: index.shards.map((shard, number) => ({ ...shard, routing: change(index, number, shard.routing) })),
    }));
  }

  /** Copies that are being filled on live nodes have been filled. */
  start(): void {
    const live = new Set(this.nodes.map(({ id }) => id));
    this.#map((_index, _shard, { primary, copies }) => ({
      primary,
      copies: copies.map((copy) => (live.has(copy.node) ? { ...copy, isStarted: true } : copy)),
    }));
  }

  /** Decides until nothing changes. @returns the number of decisions that changed something */
  settle(most = 2000): number {
    for (let decisions = 0; ; decisions++) {
      if (decisions > most) throw new Error('allocation does not come to an end');
      if (this.decide().changes.length === 0) return decisions;
      this.start();
    }
  }

  get copies(): Array<{ readonly uuid: string; readonly shard: number; readonly node: string; readonly isPrimary: boolean }> {
    return this.indices.flatMap(({ uuid, shards }) =>
      shards.flatMap(({ routing }, shard) =>
        routing.copies.map(({ node }) => ({ uuid, shard, node, isPrimary: node === routing.primary })),
      ),
    );
  }

  countsOf(uuid?: string): number[] {
    const counts = new Map(this.nodes.map(({ id }) => [id, 0]));
    for (const copy of this.copies) if (uuid === undefined || copy.uuid === uuid) counts.set(copy.node, (counts.get(copy.node) ?? 0) + 1);
    return [...counts.values()];
  }
}

/** What must hold in every state. */
function checkSafety(world: World): void {
  for (const { shards, replicas } of world.indices) {
    for (const { routing } of shards) {
      const nodes = routing.copies.map(({ node }) => node);
      expect(new Set(nodes).size).toBe(nodes.length);
      expect(routing.copies.filter(({ replaces }) => replaces === null).length).toBeLessThanOrEqual(1 + replicas);
      if (routing.primary !== null) expect(nodes).toContain(routing.primary);
    }
  }
}

describe('copies', () => {
  test('are on different nodes, and balanced', () => {
    const world = new World(nodesOf(5), [indexOf(1, 10, 1), indexOf(2, 5, 2)]);
    world.settle();
    checkSafety(world);
    expect(world.copies).toHaveLength(35);
    expect(world.countsOf()).toEqual([7, 7, 7, 7, 7]);
    expect(world.countsOf('u1')).toEqual([4, 4, 4, 4, 4]);
  });

  test('that have no node stay unassigned', () => {
    const world = new World(nodesOf(2), [indexOf(1, 1, 2)]);
    world.settle();
    expect(world.copies).toHaveLength(2);
    expect(world.decide().unassigned).toBe(1);
  });

  test('are balanced by bytes as well', () => {
    const world = new World(nodesOf(4), [indexOf(1, 2, 0, 40 * GB), indexOf(2, 2, 0, GB), indexOf(3, 2, 0, GB), indexOf(4, 2, 0, 40 * GB)]);
    world.settle();
    const large = new Set(world.copies.filter(({ uuid }) => uuid === 'u1' || uuid === 'u4').map(({ node }) => node));
    expect(large.size).toBe(4);
  });

  test('of fewer replicas are removed, the primary never', () => {
    const world = new World(nodesOf(3), [indexOf(1, 4, 2)]);
    world.settle();
    const primaries = world.copies.filter(({ isPrimary }) => isPrimary);
    world.indices = world.indices.map((index) => ({ ...index, replicas: 0 }));
    world.decide();
    expect(world.copies).toEqual(primaries);
  });
});

describe('a node that leaves', () => {
  function lost(settings: Record<string, string> = {}): World {
    const world = new World(nodesOf(4), [indexOf(1, 6, 1, GB, settings)]);
    world.settle();
    world.nodes = world.nodes.slice(1);
    return world;
  }

  test('loses its primaries at once, and its copies after the delay', () => {
    const world = lost();
    const { changes, againMs } = world.decide();
    expect(world.copies.filter(({ isPrimary, node }) => isPrimary && node === 'n0')).toEqual([]);
    expect(changes.some(({ routing }) => routing.copies.some(({ isStarted }) => !isStarted))).toBe(false);
    expect(againMs).toBe(60_000);
    world.nowMs = 60_000;
    world.settle();
    expect(world.copies.filter(({ node }) => node === 'n0')).toEqual([]);
    expect(world.countsOf()).toEqual([4, 4, 4]);
  });

  test('keeps its copies if it returns in time', () => {
    const world = lost({ 'index.unassigned.node_left.delayed_timeout': '5m' });
    const before = world.copies.map(({ node }) => node);
    world.decide();
    world.nowMs = 299_000;
    expect(world.decide().changes).toEqual([]);
    world.nodes = [nodeOf(0), ...world.nodes];
    world.settle();
    expect(world.copies.map(({ node }) => node)).toEqual(before);
  });

  test('loses the only copies of a shard after the delay, and another node fills them from the log', () => {
    const world = new World(nodesOf(2), [indexOf(1, 2, 0, GB)]);
    world.settle();
    world.nodes = world.nodes.slice(1);
    world.decide();
    expect(world.copies.filter(({ isPrimary }) => isPrimary)).toHaveLength(1);
    world.nowMs = 60_000;
    world.settle();
    expect(world.copies.map(({ node }) => node)).toEqual(['n1', 'n1']);
  });
});

describe('settings', () => {
  test.each([
    ['cluster.routing.allocation.exclude._name', 'node-0,node-1', [2, 3]],
    ['cluster.routing.allocation.require.rack', 'a', [0, 2]],
    ['cluster.routing.allocation.include._ip', '10.0.0.3,10.0.0.0', [0, 3]],
  ])('[%s] moves copies away', (name, value, allowed) => {
    const world = new World(
      nodesOf(4, (number) => ({ rack: number % 2 === 0 ? 'a' : 'b' })),
      [indexOf(1, 8, 1, GB)],
    );
    world.settle();
    world.settings = { [name]: value };
    world.settle();
    expect([...new Set(world.copies.map(({ node }) => node))].sort()).toEqual(allowed.map((number) => `n${number}`));
    expect(world.copies).toHaveLength(16);
  });

  test('of an index limit its shards on a node', () => {
    const world = new World(nodesOf(3), [indexOf(1, 6, 0, 0, { 'index.routing.allocation.total_shards_per_node': '1' })]);
    world.settle();
    expect(world.countsOf()).toEqual([1, 1, 1]);
    expect(world.decide().unassigned).toBe(3);
  });

  test('spread copies over zones, also those without live nodes', () => {
    const zones = (number: number) => ({ zone: number < 4 ? 'a' : 'b' });
    const world = new World(nodesOf(5, zones), [indexOf(1, 10, 1)], { 'cluster.routing.allocation.awareness.attributes': 'zone' });
    world.settle();
    expect(world.countsOf()[4]).toBe(10);
    const forced = new World(
      nodesOf(2, () => ({ zone: 'a' })),
      [indexOf(1, 3, 1)],
      { 'cluster.routing.allocation.awareness.attributes': 'zone', 'cluster.routing.allocation.awareness.force.zone.values': 'a,b' },
    );
    forced.settle();
    expect(forced.copies).toHaveLength(3);
  });

  test.each([
    ['none', 0],
    ['primaries', 3],
    ['new_primaries', 3],
    ['all', 6],
  ])('cluster.routing.allocation.enable: %s assigns %i copies of a new index', (enable, copies) => {
    const world = new World(nodesOf(3), [indexOf(1, 3, 1)], { 'cluster.routing.allocation.enable': enable });
    world.settle();
    expect(world.copies).toHaveLength(copies);
  });

  test('keep copies off full disks, and move them away from disks above the high watermark', () => {
    const disk = (free: number) => ({ totalBytes: 100 * GB, freeBytes: free * GB });
    const world = new World([nodeOf(0, {}, disk(12)), nodeOf(1, {}, disk(50)), nodeOf(2, {}, disk(60))], [indexOf(1, 3, 0, GB)]);
    world.settle();
    expect(world.countsOf()[0]).toBe(0);
    world.nodes = [nodeOf(0, {}, disk(50)), nodeOf(1, {}, disk(8)), nodeOf(2, {}, disk(60))];
    world.settle();
    expect(world.countsOf()[1]).toBe(0);
  });

  test('limit recoveries of a node at a time', () => {
    const world = new World(nodesOf(2), [indexOf(1, 20, 0, GB)]);
    world.settle();
    world.indices = world.indices.map((index) => ({ ...index, replicas: 1 }));
    world.decide();
    expect(world.copies.length).toBe(24);
  });
});

test('a new node receives its share, and no copy moves more than once', () => {
  const world = new World(nodesOf(3), [indexOf(1, 30, 1, GB)]);
  world.settle();
  world.nodes = nodesOf(4);
  world.moves = 0;
  world.settle();
  expect(world.countsOf()).toEqual([15, 15, 15, 15]);
  expect(world.moves).toBe(15);
});

test('the same input gives the same decision, and a settled cluster stays as it is', () => {
  const world = new World(nodesOf(7), [indexOf(1, 20, 2, GB), indexOf(2, 9, 1, 3 * GB)]);
  expect(allocate(world.input)).toEqual(allocate(world.input));
  world.settle();
  expect(allocate(world.input).changes).toEqual([]);
});

test('random changes never lead to two copies on a node or to moves without an end', () => {
  const first = Number(process.env['GANNET_SEED'] ?? 1);
  for (let seed = first; seed < first + 60; seed++) {
    const rng = new Rng(seed);
    const pool = nodesOf(8, (number) => ({ zone: `z${number % 3}` }));
    const indices = Array.from({ length: 6 }, (_, number) => indexOf(number, rng.int(1, 6), rng.int(0, 2), rng.int(0, 3) * GB));
    const world = new World(pool.slice(0, 5), indices);
    for (let step = 0; step < 25; step++) {
      const kind = rng.int(0, 7);
      if (kind < 2) world.nodes = pool.filter(() => rng.int(0, 3) > 0);
      else if (kind === 2) world.nowMs += rng.int(0, 90_000);
      else if (kind === 3) world.settings = { 'cluster.routing.allocation.exclude._name': `node-${rng.int(0, 7)}` };
      else if (kind === 4) world.settings = { 'cluster.routing.allocation.awareness.attributes': 'zone' };
      else if (kind === 5) world.indices = world.indices.map((index) => ({ ...index, replicas: rng.int(0, 2) }));
      else world.start();
      world.decide();
      checkSafety(world);
    }
    world.settings = {};
    world.nodes = pool;
    world.nowMs += 600_000;
    world.start();
    world.settle();
    checkSafety(world);
    const expected = world.indices.reduce((sum, { shards, replicas }) => sum + shards.length * (1 + replicas), 0);
    expect(world.copies.length, `seed ${seed}`).toBe(expected);
    expect(Math.max(...world.countsOf()) - Math.min(...world.countsOf()), `seed ${seed}`).toBeLessThanOrEqual(4);
  }
});

test('1,000 nodes with 100,000 shards: bounded work, no move in balance, and few after a node is lost', { timeout: 60_000 }, () => {
  const world = new World(
    nodesOf(1000),
    Array.from({ length: 1000 }, (_, number) => indexOf(number, 50, 1)),
    { 'cluster.routing.allocation.node_concurrent_recoveries': 100 },
  );
  expect(world.settle()).toBeLessThanOrEqual(3);
  expect(world.copies).toHaveLength(100_000);
  const counts = world.countsOf();
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  expect(allocate(world.input).changes).toEqual([]);
  world.nodes = world.nodes.slice(1);
  world.decide();
  world.nowMs = 60_000;
  world.moves = 0;
  // The copies of the lost node, each assigned once, and nothing else.
  const assigned = world.decide().changes.filter(({ routing }) => routing.copies.some(({ isStarted }) => !isStarted));
  expect(assigned).toHaveLength(counts[0]);
  world.start();
  world.settle();
  expect(world.moves).toBe(0);
});
