// New fields of nested objects whose values are repeated in the parent or the root document.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
});

afterAll(() => node.close());

test.each(['include_in_parent', 'include_in_root'])('a document adds fields to a nested object with %s', async (parameter) => {
  const index = parameter.replaceAll('_', '-');
  await node.ok(`PUT /${index}`, { mappings: { properties: { n: { type: 'nested', [parameter]: true } } } });
  await node.ok(`PUT /${index}/_doc/1?refresh=true`, { n: [{ z: 1, deep: { y: 2 } }] });
  const { properties } = (await node.ok(`GET /${index}/_mapping`))[index].mappings;
  expect(properties.n).toEqual({
    type: 'nested',
    [parameter]: true,
    properties: { z: { type: 'long' }, deep: { properties: { y: { type: 'long' } } } },
  });
  const { hits } = await node.ok(`POST /${index}/_search`, { query: { term: { 'n.z': 1 } } });
  expect(hits.total.value).toBe(1);
});
