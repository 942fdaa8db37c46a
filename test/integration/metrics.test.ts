/** `_metrics` of a real service with several http workers: Prometheus's format, sums over the workers, bounded labels, privileges; the dashboard. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService(['--threads=2']);
  for (let i = 0; i < 20; i++) await service.request('PUT', `/books/_doc/${i}?refresh=true`, { n: i }, { connection: 'close' });
  for (let i = 0; i < 30; i++) await service.request('POST', '/books/_search', {}, { connection: 'close' });
  await service.request('GET', '/books/_doc/none');
  await service.request('GET', '/none/_search');
  await service.request('GET', '/b*/_search');
  // A worker counts a request right after it has sent the response, so another one may not see the last ones yet.
  while (requestsIn(await metrics()) < 53) await new Promise((resolve) => setTimeout(resolve, 20));
});
afterAll(() => service.stop());

const metrics = async (): Promise<string> => (await service.request('GET', '/_metrics')).body;
const requestsIn = (text: string): number =>
  [...text.matchAll(/^gannet_requests_total\{api="(?:index|search|get)",status="[a-z_]+"\} (\d+)$/gm)].reduce(
    (sum, [, n]) => sum + Number(n),
    0,
  );
/** Value of a line by its name and labels, null without it. */
const valueOf = (text: string, row: string): number | null => {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${row} `));
  return line === undefined ? null : Number(line.slice(row.length + 1));
};

describe('_metrics', () => {
  test('has the type and the grammar of Prometheus', async () => {
    const { headers, body } = await service.request('GET', '/_metrics');
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(body.endsWith('\n')).toBe(true);
    const types = new Map<string, string>();
    const rows = new Set<string>();
    for (const line of body.trimEnd().split('\n')) {
      const type = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line);
      if (type) {
        expect(types.has(type[1])).toBe(false);
        types.set(type[1], type[2]);
      } else if (!line.startsWith('# HELP ')) {
        const row = /^([a-z_]+)((?:\{(?:[a-z]+="(?:[^"\\\n]|\\.)*",?)+\})?) (\d+(?:\.\d+)?(?:e[+-]\d+)?)$/.exec(line);
        expect(row, line).not.toBeNull();
        const family = types.has(row![1]) ? row![1] : row![1].replace(/_(?:bucket|sum|count)$/, '');
        expect(types.has(family), line).toBe(true);
        expect(rows.has(row![1] + row![2]), line).toBe(false);
        rows.add(row![1] + row![2]);
      }
    }
  });

  test('counts requests of all workers, by API, status and index', async () => {
    const text = await metrics();
    expect(valueOf(text, 'gannet_requests_total{api="index",status="success"}')).toBe(20);
    expect(valueOf(text, 'gannet_requests_total{api="search",status="success"}')).toBe(31);
    expect(valueOf(text, 'gannet_requests_total{api="search",status="client_error"}')).toBe(1);
    expect(valueOf(text, 'gannet_requests_total{api="get",status="client_error"}')).toBe(1);
    expect(valueOf(text, 'gannet_index_request_duration_seconds_count{index="books",group="search"}')).toBe(30);
    expect(valueOf(text, 'gannet_index_request_duration_seconds_count{index="books",group="write"}')).toBe(20);
    expect(valueOf(text, 'gannet_index_request_duration_seconds_count{index="_other",group="search"}')).toBe(2);
    expect(text).not.toContain('index="none"');
  });

  test('histograms are cumulative and end with their count', async () => {
    const text = await metrics();
    const buckets = [...text.matchAll(/^gannet_request_duration_seconds_bucket\{api="search",le="([^"]+)"\} (\d+)$/gm)].map(([, le, n]) => [
      le,
      Number(n),
    ]);
    const counts = buckets.map(([, n]) => n as number);
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    expect(buckets.at(-1)).toEqual(['+Inf', 32]);
    expect(valueOf(text, 'gannet_request_duration_seconds_count{api="search"}')).toBe(32);
    expect(valueOf(text, 'gannet_request_duration_seconds_sum{api="search"}')).toBeGreaterThan(0);
  });

  test('shows documents, memory and breakers', async () => {
    const text = await metrics();
    expect(valueOf(text, 'gannet_documents')).toBe(20);
    expect(valueOf(text, 'gannet_operations_total{operation="index"}')).toBe(20);
    expect(valueOf(text, 'gannet_memory_bytes{kind="resident"}')).toBeGreaterThan(1 << 20);
    expect(valueOf(text, 'gannet_breaker_limit_bytes{breaker="parent"}')).toBeGreaterThan(0);
  });

  test('the dashboard uses metrics that exist', async () => {
    const text = await metrics();
    const dashboard = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../examples/grafana/gannet.json'), 'utf8'));
    const expressions: string[] = dashboard.panels.flatMap((panel: { targets?: { expr: string }[] }) =>
      (panel.targets ?? []).map(({ expr }) => expr),
    );
    const names = new Set(expressions.flatMap((expr) => expr.match(/gannet_[a-z_]+/g) ?? []));
    expect(expressions.length).toBeGreaterThan(10);
    const missing = [...names].filter((name) => !name.startsWith('gannet_front_') && !new RegExp(`^${name}(?:\\{| )`, 'm').test(text));
    expect(missing).toEqual([]);
  });
});
