// A `_bulk` with new names: one command creates several indices, and each item gets the answer that it would get alone.
import { afterEach, expect, test, vi } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

const nodes: RestNode[] = [];
async function open(): Promise<RestNode> {
  const node = await openRestNode();
  nodes.push(node);
  await node.ok('PUT /_index_template/streams', {
    index_patterns: ['s-*'],
    data_stream: {},
    template: { settings: { number_of_replicas: 0 } },
  });
  await node.ok('PUT /_index_template/never', { index_patterns: ['never-*'], allow_auto_create: false });
  await node.ok('PUT /_index_template/one', {
    index_patterns: ['i-*'],
    template: { settings: { number_of_replicas: 0 }, aliases: { all: {} } },
  });
  await node.ok('PUT /present', { aliases: { 'present-alias': {} } });
  return node;
}
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.close();
});

const NAMES = [
  ...Array.from({ length: 20 }, (_, i) => `i-${i}`),
  ...[
    'UPPER',
    'never-1',
    's-1',
    'present',
    's-2',
    'present-alias',
    '_no',
    'i-3',
    's-1',
    'all',
    'never-2',
    'i-a,b',
    '<i-{now/d}>',
    '__proto__',
  ],
];
const linesOf = (name: string, i: number) => [{ create: { _index: name, _id: String(i) } }, { '@timestamp': '2024-01-01', n: i }];

/** Answers without what differs from run to run. */
function shown(items: any[]): unknown[] {
  return items.map((item) =>
    JSON.parse(
      JSON.stringify(item)
        .replaceAll(/"(_seq_no|took)":\d+/g, '"$1":0')
        .replaceAll(/[\w-]{22}\b/g, 'UUID'),
    ),
  );
}

test('answers each item as if it were sent alone', async () => {
  const [together, alone] = [await open(), await open()];
  const { items } = await together.ok('POST /_bulk?refresh=true', NAMES.flatMap(linesOf));
  const single: any[] = [];
  for (const [i, name] of NAMES.entries()) single.push(...(await alone.ok('POST /_bulk?refresh=true', linesOf(name, i))).items);
  expect(shown(items)).toEqual(shown(single));
  expect(items.filter((item: any) => item.create.status === 201).length).toBeGreaterThan(20);
  expect(items.filter((item: any) => item.create.status >= 400).length).toBeGreaterThan(4);
  const [left, right] = await Promise.all(
    [together, alone].map((node) => node.ok('GET /_cat/indices?h=index,docs.count&s=index&expand_wildcards=all')),
  );
  expect(left).toEqual(right);
});

test('creates several indices with one command', async () => {
  const node = await open();
  const command = vi.spyOn(node.engine, 'command');
  const names = Array.from({ length: 40 }, (_, i) => (i % 2 ? `i-${i}` : `s-${i}`));
  expect((await node.ok('POST /_bulk', names.flatMap(linesOf))).errors).toBe(false);
  expect(command.mock.calls.length).toBeLessThanOrEqual(5);
  command.mockRestore();
});

test('refuses what is above the limit of shards, without a command for each item', async () => {
  const node = await open();
  await node.ok('PUT /_cluster/settings', { persistent: { 'cluster.max_shards_per_node': 12 } });
  const command = vi.spyOn(node.engine, 'command');
  const { items } = await node.ok('POST /_bulk', Array.from({ length: 80 }, (_, i) => linesOf(`i-${i}`, i)).flat());
  expect(items.filter((item: any) => item.create.status === 201).length).toBe(10);
  const refused = items.filter((item: any) => item.create.status === 400);
  expect(refused.length).toBe(70);
  for (const item of refused) expect(item.create.error.reason).toContain('this cluster currently has [12]/[12] maximum normal shards open');
  expect(command.mock.calls.length).toBeLessThanOrEqual(10);
  command.mockRestore();
});
