// Indices in time series mode: ids that follow from dimensions and times, bounds, the order of documents, refused operations, and the aggregation.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

const SETTINGS = {
  'index.mode': 'time_series',
  'index.routing_path': ['host'],
  'index.time_series.start_time': '2024-01-01T00:00:00Z',
  'index.time_series.end_time': '2024-02-01T00:00:00Z',
};
const PROPERTIES = {
  '@timestamp': { type: 'date' },
  host: { type: 'keyword', time_series_dimension: true },
  cpu: { type: 'double', time_series_metric: 'gauge' },
  bytes: { type: 'long', time_series_metric: 'counter' },
};
const NAME = 'metrics';

interface Answer {
  readonly status: number;
  readonly reason: string;
  readonly json: Record<string, never>;
}

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
  const properties = {
    ...PROPERTIES,
    port: { type: 'long', time_series_dimension: true },
    ip: { type: 'ip', time_series_dimension: true },
  };
  const settings = { ...SETTINGS, 'index.number_of_shards': 3 };
  await node.ok(`PUT /${NAME}`, { settings, mappings: { properties } });
});
afterAll(() => node.close());

async function ask(line: string, body?: unknown): Promise<Answer> {
  const { status, json } = await node.send(line, body);
  const { error } = json as { error?: { root_cause?: Array<{ reason: string }> } };
  return { status, reason: error?.root_cause?.[0]?.reason ?? '', json: json as Answer['json'] };
}
const index = (source: object): Promise<Answer> => ask(`POST /${NAME}/_doc?refresh=true`, source);

describe('documents', () => {
  const first = { '@timestamp': '2024-01-05T00:00:00Z', host: 'a', port: 80, cpu: 1.5, bytes: 3 };
  let id = '';

  test('get ids that follow from their series and time', async () => {
    const { status, json } = await index(first);
    expect(status).toBe(201);
    id = json['_id'];
    expect(id).toMatch(/^[\w-]{27}$/);
    const again = await index({ ...first, cpu: 9 });
    expect(again.status).toBe(409);
    expect(again.reason).toContain('version conflict, document already exists');
    expect(await ask(`POST /${NAME}/_doc?op_type=index&refresh=true`, { ...first, port: '80', cpu: 2 })).toMatchObject({
      status: 200,
      json: { _id: id, result: 'updated' },
    });
    const otherTime = await index({ ...first, '@timestamp': '2024-01-05T00:00:00.001Z' });
    const otherSeries = await index({ ...first, port: 81 });
    expect(otherTime.status).toBe(201);
    expect(otherSeries.status).toBe(201);
    expect(new Set([id, otherTime.json['_id'], otherSeries.json['_id']]).size).toBe(3);
  });

  test('are found and deleted by these ids', async () => {
    expect(await ask(`GET /${NAME}/_doc/${id}`)).toMatchObject({ status: 200, json: { _source: { cpu: 2, host: 'a', port: 80 } } });
    for (const line of [`GET /${NAME}/_doc/zzz`, `DELETE /${NAME}/_doc/zzz`, `GET /${NAME}/_source/zzz`]) {
      expect(await ask(line)).toMatchObject({ status: 404, reason: `invalid id [zzz] for index [${NAME}] in time series mode` });
    }
    const gone = { ...first, '@timestamp': '2024-01-06T00:00:00Z' };
    const { json } = await index(gone);
    expect((await ask(`DELETE /${NAME}/_doc/${json['_id']}?refresh=true`)).status).toBe(200);
    expect((await ask(`GET /${NAME}/_doc/${json['_id']}`)).status).toBe(404);
  });

  test.each([
    [{ host: 'a' }, 'data stream timestamp field [@timestamp] is missing'],
    [{ '@timestamp': '2024-02-01T00:00:00Z', host: 'a' }, 'must be smaller than 2024-02-01T00:00:00Z'],
    [
      { '@timestamp': '2023-12-31T23:59:59.999Z', host: 'a' },
      'time series index @timestamp value [2023-12-31T23:59:59.999Z] must be larger than 2024-01-01T00:00:00Z',
    ],
    [{ '@timestamp': '2024-01-05T00:00:00Z' }, "Error extracting routing: source didn't contain any routing fields"],
    [{ '@timestamp': '2024-01-05T00:00:00Z', host: ['a'] }, 'Routing values must be strings but found [START_ARRAY]'],
    [{ '@timestamp': '2024-01-05T00:00:00Z', host: true }, 'Routing values must be strings but found [VALUE_BOOLEAN]'],
    [{ '@timestamp': '2024-01-05T00:00:00Z', host: 'a', ip: ['::1', '::2'] }, 'in a time series document at [2024-01-05T00:00:00.000Z]'],
  ])('%j is refused', async (source, reason) => {
    const answer = await index(source);
    expect(answer.status).toBe(400);
    expect(answer.reason).toContain(reason);
  });

  test('are not updated, routed or named by others', async () => {
    const inMode = `is not supported because the destination index [${NAME}] is in time series mode`;
    expect(await ask(`POST /${NAME}/_update/${id}`, { doc: { cpu: 1 } })).toMatchObject({ status: 400, reason: `update ${inMode}` });
    expect(await ask(`GET /${NAME}/_doc/${id}?routing=a`)).toMatchObject({ status: 400, reason: `specifying routing ${inMode}` });
    expect(await ask(`POST /${NAME}/_doc?routing=a`, first)).toMatchObject({ status: 400, reason: `specifying routing ${inMode}` });
    expect(await ask(`GET /${NAME}/_search?routing=a`)).toMatchObject({
      status: 400,
      reason: `searching with a specified routing ${inMode}`,
    });
    const other = await ask(`PUT /${NAME}/_doc/mine`, first);
    expect(other.status).toBe(400);
    expect(other.reason).toContain(`_id must be unset or set to [${id}] but was [mine] because [${NAME}] is in time_series mode`);
    expect((await ask(`POST /${NAME}/_split/other`, { settings: { 'index.number_of_shards': 6 } })).reason).toContain('index-split');
    expect((await ask(`PUT /${NAME}/_alias/routed`, { routing: 'x' })).reason).toContain('routing is forbidden');
  });

  test('are written by _bulk with the same ids', async () => {
    const lines = [{ index: {} }, first, { create: {} }, first, { index: { _id: 'x' } }, first, { update: { _id: id } }, { doc: {} }];
    const { json } = await ask(
      'POST /metrics/_bulk',
      lines
        .map((line) => JSON.stringify(line))
        .join('\n')
        .concat('\n'),
    );
    const items = json['items'] as Array<Record<string, { _id: string; status: number }>>;
    expect(items.map((item) => Object.values(item)[0].status)).toEqual([200, 409, 400, 400]);
    expect(items[0].index._id).toBe(id);
  });
});

describe('searches', () => {
  test('see series as _tsid, their documents together and the newest first', async () => {
    await node.ok('PUT /ordered', { settings: SETTINGS, mappings: { properties: PROPERTIES } });
    for (const [day, host] of [
      ['05', 'a'],
      ['04', 'b'],
      ['07', 'a'],
      ['06', 'b'],
      ['09', 'a'],
    ]) {
      await node.ok('POST /ordered/_doc', { '@timestamp': `2024-01-${day}T00:00:00Z`, host, cpu: Number(day), bytes: 1 });
    }
    await node.ok('POST /ordered/_refresh');
    const search = async (body: object) =>
      (await node.ok('POST /ordered/_search', body)) as { hits: { hits: Array<Record<string, never>> }; aggregations: never };
    const { hits } = await search({ sort: ['_tsid', { '@timestamp': 'desc' }], fields: ['_tsid'], docvalue_fields: ['@timestamp'] });
    const rows = hits.hits.map((hit) => hit['_source'] as { host: string; cpu: number });
    const [one] = rows;
    expect(rows.filter(({ host }) => host === 'a').map(({ cpu }) => cpu)).toEqual([9, 7, 5]);
    expect(rows.filter(({ host }) => host === one.host)).toEqual(rows.slice(0, one.host === 'a' ? 3 : 2));
    expect(hits.hits[0]['fields']['_tsid']).toEqual([hits.hits[0]['sort'][0]]);
    // Segments have the same order.
    expect((await search({})).hits.hits.map((hit) => hit['_id'])).toEqual(hits.hits.map((hit) => hit['_id']));
    const { aggregations } = await search({
      size: 0,
      aggs: { tsids: { terms: { field: '_tsid' } }, series: { time_series: {}, aggs: { top: { max: { field: 'cpu' } } } } },
    });
    expect(aggregations).toMatchObject({
      tsids: { buckets: [{ doc_count: 3 }, { doc_count: 2 }] },
      series: {
        buckets: [
          { key: { host: 'a' }, doc_count: 3, top: { value: 9 } },
          { key: { host: 'b' }, doc_count: 2, top: { value: 6 } },
        ],
      },
    });
    const keyed = await search({ size: 0, aggs: { series: { time_series: { keyed: true } } } });
    expect(keyed.aggregations).toMatchObject({ series: { buckets: { '{host=a}': { doc_count: 3 }, '{host=b}': { doc_count: 2 } } } });
    expect((await ask('POST /ordered/_search', { query: { term: { _tsid: 'x' } } })).reason).toContain('[_tsid] is not searchable');
  });

  test('do not group by counters', async () => {
    const on = (type: string) => ask('POST /ordered/_search', { size: 0, aggs: { a: { [type]: { field: 'bytes' } } } });
    expect((await on('terms')).reason).toBe('Field [bytes] of type [long][counter] is not supported for aggregation [terms]');
    expect((await on('max')).json['aggregations']).toMatchObject({ a: { value: 1 } });
  });

  test('find the roles of fields in field capabilities', async () => {
    const { json } = await ask('GET /ordered/_field_caps?fields=host,cpu,bytes,_tsid');
    expect(json['fields']).toMatchObject({
      host: { keyword: { time_series_dimension: true } },
      cpu: { double: { time_series_metric: 'gauge' } },
      bytes: { long: { time_series_metric: 'counter' } },
      _tsid: { _tsid: { metadata_field: true, aggregatable: true } },
    });
  });

  test('find the same documents after a restart, under the same ids', async () => {
    const ids = async () => {
      const { json } = await ask('GET /ordered/_search');
      return (json['hits']['hits'] as Array<{ _id: string }>).map((hit) => hit._id);
    };
    const before = await ids();
    await node.restart();
    expect(await ids()).toEqual(before);
    expect((await ask(`GET /ordered/_doc/${before[0]}`)).status).toBe(200);
  });
});

describe('settings and mappings', () => {
  const create = async (settings: object, properties: object = PROPERTIES, more: object = {}): Promise<string> => {
    const { status, reason } = await ask('PUT /tried', { settings, mappings: { properties, ...more } });
    if (status === 200) await node.ok('DELETE /tried');
    return status === 200 ? '' : reason;
  };

  test('that do not fit time series are refused', async () => {
    const { 'index.routing_path': _path, ...noPath } = SETTINGS;
    expect(await create(noPath)).toBe('[index.mode=time_series] requires a non-empty [index.routing_path]');
    expect(await create({ 'index.routing_path': ['host'] })).toBe('[index.routing_path] requires [index.mode=time_series]');
    expect(await create({ ...SETTINGS, 'index.sort.field': 'host' })).toBe(
      '[index.mode=time_series] is incompatible with [index.sort.field]',
    );
    expect(await create({ ...SETTINGS, 'index.time_series.end_time': '2023-01-01T00:00:00Z' })).toBe(
      'index.time_series.end_time must be larger than index.time_series.start_time',
    );
    expect(await create({ ...SETTINGS, 'index.time_series.start_time': 'bad' })).toContain('failed to parse date field [bad]');
    expect(await create(SETTINGS, { host: { type: 'keyword' } })).toContain('[host] was not a dimension.');
    expect(await create(SETTINGS, { ...PROPERTIES, n: { type: 'nested' } })).toContain('cannot have nested fields');
    expect(await create(SETTINGS, PROPERTIES, { _source: { mode: 'stored' } })).toContain('only support synthetic source');
    expect(await create(SETTINGS, { ...PROPERTIES, '@timestamp': { type: 'keyword' } })).toContain('but [date,date_nanos] is expected');
  });

  test.each([
    [{ type: 'text', time_series_dimension: true }, 'unknown parameter [time_series_dimension]'],
    [{ type: 'keyword', time_series_metric: 'gauge' }, 'unknown parameter [time_series_metric]'],
    [
      { type: 'long', time_series_metric: 'sum' },
      'Unknown value [sum] for field [time_series_metric] - accepted values are [gauge, counter]',
    ],
    [{ type: 'keyword', time_series_dimension: true, doc_values: false }, 'requires that [index] and [doc_values] are true'],
    [{ type: 'long', time_series_metric: 'gauge', doc_values: false }, 'Field [time_series_metric] requires that [doc_values] is true'],
    [{ type: 'keyword', time_series_dimension: true, normalizer: 'lowercase' }, 'Field [normalizer] cannot be set in conjunction'],
  ])('the field %j is refused', async (field, reason) => {
    expect(await create(SETTINGS, { ...PROPERTIES, x: field })).toContain(reason);
  });

  test('the end of an index moves forward only', async () => {
    const end = (time: string) => ask(`PUT /${NAME}/_settings`, { 'index.time_series.end_time': time });
    expect((await end('2024-03-01T00:00:00Z')).status).toBe(200);
    expect((await end('2024-01-15T00:00:00Z')).reason).toBe(
      'index.time_series.end_time must be larger than current value [1709251200000] but was [2024-01-15T00:00:00Z]',
    );
    expect((await index({ '@timestamp': '2024-02-15T00:00:00Z', host: 'a' })).status).toBe(201);
  });

  test('a data stream routes by the dimensions of its template', async () => {
    const template = { settings: { 'index.mode': 'time_series' }, mappings: { properties: PROPERTIES } };
    expect((await ask('PUT /_index_template/plain', { index_patterns: ['plain*'], template })).reason).toContain(
      'requires a non-empty [index.routing_path]',
    );
    await node.ok('PUT /_index_template/stream', { index_patterns: ['stream*'], data_stream: {}, template });
    const created = await ask('POST /stream-1/_doc?refresh=true', { '@timestamp': '2024-01-05T00:00:00Z', host: 'a', cpu: 1 });
    expect(created.status).toBe(201);
    const { json } = await ask('GET /stream-1/_settings?flat_settings=true');
    expect(Object.values(json)).toMatchObject([{ settings: { 'index.routing_path': ['host'] } }]);
  });

  test('keys of a flattened field are dimensions', async () => {
    const labels = { type: 'flattened', time_series_dimensions: ['pod', 'zone.name'] };
    await node.ok('PUT /flat', {
      settings: { ...SETTINGS, 'index.routing_path': ['labels.*'] },
      mappings: { properties: { ...PROPERTIES, labels } },
    });
    for (const [pod, other] of [
      ['p1', 'x'],
      ['p1', 'y'],
      ['p2', 'x'],
    ]) {
      const source = {
        '@timestamp': `2024-01-0${pod === 'p1' && other === 'y' ? 2 : 1}T00:00:00Z`,
        labels: { pod, other, zone: { name: 'z' } },
      };
      await node.ok('POST /flat/_doc?refresh=true', source);
    }
    const { json } = await ask('POST /flat/_search', { size: 0, aggs: { s: { time_series: {} } } });
    expect(json['aggregations']).toMatchObject({
      s: {
        buckets: [
          { key: { 'labels.pod': 'p1', 'labels.zone.name': 'z' }, doc_count: 2 },
          { key: { 'labels.pod': 'p2' }, doc_count: 1 },
        ],
      },
    });
  });

  test('a copy of an index has the same ids', async () => {
    await node.ok(`PUT /${NAME}/_settings`, { 'index.blocks.write': true });
    await node.ok(`POST /${NAME}/_clone/copy`);
    const ids = async (name: string) => {
      const { json } = await ask(`GET /${name}/_search?size=100`);
      return (json['hits']['hits'] as Array<{ _id: string }>).map((hit) => hit._id).sort();
    };
    expect(await ids('copy')).toEqual(await ids(NAME));
  });
});
