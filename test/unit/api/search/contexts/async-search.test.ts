// Asynchronous searches: answers in time and later, storage, errors, owners.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashPassword } from '../../../../../src/security/password-hash.ts';
import { openRestNode, type RestNode } from '../../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
  for (const id of ['1', '2', '3']) await node.ok(`PUT /docs/_doc/${id}?refresh=true`, { n: Number(id) + 0.5, word: `w${id}` });
});
afterAll(() => node.close());

const body = { query: { match_all: {} }, aggs: { most: { max: { field: 'n' } } } };

test('a search that ends in time is answered without an id', async () => {
  const answer = await node.ok('POST /docs/_async_search?wait_for_completion_timeout=20s', body);
  expect(answer.id).toBeUndefined();
  expect(answer).toMatchObject({ is_partial: false, is_running: false, response: { hits: { total: { value: 3 } } } });
  expect(answer.expiration_time_in_millis - answer.start_time_in_millis).toBe(5 * 86_400_000);
  expect(answer.completion_time_in_millis).toBeGreaterThanOrEqual(answer.start_time_in_millis);
});

test('the outcome is kept on disk until it is deleted', async () => {
  const { id, response } = await node.ok('POST /docs/_async_search?wait_for_completion_timeout=20s&keep_on_completion=true', body);
  const { text } = await node.send(`GET /_async_search/${id}`);
  expect(text).toContain('"most":{"value":3.5}');
  expect(text).toContain('"max_score":1.0');
  expect(await node.ok(`GET /_async_search/status/${id}`)).toMatchObject({
    id,
    is_running: false,
    completion_status: 200,
    _shards: { total: 1, successful: 1 },
  });
  await node.restart();
  expect((await node.ok(`GET /_async_search/${id}?keep_alive=9d`)).response.hits).toEqual(response.hits);
  expect(await node.ok(`DELETE /_async_search/${id}`)).toEqual({ acknowledged: true });
  const gone = await node.send(`GET /_async_search/${id}`);
  expect([gone.status, gone.json.error.type, gone.json.error.reason]).toEqual([404, 'resource_not_found_exception', id]);
  expect((await node.send(`DELETE /_async_search/${id}`)).status).toBe(404);
});

test('a search that does not end in time continues', async () => {
  const { id, is_running, response } = await node.ok(
    'POST /docs/_async_search?wait_for_completion_timeout=0ms&keep_on_completion=true',
    body,
  );
  // It may have ended while its first state was written.
  if (is_running) expect(response.hits).toEqual({ total: { value: 0, relation: 'gte' }, max_score: null, hits: [] });
  expect(await node.ok(`GET /_async_search/${id}?wait_for_completion_timeout=20s`)).toMatchObject({
    id,
    is_running: false,
    is_partial: false,
    response: { hits: { total: { value: 3 } } },
  });
});

test('errors of the request are answered at once, those of the search are its outcome', async () => {
  expect((await node.send('POST /docs/_async_search', { query: { nothing: {} } })).json.error.type).toBe('parsing_exception');
  expect((await node.send('POST /missing/_async_search', body)).status).toBe(404);
  expect((await node.send('POST /docs/_async_search?keep_alive=1ms', body)).json.error.reason).toMatch(/\[keep_alive\] must be greater/);
  expect((await node.send('POST /docs/_async_search?scroll=1m', body)).status).toBe(400);
  const failed = await node.send('POST /docs/_async_search?wait_for_completion_timeout=20s&keep_on_completion=true', {
    query: { match: { n: 'no number' } },
  });
  expect(failed.status).toBe(400);
  expect(failed.json).toMatchObject({ is_partial: true, is_running: false, error: { type: 'search_phase_execution_exception' } });
  expect((await node.send(`GET /_async_search/${failed.json.id}`)).status).toBe(400);
});

test('an expired search does not exist', async () => {
  const { id } = await node.ok('POST /docs/_async_search?wait_for_completion_timeout=20s&keep_on_completion=true&keep_alive=1s', body);
  await expect.poll(async () => (await node.send(`GET /_async_search/${id}`)).status).toBe(404);
  expect(readdirSync(path.join(node.folder, 'async-search')).some((name) => name.startsWith(id))).toBe(false);
  expect((await node.send('GET /_async_search/..%2F..%2Fetc')).status).toBe(404);
});

test('belongs to the user who started it', async () => {
  const hash = await hashPassword('pw');
  const role = { indices: [{ names: ['docs'], privileges: ['read', 'write', 'create_index'] }] };
  const other = await openRestNode({
    'security.users': { a: { password_hash: hash, roles: ['reader'] }, b: { password_hash: hash, roles: ['reader'] } },
    'security.roles': { reader: role },
  });
  try {
    const as = (user: string, line: string, json?: unknown) =>
      other.send(line, json, { authorization: `Basic ${Buffer.from(`${user}:pw`).toString('base64')}` });
    await as('a', 'PUT /docs/_doc/1?refresh=true', { n: 1 });
    const { json } = await as('a', 'POST /docs/_async_search?wait_for_completion_timeout=20s&keep_on_completion=true', body);
    expect((await as('a', `GET /_async_search/${json.id}`)).status).toBe(200);
    expect((await as('b', `GET /_async_search/${json.id}`)).status).toBe(404);
    expect((await as('b', `DELETE /_async_search/${json.id}`)).status).toBe(404);
    expect((await as('a', 'POST /other/_async_search', body)).status).toBe(403);
  } finally {
    await other.close();
  }
});
