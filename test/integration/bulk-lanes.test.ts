// Items of bulk requests whose ingest pipelines take long run in lanes, so that they harm only their sender.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

/** Takes tenths of a second in all its runs, each of which stays within the steps that a script may take. */
const SLOW = {
  foreach: { field: 'list', processor: { script: { source: 'long s = 0; for (int i = 0; i < 100000; i++) { s += i % 7 } ctx.s = s' } } },
};

let service: TestService;

beforeAll(async () => {
  service = await startService(['--threads=2']);
  const pipelines = {
    slow: [SLOW, { set: { field: 'done', value: true } }],
    moved: [SLOW, { set: { field: '_index', value: 'elsewhere' } }, { set: { field: '_routing', value: 'r' } }],
    dropped: [SLOW, { drop: {} }],
    failed: [SLOW, { fail: { message: 'refused by {{word}}' } }],
  };
  for (const [name, processors] of Object.entries(pipelines)) {
    expect((await service.request('PUT', `/_ingest/pipeline/${name}`, { processors })).status).toBe(200);
  }
});

afterAll(() => service.stop());

const LIST = Array.from({ length: 100 }, (_, i) => i);
const bulk = (items: object[]) =>
  service.request('POST', '/_bulk?refresh=true', `${items.map((item) => JSON.stringify(item)).join('\n')}\n`);

test('changes, routes, drops and errors of slow pipelines arrive, and light items stay', async () => {
  const item = (pipeline: string, id: string) => [{ index: { _index: 'docs', _id: id, pipeline } }, { word: 'é🙂', list: LIST }];
  const { body } = await bulk([
    ...item('slow', '1'),
    ...item('moved', '2'),
    ...item('dropped', '3'),
    ...item('failed', '4'),
    { index: { _index: 'docs', _id: '5', pipeline: 'slow' } },
    { word: 'light', list: [1] },
    { index: { _index: 'docs', _id: '6' } },
    { word: 'plain' },
  ]);
  const shown = body.items.map(({ index }: any) => [index._index, index._id, index.result ?? index.error?.reason]);
  expect(shown).toEqual([
    ['docs', '1', 'created'],
    ['elsewhere', '2', 'created'],
    ['docs', '3', 'noop'],
    ['docs', '4', 'refused by é🙂'],
    ['docs', '5', 'created'],
    ['docs', '6', 'created'],
  ]);
  expect((await service.request('GET', '/docs/_doc/1')).body._source).toMatchObject({ word: 'é🙂', done: true });
  expect((await service.request('GET', '/elsewhere/_doc/2?routing=r')).body._routing).toBe('r');
});

test('an item that would never end fails alone', async () => {
  const other = await startService(['--threads=2', '--thread_pool.heavy.max_run_time=500ms']);
  await other.request('PUT', '/_ingest/pipeline/slow', { processors: [SLOW] });
  const lines = [
    { index: { _index: 'docs', _id: '1', pipeline: 'slow' } },
    { list: Array.from({ length: 100_000 }, (_, i) => i) },
    { index: { _index: 'docs', _id: '2' } },
    { word: 'plain' },
  ];
  const { status, body } = await other.request('POST', '/_bulk', `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  expect([status, body.items.map(({ index }: any) => index.status)]).toEqual([200, [503, 201]]);
  expect(body.items[0].index.error.type).toBe('circuit_breaking_exception');
  await other.stop();
});
