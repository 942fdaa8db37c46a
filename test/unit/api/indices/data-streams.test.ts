// Data streams: creation by template, writes, rollover, deletion, members, aliases and lifecycles.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
});
afterAll(() => node.close());

beforeEach(async () => {
  await node.ok('DELETE /_data_stream/*');
  await node.ok('PUT /_index_template/logs', {
    index_patterns: ['logs-*'],
    data_stream: {},
    template: { mappings: { properties: { text: { type: 'text' } } }, lifecycle: { data_retention: '7d' } },
    _meta: { by: 'test' },
  });
});

const add = (index: string, time = '2024-01-01T00:00:00Z') =>
  node.ok(`POST /${index}/_doc?refresh=true`, { '@timestamp': time, text: 'fox' });
const backing = async (name: string): Promise<string[]> =>
  (await node.ok(`GET /_data_stream/${name}`)).data_streams[0].indices.map(({ index_name }: { index_name: string }) => index_name);
const failure = async (line: string, body?: unknown) => {
  const { status, json } = await node.send(line, body);
  return { status, type: json.error.type, reason: json.error.reason };
};

describe('creation', () => {
  test('a stream has a hidden backing index with a mapped time', async () => {
    await node.ok('PUT /_data_stream/logs-a');
    const [name] = await backing('logs-a');
    expect(name).toMatch(/^\.ds-logs-a-\d{4}\.\d\d\.\d\d-000001$/);
    const index = (await node.ok(`GET /${name}`))[name];
    expect(index.data_stream).toBe('logs-a');
    expect(index.settings.index.hidden).toBe('true');
    expect(index.mappings).toEqual({
      _data_stream_timestamp: { enabled: true },
      properties: { '@timestamp': { type: 'date' }, text: { type: 'text' } },
    });
  });

  test('shows template, lifecycle and options', async () => {
    await node.ok('PUT /_data_stream/logs-a');
    const [stream] = (await node.ok('GET /_data_stream/logs-*')).data_streams;
    expect(stream).toMatchObject({
      name: 'logs-a',
      timestamp_field: { name: '@timestamp' },
      generation: 1,
      _meta: { by: 'test' },
      status: 'YELLOW',
      template: 'logs',
      lifecycle: { enabled: true, data_retention: '7d', effective_retention: '7d' },
      next_generation_managed_by: 'Data stream lifecycle',
      prefer_ilm: true,
      hidden: false,
      allow_custom_routing: false,
      rollover_on_write: false,
    });
  });

  test('needs a template with data_stream', async () => {
    expect(await failure('PUT /_data_stream/other')).toEqual({
      status: 400,
      type: 'illegal_argument_exception',
      reason: 'no matching index template found for data stream [other]',
    });
    await node.ok('PUT /_index_template/plain', { index_patterns: ['plain-*'] });
    expect((await failure('PUT /_data_stream/plain-1')).reason).toBe(
      'matching index template [plain] for data stream [plain-1] has no data stream template',
    );
    await node.ok('PUT /_data_stream/logs-a');
    expect((await failure('PUT /_data_stream/logs-a')).type).toBe('resource_already_exists_exception');
    expect((await failure('PUT /logs-b')).reason).toMatch(/creates data streams only, use create data stream api instead/);
    expect((await failure('DELETE /_index_template/logs')).reason).toMatch(/in use by a data streams \[logs-a\]/);
    expect((await failure('GET /_data_stream/none')).type).toBe('index_not_found_exception');
  });

  test('a write creates it', async () => {
    const { _index } = await add('logs-new');
    expect(_index).toMatch(/^\.ds-logs-new-/);
    expect((await node.ok('GET /logs-new/_search')).hits.total.value).toBe(1);
    expect((await node.ok('GET /_search')).hits.total.value).toBe(1);
    expect((await node.ok('GET /logs-*/_count')).count).toBe(1);
  });
});

describe('writes', () => {
  test('only add documents', async () => {
    await add('logs-a');
    const reason = 'only write ops with an op_type of create are allowed in data streams';
    expect(await failure('PUT /logs-a/_doc/1', { '@timestamp': 1 })).toEqual({ status: 400, type: 'illegal_argument_exception', reason });
    expect((await failure('POST /logs-a/_update/1', { doc: {} })).reason).toBe(reason);
    expect((await failure('DELETE /logs-a/_doc/1')).reason).toBe(reason);
    const { items } = await node.ok('POST /logs-a/_bulk', [
      { create: { _id: 'a' } },
      { '@timestamp': 1 },
      { index: { _id: 'b' } },
      { '@timestamp': 1 },
      { create: { routing: 'r' } },
      { '@timestamp': 1 },
    ]);
    expect(items.map((item: any) => (item.create ?? item.index).status)).toEqual([201, 400, 400]);
    expect(items[2].create.error.reason).toMatch(/specifies a custom routing/);
  });

  test('need exactly one time', async () => {
    const { status, json } = await node.send('POST /logs-a/_doc', { text: 'x' });
    expect(status).toBe(400);
    expect(json.error.type).toBe('document_parsing_exception');
    expect(json.error.reason).toMatch(/failed to parse: data stream timestamp field \[@timestamp\] is missing$/);
    expect((await failure('POST /logs-a/_doc', { '@timestamp': [1, 2] })).reason).toMatch(/encountered multiple values$/);
  });

  test('change documents through the backing index, with conditions', async () => {
    const { _id, _index, _seq_no } = await add('logs-a');
    expect((await failure(`PUT /${_index}/_create/2`, { '@timestamp': 1 })).reason).toMatch(/op_type=create targeting backing indices/);
    expect((await failure(`PUT /${_index}/_doc/${_id}`, { '@timestamp': 1 })).reason).toMatch(/no if_primary_term and if_seq_no set/);
    await node.ok(`PUT /${_index}/_doc/${_id}?refresh=true&if_seq_no=${_seq_no}&if_primary_term=1`, { '@timestamp': 2 });
    await node.ok('POST /logs-a/_update_by_query?refresh=true', { script: { source: 'ctx._source.x = 1' } });
    expect((await node.ok('GET /logs-a/_search?q=x:1')).hits.total.value).toBe(1);
    await node.ok('POST /logs-a/_delete_by_query?refresh=true', { query: { match_all: {} } });
    expect((await node.ok('GET /logs-a/_count')).count).toBe(0);
  });

  test('reindex needs op_type create', async () => {
    await node.ok('PUT /source/_doc/1?refresh=true', { '@timestamp': 1 });
    expect((await failure('POST /_reindex', { source: { index: 'source' }, dest: { index: 'logs-re' } })).reason).toMatch(
      /op_type of create/,
    );
    await node.ok('POST /_reindex?refresh=true', { source: { index: 'source' }, dest: { index: 'logs-re', op_type: 'create' } });
    expect((await node.ok('GET /logs-re/_count')).count).toBe(1);
  });
});

describe('rollover', () => {
  test('adds a backing index that receives the writes', async () => {
    await add('logs-a');
    const answer = await node.ok('POST /logs-a/_rollover');
    expect(answer).toMatchObject({ acknowledged: true, rolled_over: true, dry_run: false, lazy: false, conditions: {} });
    expect(await backing('logs-a')).toEqual([answer.old_index, answer.new_index]);
    expect((await add('logs-a'))._index).toBe(answer.new_index);
    expect((await node.ok('GET /logs-a/_count')).count).toBe(2);
  });

  test('honours conditions, dry runs and lazy requests', async () => {
    await add('logs-a');
    const unmet = await node.ok('POST /logs-a/_rollover', { conditions: { max_docs: 5, min_docs: 1 } });
    expect(unmet).toMatchObject({ rolled_over: false, conditions: { '[max_docs: 5]': false, '[min_docs: 1]': true } });
    expect((await node.ok('POST /logs-a/_rollover?dry_run', { conditions: { max_docs: 1 } })).rolled_over).toBe(false);
    expect((await node.ok('POST /logs-a/_rollover', { conditions: { max_primary_shard_docs: 1 } })).rolled_over).toBe(true);
    expect(await node.ok('POST /logs-a/_rollover?lazy=true')).toMatchObject({ acknowledged: true, rolled_over: false, lazy: true });
    expect((await node.ok('GET /_data_stream/logs-a')).data_streams[0].rollover_on_write).toBe(true);
    await add('logs-a');
    expect(await backing('logs-a')).toHaveLength(3);
    expect((await failure('POST /logs-a/_rollover/name')).reason).toMatch(/new index name may not be specified/);
    expect((await failure('POST /logs-a/_rollover', { conditions: { min_docs: 1 } })).reason).toMatch(
      /at least one max_\* rollover condition/,
    );
  });
});

test('names in resolve, cat and statistics', async () => {
  await add('logs-a', '2024-05-05T00:00:00.000Z');
  const [name] = await backing('logs-a');
  const resolved = await node.ok('GET /_resolve/index/logs-*,.ds-*');
  expect(resolved.data_streams).toEqual([{ name: 'logs-a', backing_indices: [name], timestamp_field: '@timestamp' }]);
  expect(resolved.indices).toEqual([{ name, attributes: ['hidden', 'open'], data_stream: 'logs-a' }]);
  expect(await node.ok('GET /_cat/indices/logs-a?h=index')).toBe(`${name}\n`);
  const stats = await node.ok('GET /_data_stream/_stats');
  expect(stats).toMatchObject({ data_stream_count: 1, backing_indices: 1, _shards: { total: 1, successful: 1, failed: 0 } });
  expect(stats.data_streams[0]).toMatchObject({ data_stream: 'logs-a', backing_indices: 1, maximum_timestamp: Date.UTC(2024, 4, 5) });
});

test('is deleted with its indices, which cannot be deleted by the name of the stream', async () => {
  await add('logs-a');
  await node.ok('POST /logs-a/_rollover');
  const [first, last] = await backing('logs-a');
  expect((await failure('DELETE /logs-a')).reason).toMatch(/matches a data stream, specify the corresponding concrete indices/);
  expect((await failure(`DELETE /${last}`)).reason).toBe(
    `index [${last}] is the write index for data stream [logs-a] and cannot be deleted`,
  );
  await node.ok(`DELETE /${first}`);
  expect(await backing('logs-a')).toEqual([last]);
  await node.ok('DELETE /_data_stream/logs-a');
  expect((await node.send(`HEAD /${last}`)).status).toBe(404);
});

test('members can be removed and added', async () => {
  await add('logs-a');
  await node.ok('POST /logs-a/_rollover');
  const [first, last] = await backing('logs-a');
  const modify = (action: object) => node.send('POST /_data_stream/_modify', { actions: [action] });
  expect((await modify({ remove_backing_index: { data_stream: 'logs-a', index: last } })).status).toBe(400);
  expect((await modify({ remove_backing_index: { data_stream: 'logs-a', index: first } })).status).toBe(200);
  expect(await backing('logs-a')).toEqual([last]);
  expect((await modify({ add_backing_index: { data_stream: 'logs-a', index: first } })).status).toBe(200);
  expect(await backing('logs-a')).toEqual([first, last]);
});

test('an alias of streams finds and receives documents', async () => {
  await add('logs-a');
  await node.ok('POST /_aliases', { actions: [{ add: { index: 'logs-a', alias: 'all-logs' } }] });
  expect((await node.ok('GET /all-logs/_count')).count).toBe(1);
  expect(await node.ok('GET /_alias/all-logs')).toEqual({ 'logs-a': { aliases: { 'all-logs': {} } } });
  expect((await add('all-logs'))._index).toBe((await backing('logs-a'))[0]);
  await node.ok('DELETE /logs-a/_alias/all-logs');
  expect((await node.send('GET /all-logs/_count')).status).toBe(404);
});

test('an alias can become a stream', async () => {
  await node.ok('PUT /old-1', { mappings: { properties: { '@timestamp': { type: 'date' } } }, aliases: { 'logs-m': {} } });
  await node.ok('POST /_data_stream/_migrate/logs-m');
  expect(await backing('logs-m')).toEqual(['old-1']);
  expect((await add('logs-m'))._index).toBe('old-1');
});

test('lifecycles are shown, changed and removed', async () => {
  await node.ok('PUT /_data_stream/logs-a');
  expect(await node.ok('GET /_data_stream/logs-a/_lifecycle')).toMatchObject({
    data_streams: [{ name: 'logs-a', lifecycle: { enabled: true, data_retention: '7d' } }],
  });
  await node.ok('PUT /_data_stream/logs-*/_lifecycle', { data_retention: '30d' });
  const { data_streams } = await node.ok('GET /_data_stream/*/_lifecycle?include_defaults=true');
  expect(data_streams[0].lifecycle).toMatchObject({ data_retention: '30d', rollover: { max_age: '7d', min_docs: 1 } });
  const [name] = await backing('logs-a');
  expect((await node.ok('GET /logs-a/_lifecycle/explain')).indices[name]).toMatchObject({ managed_by_lifecycle: true });
  expect((await failure('PUT /_data_stream/logs-a/_lifecycle', { downsampling: [] })).reason).toMatch(/not supported/);
  await node.ok('DELETE /_data_stream/logs-a/_lifecycle');
  expect((await node.ok('GET /_data_stream/logs-a/_lifecycle')).data_streams).toEqual([{ name: 'logs-a' }]);
});

test('survives a restart', async () => {
  await add('logs-a');
  await node.ok('POST /logs-a/_rollover');
  const before = await node.ok('GET /_data_stream/logs-a');
  await node.restart();
  expect(await node.ok('GET /_data_stream/logs-a')).toEqual(before);
  expect((await node.ok('GET /logs-a/_count')).count).toBe(1);
});

test('values of the wrong type in templates are refused', async () => {
  const reason = async (line: string, body: object) => (await failure(line, body)).reason;
  expect(await reason('PUT /_template/b', { index_patterns: 5 })).toMatch(/^Malformed \[index_patterns\] value/);
  expect(await reason('PUT /_template/b', { index_patterns: 'b*', settings: [] })).toMatch(/^Malformed \[settings\] section/);
  expect(await reason('PUT /_template/b', { index_patterns: 'b*', order: 'x' })).toBe('For input string: "x"');
  const body = { index_patterns: ['b*'] };
  expect(await reason('PUT /_index_template/b', { ...body, template: [] })).toMatch(/template doesn't support values of type: START_ARRAY/);
  expect(await reason('PUT /_index_template/b', { ...body, data_stream: 5 })).toMatch(
    /data_stream doesn't support values of type: VALUE_NUMBER/,
  );
  expect(await reason('PUT /_index_template/b', { ...body, priority: 'x' })).toMatch(/failed to parse field \[priority\]/);
  expect(await reason('PUT /_component_template/b', { template: 5 })).toMatch(/template doesn't support values of type: VALUE_NUMBER/);
});

describe('OpenSearch', () => {
  let other: RestNode;
  beforeAll(async () => {
    other = await openRestNode({ 'compat.flavor': 'opensearch' });
  });
  afterAll(() => other.close());

  test('the time may be in a field of another name', async () => {
    await other.ok('PUT /_index_template/logs', {
      index_patterns: ['logs-*'],
      data_stream: { timestamp_field: { name: 'request_time' } },
    });
    const { _index } = await other.ok('POST /logs-nginx/_doc?refresh=true', { request_time: '2013-03-01T00:00:00', '@timestamp': 'x' });
    const { mappings } = (await other.ok(`GET /${_index}/_mapping`))[_index];
    expect(mappings._data_stream_timestamp).toEqual({ enabled: true, timestamp_field: { name: 'request_time' } });
    expect(mappings.properties.request_time).toEqual({ type: 'date' });
    expect((await other.ok('GET /_data_stream/logs-nginx')).data_streams[0].timestamp_field).toEqual({ name: 'request_time' });
    const { status, json } = await other.send('POST /logs-nginx/_doc', { '@timestamp': '2013-03-01T00:00:00' });
    expect([status, json.error.caused_by.reason]).toEqual([400, 'data stream timestamp field [request_time] is missing']);
    await other.ok('POST /logs-nginx/_rollover');
    await other.ok('POST /logs-nginx/_doc', { request_time: '2013-03-02T00:00:00' });
  });
});
