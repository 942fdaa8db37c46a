// `_cluster/allocation/explain` and `_cluster/reroute` in a cluster of two nodes, each of which has a copy of every shard.
import { beforeEach, describe, expect, test } from 'vitest';
import type { EngineContext } from '../../../../src/api/core/context.ts';
import { Logger } from '../../../../src/common/log/logger.ts';
import { loadSettings } from '../../../../src/config/load-settings.ts';
import { Dispatcher } from '../../../../src/rest/dispatch.ts';
import { fakeEngine } from '../../../support/fake-engine.ts';
import { fakeRequest } from '../../../support/fake-http.ts';

const OTHER = 'othernodeidothernode22';
let engine: EngineContext;
let dispatcher: Dispatcher;

beforeEach(async () => {
  engine = fakeEngine();
  const [own] = engine.nodes;
  const other = {
    ...own,
    id: OTHER,
    name: 'other',
    publishAddress: '127.0.0.2:9200',
    transportAddress: '127.0.0.2:9300',
    isManager: false,
  };
  Object.assign(engine, { nodes: [own, other], primaryNodeOf: () => OTHER });
  dispatcher = new Dispatcher(loadSettings({ flags: {} }), engine, new Logger('error'));
  await send('PUT /docs', { settings: { number_of_replicas: 1 } });
  await send('PUT /more', { settings: { number_of_replicas: 2 } });
});

const send = (line: string, body?: object) =>
  fakeRequest((http, reply) => dispatcher.handle(http, reply), line, { body: body && JSON.stringify(body) });
const explain = async (body?: object) => (await send('POST /_cluster/allocation/explain', body)).json;

describe('an assigned copy', () => {
  test('is explained on the node that has it', async () => {
    const primary = await explain({ index: 'docs', shard: 0, primary: true });
    expect(primary).toMatchObject({
      primary: true,
      current_state: 'started',
      current_node: { id: OTHER, name: 'other', transport_address: '127.0.0.2:9300' },
      can_rebalance_to_other_node: 'no',
    });
    const replica = await explain({ index: 'docs', shard: 0, primary: false });
    expect(replica).toMatchObject({ primary: false, current_state: 'started', current_node: { id: engine.nodeId } });
    expect(replica.node_allocation_decisions).toMatchObject([
      {
        node_id: OTHER,
        node_decision: 'no',
        deciders: [{ decider: 'same_shard', explanation: expect.stringContaining('[P], s[STARTED]') }],
      },
    ]);
  });

  test('is looked for on the wanted node', async () => {
    const wanted = { index: 'docs', shard: 0, primary: true };
    expect((await explain({ ...wanted, current_node: 'other' })).current_node.id).toBe(OTHER);
    expect((await explain({ ...wanted, current_node: 'fake' })).error.reason).toBe(
      'unable to find a primary shard assigned to node [fake]',
    );
  });
});

describe('a copy without a node', () => {
  test('has a reason for each live node', async () => {
    for (const body of [undefined, { index: 'more', shard: 0, primary: false }]) {
      const explained = await explain(body);
      expect(explained).toMatchObject({ index: 'more', primary: false, current_state: 'unassigned', can_allocate: 'no' });
      expect(explained.node_allocation_decisions.map(({ node_name, deciders }: any) => [node_name, deciders[0].explanation])).toEqual([
        ['fake', expect.stringContaining(`node[${engine.nodeId}], [R]`)],
        ['other', expect.stringContaining(`node[${OTHER}], [P]`)],
      ]);
    }
  });

  test('is a primary until the manager has assigned it', async () => {
    Object.assign(engine, { primaryNodeOf: () => null });
    expect(await explain({ index: 'docs', shard: 0, primary: true })).toMatchObject({
      current_state: 'unassigned',
      can_allocate: 'awaiting_info',
      unassigned_info: { reason: 'NODE_LEFT' },
    });
  });
});

describe('commands of _cluster/reroute', () => {
  const about = { index: 'docs', shard: 0 };
  const reroute = async (command: object) => (await send('POST /_cluster/reroute?explain=true&metric=none', { commands: [command] })).json;
  const decisionOf = async (command: object) => (await reroute(command)).explanations[0].decisions[0];

  test('name any live node', async () => {
    for (const node of ['other', OTHER, '127.0.0.2:9200', 'oth*'])
      expect((await decisionOf({ allocate_replica: { ...about, node } })).explanation).toContain(`node[${OTHER}], [P]`);
    expect((await decisionOf({ move: { ...about, from_node: 'other', to_node: '_local' } })).explanation).toContain(
      `node[${engine.nodeId}], [R]`,
    );
    expect((await reroute({ move: { ...about, from_node: 'other', to_node: 'gone' } })).error.reason).toBe(
      'failed to resolve [gone], no matching nodes',
    );
  });

  test('do not cancel copies, which every node has', async () => {
    const decision = await decisionOf({ cancel: { ...about, node: 'other', allow_primary: true } });
    expect(decision.decision).toBe('NO');
    expect(decision.explanation).toMatch(/on node \{other\}\{othernode.*\}, every node of the cluster has a copy of every shard$/);
  });
});
