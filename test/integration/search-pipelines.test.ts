// Search pipelines over HTTP: storage, use by name and by default, and effects of their processors.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
  for (const [id, year, tags] of [
    ['a', 1960, 'x,z,y'],
    ['b', 1999, 'x'],
    ['c', 2020, 'q'],
  ])
    await service.request('PUT', `/films/_doc/${id}?refresh=true`, { year, tags });
});

afterAll(() => service.stop());

async function searched(pipeline: object, body: object = {}): Promise<{ status: number; body: any }> {
  expect((await service.request('PUT', '/_search/pipeline/p', pipeline)).status).toBe(200);
  return service.request('POST', '/films/_search?search_pipeline=p', { sort: ['year'], ...body });
}

const ids = ({ body }: { body: any }) => body.hits.hits.map((hit: { _id: string }) => hit._id);

test('pipelines are stored, returned and deleted', async () => {
  await service.request('PUT', '/_search/pipeline/kept', { description: 'd' });
  expect((await service.request('GET', '/_search/pipeline/k*')).body).toEqual({ kept: { description: 'd' } });
  expect((await service.request('DELETE', '/_search/pipeline/kept')).body).toEqual({ acknowledged: true });
  expect((await service.request('GET', '/_search/pipeline/kept')).status).toBe(404);
  expect((await service.request('DELETE', '/_search/pipeline/kept')).status).toBe(404);
  expect((await service.request('POST', '/films/_search?search_pipeline=kept', {})).body.error.reason).toBe('Pipeline kept is not defined');
});

test('response processors run on a search that was cached', async () => {
  const pipeline = { response_processors: [{ truncate_hits: { target_size: 1 } }] };
  const first = ids(await searched(pipeline));
  expect(first).toEqual(['a']);
  expect(ids(await service.request('POST', '/films/_search?search_pipeline=p', { sort: ['year'] }))).toEqual(first);
});

test('filter_query narrows the query of the request', async () => {
  const pipeline = { request_processors: [{ filter_query: { tag: 't', query: { range: { year: { lte: 2000 } } } } }] };
  expect(ids(await searched(pipeline))).toEqual(['a', 'b']);
  expect(ids(await searched(pipeline, { query: { term: { year: 1999 } } }))).toEqual(['b']);
  expect((await service.request('GET', '/films/_search?search_pipeline=p&q=x')).status).toBe(400);
});

test('response processors change sources, and drop hits', async () => {
  const split = { split: { field: 'tags', separator: ',', target_field: 'list' } };
  const sort = { sort: { field: 'list', target_field: 'sorted' } };
  const rename = { rename_field: { field: 'year', target_field: 'y' } };
  const { body } = await searched({ response_processors: [split, sort, rename] });
  expect(body.hits.hits[0]._source).toEqual({ y: 1960, tags: 'x,z,y', list: ['x', 'z', 'y'], sorted: ['x', 'y', 'z'] });
  const over = { request_processors: [{ oversample: { sample_factor: 3 } }], response_processors: [{ truncate_hits: {} }] };
  expect(ids(await searched(over, { size: 1 }))).toEqual(['a']);
  expect(ids(await searched({ response_processors: [{ collapse: { field: 'tags' } }] }))).toEqual(['a', 'b', 'c']);
  const missing = { collapse: { field: 'none' } };
  expect((await searched({ response_processors: [missing] })).status).toBe(400);
  expect(ids(await searched({ response_processors: [{ collapse: { field: 'none', ignore_failure: true } }] }))).toHaveLength(3);
});

test('response processors see the hits of a repeated search', async () => {
  await service.request('PUT', '/_search/pipeline/p', { response_processors: [{ rename_field: { field: 'year', target_field: 'y' } }] });
  for (let i = 0; i < 12; i++) {
    const { status, body } = await service.request('POST', '/films/_search?search_pipeline=p', { sort: ['year'] });
    expect([status, body.hits.hits[0]._source]).toEqual([200, { y: 1960, tags: 'x,z,y' }]);
  }
});

test('a failing request processor fails the search, or is ignored', async () => {
  const over = (options: object) => ({ request_processors: [{ oversample: { sample_factor: 2, ...options } }] });
  const failed = await searched(over({}), { size: 'two' });
  expect([failed.status, failed.body.error.reason]).toEqual([400, 'Failed to parse int parameter [size] with value [two]']);
  // The search itself refuses the size that the processor has left alone.
  const passed = await searched(over({ ignore_failure: true }), { size: 'two' });
  expect([passed.status, passed.body.error.reason]).toEqual([400, 'For input string: "two"']);
  expect(ids(await searched(over({ ignore_failure: true }), { size: 1 }))).toHaveLength(2);
  const filter = { request_processors: [{ filter_query: { query: { nothing: {} }, ignore_failure: true } }] };
  expect((await service.request('PUT', '/_search/pipeline/bad', filter)).status).toBe(400);
});

test('an index may have a default pipeline', async () => {
  await service.request('PUT', '/_search/pipeline/first', { response_processors: [{ truncate_hits: { target_size: 1 } }] });
  await service.request('PUT', '/films/_settings', { index: { search: { default_pipeline: 'first' } } });
  expect(ids(await service.request('POST', '/films/_search', {}))).toHaveLength(1);
  expect(ids(await service.request('POST', '/films/_search?search_pipeline=_none', {}))).toHaveLength(3);
});

test('unknown and invalid processors are rejected', async () => {
  for (const pipeline of [{ request_processors: [{ nothing: {} }] }, { response_processors: [{ sort: {} }] }, { other: 1 }])
    expect((await service.request('PUT', '/_search/pipeline/bad', pipeline)).status).toBe(400);
});
