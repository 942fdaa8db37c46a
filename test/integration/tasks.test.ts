// Operations that continue after their request: monitored, rethrottled and cancelled from any http worker.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService(['--threads=2']);
  const lines = Array.from({ length: 30 }, (_, i) => `{"index":{"_id":"${i}"}}\n{"n":${i}}\n`).join('');
  const response = await fetch(`${service.url}/from/_bulk?refresh=true`, {
    method: 'POST',
    body: lines,
    headers: { 'content-type': 'application/x-ndjson' },
  });
  expect(await response.json()).toMatchObject({ errors: false });
});

afterAll(() => service.stop());

async function start(target: string, body: unknown): Promise<string> {
  const { status, body: answer } = await service.request(
    'POST',
    `${target}${target.includes('?') ? '&' : '?'}wait_for_completion=false`,
    body,
  );
  expect(status).toBe(200);
  return answer.task;
}

const finished = (id: string) => service.request('GET', `/_tasks/${id}?wait_for_completion=true&timeout=10s`);

test('a reindex as a task reports counts and its response', async () => {
  const id = await start('/_reindex?refresh=true', { source: { index: 'from' }, dest: { index: 'to' } });
  const { body } = await finished(id);
  expect(body).toMatchObject({
    completed: true,
    task: { action: 'indices:data/write/reindex', cancellable: true, status: { created: 30 } },
  });
  expect(body.response).toMatchObject({ created: 30, failures: [] });
  expect((await service.request('GET', '/to/_count')).body.count).toBe(30);
});

test('a throttled task is listed, sped up and completes', async () => {
  const id = await start('/from/_update_by_query?scroll_size=10&requests_per_second=1', {});
  const listed = await service.request('GET', '/_tasks?actions=*byquery&group_by=parents&detailed=true');
  expect(listed.body.tasks[id]).toMatchObject({ description: 'update-by-query [from]', cancelled: false });
  const hurried = await service.request('POST', `/_update_by_query/${id}/_rethrottle?requests_per_second=-1`);
  expect(Object.keys((Object.values(hurried.body.nodes)[0] as { tasks: object }).tasks)).toEqual([id]);
  await service.request('POST', `/_tasks/${id}/_cancel`);
  const { body } = await finished(id);
  expect(body.response).toMatchObject({ canceled: 'by user request', updated: 10 });
});

test('a failed operation stores its error', async () => {
  const id = await start('/_reindex', { source: { index: 'from' }, dest: { index: 'to' }, script: { source: 'ctx._source.a.b.c = 1' } });
  const { body } = await finished(id);
  expect(body.completed).toBe(true);
  expect(body.error.type).toBe('script_exception');
});

test('refuses requests for unknown tasks', async () => {
  const [node] = Object.keys((await service.request('GET', '/_nodes')).body.nodes);
  expect((await service.request('GET', `/_tasks/${node}:99999`)).status).toBe(404);
  expect((await service.request('GET', '/_tasks/nonsense')).status).toBe(400);
  const { status, body } = await service.request('POST', `/_tasks/${node}:99999/_cancel`);
  expect([status, body.node_failures[0].caused_by.type]).toEqual([200, 'resource_not_found_exception']);
});
