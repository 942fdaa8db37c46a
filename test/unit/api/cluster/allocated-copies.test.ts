// Allocated copies in `_cluster/health`, `_cat/shards`, `_cat/allocation`, the cluster state, `_cluster/allocation/explain` and `_cluster/reroute`.
import { tmpdir } from 'node:os';
import { beforeEach, describe, expect, test } from 'vitest';
import type { EngineContext } from '../../../../src/api/core/context.ts';
import { Logger } from '../../../../src/common/log/logger.ts';
import { loadSettings } from '../../../../src/config/load-settings.ts';
import { hasStartedCopy, routingOf } from '../../../../src/metadata/copies.ts';
import type { CopyRouting } from '../../../../src/metadata/copy-routing.ts';
import { Dispatcher } from '../../../../src/rest/dispatch.ts';
import { fakeEngine } from '../../../support/fake-engine.ts';
import { fakeRequest } from '../../../support/fake-http.ts';

let engine: EngineContext;
let dispatcher: Dispatcher;
const send = (line: string, body?: object) =>
  fakeRequest((http, reply) => dispatcher.handle(http, reply), line, { body: body && JSON.stringify(body) });
const uuidOf = (name: string) => engine.cluster.indices[name].uuid;
const copiesOf = (name: string) => routingOf(engine.cluster, uuidOf(name)).copies.map(({ node, replaces }) => [node, replaces]);

/** Sets the copies of an index: [node, isStarted, replaces, leftMs]. The first is the primary. */
async function place(
  name: string,
  ...places: Array<[node: string, isStarted?: boolean, replaces?: string | null, leftMs?: number | null]>
) {
  const copies = places.map(
    ([node, isStarted = true, replaces = null, leftMs = null]): CopyRouting => ({ node, id: 0, isStarted, leftMs, replaces }),
  );
  const change = {
    uuid: uuidOf(name),
    before: routingOf(engine.cluster, uuidOf(name)),
    after: { primary: places[0]?.[0] ?? null, copies },
  };
  expect(await engine.command('allocateCopies', { changes: [change] })).toEqual({ changed: 1 });
}

beforeEach(async () => {
  engine = fakeEngine();
  const [own] = engine.nodes;
  const node = (number: number) => ({
    ...own,
    id: `n${number}`,
    name: `node-${number}`,
    publishAddress: `10.0.0.${number}:9200`,
    transportAddress: `10.0.0.${number}:9300`,
    isManager: number === 1,
    attributes: { zone: number === 3 ? 'b' : 'a' },
    disk: { totalBytes: 1000, freeBytes: 900 },
  });
  Object.assign(engine, {
    nodes: [node(1), node(2), node(3)],
    nodeId: 'n1',
    nodeName: 'node-1',
    primaryNodeOf: ({ uuid }: { uuid: string }) => {
      const primary = engine.cluster.primaries?.[uuid];
      const isLive = engine.nodes.some(({ id }) => id === primary);
      return primary !== undefined && isLive && hasStartedCopy(engine.cluster, uuid, primary) ? primary : null;
    },
  });
  dispatcher = new Dispatcher(loadSettings({ flags: { 'path.data': tmpdir() } }), engine, new Logger('error'));
  await engine.command('useAllocation', { nodes: [] });
  await send('PUT /docs?wait_for_active_shards=0', { settings: { number_of_shards: 2, number_of_replicas: 1 } });
});

const health = async () => (await send('GET /_cluster/health/docs')).json;
const rows = async () => (await send('GET /_cat/shards/docs?format=json&h=shard,prirep,state,node,unassigned.reason')).json;

describe('health and lists', () => {
  test('are red without a primary, also while it is being filled', async () => {
    expect(await health()).toMatchObject({ status: 'red', active_shards: 0, unassigned_shards: 4 });
    await place('docs', ['n2', false]);
    expect(await health()).toMatchObject({ status: 'red', active_shards: 0, initializing_shards: 2, unassigned_shards: 2 });
  });

  test('count copies that are started, being filled, moving and expected to return', async () => {
    await place('docs', ['n2'], ['n3', false]);
    expect(await health()).toMatchObject({ status: 'yellow', active_shards: 2, initializing_shards: 2, unassigned_shards: 0 });
    await place('docs', ['n2'], ['n3']);
    expect(await health()).toMatchObject({ status: 'green', active_shards: 4, active_primary_shards: 2, relocating_shards: 0 });
    await place('docs', ['n2'], ['n3'], ['n1', false, 'n3']);
    expect(await health()).toMatchObject({ status: 'green', active_shards: 4, relocating_shards: 2, initializing_shards: 0 });
    await place('docs', ['n2'], ['gone', true, null, 1000]);
    expect(await health()).toMatchObject({ status: 'yellow', active_shards: 2, unassigned_shards: 2, delayed_unassigned_shards: 2 });
  });

  test('show the node and state of each copy', async () => {
    await place('docs', ['n2'], ['n3'], ['n1', false, 'n3']);
    expect((await rows()).filter(({ shard }: { shard: string }) => shard === '1')).toEqual([
      { shard: '1', prirep: 'p', state: 'STARTED', node: 'node-2', 'unassigned.reason': null },
      { shard: '1', prirep: 'r', state: 'RELOCATING', node: 'node-3 -> 10.0.0.1 n1 node-1', 'unassigned.reason': null },
    ]);
    await place('docs', ['n2'], ['gone', true, null, 1000]);
    expect((await rows())[1]).toMatchObject({ prirep: 'r', state: 'UNASSIGNED', 'unassigned.reason': 'NODE_LEFT' });
    const { routing_table: table } = (await send('GET /_cluster/state/routing_table/docs')).json;
    expect(table.indices.docs.shards['0']).toMatchObject([
      { primary: true, state: 'STARTED', node: 'n2' },
      { primary: false, state: 'UNASSIGNED', unassigned_info: { reason: 'NODE_LEFT', delayed: true, at: '1970-01-01T00:00:01.000Z' } },
    ]);
    const allocation = (await send('GET /_cat/allocation?format=json&h=node,shards')).json;
    expect(allocation).toEqual([
      { node: 'node-1', shards: '0' },
      { node: 'node-2', shards: '2' },
      { node: 'node-3', shards: '0' },
      { node: 'UNASSIGNED', shards: '2' },
    ]);
  });
});

describe('explain', () => {
  const explain = async (primary: boolean) => (await send('POST /_cluster/allocation/explain', { index: 'docs', shard: 0, primary })).json;
  const decisions = (explained: any) =>
    Object.fromEntries(
      explained.node_allocation_decisions.map((one: any) => [one.node_name, [one.node_decision, one.deciders?.[0].decider]]),
    );

  test('says why a copy has no node', async () => {
    await send('PUT /docs/_settings', { 'index.routing.allocation.require.zone': 'a' });
    await place('docs', ['n2']);
    const missing = await explain(false);
    expect(missing).toMatchObject({ current_state: 'unassigned', can_allocate: 'yes' });
    expect(decisions(missing)).toEqual({ 'node-1': ['yes', undefined], 'node-2': ['no', 'same_shard'], 'node-3': ['no', 'filter'] });
    await send('PUT /_cluster/settings', { persistent: { 'cluster.routing.allocation.enable': 'primaries' } });
    expect(await explain(false)).toMatchObject({ can_allocate: 'no' });
    await place('docs', ['n2'], ['gone', true, null, 1000]);
    expect(await explain(false)).toMatchObject({ can_allocate: 'allocation_delayed', unassigned_info: { reason: 'NODE_LEFT' } });
  });

  test('says whether a copy may stay', async () => {
    await place('docs', ['n2'], ['n3']);
    expect(await explain(true)).toMatchObject({ current_state: 'started', current_node: { id: 'n2' }, can_remain_on_current_node: 'yes' });
    await send('PUT /docs/_settings', { 'index.routing.allocation.exclude._name': 'node-2' });
    const leaving = await explain(true);
    expect(leaving).toMatchObject({ can_remain_on_current_node: 'no', can_move_to_other_node: 'yes' });
    expect(leaving.can_remain_decisions).toMatchObject([{ decider: 'filter' }]);
    expect(decisions(leaving)).toEqual({ 'node-1': ['yes', undefined], 'node-3': ['no', 'same_shard'] });
    await place('docs', ['n2'], ['n3'], ['n1', false, 'n2']);
    expect(await explain(true)).toMatchObject({ current_state: 'relocating' });
  });
});

describe('reroute', () => {
  const about = { index: 'docs', shard: 0 };
  const reroute = (commands: object[], query = 'metric=none') => send(`POST /_cluster/reroute?${query}`, { commands });
  const reasonOf = async (command: object) => (await reroute([command])).json.error.reason;

  test('moves a copy', async () => {
    await place('docs', ['n2'], ['n3']);
    expect((await reroute([{ move: { ...about, from_node: 'node-3', to_node: 'node-1' } }])).status).toBe(200);
    expect(copiesOf('docs')).toEqual([
      ['n2', null],
      ['n3', null],
      ['n1', 'n3'],
    ]);
    expect(await reasonOf({ move: { ...about, from_node: 'node-3', to_node: 'node-1' } })).toContain('already relocating');
    expect(await reasonOf({ move: { ...about, from_node: 'node-1', to_node: 'node-3' } })).toContain('has not been started');
  });

  test('adds and cancels replicas, one command after another', async () => {
    await place('docs', ['n2']);
    const commands = [{ allocate_replica: { ...about, node: 'node-3' } }, { cancel: { ...about, node: 'node-3' } }];
    expect((await reroute(commands)).status).toBe(200);
    expect(copiesOf('docs')).toEqual([['n2', null]]);
    expect((await reroute(commands.slice(0, 1))).status).toBe(200);
    expect(copiesOf('docs')).toEqual([
      ['n2', null],
      ['n3', null],
    ]);
    expect(await reasonOf({ allocate_replica: { ...about, node: 'node-1' } })).toContain('all copies of [docs][0] are already assigned');
  });

  test('cancels a primary only if another copy can take over', async () => {
    await place('docs', ['n2'], ['n3', false]);
    const cancel = { ...about, node: 'node-2', allow_primary: true };
    expect(await reasonOf({ cancel: { ...about, node: 'node-2' } })).toContain('shard is primary and started');
    expect(await reasonOf({ cancel })).toContain('no other copy of [docs] can become the primary');
    await place('docs', ['n2'], ['n3']);
    expect((await reroute([{ cancel }])).status).toBe(200);
    expect(routingOf(engine.cluster, uuidOf('docs'))).toMatchObject({ primary: 'n3', copies: [{ node: 'n3' }] });
  });

  test('changes nothing if it is a dry run, or a command is refused', async () => {
    await place('docs', ['n2'], ['n3']);
    const move = { move: { ...about, from_node: 'node-3', to_node: 'node-1' } };
    await reroute([move], 'metric=none&dry_run=true');
    const refused = await reroute([move, { move: { ...about, from_node: 'node-1', to_node: 'node-2' } }]);
    expect(refused.status).toBe(400);
    const explained = await reroute([{ move: { ...about, from_node: 'node-2', to_node: 'node-3' } }], 'metric=none&explain=true');
    expect(explained.json.explanations[0].decisions).toMatchObject([{ decider: 'same_shard', decision: 'NO' }]);
    expect(await reasonOf({ allocate_empty_primary: { ...about, node: 'node-1', accept_data_loss: true } })).toContain('from its log');
    expect(copiesOf('docs')).toEqual([
      ['n2', null],
      ['n3', null],
    ]);
  });
});
