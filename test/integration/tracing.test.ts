// Traces of a real service with several threads, as a collector receives them: every phase, the caller's trace, lanes, indexers, a graceful end.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import { type ReceivedSpan, startTraceReceiver, type TraceReceiver } from '../support/trace-receiver.ts';

let receiver: TraceReceiver;
let service: TestService;
let lastTrace = 0;

beforeAll(async () => {
  receiver = await startTraceReceiver();
  service = await startService([
    '--threads=2',
    `--otel.exporter.otlp.endpoint=${receiver.url}`,
    '--otel.service.name=shop-search',
    '--otel.bsp.schedule.delay=20',
    '--node.name=alpha',
  ]);
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

const CALLER = 'b7ad6b7169203331';

/** Sends a request within a trace of its own. @returns the spans of that trace by name, once all of these names are there */
async function traced(names: readonly string[], method: string, target: string, body?: unknown): Promise<Map<string, ReceivedSpan[]>> {
  const traceId = (++lastTrace).toString(16).padStart(32, '0');
  const { status } = await service.request(method, target, body, { traceparent: `00-${traceId}-${CALLER}-01`, 'x-opaque-id': 'me' });
  expect(status).toBeLessThan(500);
  const ofTrace = () => receiver.spans.filter((span) => span.traceId === traceId);
  await receiver.until(() => names.every((name) => ofTrace().some((span) => span.name === name)));
  return new Map(ofTrace().map(({ name }) => [name, ofTrace().filter((span) => span.name === name)]));
}

describe('traces', () => {
  test('of a write have its phases in the http worker and the indexer', async () => {
    const lines = ['{"index":{"_id":"1"}}', '{"title":"one"}', '{"index":{"_id":"2"}}', '{"title":"two"}', ''].join('\n');
    const spans = await traced(['POST /{index}/_bulk', 'parse', 'log', 'refresh'], 'POST', '/books/_bulk?refresh=true', lines);
    const [request] = spans.get('POST /{index}/_bulk') ?? [];
    expect(request).toMatchObject({ parentSpanId: CALLER, kind: 2, status: {} });
    expect(request.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.response.status_code': 200n,
      'http.route': '/{index}/_bulk',
      'db.operation.name': 'bulk',
      'db.collection.name': 'books',
      'gannet.opaque_id': 'me',
    });
    expect(request.resource).toMatchObject({ 'service.name': 'shop-search', 'elasticsearch.node.name': 'alpha' });
    for (const name of ['parse', 'log', 'refresh']) {
      const [phase] = spans.get(name) ?? [];
      expect(phase.parentSpanId).toBe(request.spanId);
      expect(phase.attributes).toMatchObject({ 'db.collection.name': 'books', 'gannet.shard': 0n });
      expect(String(phase.resource['thread.name'])).toMatch(/^indexer-/);
      // Threads read different clocks, which differ by less than a second.
      expect(Number(BigInt(phase.startTimeUnixNano) - BigInt(request.startTimeUnixNano)) / 1e9).toBeGreaterThan(-1);
      expect(BigInt(phase.endTimeUnixNano) >= BigInt(phase.startTimeUnixNano)).toBe(true);
    }
    expect(spans.get('log')?.[0].attributes['gannet.operations']).toBe(2n);
  });

  test('of a search have parse, plan, run, reduce and fetch, in this order', async () => {
    const body = { query: { match: { title: 'one' } }, aggs: { all: { filter: { match_all: {} } } } };
    const names = ['parse', 'plan', 'run', 'reduce', 'fetch'];
    const spans = await traced([...names, 'POST /{index}/_search'], 'POST', '/books/_search', body);
    // A first search may take so long that it is repeated in a lane, with spans of its own.
    const parentSpanId = spans.get('fetch')?.[0].parentSpanId;
    await receiver.until(() => receiver.spans.some(({ spanId }) => spanId === parentSpanId));
    const request = receiver.spans.find(({ spanId }) => spanId === parentSpanId);
    const phases = names.map((name) => spans.get(name)?.find((phase) => phase.parentSpanId === parentSpanId));
    expect(request?.name).toBe('POST /{index}/_search');
    expect(phases).not.toContain(undefined);
    const starts = phases.map((phase) => BigInt(phase?.startTimeUnixNano ?? 0));
    expect(starts).toEqual(starts.toSorted((a, b) => Number(a - b)));
    expect(phases[2]?.attributes).toMatchObject({ 'db.collection.name': 'books', 'gannet.hits': 1n });
    expect(starts[0] >= BigInt(request?.startTimeUnixNano ?? 0)).toBe(true);
    expect(BigInt(phases[4]?.endTimeUnixNano ?? 0) <= BigInt(request?.endTimeUnixNano ?? 0)).toBe(true);
  });

  test('of a search that moves to a lane continue there', async () => {
    const clauses = Array.from({ length: 60_000 }, (_, i) => ({ term: { title: `w${i % 9}` } }));
    const body = { query: { bool: { should: clauses.slice(0, 1000) } }, ext: {}, _source: clauses.map((_, i) => `field-${i}`) };
    const target = '/books/_search';
    const traceId = (++lastTrace).toString(16).padStart(32, '0');
    await service.request('POST', target, body, { traceparent: `00-${traceId}-${CALLER}-01` });
    const requests = () => receiver.spans.filter((span) => span.traceId === traceId && span.name === 'POST /{index}/_search');
    await receiver.until(() => requests().length === 2);
    const [outer, inner] = requests().toSorted((a, b) => b.kind - a.kind);
    expect(outer).toMatchObject({ kind: 2, parentSpanId: CALLER });
    expect(inner).toMatchObject({ kind: 1, parentSpanId: outer.spanId });
    expect(String(inner.resource['thread.name'])).toMatch(/^lane-/);
  });

  test('of errors have the status of the response; those of the caller are not failures of the service', async () => {
    const spans = await traced(['GET /{index}/_search'], 'GET', '/absent/_search');
    expect(spans.get('GET /{index}/_search')?.[0]).toMatchObject({ status: {}, attributes: { 'http.response.status_code': 404n } });
  });

  test('of scheduled refreshes are traces of their own', async () => {
    await service.request('POST', '/books/_doc', { title: 'three' }, { traceparent: `00-${'a'.repeat(32)}-${CALLER}-00` });
    await receiver.until(({ spans }) => spans.some(({ name, parentSpanId }) => name === 'refresh' && parentSpanId === undefined));
  });

  test('that the caller does not sample are not sent, nor what requests contain', async () => {
    expect(receiver.spans.filter(({ traceId }) => traceId === 'a'.repeat(32))).toEqual([]);
    await traced(['GET /{index}/_search'], 'GET', '/books/_search?q=confidential');
    expect(receiver.requests.map(({ body }) => body).join('')).not.toContain('confidential');
  });

  test('that wait are sent when the service ends', async () => {
    const other = await startService([
      `--otel.exporter.otlp.endpoint=${receiver.url}`,
      '--otel.bsp.schedule.delay=10m',
      '--node.name=beta',
    ]);
    await other.request('PUT', '/last/_doc/1', { title: 'one' });
    expect(await other.stop()).toBe(0);
    const names = receiver.spans.filter(({ resource }) => resource['elasticsearch.node.name'] === 'beta').map(({ name }) => name);
    expect(names).toContain('PUT /{index}/_doc/{id}');
    expect(names).toContain('log');
  });
});

test('without an endpoint the tracer is not loaded, and OpenTelemetry’s variables configure it', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gannet-tracing-'));
  const list = path.join(folder, 'modules');
  const preload = path.join(folder, 'list-modules.cjs');
  writeFileSync(
    preload,
    `if (require('node:worker_threads').isMainThread)
       process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(list)}, Object.keys(require.cache).join('\\n')));`,
  );
  const gannet = path.resolve(import.meta.dirname, '../../bin/gannet');
  const run = async (variables: readonly string[]): Promise<string> => {
    const command = ['/usr/bin/env', ...variables, `NODE_OPTIONS=--require=${preload}`, gannet];
    const started = await startService([], mkdtempSync(path.join(folder, 'data-')), command);
    await started.request('PUT', '/notes/_doc/1?refresh=true', { text: 'a note' });
    expect(await started.stop()).toBe(0);
    return readFileSync(list, 'utf8');
  };
  const without = await run([]);
  expect(without).toContain('engine.js');
  expect(without).not.toContain('tracer.late.js');
  expect(await run([`OTEL_EXPORTER_OTLP_ENDPOINT=${receiver.url}`, 'OTEL_SERVICE_NAME=by-variable'])).toContain('tracer.late.js');
  expect(receiver.spans.some(({ resource }) => resource['service.name'] === 'by-variable')).toBe(true);
  rmSync(folder, { recursive: true });
});
