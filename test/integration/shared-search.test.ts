// A heavy search that two lanes share answers as in one lane.
import { expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

const SEGMENTS = 3;
const DOCUMENTS = 20_000;
/** Loops make a search run in a lane from the start. */
const SCRIPT = "double s = 0; for (int i = 0; i < 5; i++) { s += i * (doc['n'].value % 101) } return s";
const BODY = {
  size: 20,
  track_total_hits: true,
  query: { script_score: { query: { range: { n: { gte: 50 } } }, script: { source: SCRIPT } } },
  aggs: { k: { terms: { field: 'n', size: 30 }, aggs: { d: { stats: { field: 'd' } } } } },
};

async function fill({ url }: TestService): Promise<void> {
  for (let segment = 0; segment < SEGMENTS; segment++) {
    const lines = Array.from({ length: DOCUMENTS }, (_, i) => {
      const n = (segment * DOCUMENTS + i) % 997;
      return `{"index":{}}\n{"n":${n},"d":${n / 7}}\n`;
    });
    const headers = { 'content-type': 'application/x-ndjson' };
    const response = await fetch(`${url}/docs/_bulk?refresh=true`, { method: 'POST', body: lines.join(''), headers });
    expect(await response.json()).toMatchObject({ errors: false });
  }
}

test('one lane and three lanes give the same answer', async () => {
  const answer = async (service: TestService) => {
    const search = await service.request('POST', '/docs/_search?request_cache=false', BODY);
    expect(search.status).toBe(200);
    const { hits, aggregations } = search.body;
    const count = await service.request('POST', '/docs/_count', { query: BODY.query });
    expect(count.body.count).toBe(hits.total.value);
    const waiting = 'request_cache=false&wait_for_completion_timeout=60s&keep_on_completion=false';
    const background = await service.request('POST', `/docs/_async_search?${waiting}`, BODY);
    expect(background.body.response).toMatchObject({ hits, aggregations });
    const lines = [{ request_cache: false }, BODY, { request_cache: false }, BODY].map((line) => `${JSON.stringify(line)}\n`).join('');
    const headers = { 'content-type': 'application/x-ndjson' };
    const multi = await fetch(`${service.url}/docs/_msearch`, { method: 'POST', body: lines, headers });
    const { responses } = (await multi.json()) as { responses: object[] };
    expect(responses).toEqual([expect.objectContaining({ hits, aggregations }), expect.objectContaining({ hits, aggregations })]);
    return { hits, aggregations };
  };
  const flags = (lanes: number) => ['--threads=2', `--thread_pool.heavy.size=${lanes}`];
  const shared = await startService(flags(3));
  await shared.request('PUT', '/docs', { settings: { refresh_interval: -1, 'merge.policy.max_merged_segment': '1mb' } });
  await fill(shared);
  const expected = await answer(shared);
  expect(expected.hits.total.value).toBe(56_950);
  await shared.stop({ keepData: true });
  const alone = await startService(flags(1), shared.data);
  expect(await answer(alone)).toEqual(expected);
  await alone.stop();
});
