// Conditions of single writes and bulk items, and `wait_for_active_shards`.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
});
afterAll(() => node.close());

const send = (line: string, body?: unknown) => node.send(line, body);

beforeEach(async () => {
  await send('DELETE /*');
  await send('PUT /w', { settings: { number_of_replicas: 1 } });
  await send('PUT /w/_doc/1', { n: 1 });
});

/** `[status, type, reason]` of an error. */
async function refusal(line: string, body?: unknown): Promise<unknown[]> {
  const { status, json } = await send(line, body);
  return [status, json.error?.type, json.error?.reason];
}

const invalid = (problem: string) => [400, 'action_request_validation_exception', `Validation Failed: 1: ${problem};`];

test('invalid conditions are rejected before anything is written', async () => {
  const doc = { doc: { n: 2 } };
  expect(await refusal('PUT /w/_doc/1?if_seq_no=-5&if_primary_term=1', {})).toEqual([
    400,
    'illegal_argument_exception',
    'sequence numbers must be non negative. got [-5].',
  ]);
  expect(await refusal('PUT /w/_doc/1?if_seq_no=0&if_primary_term=0', {})).toEqual(invalid('ifSeqNo is set, but primary term is [0]'));
  expect(await refusal('PUT /w/_doc/1?version=-1&version_type=external', {})).toEqual(
    invalid('illegal version value [-1] for version type [EXTERNAL]'),
  );
  expect(await refusal('POST /w/_update/1?if_seq_no=0', doc)).toEqual(invalid('ifSeqNo is set, but primary term is [0]'));
  expect(await refusal('POST /w/_update/1?if_seq_no=0&if_primary_term=1&retry_on_conflict=2', doc)).toEqual(
    invalid('compare and write operations can not be retried'),
  );
  expect(await refusal('POST /w/_update/1?if_seq_no=0&if_primary_term=1', { ...doc, doc_as_upsert: true })).toEqual(
    invalid('compare and write operations can not be used with upsert'),
  );
  expect(await refusal('POST /w/_update/1?if_seq_no=0&if_primary_term=1', { ...doc, upsert: {} })).toEqual(
    invalid("upsert requests don't support `if_seq_no` and `if_primary_term`"),
  );
  expect(await refusal('POST /_bulk', '{"index":{"_index":"w","_id":"1","if_seq_no":3}}\n{}\n')).toEqual(
    invalid('ifSeqNo is set, but primary term is [0]'),
  );
  expect(await refusal('GET /w/_doc/1?version_type=force')).toEqual([400, 'illegal_argument_exception', 'No version type match [force]']);
  expect((await send('GET /w/_doc/1')).json).toMatchObject({ _version: 1, _source: { n: 1 } });
});

test('the body of an update may contain its conditions', async () => {
  const wrong = await send('POST /w/_update/1', { doc: { n: 2 }, if_seq_no: 7, if_primary_term: 1 });
  expect([wrong.status, wrong.json.error.type]).toEqual([409, 'version_conflict_engine_exception']);
  const right = await send('POST /_bulk', '{"update":{"_index":"w","_id":"1"}}\n{"doc":{"n":2},"if_seq_no":0,"if_primary_term":1}\n');
  expect(right.json.items[0].update).toMatchObject({ result: 'updated', status: 200 });
});

test('a write waits for the requested copies, and fails after the timeout', async () => {
  const [status, type, reason] = await refusal('PUT /w/_doc/2?wait_for_active_shards=2&timeout=1ms', {});
  expect([status, type]).toEqual([503, 'unavailable_shards_exception']);
  expect(reason).toContain('[w][0] Not enough active copies to meet shard count of [2] (have 1, needed 2)');
  expect((await send('HEAD /w/_doc/2')).status).toBe(404);
  expect((await send('DELETE /w/_doc/1?wait_for_active_shards=all&timeout=1ms')).status).toBe(503);
  const { json } = await send('POST /w/_bulk?wait_for_active_shards=all&timeout=1ms', '{"index":{"_id":"2"}}\n{}\n');
  expect(json.items[0].index).toMatchObject({ status: 503, error: { type: 'unavailable_shards_exception' } });
  await send('PUT /w/_settings', { number_of_replicas: 0 });
  expect((await send('PUT /w/_doc/2?wait_for_active_shards=all&timeout=1ms', {})).status).toBe(201);
  await send('PUT /w/_settings', { 'index.write.wait_for_active_shards': '2' });
  expect((await send('PUT /w/_doc/2?timeout=1ms', {})).status).toBe(503);
});

test('`all` is satisfied as soon as the replicas are set to 0', async () => {
  const waiting = send('PUT /w/_doc/2?wait_for_active_shards=all&timeout=20s', {});
  await send('PUT /w/_settings', { number_of_replicas: 0 });
  expect((await waiting).status).toBe(201);
});

test('creating an index reports whether its shards became active in time', async () => {
  const body = { settings: { number_of_replicas: 1 } };
  expect((await send('PUT /a?wait_for_active_shards=2&timeout=1ms', body)).json).toEqual({
    acknowledged: true,
    shards_acknowledged: false,
    index: 'a',
  });
  expect(await refusal('PUT /b?wait_for_active_shards=3', body)).toEqual([
    400,
    'illegal_argument_exception',
    'invalid wait_for_active_shards[3]: cannot be greater than number of shard copies [2]',
  ]);
});
