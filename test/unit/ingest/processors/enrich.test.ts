/** Enrich policies and the enrich processor. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /users', {
    mappings: { properties: { email: { type: 'keyword' }, zip: { type: 'integer' }, level: { type: 'keyword' } } },
  });
  const users = [
    { email: 'a@x.com', first: 'Ann', zip: 1, level: 'gold', address: { city: 'Bonn', street: 'Main' } },
    { email: ['b@x.com', 'c@x.com'], first: 'Bob', zip: 2, level: 'gold' },
    { email: 'a@x.com', first: 'Amy', zip: 3, level: 'tin' },
  ];
  for (const [i, user] of users.entries()) await node.ok(`PUT /users/_doc/${i}?refresh=true`, user);
  await node.ok('PUT /nets', { mappings: { properties: { range: { type: 'ip_range' }, dates: { type: 'date_range', format: 'yyyy' } } } });
  await node.ok('PUT /nets/_doc/1?refresh=true', { range: '10.1.0.0/16', dates: { gte: '2000', lt: '2010' }, name: 'office' });
  await node.ok('PUT /areas', { mappings: { properties: { shape: { type: 'geo_shape' } } } });
  await node.ok('PUT /areas/_doc/1?refresh=true', {
    shape: {
      type: 'envelope',
      coordinates: [
        [13, 53],
        [14, 52],
      ],
    },
    zip: '10115',
  });
});
afterAll(() => node.close());

async function simulate(enrich: object, source: object): Promise<any> {
  const { docs } = await node.ok('POST /_ingest/pipeline/_simulate', {
    pipeline: { processors: [{ enrich }] },
    docs: [{ _source: source }],
  });
  return docs[0].error?.reason ?? docs[0].doc._source;
}

const BY_EMAIL = { match: { indices: 'users', match_field: 'email', enrich_fields: ['first', 'address.city'] } };

test('a match policy adds fields of documents with an equal value', async () => {
  expect(await node.ok('PUT /_enrich/policy/by-email', BY_EMAIL)).toEqual({ acknowledged: true });
  const enrich = { policy_name: 'by-email', field: 'mail', target_field: 'user' };
  expect(await simulate(enrich, { mail: 'a@x.com' })).toBe('no enrich index exists for policy with name [by-email]');
  expect(await node.ok('PUT /_enrich/policy/by-email/_execute')).toEqual({ status: { phase: 'COMPLETE' } });
  const ann = { email: 'a@x.com', first: 'Ann', address: { city: 'Bonn' } };
  expect(await simulate(enrich, { mail: 'a@x.com' })).toEqual({ mail: 'a@x.com', user: ann });
  expect((await simulate({ ...enrich, max_matches: 5 }, { mail: 'a@x.com' })).user).toEqual([ann, { email: 'a@x.com', first: 'Amy' }]);
  expect((await simulate(enrich, { mail: 'c@x.com' })).user.first).toBe('Bob');
  expect((await simulate({ ...enrich, max_matches: 9 }, { mail: ['a@x.com', 'b@x.com'] })).user).toHaveLength(3);
  expect(await simulate(enrich, { mail: 'none' })).toEqual({ mail: 'none' });
  expect(await simulate({ ...enrich, override: false }, { mail: 'a@x.com', user: 1 })).toEqual({ mail: 'a@x.com', user: 1 });
  expect(await simulate({ ...enrich, ignore_missing: true }, { x: 1 })).toEqual({ x: 1 });
  expect(await simulate(enrich, { x: 1 })).toBe('field [mail] not present as part of path [mail]');
});

test('a result is a copy that later processors may change', async () => {
  const processors = [
    { enrich: { policy_name: 'by-email', field: 'mail', target_field: 'user' } },
    { set: { field: 'user.first', value: 'changed' } },
  ];
  for (let i = 0; i < 2; i++) {
    const { docs } = await node.ok('POST /_ingest/pipeline/_simulate', {
      pipeline: { processors },
      docs: [{ _source: { mail: 'a@x.com' } }],
    });
    expect(docs[0].doc._source.user.first).toBe('changed');
  }
  expect((await simulate(processors[0].enrich as object, { mail: 'a@x.com' })).user.first).toBe('Ann');
});

test('an execution replaces the documents of the last one, which survive a restart', async () => {
  await node.ok('PUT /_enrich/policy/gold', {
    match: { indices: ['us*'], match_field: 'zip', enrich_fields: ['first'], query: { term: { level: 'gold' } } },
  });
  await node.ok('POST /_enrich/policy/gold/_execute');
  const enrich = { policy_name: 'gold', field: 'zip', target_field: 'user' };
  expect((await simulate(enrich, { zip: 2 })).user).toEqual({ zip: 2, first: 'Bob' });
  expect((await simulate(enrich, { zip: '3' })).user).toBeUndefined();
  await node.ok('PUT /users/_doc/9?refresh=true', { zip: 9, first: 'New', level: 'gold' });
  expect((await simulate(enrich, { zip: 9 })).user).toBeUndefined();
  const { task } = await node.ok('PUT /_enrich/policy/gold/_execute?wait_for_completion=false');
  await node.ok(`GET /_tasks/${task}?wait_for_completion=true`);
  expect((await simulate(enrich, { zip: 9 })).user.first).toBe('New');
  expect(Object.keys(await node.ok('GET /.enrich-gold*?expand_wildcards=all'))).toHaveLength(1);
  await node.restart();
  expect((await simulate(enrich, { zip: 9 })).user.first).toBe('New');
});

test('range and geo_match policies find matching documents', async () => {
  await node.ok('PUT /_enrich/policy/net', { range: { indices: 'nets', match_field: 'range', enrich_fields: ['name'] } });
  await node.ok('PUT /_enrich/policy/net/_execute');
  const net = { policy_name: 'net', field: 'ip', target_field: 'net' };
  expect((await simulate(net, { ip: '10.1.2.3' })).net).toEqual({ range: '10.1.0.0/16', name: 'office' });
  expect((await simulate(net, { ip: '10.2.2.3' })).net).toBeUndefined();
  await node.ok('PUT /_enrich/policy/dates', { range: { indices: 'nets', match_field: 'dates', enrich_fields: ['name'] } });
  await node.ok('PUT /_enrich/policy/dates/_execute');
  expect((await simulate({ policy_name: 'dates', field: 'y', target_field: 'n' }, { y: '2005' })).n.name).toBe('office');
  await node.ok('PUT /_enrich/policy/area', { geo_match: { indices: 'areas', match_field: 'shape', enrich_fields: ['zip'] } });
  await node.ok('PUT /_enrich/policy/area/_execute');
  const area = { policy_name: 'area', field: 'at', target_field: 'area' };
  for (const at of ['52.5,13.4', [13.4, 52.5], { lat: 52.5, lon: 13.4 }, 'POINT (13.4 52.5)'])
    expect((await simulate(area, { at })).area.zip).toBe('10115');
  expect((await simulate(area, { at: '10,10' })).area).toBeUndefined();
  expect((await simulate({ ...area, shape_relation: 'DISJOINT' }, { at: '10,10' })).area.zip).toBe('10115');
});

test('policies are listed, kept while pipelines use them, and deleted with their index', async () => {
  const config = { name: 'by-email', indices: ['users'], match_field: 'email', enrich_fields: ['first', 'address.city'] };
  expect(await node.ok('GET /_enrich/policy/by-email')).toEqual({ policies: [{ config: { match: config } }] });
  expect((await node.ok('GET /_enrich/policy')).policies.length).toBeGreaterThan(1);
  expect(await node.ok('GET /_enrich/policy/none')).toEqual({ policies: [] });
  const stats = await node.ok('GET /_enrich/_stats');
  expect([stats.executing_policies, stats.coordinator_stats[0].executed_searches_total > 0]).toEqual([[], true]);
  await node.ok('PUT /_ingest/pipeline/users', {
    processors: [{ enrich: { policy_name: 'by-email', field: 'mail', target_field: 'user' } }],
  });
  expect((await node.ok('PUT /mails/_doc/1?pipeline=users&refresh=true', { mail: 'b@x.com' })).result).toBe('created');
  expect((await node.ok('GET /mails/_source/1')).user.first).toBe('Bob');
  const used = await node.send('DELETE /_enrich/policy/by-email');
  expect([used.status, used.json.error.reason]).toEqual([
    409,
    'Could not delete policy [by-email] because a pipeline is referencing it [users]',
  ]);
  await node.ok('DELETE /_ingest/pipeline/users');
  expect(await node.ok('DELETE /_enrich/policy/by-email')).toEqual({ acknowledged: true });
  expect(await node.ok('GET /.enrich-by-email*?expand_wildcards=all')).toEqual({});
});

test('policies that cannot be carried out are refused', async () => {
  const match = BY_EMAIL.match;
  const cases: [string, object, number, string][] = [
    ['a', { sum: match }, 400, 'unsupported policy type [sum], supported types are [match, geo_match, range]'],
    ['a', { match: { indices: 'users' } }, 400, 'Required [match_field, enrich_fields]'],
    ['a', { match: { ...match, other: 1 } }, 400, '[policy] unknown field [other]'],
    ['a', { match: { ...match, indices: 'none' } }, 404, 'no such index [none]'],
    ['a', { match: { ...match, match_field: 'none' } }, 400, 'Could not find match field [none]'],
    ['a', { range: match }, 400, "doesn't appear to be a range type"],
    ['a', { geo_match: match }, 400, 'expected [geo_point] or [geo_shape]'],
    ['A', BY_EMAIL, 400, 'Invalid policy name [A], must be lowercase'],
    ['gold', BY_EMAIL, 400, 'policy [gold] already exists'],
  ];
  for (const [name, body, status, reason] of cases) {
    const answer = await node.send(`PUT /_enrich/policy/${name}`, body);
    expect([answer.status, answer.json.error.reason]).toEqual([status, expect.stringContaining(reason)]);
  }
  expect((await node.send('PUT /_enrich/policy/none/_execute')).status).toBe(404);
  expect((await node.send('DELETE /_enrich/policy/none')).status).toBe(404);
  const missing = { processors: [{ enrich: { policy_name: 'none', field: 'a', target_field: 'b' } }] };
  expect((await node.send('PUT /_ingest/pipeline/p', missing)).json.error.reason).toBe(
    'no enrich index exists for policy with name [none]',
  );
  const many = { processors: [{ enrich: { policy_name: 'gold', field: 'a', target_field: 'b', max_matches: 129 } }] };
  expect((await node.send('PUT /_ingest/pipeline/p', many)).json.error.reason).toBe('[max_matches] should be between 1 and 128');
});
