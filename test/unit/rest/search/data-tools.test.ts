// Requests of programs that show data of Elasticsearch: Grafana's data source (health, version, fields, and one `_msearch` for each kind of panel) and
// elasticvue (every page). The paths, parameters and forms are those that the two send; the data and the bodies are our own.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

const START = Date.UTC(2026, 10, 1);
const HOUR = 3_600_000;
const LEVELS = ['info', 'warn', 'error'];

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode({ 'compat.version': '8.15.0' });
  await node.ok('PUT /logs-2026.11', {
    settings: { number_of_replicas: 0 },
    mappings: {
      properties: {
        '@timestamp': { type: 'date' },
        level: { type: 'keyword' },
        message: { type: 'text', fields: { keyword: { type: 'keyword' } } },
        bytes: { type: 'long' },
        place: { type: 'geo_point' },
        parts: { type: 'nested', properties: { size: { type: 'integer' } } },
        host: { properties: { name: { type: 'keyword' } } },
      },
    },
  });
  const lines = Array.from({ length: 48 }, (_, i) => [
    { index: { _id: String(i) } },
    {
      '@timestamp': new Date(START + i * HOUR).toISOString(),
      level: LEVELS[i % 3],
      message: `request ${i} refused`,
      bytes: i,
      place: { lat: i, lon: i },
      parts: [{ size: i }],
      host: { name: 'a' },
    },
  ]).flat();
  await node.ok('POST /logs-2026.11/_bulk?refresh=true', lines);
});
afterAll(() => node.close());

describe('Grafana', () => {
  const range = { range: { '@timestamp': { format: 'epoch_millis', gte: START, lte: START + 48 * HOUR - 1 } } };
  const words = (query: string) => ({ query_string: { analyze_wildcard: true, query } });
  const query = (text = '*') => ({ bool: { filter: [range, words(text)] } });
  /** Sends searches as the data source does. @returns their responses */
  async function panel(...bodies: readonly object[]): Promise<any[]> {
    const header = { ignore_unavailable: true, index: 'logs-*', search_type: 'query_then_fetch' };
    const { responses } = await node.ok(
      'POST /_msearch?max_concurrent_shard_requests=5',
      bodies.flatMap((body) => [header, body]),
    );
    expect(responses.map(({ status }: { status: number }) => status)).toEqual(bodies.map(() => 200));
    return responses;
  }
  const perDay = (aggs: object, more: object = {}) => ({
    date_histogram: {
      field: '@timestamp',
      fixed_interval: '1d',
      min_doc_count: 0,
      extended_bounds: { min: START, max: START + 3 * 24 * HOUR - 1 },
      format: 'epoch_millis',
      ...more,
    },
    aggs,
  });

  test('checks the health and the version, and reads the fields of the newest index', async () => {
    expect((await node.ok('GET /_cluster/health?wait_for_status=yellow')).status).toMatch(/^(?:green|yellow)$/);
    expect((await node.ok('GET /')).version.number).toBe('8.15.0');
    const [index] = Object.values((await node.ok('GET /logs-*/_mapping')) as Record<string, any>);
    expect(index.mappings.properties['@timestamp']).toEqual({ type: 'date' });
    expect(index.mappings.properties.host.properties.name.type).toBe('keyword');
    expect((await node.send('GET /absent-2026.12.01/_mapping')).status).toBe(404);
  });

  test('draws counts over time, with empty days', async () => {
    const [{ hits, aggregations }] = await panel({ size: 0, query: query(), aggs: { 2: perDay({}) } });
    expect(hits.hits).toEqual([]);
    expect(aggregations['2'].buckets.map(({ key_as_string: key, doc_count: count }: any) => [key, count])).toEqual([
      [String(START), 24],
      [String(START + 24 * HOUR), 24],
      [String(START + 48 * HOUR), 0],
    ]);
  });

  test('draws metrics by term and time, with pipelines over them', async () => {
    const metrics = {
      1: { avg: { field: 'bytes' } },
      3: { percentiles: { field: 'bytes', percents: ['25', '50', '99'] } },
      4: { extended_stats: { field: 'bytes', sigma: 2 } },
      5: { cardinality: { field: 'host.name', precision_threshold: 100 } },
      6: { derivative: { buckets_path: '1', unit: '1s' } },
      7: { moving_fn: { buckets_path: '_count', window: 5, script: 'MovingFunctions.unweightedAvg(values)' } },
      8: { bucket_script: { buckets_path: { a: '1', b: '_count' }, script: 'params.a * params.b' } },
      9: { cumulative_sum: { buckets_path: '1', format: '0.0' } },
      10: { serial_diff: { buckets_path: '1', lag: 1 } },
      11: { top_metrics: { metrics: [{ field: 'bytes' }], size: '1', sort: [{ '@timestamp': 'desc' }] } },
      12: { rate: { field: 'bytes', unit: 'hour', mode: 'sum' } },
    };
    const byLevel = { terms: { field: 'level', size: 500, order: { 1: 'desc' }, min_doc_count: 1, missing: 'none' } };
    const [{ aggregations }] = await panel({
      size: 0,
      query: query('message:refused'),
      aggs: { 2: { ...byLevel, aggs: { 1: metrics[1], 20: perDay(metrics) } } },
    });
    const { buckets } = aggregations['2'];
    expect(buckets.map(({ key }: any) => key)).toEqual(['error', 'warn', 'info']);
    const [first, second, last] = buckets[2]['20'].buckets;
    expect(first['1'].value).toBe(10.5);
    expect(second['6'].normalized_value).toBeCloseTo(24 / 86_400, 10);
    expect(second['8'].value).toBe(34.5 * 8);
    expect(second['9']).toMatchObject({ value: 45, value_as_string: '45.0' });
    expect(second['10'].value).toBe(24);
    expect(second['7'].value).toBe(8);
    expect(first['3'].values['50.0']).toBe(10.5);
    expect(first['5'].value).toBe(1);
    expect(first['11'].top[0].metrics.bytes).toBe(21);
    expect(first['4'].std_deviation_bounds.upper).toBeGreaterThan(first['1'].value);
    expect(last.doc_count).toBe(0);
  });

  test('groups by filters, histogram, cells and nested documents', async () => {
    const responses = await panel(
      { size: 0, query: query(), aggs: { 2: { filters: { filters: { bad: words('level:error'), all: words('*') } } } } },
      { size: 0, query: query(), aggs: { 2: { histogram: { field: 'bytes', interval: 24, min_doc_count: 0 } } } },
      { size: 0, query: query(), aggs: { 2: { geohash_grid: { field: 'place', precision: 1 } } } },
      { size: 0, query: query(), aggs: { 2: { nested: { path: 'parts' }, aggs: { 3: { max: { field: 'parts.size' } } } } } },
    );
    const [filters, histogram, cells, nested] = responses.map(({ aggregations }) => aggregations['2']);
    expect([filters.buckets.bad.doc_count, filters.buckets.all.doc_count]).toEqual([16, 48]);
    expect(histogram.buckets.map(({ doc_count: count }: any) => count)).toEqual([24, 24]);
    expect(cells.buckets.reduce((sum: number, { doc_count: count }: any) => sum + count, 0)).toBe(48);
    expect(nested['3'].value).toBe(47);
  });

  test('shows logs with marked words, and those before and after one', async () => {
    const logs = (order: string, more: object = {}) => ({
      size: 5,
      query: query('refused'),
      sort: [{ '@timestamp': { order, unmapped_type: 'boolean' } }, { _doc: { order } }],
      docvalue_fields: ['@timestamp'],
      script_fields: {},
      fields: [{ field: '@timestamp', format: 'strict_date_optional_time_nanos' }],
      highlight: { fields: { '*': {} }, pre_tags: ['@HIGHLIGHT@'], post_tags: ['@/HIGHLIGHT@'], fragment_size: 2147483647 },
      ...more,
    });
    const [page] = await panel({ ...logs('desc'), aggs: { 1: perDay({}, { fixed_interval: '7200000ms' }) } });
    const [first] = page.hits.hits;
    expect(first.highlight.message).toEqual(['request 47 @HIGHLIGHT@refused@/HIGHLIGHT@']);
    expect(first.fields['@timestamp']).toEqual(['2026-11-02T23:00:00.000Z']);
    const [before, after] = await panel(
      logs('desc', { search_after: page.hits.hits[2].sort }),
      logs('asc', { search_after: page.hits.hits[2].sort }),
    );
    expect(before.hits.hits.map(({ _id }: any) => _id)).toEqual(['44', '43', '42', '41', '40']);
    expect(after.hits.hits.map(({ _id }: any) => _id)).toEqual(['46', '47']);
  });

  test('lists values of a field for variables, and reads annotations', async () => {
    const terms = { terms: { field: 'level', size: 500, order: { _key: 'asc' } } };
    const ranges = [{ range: { '@timestamp': { from: START, to: START + HOUR, format: 'epoch_millis' } } }];
    const annotations = {
      bool: { filter: [{ bool: { should: ranges, minimum_should_match: 1 } }, { query_string: { query: 'refused' } }] },
    };
    const [values, notes] = await panel(
      { size: 0, query: { bool: { filter: [range] } }, aggs: { 1: terms } },
      { size: 10000, query: annotations },
    );
    expect(values.aggregations['1'].buckets.map(({ key }: any) => key)).toEqual(['error', 'info', 'warn']);
    expect(notes.hits.hits).toHaveLength(2);
  });

  test('gets the error of one panel beside the data of the others', async () => {
    const header = { ignore_unavailable: true, index: 'logs-*', search_type: 'query_then_fetch' };
    const bodies = [
      { size: 0, query: query('level:(') },
      { size: 0, query: query() },
    ];
    const { responses } = await node.ok(
      'POST /_msearch',
      bodies.flatMap((body) => [header, body]),
    );
    expect(responses[0]).toMatchObject({ status: 400, error: { root_cause: [{ type: expect.any(String), reason: expect.any(String) }] } });
    expect(responses[1].hits.total.value).toBe(48);
  });
});

describe('elasticvue', () => {
  const NODE_COLUMNS =
    'ip,id,name,version,heap.percent,heap.current,heap.max,ram.percent,ram.current,ram.max,node.role,master,cpu,load_1m,load_5m,load_15m,disk.used_percent,disk.used,disk.total,shards';

  test.each([
    ['nodes', `GET /_cat/nodes?h=${encodeURIComponent(NODE_COLUMNS)}&full_id=true`, NODE_COLUMNS],
    [
      'shards',
      'GET /_cat/shards/?h=index,shard,prirep,state,node,docs,store,ip,node,unassigned.reason',
      'index,shard,prirep,state,node,docs,store,ip',
    ],
    [
      'indices',
      'GET /_cat/indices/?h=index,health,status,uuid,pri,rep,docs.count,store.size,sc,cd&bytes=b&expand_wildcards=all',
      'index,health,status,uuid,pri,rep,docs.count,store.size,sc,cd',
    ],
    ['indices of shards', 'GET /_cat/indices/?h=index,health,pri,rep,status&s=health:desc,index', 'index,health,pri,rep,status'],
    ['recoveries', 'GET /_cat/recovery?s=start_time_millis:desc', 'index,shard,stage'],
  ])('lists %s with their columns', async (_, line, columns) => {
    const { status, json } = await node.send(line, undefined, { accept: 'application/json' });
    expect(status).toBe(200);
    for (const row of json) expect(Object.keys(row)).toEqual(expect.arrayContaining(columns.split(',')));
    expect(json.length).toBeGreaterThan(0);
  });

  test.each([
    ['GET /_cluster/stats', ['indices', 'nodes']],
    ['GET /_cluster/health', ['status', 'active_shards_percent_as_number', 'number_of_pending_tasks']],
    ['GET /_nodes', ['nodes', '_nodes']],
    ['GET /_recovery', ['logs-2026.11']],
    ['GET /_index_template', ['index_templates']],
    ['GET /_template', []],
    ['GET /_snapshot', []],
    ['GET /_slm/policy', []],
    ['GET /_slm/status', ['operation_mode']],
    ['GET /logs-2026.11/_alias', ['logs-2026.11']],
    ['GET /logs-2026.11/_stats', ['_all', 'indices']],
    ['GET /logs-2026.11/_settings', ['logs-2026.11']],
    ['GET /logs-2026.11', ['logs-2026.11']],
    ['POST /logs-2026.11/_cache/clear', ['_shards']],
    ['POST /logs-2026.11/_forcemerge', ['_shards']],
    ['POST /logs-2026.11/_flush', ['_shards']],
  ])('%s', async (line, keys) => {
    expect(Object.keys(await node.ok(line))).toEqual(expect.arrayContaining(keys));
  });

  test('searches all indices, edits a document, and deletes documents with lines that end in CR LF', async () => {
    const found = await node.ok('POST /*/_search', { query: { query_string: { query: '*' } }, size: 10, from: 0, sort: [] });
    expect(found.hits.hits).toHaveLength(10);
    await node.ok('PUT /scratch/_doc/a%2Fb?refresh=true', { n: 1 });
    await node.ok('PUT /scratch/_doc/c?refresh=true&routing=r', { n: 2 });
    expect((await node.ok('GET /scratch/_doc/a%2Fb'))._source).toEqual({ n: 1 });
    const lines = ['{"delete":{"_index":"scratch","_id":"a/b"}}', ''].join('\r\n');
    expect((await node.ok('POST /_bulk?refresh=true', lines)).errors).toBe(false);
    expect((await node.ok('POST /scratch/_delete_by_query?refresh=true', { query: { match_all: {} } })).deleted).toBe(1);
    expect((await node.ok('PUT /scratch/_alias/paper')).acknowledged).toBe(true);
    expect(
      (await node.ok('POST /_reindex?wait_for_completion=false', { source: { index: 'logs-2026.11' }, dest: { index: 'copy' } })).task,
    ).toMatch(/:/);
    for (const line of ['POST /scratch/_close', 'POST /scratch/_open', 'DELETE /scratch/_alias/paper', 'DELETE /scratch'])
      expect((await node.ok(line)).acknowledged).toBe(true);
  });
});
