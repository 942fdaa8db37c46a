// Scrolls and points in time over several http workers: every page goes over a connection of its own, while documents change.
import { expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

const DOCUMENTS = 60;

/** A request on a new connection: the kernel gives it to any of the workers. */
const fresh = (service: TestService, method: string, target: string, body?: unknown) =>
  service.request(method, target, body, { connection: 'close' });

async function change(service: TestService, round: number): Promise<void> {
  await fresh(service, 'POST', '/docs/_delete_by_query?refresh=true', { query: { term: { n: round } } });
  await fresh(service, 'PUT', `/docs/_doc/new${round}?refresh=true`, { n: 1000 + round });
  if (round % 5 === 0) await fresh(service, 'POST', '/docs/_forcemerge?max_num_segments=1');
}

async function fill(service: TestService): Promise<void> {
  await fresh(service, 'PUT', '/docs', { settings: { number_of_shards: 2, refresh_interval: '-1' } });
  const lines = Array.from({ length: DOCUMENTS }, (_, n) => `{"index":{"_id":"${n}"}}\n{"n":${n}}\n`).join('');
  await fresh(service, 'POST', '/docs/_bulk?refresh=true', lines);
}

test('a scroll returns the documents of its start once each, from any worker, also under its first id', async () => {
  const service = await startService(['--threads=3']);
  await fill(service);
  const first = await fresh(service, 'POST', '/docs/_search?scroll=1m', { size: 7, sort: ['n'] });
  const seen: number[] = first.body.hits.hits.map((hit: any) => hit._source.n);
  for (let round = 0; seen.length < DOCUMENTS; round++) {
    await change(service, round);
    const page = await fresh(service, 'POST', '/_search/scroll', { scroll: '1m', scroll_id: first.body._scroll_id });
    expect(page.status).toBe(200);
    expect(page.body.hits.total.value).toBe(DOCUMENTS);
    expect(page.body.hits.hits.length).toBeGreaterThan(0);
    seen.push(...page.body.hits.hits.map((hit: any) => hit._source.n));
  }
  expect(seen).toEqual(Array.from({ length: DOCUMENTS }, (_, n) => n));
  const over = await fresh(service, 'POST', '/_search/scroll', { scroll_id: first.body._scroll_id });
  expect(over.body.hits.hits).toEqual([]);
  expect((await fresh(service, 'DELETE', '/_search/scroll', { scroll_id: first.body._scroll_id })).body.num_freed).toBe(1);
  expect((await fresh(service, 'POST', '/_search/scroll', { scroll_id: first.body._scroll_id })).status).toBe(404);
  await service.stop();
});

test('a scroll in index order returns all documents over several segments, forwards and backwards', async () => {
  const service = await startService(['--threads=2']);
  for (let part = 0; part < 3; part++) {
    const lines = Array.from({ length: 10 }, (_, n) => `{"index":{}}\n{"n":${part * 10 + n}}\n`).join('');
    await fresh(service, 'POST', '/parts/_bulk?refresh=true', lines);
  }
  const numbers = Array.from({ length: 30 }, (_, n) => n);
  for (const [sort, expected] of [
    ['_doc', numbers],
    ['_doc:desc', [...numbers].reverse()],
  ] as const) {
    let page = await fresh(service, 'GET', `/parts/_search?scroll=1m&size=4&sort=${sort}`);
    const seen: number[] = [];
    while (page.body.hits.hits.length > 0) {
      seen.push(...page.body.hits.hits.map((hit: any) => hit._source.n));
      page = await fresh(service, 'POST', '/_search/scroll', { scroll_id: page.body._scroll_id });
    }
    expect(seen).toEqual(expected);
  }
  await service.stop();
});

test('a point in time has the same documents for every worker until it is closed', async () => {
  const service = await startService(['--threads=3']);
  await fill(service);
  const { id } = (await fresh(service, 'POST', '/docs/_pit?keep_alive=1m')).body;
  const search = () => fresh(service, 'POST', '/_search', { size: 0, pit: { id }, aggs: { sum: { sum: { field: 'n' } } } });
  for (let round = 0; round < 8; round++) {
    await change(service, round);
    const { body } = await search();
    expect([body.hits.total.value, body.aggregations.sum.value]).toEqual([DOCUMENTS, (DOCUMENTS * (DOCUMENTS - 1)) / 2]);
  }
  expect((await fresh(service, 'GET', '/_search/point_in_time/_all')).body.pits.map((pit: any) => pit.pit_id)).toEqual([id]);
  expect((await fresh(service, 'DELETE', '/_pit', { id })).body).toEqual({ succeeded: true, num_freed: 1 });
  expect((await search()).status).toBe(404);
  await service.stop();
});
