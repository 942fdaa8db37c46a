// `subobjects: false`, whose fields have dotted names, and mappings that ignore new fields beyond their limit.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
});

afterAll(() => node.close());

const mappingOf = async (index: string) => (await node.ok(`GET /${index}/_mapping`))[index].mappings;
const idsOf = async (index: string, query: object) =>
  (await node.ok(`POST /${index}/_search`, { query })).hits.hits.map((hit: any) => hit._id);

describe('subobjects: false', () => {
  beforeAll(async () => {
    const properties = { 'host.name': { type: 'keyword', copy_to: 'all.text' }, 'all.text': { type: 'text' }, time: { type: 'long' } };
    await node.ok('PUT /flat', { mappings: { subobjects: false, properties } });
    const doc = { time: 1, 'time.min': 2, host: { name: 'a', ip: 'x' }, 'metrics.a.b': { c: 5 }, list: [{ q: 1 }, { q: 2 }] };
    await node.ok('PUT /flat/_doc/1?refresh=true', doc);
  });

  test('a name may be a field and the beginning of other names', async () => {
    const { subobjects, properties } = await mappingOf('flat');
    expect(subobjects).toBe(false);
    expect(Object.keys(properties)).toEqual(['all.text', 'host.ip', 'host.name', 'list.q', 'metrics.a.b.c', 'time', 'time.min']);
  });

  test.each([
    [{ term: { 'host.name': 'a' } }],
    [{ match: { 'all.text': 'a' } }],
    [{ term: { time: 1 } }],
    [{ term: { 'time.min': 2 } }],
    [{ range: { 'metrics.a.b.c': { gte: 5 } } }],
    [{ terms: { 'list.q': [2] } }],
    [{ exists: { field: 'host' } }],
  ])('finds %j', async (query) => {
    expect(await idsOf('flat', query)).toEqual(['1']);
  });

  test('fields are read from objects and from dotted names', async () => {
    const { hits } = await node.ok('POST /flat/_search', { fields: ['host.*', 'time*', 'list.q'], sort: ['time.min'] });
    expect(hits.hits[0].fields).toMatchObject({ 'host.name': ['a'], time: [1], 'time.min': [2], 'list.q': [1, 2] });
    expect(hits.hits[0].sort).toEqual([2]);
  });

  test('an object in an update of the mapping adds dotted names', async () => {
    await node.ok('PUT /flat/_mapping', { properties: { later: { properties: { y: { type: 'long' } } } } });
    expect((await mappingOf('flat')).properties['later.y']).toEqual({ type: 'long' });
    const { flat } = await node.ok('GET /flat/_mapping/field/later.y');
    expect(flat.mappings['later.y']).toEqual({ full_name: 'later.y', mapping: { 'later.y': { type: 'long' } } });
  });

  test('works after a restart', async () => {
    await node.restart();
    expect(await idsOf('flat', { term: { 'time.min': 2 } })).toEqual(['1']);
  });

  test('applies to one object, and to objects of dynamic templates', async () => {
    const dynamic_templates = [{ m: { match: 'auto', mapping: { type: 'object', subobjects: false } } }];
    const m = { subobjects: false, properties: { t: { type: 'long' }, 't.max': { type: 'long' } } };
    await node.ok('PUT /parts', { mappings: { dynamic_templates, properties: { m } } });
    await node.ok('PUT /parts/_doc/1?refresh=true', { m: { t: 1, 't.min': 3 }, auto: { a: 1, 'a.b': 2 }, other: { 'a.b': 1 } });
    const { properties } = await mappingOf('parts');
    expect(Object.keys(properties.m.properties)).toEqual(['t', 't.max', 't.min']);
    expect(properties.auto).toEqual({ subobjects: false, properties: { a: { type: 'long' }, 'a.b': { type: 'long' } } });
    expect(properties.other.properties.a.properties.b).toEqual({ type: 'long' });
    expect(await idsOf('parts', { term: { 'auto.a.b': 2 } })).toEqual(['1']);
  });

  test('strict mappings refuse new names, static ones skip objects', async () => {
    const properties = { 'a.b': { type: 'long' } };
    await node.ok('PUT /strict', { mappings: { dynamic: 'strict', subobjects: false, properties } });
    const refused = await node.send('PUT /strict/_doc/1', { a: { b: 1 } });
    expect(refused.json.error.type).toBe('strict_dynamic_mapping_exception');
    await node.ok('PUT /strict/_doc/2', { 'a.b': 1 });
    await node.ok('PUT /static', { mappings: { dynamic: false, subobjects: false, properties } });
    await node.ok('PUT /static/_doc/1?refresh=true', { a: { b: 1 }, c: 1 });
    await node.ok('PUT /static/_doc/2?refresh=true', { 'a.b': 1 });
    expect(await idsOf('static', { exists: { field: 'a.b' } })).toEqual(['2']);
  });

  test.each([
    [
      { subobjects: false, properties: { a: { type: 'nested' } } },
      'Tried to add nested object [a] to object [_doc] which does not support subobjects',
    ],
    [{ subobjects: 'maybe' }, 'Could not convert [subobjects.subobjects] to boolean'],
    [{ properties: { n: { type: 'nested', subobjects: false } } }, 'Nested type [n] does not support [subobjects] parameter'],
  ])('refuses %j', async (mappings, reason) => {
    const { status, text } = await node.send('PUT /bad', { mappings });
    expect(status).toBe(400);
    expect(text).toContain(reason);
  });

  test('cannot be changed', async () => {
    const { text } = await node.send('PUT /flat/_mapping', { subobjects: true });
    expect(text).toContain("the [subobjects] parameter can't be updated for the object mapping [_doc]");
  });
});

describe('ignore_dynamic_beyond_limit', () => {
  test('new fields for which the mapping has no room are ignored', async () => {
    const settings = { 'index.mapping.total_fields': { limit: 3, ignore_dynamic_beyond_limit: true } };
    await node.ok('PUT /full', { settings, mappings: { properties: { a: { type: 'long' } } } });
    await node.ok('PUT /full/_doc/1?refresh=true', { a: 1, b: 'text', c: 5, d: { e: 1 }, g: [1, 2] });
    expect(Object.keys((await mappingOf('full')).properties)).toEqual(['a', 'b']);
    await node.ok('PUT /full/_doc/2?refresh=true', { h: 1.5, b: 'x', n: { m: { o: 1 } } });
    const { hits } = await node.ok('POST /full/_search', { query: { exists: { field: '_ignored' } } });
    expect(hits.hits.map((hit: any) => hit._ignored)).toEqual([
      ['c', 'd', 'g'],
      ['h', 'n'],
    ]);
    const { status, text } = await node.send('PUT /full/_mapping', { properties: { x: { type: 'long' } } });
    expect([status, text.includes('Limit of total fields [3] has been exceeded')]).toEqual([400, true]);
  });

  test('what fits into an object is mapped', async () => {
    const settings = { 'index.mapping.total_fields': { limit: 4, ignore_dynamic_beyond_limit: true } };
    await node.ok('PUT /nearly', { settings });
    await node.ok('PUT /nearly/_doc/1?refresh=true', { o: { a: 1, b: 2, p: { c: 1 }, e: 'text' }, z: 1 });
    const { hits } = await node.ok('POST /nearly/_search', {});
    expect(hits.hits[0]._ignored).toEqual(['o.e', 'o.p.c', 'z']);
    await node.ok('PUT /nearly/_settings', { 'index.mapping.total_fields.ignore_dynamic_beyond_limit': false });
    expect((await node.send('PUT /nearly/_doc/2', { y: 1 })).status).toBe(400);
  });
});
