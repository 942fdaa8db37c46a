// Operations over everything that a query finds: each batch runs in a lane, so a script in it harms only its sender.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

const DOCUMENTS = 3000;
/** Takes seconds over a batch, although each run stays within the steps that a script may take. */
const SLOW = 'double s = 0; for (int i = 0; i < 200000; i++) { s += i % 7 } ctx._source.s = s';

let service: TestService;

beforeAll(async () => {
  service = await startService(['--threads=2']);
  await fill(service);
});

afterAll(() => service.stop());

async function fill(target: TestService): Promise<void> {
  const lines = Array.from({ length: DOCUMENTS }, (_, n) => `{"index":{"_id":"${n}"}}\n{"n":${n},"text":"one two three"}\n`).join('');
  expect((await target.request('POST', '/docs/_bulk?refresh=true', lines)).body.errors).toBe(false);
}

const running = async (): Promise<string[]> =>
  Object.keys((await service.request('GET', '/_tasks?actions=*byquery&group_by=parents')).body.tasks);
const canary = async () => expect((await service.request('GET', '/docs/_search?q=n:7')).body.hits.hits[0]._id).toBe('7');

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition()));
}

/** Resolves when no scroll is open: a terminated lane returns its contexts only when its thread has ended. */
async function untilNoScroll(target: TestService): Promise<void> {
  const limit = (contexts: number | null) =>
    target.request('PUT', '/_cluster/settings', { persistent: { 'search.max_open_scroll_context': contexts } });
  await limit(1);
  await until(async () => (await target.request('POST', '/docs/_search?scroll=1m&size=1')).status === 200);
  await target.request('DELETE', '/_search/scroll/_all');
  await limit(null);
}

test('a batch that takes too long ends its request and leaves no scroll open', async () => {
  const other = await startService(['--threads=2', '--thread_pool.heavy.max_run_time=500ms']);
  await fill(other);
  const { status, body } = await other.request('POST', '/docs/_update_by_query', { script: { source: SLOW } });
  expect([status, body.error.type]).toEqual([503, 'circuit_breaking_exception']);
  expect(body.error.reason).toContain('[time] [POST /docs/_update_by_query]');
  await untilNoScroll(other);
  await other.stop();
});

test('others are answered while a slow script runs, which ends when it is cancelled', async () => {
  const update = service.request('POST', '/docs/_update_by_query', { script: { source: SLOW } });
  await until(async () => (await running()).length > 0);
  await canary();
  for (const id of await running()) await service.request('POST', `/_tasks/${id}/_cancel`);
  const { status, body } = await update;
  expect([status, body.canceled, body.failures]).toEqual([200, 'by user request', []]);
  expect(await running()).toEqual([]);
  await untilNoScroll(service);
});

test('batches in lanes find and write the same as a whole operation', async () => {
  const source = { index: 'docs', query: { range: { n: { lt: 2500 } } } };
  const script = { source: "ctx._source.twice = ctx._source.n * 2; if (ctx._source.n == 5) { ctx.op = 'noop' }" };
  const copied = await service.request('POST', '/_reindex?refresh=true&max_docs=2200&pretty=true', {
    source,
    dest: { index: 'copy' },
    script,
  });
  expect(copied.body).toMatchObject({ total: 2200, created: 2199, noops: 1, batches: 3, failures: [] });
  expect((await service.request('GET', '/copy/_doc/6')).body._source).toMatchObject({ n: 6, twice: 12 });
  const query = { range: { twice: { gte: 2000 } } };
  const deleted = await service.request('POST', '/copy/_delete_by_query?refresh=true&filter_path=deleted,total', { query });
  expect(deleted.body).toEqual({ total: 1200, deleted: 1200 });
});

test('errors of batches are those of the request, in the requested format', async () => {
  const [json, yaml] = await Promise.all(
    ['', '?format=yaml'].map((format) =>
      service.request('POST', `/docs/_update_by_query${format}`, { script: { source: 'ctx._source.a.b = 1' } }),
    ),
  );
  expect([json.status, json.body.error.type, yaml.status]).toEqual([400, 'script_exception', 400]);
  expect(yaml.body).toContain('type: "script_exception"');
  const external = await service.request('POST', '/_reindex', {
    source: { index: 'docs' },
    dest: { index: 'docs2', op_type: 'create', pipeline: 'none' },
  });
  expect(external.status).toBe(400);
  await untilNoScroll(service);
});

test('a slow explanation runs in a lane', async () => {
  const script = { source: SLOW.replace('ctx._source.s = s', 'return s') };
  const query = { script_score: { query: { match_all: {} }, script } };
  const explained = await service.request('POST', '/docs/_explain/7', { query });
  expect([explained.status, explained.body.matched]).toEqual([200, true]);
});
