// Definitions that would keep the main thread busy are refused before it works on them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

const REASON = 'the definition has more than [100000] names and items';
const TEMPLATES = Array.from({ length: 20_000 }, () => ({ d: { match: 'a*', mapping: { type: 'keyword' } } }));

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /docs');
});
afterAll(() => node.close());

test.each([
  ['PUT /large', { mappings: { dynamic_templates: TEMPLATES } }],
  ['PUT /docs/_mapping', { dynamic_templates: TEMPLATES }],
  ['PUT /_index_template/large', { index_patterns: ['large*'], template: { mappings: { dynamic_templates: TEMPLATES } } }],
  ['PUT /_component_template/large', { template: { mappings: { dynamic_templates: TEMPLATES } } }],
  ['PUT /_template/large', { index_patterns: ['large*'], mappings: { dynamic_templates: TEMPLATES } }],
  ['PUT /_ingest/pipeline/large', { processors: Array.from({ length: 30_000 }, () => ({ set: { field: 'a', value: 1 } })) }],
])('%s refuses more names and items than the limit', async (line, body) => {
  const { status, json } = await node.send(line, body);
  expect([status, json.error?.type, json.error?.reason]).toEqual([400, 'illegal_argument_exception', REASON]);
});

test('strings in lists, such as synonyms, do not count', async () => {
  const synonyms = Array.from({ length: 110_000 }, (_, i) => `w${i} => x${i}`);
  await node.ok('PUT /synonyms', { settings: { analysis: { filter: { same: { type: 'synonym', synonyms } } } } });
});

test('a definition below the limit is accepted', async () => {
  const properties = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`f${i}`, { type: 'keyword' }]));
  await node.ok('PUT /wide', { settings: { 'index.mapping.total_fields.limit': 6000 }, mappings: { properties } });
});
