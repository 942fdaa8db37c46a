// `dynamic_templates` of bulk items: fields use the template that the item names, whatever it matches. And requests that scrolls reject.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  const dynamic_templates = [
    { location: { match: 'no_match', mapping: { type: 'geo_point' } } },
    { raw: { match: 'no_match', match_mapping_type: 'string', mapping: { type: 'keyword' } } },
  ];
  await node.ok('PUT /t', { mappings: { dynamic_templates } });
});

afterAll(() => node.close());

test('new fields use the named templates, other fields the matching ones', async () => {
  const { items } = await node.ok('POST /t/_bulk?refresh=true', [
    { index: { _id: '1', dynamic_templates: { home: 'location', 'inner.word': 'raw' } } },
    { home: { lat: 1, lon: 2 }, inner: { word: 'a b' }, word: 'a b' },
    { index: { _id: '2', dynamic_templates: { home: 'raw' } } },
    { home: '3,4' },
    { index: { _id: '3', dynamic_templates: { other: 'nothing' } } },
    { other: 'x' },
    { create: { _id: '4' } },
    { plain: 1 },
  ]);
  expect(items.map((item: Record<string, { status: number }>) => Object.values(item)[0].status)).toEqual([201, 201, 400, 201]);
  expect(items[2].index.error).toMatchObject({
    type: 'document_parsing_exception',
    reason: "[1:10] Can't find dynamic template for dynamic template name [nothing] of field [other]",
  });
  const { properties } = (await node.ok('GET /t/_mapping')).t.mappings;
  expect(properties).toEqual({
    home: { type: 'geo_point' },
    inner: { properties: { word: { type: 'keyword' } } },
    plain: { type: 'long' },
    word: { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 256 } } },
  });
});

test('dynamic_templates must be an object', async () => {
  const { status, json } = await node.send('POST /t/_bulk', [{ index: { dynamic_templates: 'x' } }, {}]);
  expect([status, json.error.reason]).toEqual([400, expect.stringContaining('[dynamic_templates] must be an object')]);
});

test('a scroll counts its hits', async () => {
  const scroll = await node.send('POST /t/_search?scroll=1m', { track_total_hits: false });
  expect([scroll.status, scroll.text.includes('disabling [track_total_hits] is not allowed in a scroll context')]).toEqual([400, true]);
});
