// `_cluster/reroute`: commands are checked and explained as Elasticsearch 8.15 does, and change nothing on one node.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /docs');
});
afterAll(() => node.close());

const reroute = (command: object, query = 'explain=true&metric=none') =>
  node.send(`POST /_cluster/reroute?${query}`, { commands: [command] });
const about = { index: 'docs', shard: 0 };

test('commands about the primary are explained, or refused without explain', async () => {
  const { json } = await reroute({ cancel: { ...about, node: '_local' } });
  expect(json).toMatchObject({
    acknowledged: true,
    explanations: [
      {
        command: 'cancel',
        parameters: { ...about, node: '_local', allow_primary: false },
        decisions: [{ decider: 'cancel_allocation_command', decision: 'NO' }],
      },
    ],
  });
  expect(json.state).toBeUndefined();
  expect(json.explanations[0].decisions[0].explanation).toMatch(/^can't cancel 0 on node \{.*\}, shard is primary and started$/);
  const refused = await reroute({ cancel: { ...about, node: '_local' } }, 'metric=none');
  expect(refused.status).toBe(400);
  expect(refused.json.error.reason).toMatch(/^\[cancel_allocation\] can't cancel 0/);
  const permitted = await reroute({ cancel: { ...about, node: '_local', allow_primary: true } });
  expect(permitted.json.explanations[0].decisions[0].decision).toBe('YES');
  const empty = await reroute({ allocate_empty_primary: { ...about, node: '_local' } });
  expect(empty.json.explanations[0].decisions[0].explanation).toBe('primary [docs][0] is already assigned');
  const moved = await reroute({ move: { ...about, from_node: '_local', to_node: '_local' } });
  expect(moved.json.explanations[0].decisions[0].decider).toBe('same_shard');
});

test.each([
  [{ cancel: { ...about, node: 'x' } }, 400, 'illegal_argument_exception', 'failed to resolve [x], no matching nodes'],
  [{ cancel: { index: 'none', shard: 0, node: '_local' } }, 404, 'index_not_found_exception', 'no such index [none]'],
  [{ cancel: { shard: 0 } }, 400, 'parse_exception', '[cancel] command missing the index parameter'],
  [{ cancel: { index: 'docs' } }, 400, 'parse_exception', '[cancel] command missing the shard parameter'],
  [{ cancel: { ...about, node: '_local', x: 1 } }, 400, 'parse_exception', '[cancel] command does not support field [x]'],
  [
    { allocate_stale_primary: { ...about, node: '_local' } },
    400,
    'illegal_argument_exception',
    'No data for shard [0] of index [docs] found on node [_local]',
  ],
])('%j is refused', async (command, status, type, reason) => {
  const answer = await reroute(command);
  expect(answer.status).toBe(status);
  expect(answer.json.error.caused_by ?? answer.json.error).toMatchObject({ type, reason });
});

test('unknown commands and keys are refused', async () => {
  expect((await reroute({ nothing: {} })).json.error.caused_by.type).toBe('named_object_not_found_exception');
  const { json } = await node.send('POST /_cluster/reroute', { commandsx: [] });
  expect(json.error.reason).toBe('[1:2] [cluster_reroute] unknown field [commandsx] did you mean [commands]?');
});

test('nodes list their processors and the kinds of values that aggregations accept', async () => {
  const { nodes } = await node.ok('GET /_nodes/ingest,aggregations');
  const [info] = Object.values<any>(nodes);
  expect(info.ingest.processors).toContainEqual({ type: 'grok' });
  expect(info.aggregations).toMatchObject({ filter: { types: ['other'] }, avg: { types: ['boolean', 'counter', 'date', 'numeric'] } });
});
