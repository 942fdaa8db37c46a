// `_disk_usage`: bytes of each field in the structures that hold it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
  const properties = {
    body: { type: 'text' },
    tag: { type: 'keyword' },
    n: { type: 'long', index: false },
    vector: { type: 'dense_vector', dims: 4, index: true, similarity: 'l2_norm' },
    parts: { type: 'nested', properties: { sku: { type: 'keyword', doc_values: false } } },
  };
  await node.ok('PUT /d', { mappings: { properties } });
  const lines = Array.from({ length: 50 }, (_, i) => [
    { index: { _id: String(i) } },
    { body: `alpha beta w${i}`, tag: `t${i % 7}`, n: i, vector: [i, 1, 2, 3], parts: [{ sku: `s${i}` }] },
  ]).flat();
  await node.ok('POST /d/_bulk?refresh=true', lines);
});
afterAll(() => node.close());

test('counts each structure under its own name', async () => {
  const { _shards, d } = await node.ok('POST /d/_disk_usage?run_expensive_tasks=true');
  expect(_shards.failed).toBe(0);
  const { body, tag, n, vector, _id, _source } = d.fields;
  expect([body.inverted_index.total_in_bytes, body.norms_in_bytes].every((bytes) => bytes > 0)).toBe(true);
  expect(body.doc_values_in_bytes).toBe(0);
  expect([tag.inverted_index.total_in_bytes, tag.doc_values_in_bytes, n.doc_values_in_bytes].every((bytes) => bytes > 0)).toBe(true);
  expect(n.inverted_index.total_in_bytes).toBe(0);
  // Four floats for each document at least.
  expect(vector.knn_vectors_in_bytes).toBeGreaterThanOrEqual(50 * 16);
  expect(vector.total_in_bytes).toBe(vector.knn_vectors_in_bytes);
  expect(_id.inverted_index.total_in_bytes).toBeGreaterThan(0);
  expect(_source.stored_fields_in_bytes).toBeGreaterThan(0);
  expect(d.fields['parts.sku'].doc_values_in_bytes).toBe(0);
});

test('adds up all fields', async () => {
  const { d } = await node.ok('POST /d/_disk_usage?run_expensive_tasks=true&flush=false');
  const sum = Object.values<any>(d.fields).reduce((bytes, field) => bytes + field.total_in_bytes, 0);
  expect(d.all_fields.total_in_bytes).toBe(sum);
  expect(d.store_size_in_bytes).toBeGreaterThanOrEqual(sum);
  expect(Object.keys(d.fields)).toEqual(Object.keys(d.fields).sort());
});

test('requires consent, and names missing indices', async () => {
  const { status, json } = await node.send('POST /d/_disk_usage');
  expect([status, json.error.type]).toEqual([400, 'illegal_argument_exception']);
  expect(json.error.reason).toContain('[run_expensive_tasks] must be set to [true]');
  expect((await node.send('POST /lost/_disk_usage?run_expensive_tasks=true')).status).toBe(404);
});
