// `_terms_enum`: prefixes, order, continuation, types.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
  const properties = {
    k: { type: 'keyword' },
    text: { type: 'text' },
    ip: { type: 'ip' },
    c: { type: 'constant_keyword', value: 'fixed' },
    n: { type: 'long' },
    flat: { type: 'flattened' },
  };
  await node.ok('PUT /a', { settings: { number_of_shards: 2 }, mappings: { properties } });
  const docs = [
    { k: 'kibana', text: 'The quick fox', ip: '10.0.0.1', n: 1, flat: { host: 'h1', other: 'o' } },
    { k: 'Kite', text: 'queue', ip: '10.0.0.20', n: 2, flat: { host: 'h2' } },
    { k: ['kiwi', 'lemon', 'kéfir'], ip: '192.168.0.1' },
  ];
  for (const doc of docs) await node.ok('POST /a/_doc?refresh=true', doc);
});
afterAll(() => node.close());

const terms = async (body: object) => (await node.ok('POST /a/_terms_enum', body)).terms;

test('lists terms with a prefix in the order of their bytes', async () => {
  expect(await node.ok('POST /a/_terms_enum', { field: 'k', string: 'ki' })).toEqual({
    _shards: { total: 2, successful: 2, failed: 0 },
    terms: ['kibana', 'kiwi'],
    complete: true,
  });
  expect(await terms({ field: 'k' })).toEqual(['Kite', 'kibana', 'kiwi', 'kéfir', 'lemon']);
  expect(await terms({ field: 'k', string: 'KI', case_insensitive: true })).toEqual(['Kite', 'kibana', 'kiwi']);
  expect(await terms({ field: 'k', size: 2 })).toEqual(['Kite', 'kibana']);
  expect(await terms({ field: 'k', size: 2, search_after: 'kibana' })).toEqual(['kiwi', 'kéfir']);
  expect(await terms({ field: 'k', string: 'ké' })).toEqual(['kéfir']);
});

test('supports text, ip, constant_keyword and flattened fields', async () => {
  expect(await terms({ field: 'text', string: 'qu' })).toEqual(['queue', 'quick']);
  expect(await terms({ field: 'ip', string: '10.0.0.' })).toEqual(['10.0.0.1', '10.0.0.20']);
  expect(await terms({ field: 'c', string: 'fi' })).toEqual(['fixed']);
  expect(await terms({ field: 'flat.host' })).toEqual(['h1', 'h2']);
  expect(await terms({ field: 'missing' })).toEqual([]);
});

test('index_filter leaves out indices without a matching document', async () => {
  expect(await terms({ field: 'k', index_filter: { range: { n: { gte: 5 } } } })).toEqual([]);
  expect(await terms({ field: 'k', string: 'l', index_filter: { range: { n: { gte: 2 } } } })).toEqual(['lemon']);
});

test('refuses invalid and unsupported requests', async () => {
  const reason = async (body: object) => (await node.send('POST /a/_terms_enum', body)).json.error.reason;
  expect(await reason({})).toBe('Validation Failed: 1: field cannot be null;');
  expect(await reason({ field: 'n' })).toMatch(/Field \[n\] of type \[long\]/);
  expect(await reason({ field: 'k', size: -1 })).toMatch(/\[size\] must be/);
  expect(await reason({ field: 'k', timeout: '5m' })).toMatch(/Timeout cannot be > 1 minute/);
  expect(await reason({ field: 'k', nothing: 1 })).toMatch(/unknown field \[nothing\]/);
});
