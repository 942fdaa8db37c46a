// The tracer and its exporter, against a collector in the test: contexts, sampling, batches, the bounded queue, retries.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { activeSpan, provideActiveSpan } from '../../../../src/common/tracing/span.ts';
import { openTracer, type TracedRequest, type Tracer, type TracerOptions } from '../../../../src/common/tracing/tracer.ts';
import { startTraceReceiver, type TraceReceiver } from '../../../support/trace-receiver.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

let receiver: TraceReceiver;
const problems: string[] = [];

beforeEach(async () => {
  receiver = await startTraceReceiver();
  problems.length = 0;
});
afterEach(() => receiver.close());

const open = (more: Partial<TracerOptions> = {}): Tracer =>
  openTracer({
    endpoint: `${receiver.url}/base/`,
    headers: [],
    timeoutMs: 5000,
    delayMs: 5,
    maxQueue: 2048,
    resource: { 'service.name': 'tested' },
    ratio: 1,
    provide: provideActiveSpan,
    onProblem: (message) => problems.push(message),
    ...more,
  });

const request = (more: Partial<TracedRequest> = {}): TracedRequest => ({
  startMs: performance.now(),
  traceparent: undefined,
  tracestate: undefined,
  isServer: true,
  ...more,
});

describe('a request', () => {
  test('is a server span, its phases are children, in the trace of the caller', async () => {
    const span = open().begin(request({ traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'a=b' }));
    span?.phase('run', performance.now() - 2, performance.now(), { shard: 1, note: 'x', share: 0.5, is: true, none: null });
    span?.end('GET /x', {}, true);
    await receiver.until(({ spans }) => spans.length === 2);
    const [phase, whole] = receiver.spans;
    expect(receiver.requests[0].path).toBe('/base/v1/traces');
    expect(whole).toMatchObject({ traceId: TRACE, parentSpanId: SPAN, traceState: 'a=b', name: 'GET /x', kind: 2, status: { code: 2 } });
    expect(phase).toMatchObject({ traceId: TRACE, parentSpanId: whole.spanId, name: 'run', kind: 1, status: {} });
    expect(phase.attributes).toEqual({ shard: 1n, note: 'x', share: 0.5, is: true });
    expect(whole.resource).toEqual({ 'service.name': 'tested' });
    expect(BigInt(phase.endTimeUnixNano) - BigInt(phase.startTimeUnixNano)).toBeGreaterThanOrEqual(1_900_000n);
    // Within a day: the origin of this process's clock, in nanoseconds since 1970.
    expect(Math.abs(Number(BigInt(whole.endTimeUnixNano) / 1_000_000n) - Date.now())).toBeLessThan(86_400_000);
  });

  test('without a traceparent begins a trace', async () => {
    const tracer = open();
    for (const name of ['first', 'second']) tracer.begin(request())?.end(name, {}, false);
    await receiver.until(({ spans }) => spans.length === 2);
    const [first, second] = receiver.spans;
    expect(first.traceId).toMatch(/^[\da-f]{32}$/);
    expect(first.spanId).toMatch(/^[\da-f]{16}$/);
    expect(first.traceId).not.toBe(second.traceId);
    expect(first.parentSpanId).toBeUndefined();
  });

  test('is recorded as the caller decided, else by the ratio', () => {
    const never = open({ ratio: 0 });
    expect(never.begin(request())).toBeNull();
    expect(never.begin(request({ traceparent: `00-${TRACE}-${SPAN}-01` }))).not.toBeNull();
    expect(open().begin(request({ traceparent: `00-${TRACE}-${SPAN}-00` }))).toBeNull();
    const half = open({ ratio: 0.5 });
    const chosen = Array.from({ length: 1000 }, () => half.begin(request())).filter((span) => span !== null).length;
    expect(chosen).toBeGreaterThan(350);
    expect(chosen).toBeLessThan(650);
  });

  test('is the active span of its asynchronous work only', async () => {
    const tracer = open();
    const [a, b] = [tracer.begin(request()), tracer.begin(request())];
    if (a === null || b === null) throw new Error('not sampled');
    const later = async (): Promise<unknown> => {
      await new Promise((resolve) => setImmediate(resolve));
      return activeSpan();
    };
    expect(await Promise.all([tracer.run(a, later), tracer.run(b, later), later()])).toEqual([a, b, null]);
  });

  test('continues in another thread by its traceparent', async () => {
    const tracer = open();
    const span = tracer.begin(request());
    tracer.continue(span?.traceparent)?.phase('log', 0, 1);
    tracer.alone('refresh', 0, 1, {});
    span?.end('PUT /x', {}, false);
    await receiver.until(({ spans }) => spans.length === 3);
    const [log, refresh, whole] = receiver.spans;
    expect(log).toMatchObject({ name: 'log', traceId: whole.traceId, parentSpanId: whole.spanId });
    expect(refresh.traceId).not.toBe(whole.traceId);
    expect(tracer.continue('nonsense')).toBeNull();
  });
});

describe('the exporter', () => {
  test('sends the configured headers, and at most 512 spans at once', async () => {
    const tracer = open({ headers: ['Authorization=Basic%20x%3D', 'x-tenant = a'], delayMs: 60_000 });
    for (let i = 0; i < 600; i++) tracer.alone('run', 0, 1, { i });
    await tracer.flush();
    expect(receiver.spans.map(({ attributes }) => Number(attributes.i))).toEqual(Array.from({ length: 600 }, (_, i) => i));
    expect(receiver.requests).toHaveLength(2);
    expect(receiver.requests[0].headers).toMatchObject({
      authorization: 'Basic x=',
      'x-tenant': 'a',
      'content-type': 'application/json',
    });
  });

  test('keeps a bounded number of spans, and reports how many it dropped', async () => {
    const tracer = open({ maxQueue: 10, delayMs: 60_000 });
    for (let i = 0; i < 25; i++) tracer.alone('run', 0, 1, { i });
    await tracer.flush();
    expect(receiver.spans).toHaveLength(10);
    expect(problems).toEqual(['15 spans were dropped because the collector did not take them']);
  });

  test('sends a batch again after a status that OTLP calls retryable, and reports the first failure', async () => {
    receiver.statuses.push(503);
    const tracer = open({ delayMs: 1 });
    tracer.alone('run', 0, 1, {});
    await receiver.until(({ spans }) => spans.length === 1);
    expect(receiver.requests).toHaveLength(2);
    expect(problems).toEqual([`traces cannot be sent to ${receiver.url}/base/v1/traces: status 503`]);
  });

  test('drops a batch that the collector refuses', async () => {
    receiver.statuses.push(400);
    const tracer = open({ delayMs: 1 });
    tracer.alone('run', 0, 1, { i: 1 });
    await receiver.until(({ requests }) => requests.length === 1);
    tracer.alone('run', 0, 1, { i: 2 });
    await receiver.until(({ spans }) => spans.length === 1);
    expect(receiver.spans[0].attributes).toEqual({ i: 2n });
  });

  test('does not wait long for a collector that is away', async () => {
    const tracer = open({ endpoint: 'http://127.0.0.1:1', delayMs: 60_000 });
    tracer.alone('run', 0, 1, {});
    await tracer.flush();
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('http://127.0.0.1:1/v1/traces');
  });
});
