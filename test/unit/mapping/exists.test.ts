// The `exists` query finds documents by what is kept of a field: its column, its postings or its stored values. Expected as by 8.15.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

const VALUES = {
  long: 5,
  double: 1.5,
  date: '2024-01-01',
  boolean: true,
  keyword: 'x',
  ip: '10.0.0.1',
  geo_point: '1,2',
} as const;

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
});

afterAll(() => node.close());

async function foundBy(index: string, properties: Record<string, object>, doc: object): Promise<string[]> {
  await node.ok(`PUT /${index}`, { mappings: { properties } });
  await node.ok(`PUT /${index}/_doc/1?refresh=true`, doc);
  const found: string[] = [];
  for (const field of Object.keys(properties)) {
    const { hits } = await node.ok(`POST /${index}/_search`, { query: { exists: { field } } });
    if (hits.total.value === 1) found.push(field);
  }
  return found;
}

test.each(Object.entries(VALUES))('%s', async (type, value) => {
  const properties = {
    usual: { type },
    searchable: { type, doc_values: false },
    column: { type, index: false },
    stored: { type, index: false, doc_values: false, store: true },
    nothing: { type, index: false, doc_values: false },
  };
  const doc = Object.fromEntries(Object.keys(properties).map((field) => [field, value]));
  expect(await foundBy(type, properties, doc)).toEqual(['usual', 'searchable', 'column', 'stored']);
});

test('text', async () => {
  const properties = {
    usual: { type: 'text' },
    bare: { type: 'text', norms: false },
    stored: { type: 'text', index: false, store: true },
    nothing: { type: 'text', index: false },
  };
  const doc = { usual: 'a', bare: 'a', stored: 'a', nothing: 'a' };
  expect(await foundBy('text', properties, doc)).toEqual(['usual', 'bare', 'stored']);
});
