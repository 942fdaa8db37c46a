/** Counts of requests in memory that several workers share. */
import { describe, expect, test } from 'vitest';
import type { ApiSpec } from '../../../../src/rest/core/api.ts';
import { BUCKETS_SECONDS, MAX_INDICES, newMetricsMemory, RequestMetrics } from '../../../../src/rest/core/request-metrics.ts';

const api = (name: string, needs: ApiSpec['needs']): ApiSpec => ({ name, needs, routes: {} });
const search = api('search', 'indices:data/read/search');
const index = api('index', 'indices:data/write/index');
const get = api('get', 'indices:data/read/get');
const health = api('cluster.health', 'cluster:monitor/health');
const APIS = [search, index, get, health];

const workers = (count: number): RequestMetrics[] => {
  const memory = newMetricsMemory(count);
  return Array.from({ length: count }, (_, row) => new RequestMetrics(memory, row, APIS, (name) => !name.includes('*')));
};

describe('by API', () => {
  test('any worker sums up what all have counted', () => {
    const [a, b] = workers(2);
    a.record(search, null, 200, 3);
    b.record(search, null, 200, 3);
    b.record(search, null, 404, 0.4);
    b.record(index, null, 503, 60_000);
    for (const metrics of [a, b]) {
      const found = metrics.apis();
      expect([...found.keys()]).toEqual(['search', 'index']);
      expect(found.get('search')?.statuses).toEqual([2, 1, 0]);
      expect(found.get('search')?.sumSeconds).toBeCloseTo(0.0064, 6);
      expect(found.get('index')?.statuses).toEqual([0, 0, 1]);
    }
  });

  test('a latency is in the first bucket that it does not exceed', () => {
    const [metrics] = workers(1);
    for (const seconds of [0.0009, 0.001, 0.0011, 10, 11]) metrics.record(search, null, 200, seconds * 1000);
    const counts = metrics.apis().get('search')?.counts ?? [];
    expect(counts.length).toBe(BUCKETS_SECONDS.length + 1);
    expect([counts[0], counts[1], counts.at(-2), counts.at(-1)]).toEqual([2, 1, 1, 1]);
  });

  test('an API that is not listed is counted with the last one', () => {
    const [metrics] = workers(1);
    metrics.record(api('other', 'none'), null, 200, 1);
    expect([...metrics.apis().keys()]).toEqual([]);
  });
});

describe('by index', () => {
  test('requests of a group have a histogram per index', () => {
    const [a, b] = workers(2);
    a.record(search, 'books', 200, 1);
    b.record(search, 'books', 200, 1);
    b.record(index, 'books', 201, 1);
    a.record(get, 'bücher', 404, 1);
    b.record(health, 'b*', 200, 1);
    const rows = b.indices().map(({ index, group, histogram }) => [index, group, ...histogram.statuses]);
    expect(rows).toEqual([
      ['books', 'search', 2, 0, 0],
      ['books', 'write', 1, 0, 0],
      ['bücher', 'get', 0, 1, 0],
      ['', 'other', 1, 0, 0],
    ]);
  });

  test('their number is bounded: further indices are counted together', () => {
    const [metrics] = workers(1);
    for (let i = 0; i < MAX_INDICES + 10; i++) metrics.record(search, `index-${i}`, 200, 1);
    const rows = metrics.indices();
    expect(rows.length).toBe(MAX_INDICES + 1);
    expect(rows.at(-1)).toMatchObject({ index: '', histogram: { statuses: [10, 0, 0] } });
  });

  test('a name of the greatest length has its own histogram', () => {
    const [metrics] = workers(1);
    metrics.record(search, 'x'.repeat(255), 200, 1);
    expect(metrics.indices().map((row) => row.index)).toEqual(['x'.repeat(255)]);
  });
});
