// Parameters that mappings show whenever they are given, and texts of points and errors of ranges.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
});
afterAll(() => node.close());

test('coerce, ignore_malformed and ignore_z_value are shown even with their defaults', async () => {
  const given = {
    geo: { type: 'geo_point', ignore_malformed: false, ignore_z_value: true },
    number: { type: 'long', coerce: true, ignore_malformed: false },
    range: { type: 'integer_range', coerce: true },
    shape: { type: 'geo_shape', coerce: false, ignore_malformed: false, ignore_z_value: true },
  };
  const hidden = { date: { type: 'date', ignore_malformed: false }, flag: { type: 'boolean', index: true } };
  await node.ok('PUT /given', { mappings: { properties: { ...given, ...hidden } } });
  const { properties } = (await node.ok('GET /given/_mapping')).given.mappings;
  expect(properties).toEqual({ ...given, date: { type: 'date' }, flag: { type: 'boolean' } });
  await node.ok('PUT /given/_mapping', { properties: { number: { type: 'long', coerce: false } } });
  expect((await node.ok('GET /given/_mapping')).given.mappings.properties.number).toMatchObject({ coerce: false });
});

test('docvalue_fields show whole degrees with a fraction', async () => {
  await node.ok('PUT /points', { mappings: { properties: { p: { type: 'geo_point' } } } });
  await node.ok('PUT /points/_doc/1?refresh=true', { p: '0,0' });
  const { hits } = await node.ok('POST /points/_search', { docvalue_fields: ['p'] });
  expect(hits.hits[0].fields.p).toEqual(['0.0, 0.0']);
});

test('histograms name the type of a range that does not suit them', async () => {
  await node.ok('PUT /ranges', { mappings: { properties: { l: { type: 'long_range' }, i: { type: 'ip_range' } } } });
  await node.ok('PUT /ranges/_doc/1?refresh=true', { l: { gte: 1 } });
  const reasonOf = async (a: object) => (await node.send('POST /ranges/_search', { aggs: { a } })).json.error.root_cause[0].reason;
  expect(await reasonOf({ date_histogram: { field: 'l', calendar_interval: 'year' } })).toBe(
    'Expected date range type but found range type [long_range]',
  );
  expect(await reasonOf({ histogram: { field: 'i', interval: 1 } })).toBe(
    'Expected numeric range type but found non-numeric range [ip_range]',
  );
});
