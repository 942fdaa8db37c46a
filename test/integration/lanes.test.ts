// Heavy requests in lanes: they do not delay others, end in time, can be cancelled, and fail alone.
import http from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

const DOCUMENTS = 20_000;
/** Takes many seconds over all documents, although each run stays within the steps that a script may take. */
const ENDLESS = {
  script_score: { query: { match_all: {} }, script: { source: 'double s = 0; for (int i = 0; i < 200000; i++) { s += i % 7 } return s' } },
};

let service: TestService;

beforeAll(async () => {
  service = await startService(['--threads=2', '--thread_pool.heavy.heap=32mb', '--thread_pool.heavy.queue_size=3']);
  await fill(service, DOCUMENTS);
});

afterAll(() => service.stop());

async function fill({ url }: TestService, documents: number): Promise<void> {
  const lines = Array.from({ length: documents }, (_, n) => `{"index":{"_id":"${n}"}}\n{"n":${n}}\n`).join('');
  const response = await fetch(`${url}/docs/_bulk?refresh=true`, {
    method: 'POST',
    body: lines,
    headers: { 'content-type': 'application/x-ndjson' },
  });
  expect(await response.json()).toMatchObject({ errors: false });
}

const search = (body: unknown) => service.request('POST', '/docs/_search', body);
const canary = async () => expect((await search({ query: { term: { n: 7 } } })).body.hits.hits[0]._id).toBe('7');
const tasks = async (): Promise<string[]> =>
  Object.keys((await service.request('GET', '/_tasks?actions=*search&group_by=parents')).body.tasks);

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition()));
}

test('light searches are answered while a search runs that takes many seconds', async () => {
  const heavy = search({ query: ENDLESS });
  await until(async () => (await tasks()).length > 0);
  const [id] = await tasks();
  for (let n = 0; n < 5; n++) await canary();
  expect(await tasks()).toEqual([id]);
  await service.request('POST', `/_tasks/${id}/_cancel`);
  expect((await heavy).status).toBe(400);
});

test('a search that takes many seconds ends with its timeout', async () => {
  const { status, body } = await search({ query: ENDLESS, timeout: '300ms' });
  if (status === 200) expect(body.timed_out).toBe(true);
  else expect(body.error).toMatchObject({ type: 'circuit_breaking_exception', reason: expect.stringContaining('limit of [300ms]') });
});

test('a heavy search is a task and ends when it is cancelled', async () => {
  const heavy = search({ query: ENDLESS });
  await until(async () => (await tasks()).length > 0);
  const [id] = await tasks();
  const cancelled = await service.request('POST', `/_tasks/${id}/_cancel`);
  expect(Object.keys((Object.values(cancelled.body.nodes)[0] as { tasks: object }).tasks)).toEqual([id]);
  const { status, body } = await heavy;
  expect(status).toBe(400);
  expect(body.error).toMatchObject({ type: 'task_cancelled_exception', reason: 'task cancelled [by user request]' });
  expect(await tasks()).toEqual([]);
});

test('a heavy search ends when its client disconnects', async () => {
  const body = JSON.stringify({ query: ENDLESS });
  const request = http.request(`${service.url}/docs/_search`, { method: 'POST', headers: { 'content-type': 'application/json' } });
  request.on('error', () => undefined);
  request.end(body);
  await until(async () => (await tasks()).length > 0);
  request.destroy();
  await until(async () => (await tasks()).length === 0);
  await canary();
});

test('a request that needs more memory than a lane has fails alone, and the next one is answered', async () => {
  const text = `{"query":{"terms":{"n":[${'{"a":[]},'.repeat(700_000)}1]}}}`;
  const { status, body } = await service.request('POST', '/docs/_search', text);
  expect(status).toBe(429);
  expect(body.error).toMatchObject({ type: 'circuit_breaking_exception', bytes_limit: 32 << 20, durability: 'TRANSIENT' });
  const page = await search({
    size: 1,
    query: { script: { script: { source: "for (int i = 0; i < 3; i++) {} return doc['n'].value == 5" } } },
  });
  expect(page.body.hits.hits[0]._id).toBe('5');
});

test('heavy requests beyond the queue are rejected', async () => {
  const sent = Array.from({ length: 9 }, () => search({ query: ENDLESS, timeout: '200ms' }));
  const statuses = (await Promise.all(sent)).map(({ status }) => status);
  const rejected = statuses.filter((status) => status === 429).length;
  // Nine requests, three places in the queue, and two lanes, of which one may be about to be replaced.
  expect([4, 5]).toContain(rejected);
  await canary();
});

test('metadata and refreshed documents are seen by requests in lanes, and a busy lane delays neither', async () => {
  const heavy = search({ query: ENDLESS, timeout: '1s' });
  await until(async () => (await tasks()).length > 0);
  await service.request('PUT', '/fresh');
  await service.request('PUT', '/fresh/_doc/1?refresh=true', { n: 1 });
  const { body } = await service.request('POST', '/fresh/_search', {
    query: { script: { script: { source: "for (int i = 0; i < 3; i++) {} return doc['n'].value == 1" } } },
  });
  expect(body.hits.total.value).toBe(1);
  await heavy;
});

test('a search without a timeout is ended after thread_pool.heavy.max_run_time', async () => {
  const other = await startService(['--threads=1', '--thread_pool.heavy.max_run_time=800ms']);
  await fill(other, 5000);
  const { status, body } = await other.request('POST', '/docs/_search', { query: ENDLESS });
  expect(status).toBe(503);
  expect(body.error.root_cause[0]).toMatchObject({
    type: 'circuit_breaking_exception',
    reason: '[time] [POST /docs/_search] ran longer than the limit of [800ms] and was ended',
  });
  expect((await other.request('GET', '/docs/_doc/7')).body._source).toEqual({ n: 7 });
  await other.stop();
});

test('SIGTERM ends heavy searches', async () => {
  const other = await startService(['--threads=1']);
  await fill(other, 5000);
  const heavy = other.request('POST', '/docs/_search', { query: ENDLESS });
  await until(async () => Object.keys((await other.request('GET', '/_tasks?actions=*search&group_by=parents')).body.tasks).length > 0);
  await other.stop();
  expect((await heavy).body.error.type).toBe('node_closed_exception');
});

test('a large invalid definition is refused with the same error in every thread, and changes nothing', async () => {
  const filter = Object.fromEntries(
    Array.from({ length: 1_400 }, (_, i) => [`f${i}`, { type: 'stop', stopwords: Array(100).fill(`word${i}`) }]),
  );
  const broken = { ...filter, broken: { type: 'unknown' } };
  const create = (filters: object) => service.request('PUT', '/defined', { settings: { analysis: { filter: filters } } });
  const expected = (await create({ broken: { type: 'unknown' } })).body;
  const refused = await create(broken);
  expect([refused.status, refused.body]).toEqual([400, expected]);
  expect((await service.request('HEAD', '/defined')).status).toBe(404);
  expect((await service.request('PUT', '/defined', { mappings: { properties: { n: { type: 'long' } } } })).status).toBe(200);
  const fields = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`f${i}`, { type: 'keyword' }]));
  const mapped = await service.request('PUT', '/defined/_mapping', { properties: fields });
  expect([mapped.status, mapped.body.error.reason]).toEqual([400, 'Limit of total fields [1000] has been exceeded']);
  expect(Object.keys((await service.request('GET', '/defined/_mapping')).body.defined.mappings.properties)).toEqual(['n']);
});
