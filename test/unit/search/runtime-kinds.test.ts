/** Runtime fields that are composites, lookups and shapes, and the runtime fields that documents add. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

let node: RestNode;

const LOG = {
  type: 'composite',
  script: 'emit(grok("%{IP:ip} %{WORD:verb} %{NUMBER:bytes} %{WORD:word}").extract(doc["line"].value))',
  fields: { ip: { type: 'ip' }, verb: { type: 'keyword' }, bytes: { type: 'long' }, word: { type: 'long' } },
};

beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /log', { mappings: { properties: { line: { type: 'keyword' }, user: { type: 'keyword' } }, runtime: { log: LOG } } });
  const lines = ['10.0.0.1 GET 300 ten', '10.0.0.2 PUT 50 ten', '10.0.0.1 GET 7 ten'];
  for (const [i, line] of lines.entries()) await node.ok(`PUT /log/_doc/${i}`, { line, user: i === 0 ? ['u1', 'u2'] : `u${i + 5}` });
  await node.ok('POST /log/_refresh');
  await node.ok('PUT /users', { mappings: { properties: { id: { type: 'keyword' }, born: { type: 'date' } } } });
  for (const [id, name] of [
    ['u1', 'Ann'],
    ['u2', 'Bob'],
    ['u6', 'Cid'],
  ])
    await node.ok(`PUT /users/_doc/${id}?refresh`, { id, name, born: '2001-02-03' });
});
afterAll(() => node.close());

async function search(body: object, index = 'log'): Promise<any> {
  return node.ok(`POST /${index}/_search`, { sort: '_doc', ...body });
}
const idsOf = ({ hits }: any): string[] => hits.hits.map((hit: { _id: string }) => hit._id);
async function refusal(line: string, body: object): Promise<string> {
  const { status, json } = await node.send(line, body);
  expect(status).toBe(400);
  return json.error.root_cause[0].reason;
}

describe('composite', () => {
  test('emits fields of several types', async () => {
    const { hits } = await search({ fields: ['log.*'], _source: false });
    expect(hits.hits[0].fields).toEqual({ 'log.ip': ['10.0.0.1'], 'log.verb': ['GET'], 'log.bytes': [300] });
  });

  test('is searched, sorted and aggregated by each of them', async () => {
    expect(idsOf(await search({ query: { term: { 'log.ip': '10.0.0.0/31' } } }))).toEqual(['0', '2']);
    expect(idsOf(await search({ query: { range: { 'log.bytes': { gte: 50 } } } }))).toEqual(['0', '1']);
    expect(idsOf(await search({ query: { exists: { field: 'log.word' } } }))).toEqual([]);
    expect(idsOf(await search({ sort: [{ 'log.bytes': 'asc' }] }))).toEqual(['2', '1', '0']);
    const aggs = { verbs: { terms: { field: 'log.verb' }, aggs: { sum: { sum: { field: 'log.bytes' } } } } };
    const { aggregations } = await search({ size: 0, aggs });
    expect(aggregations.verbs.buckets.map((bucket: any) => [bucket.key, bucket.sum.value])).toEqual([
      ['GET', 307],
      ['PUT', 50],
    ]);
  });

  test('may emit one value after another', async () => {
    const twice = { type: 'composite', script: 'emit("a", 1); emit("a", "2"); emit("b", "x")', fields: { a: { type: 'long' } } };
    const { hits } = await search({ runtime_mappings: { twice }, fields: ['twice.*'], _source: false });
    expect(hits.hits[0].fields).toEqual({ 'twice.a': [1, 2] });
  });

  test('keeps its definition over a restart', async () => {
    const before = (await node.ok('GET /log/_mapping')).log.mappings.runtime;
    expect(before.log.fields).toEqual(LOG.fields);
    await node.restart();
    expect((await node.ok('GET /log/_mapping')).log.mappings.runtime).toEqual(before);
    expect(idsOf(await search({ query: { term: { 'log.verb': 'PUT' } } }))).toEqual(['1']);
  });

  test('is tried by _execute', async () => {
    const { result } = await node.ok('POST /_scripts/painless/_execute', {
      script: { source: 'emit(grok("%{IP:ip} %{WORD:verb}").extract(doc["line"].value)); emit("n", 5)' },
      context: 'composite_field',
      context_setup: { index: 'log', document: { line: '10.0.0.9 GET' } },
    });
    expect(result).toEqual({ 'composite_field.ip': ['10.0.0.9'], 'composite_field.verb': ['GET'], 'composite_field.n': [5] });
  });

  test.each<[object, string]>([
    [{ type: 'composite' }, 'composite runtime field [f] must declare a [script]'],
    [{ type: 'composite', script: 'emit("a", 1)' }, 'composite runtime field [f] must declare its [fields]'],
    [{ type: 'composite', script: 'emit("a", 1)', fields: 5 }, '[fields] must be an object, got Integer[5] for field [f]'],
    [{ type: 'long', meta: 5 }, '[meta] must be an object, got Integer[5] for field [f]'],
    [{ type: 'long', on_script_error: 'fail' }, 'Field [on_script_error] requires field [script] to be configured'],
    [{ type: 'long', script: null }, '[script] on runtime field [f] of type [long] must not have a [null] value'],
  ])('%j is refused', async (f, reason) => {
    expect(await refusal('PUT /refused', { mappings: { runtime: { f } } })).toContain(reason);
  });
});

describe('on_script_error', () => {
  test('leaves documents without a value if it is continue', async () => {
    const f = { type: 'long', script: 'emit(Long.parseLong(doc["line"].value))', on_script_error: 'continue' };
    expect(idsOf(await search({ runtime_mappings: { f }, query: { exists: { field: 'f' } } }))).toEqual([]);
    const { status } = await node.send('POST /log/_search', {
      runtime_mappings: { f: { ...f, on_script_error: 'fail' } },
      query: { exists: { field: 'f' } },
    });
    expect(status).toBe(400);
  });
});

describe('lookup', () => {
  const person = {
    type: 'lookup',
    target_index: 'users',
    input_field: 'user',
    target_field: 'id',
    fetch_fields: ['name', { field: 'born', format: 'yyyy' }],
  };

  test('shows fields of the documents found, in the order of the inputs', async () => {
    const { hits } = await search({ runtime_mappings: { person }, fields: ['person'], _source: false });
    expect(hits.hits.map((hit: any) => hit.fields)).toEqual([
      {
        person: [
          { name: ['Ann'], born: ['2001'] },
          { name: ['Bob'], born: ['2001'] },
        ],
      },
      { person: [{ name: ['Cid'], born: ['2001'] }] },
      undefined,
    ]);
  });

  test('sees changes of the other index at once', async () => {
    const body = { runtime_mappings: { person }, fields: ['person'], _source: false, query: { ids: { values: ['2'] } } };
    for (let i = 0; i < 3; i++) expect((await search(body)).hits.hits[0].fields).toBeUndefined();
    await node.ok('PUT /users/_doc/u7?refresh', { id: 'u7', name: 'Dan' });
    expect((await search(body)).hits.hits[0].fields).toEqual({ person: [{ name: ['Dan'] }] });
  });

  test.each<[object, string]>([
    [{ query: { term: { person: 1 } } }, 'failed to create query: Cannot search on field [person] since it is a lookup field.'],
    [{ collapse: { field: 'person' } }, 'collapse is not supported for the field [person] of the type [lookup]'],
    [
      { runtime_mappings: { person: { ...person, input_field: 'none' } }, fields: ['person'] },
      'No field mapping can be found for the field with name [none]',
    ],
  ])('%j is refused', async (body, reason) => {
    expect(await refusal('POST /log/_search', { runtime_mappings: { person }, ...body })).toBe(reason);
  });

  test('reports errors of the other index', async () => {
    const body = { runtime_mappings: { person: { ...person, target_index: 'none' } }, fields: ['person'] };
    const { status, json } = await node.send('POST /log/_search', body);
    expect([status, json.error.reason, json.error.caused_by.type]).toEqual([
      404,
      'failed to fetch lookup fields',
      'index_not_found_exception',
    ]);
  });
});

describe('geo_shape and geo_point', () => {
  const runtime_mappings = {
    area: { type: 'geo_shape', script: 'emit("POLYGON ((0 0, " + doc["line"].value.length() + " 0, 0 9, 0 0))")' },
    at: { type: 'geo_point', script: 'emit(1.0, 2.0)' },
  };
  test('are found by shapes', async () => {
    const geo = (field: string, shape: string) => search({ runtime_mappings, query: { geo_shape: { [field]: { shape } } } });
    expect(idsOf(await geo('area', 'POINT (19.5 0)'))).toEqual(['0']);
    expect(idsOf(await geo('area', 'POINT (-1 0)'))).toEqual([]);
    expect(idsOf(await geo('at', 'BBOX (1, 3, 2, 0)'))).toEqual(['0', '1', '2']);
    const points = [
      [0, 0],
      [5, 0],
      [5, 5],
      [0, 0],
    ];
    expect(idsOf(await search({ runtime_mappings, query: { geo_polygon: { at: { points } } } }))).toEqual(['0', '1', '2']);
  });

  test('points are aggregated', async () => {
    const at = { type: 'geo_point', script: 'emit(10.0 + doc["line"].value.length(), -20.0)' };
    const { aggregations } = await search({
      size: 0,
      runtime_mappings: { at },
      aggs: {
        bounds: { geo_bounds: { field: 'at', wrap_longitude: false } },
        center: { geo_centroid: { field: 'at' } },
        tiles: { geotile_grid: { field: 'at', precision: 4 } },
        near: { geo_distance: { field: 'at', origin: [-20, 30], unit: 'km', ranges: [{ to: 10 }] } },
      },
    });
    expect(aggregations.bounds.bounds.top_left.lat).toBeCloseTo(30, 4);
    expect(aggregations.bounds.bounds.bottom_right.lat).toBeCloseTo(28, 4);
    expect([aggregations.center.count, aggregations.near.buckets[0].doc_count]).toEqual([3, 1]);
    expect(aggregations.tiles.buckets).toEqual([{ key: '4/7/6', doc_count: 3 }]);
  });

  test('exist, and are shown as GeoJSON', async () => {
    const { hits } = await search({ runtime_mappings, query: { exists: { field: 'area' } }, fields: ['area'], _source: false });
    expect(hits.total.value).toBe(3);
    expect(hits.hits[1].fields.area[0].coordinates[0][1]).toEqual([19, 0]);
  });
});

describe('dynamic runtime fields', () => {
  const document = { s: 'x', n: 5, f: 1.5, b: true, d: '2020-01-02', o: { x: 1 } };
  async function mapped(mappings: object, source: object = document): Promise<any> {
    await node.ok('PUT /dynamic', { mappings });
    await node.ok('PUT /dynamic/_doc/1?refresh', source);
    const result = (await node.ok('GET /dynamic/_mapping')).dynamic.mappings;
    await node.ok('DELETE /dynamic');
    return result;
  }

  test('come from templates with runtime', async () => {
    const { runtime, properties } = await mapped({ dynamic_templates: [{ all: { match: '*', runtime: {} } }] });
    expect(runtime).toEqual({
      s: { type: 'keyword' },
      n: { type: 'long' },
      f: { type: 'double' },
      b: { type: 'boolean' },
      d: { type: 'date' },
      'o.x': { type: 'long' },
    });
    expect(properties).toEqual({ o: { type: 'object' } });
  });

  test('may name their field and type', async () => {
    const runtime = { type: '{dynamic_type}', meta: { name: '{name}' } };
    const made = await mapped({ dynamic_templates: [{ some: { match_mapping_type: 'long', runtime } }] });
    expect(made.runtime).toEqual({ n: { type: 'long', meta: { name: 'n' } }, 'o.x': { type: 'long', meta: { name: 'x' } } });
  });

  test('need no objects', async () => {
    const { runtime, properties } = await mapped({ dynamic: 'runtime' }, { o: { x: 1 }, 'p.q': { r: 'a' } });
    expect([runtime, properties]).toEqual([{ 'o.x': { type: 'long' }, 'p.q.r': { type: 'keyword' } }, undefined]);
  });

  test.each<[object, string]>([
    [{ match: 'a' }, 'template [t] must have either mapping or runtime set'],
    [{ match: 'a', mapping: {}, runtime: {} }, 'mapping and runtime cannot be both specified in the same dynamic template [t]'],
    [
      { match_mapping_type: 'object', runtime: {} },
      'Dynamic template [t] defines a runtime field but type [object] is not supported as runtime field',
    ],
  ])('%j is refused', async (t, reason) => {
    expect(await refusal('PUT /refused', { mappings: { dynamic_templates: [{ t }] } })).toBe(reason);
  });
});
