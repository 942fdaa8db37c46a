// index.mode: the defaults of an index of logs, and refused combinations, as in Elasticsearch 8.15.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

const LOGS = { settings: { 'index.mode': 'logsdb' } };

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
});
afterAll(() => node.close());

test('an index of logs has a timestamp, hosts and synthetic sources', async () => {
  await node.ok('PUT /logs', LOGS);
  expect((await node.ok('GET /logs/_mapping')).logs.mappings).toEqual({
    _data_stream_timestamp: { enabled: true },
    _source: { mode: 'synthetic' },
    properties: {
      '@timestamp': { type: 'date' },
      host: { properties: { name: { type: 'keyword', ignore_above: 1024 } } },
    },
  });
  await node.ok('PUT /logs/_doc/1', { '@timestamp': '2024-01-02', message: 'a line', z: [2, 1] });
  expect((await node.ok('GET /logs/_doc/1'))._source).toEqual({ '@timestamp': '2024-01-02T00:00:00.000Z', message: 'a line', z: [1, 2] });
  const { status, json } = await node.send('PUT /logs/_doc/2', { message: 'x' });
  expect([status, json.error.caused_by.reason]).toEqual([400, 'data stream timestamp field [@timestamp] is missing']);
});

test('merged segments are ordered by host and time, the newest first', async () => {
  await node.ok('PUT /sorted', LOGS);
  const lines = [
    ['a', '2024-01-01'],
    ['b', '2024-01-01'],
    ['a', '2024-01-03'],
    ['b', '2024-01-02'],
    [null, '2024-01-01'],
  ];
  for (const [name, time] of lines) await node.ok('POST /sorted/_doc?refresh=true', { '@timestamp': time, host: { name } });
  await node.ok('POST /sorted/_forcemerge?max_num_segments=1');
  await node.ok('POST /sorted/_refresh');
  const { hits } = await node.ok('POST /sorted/_search', { sort: ['_doc'] });
  const found = hits.hits.map(({ _source }: { _source: any }) => [_source.host?.name ?? null, _source['@timestamp'].slice(0, 10)]);
  expect(found).toEqual([
    [null, '2024-01-01'],
    ['b', '2024-01-02'],
    ['b', '2024-01-01'],
    ['a', '2024-01-03'],
    ['a', '2024-01-01'],
  ]);
});

test('mappings of the request replace the defaults', async () => {
  const mappings = { _source: { mode: 'stored' }, properties: { '@timestamp': { type: 'date_nanos' }, text: { type: 'text' } } };
  await node.ok('PUT /own', { ...LOGS, mappings });
  const found = (await node.ok('GET /own/_mapping')).own.mappings;
  expect([found._source.mode, found.properties['@timestamp'].type]).toEqual(['stored', 'date_nanos']);
});

test.each([
  [{ settings: { 'index.mode': 'foo' } }, 'No enum constant org.elasticsearch.index.IndexMode.FOO'],
  [{ settings: { 'index.mode': 'time_series' } }, '[index.mode=time_series] requires a non-empty [index.routing_path]'],
  [
    { ...LOGS, mappings: { properties: { '@timestamp': { type: 'keyword' } } } },
    'data stream timestamp field [@timestamp] is of type [keyword], but [date,date_nanos] is expected',
  ],
  [
    { ...LOGS, mappings: { _source: { enabled: false } } },
    'Failed to parse mapping: Indices with with index mode [logsdb] only support synthetic source',
  ],
])('refuses %o', async (body, reason) => {
  const { status, json } = await node.send('PUT /refused', body);
  expect([status, json.error.reason]).toEqual([400, reason]);
});
