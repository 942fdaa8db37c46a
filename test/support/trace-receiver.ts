// A collector for tests: takes OTLP/HTTP in JSON and keeps the spans. Tests wait for spans, not for time.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number };
  /** By key; 64-bit integers as bigint. */
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
}

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

export interface TraceReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Requests so far, refused ones included. */
  readonly requests: ReadonlyArray<{ readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }>;
  /** What the next requests are answered with; 200 when the list is empty. */
  readonly statuses: number[];
  /** Resolves once the condition holds, which is checked after each request. */
  until(condition: (receiver: TraceReceiver) => boolean): Promise<void>;
  close(): Promise<void>;
}

export async function startTraceReceiver(): Promise<TraceReceiver> {
  const spans: ReceivedSpan[] = [];
  const requests: TraceReceiver['requests'][number][] = [];
  const statuses: number[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      requests.push({ path: request.url ?? '', headers: request.headers, body });
      const status = statuses.shift() ?? 200;
      if (status === 200) spans.push(...spansOf(JSON.parse(body)));
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
      for (const check of waiting) check();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: TraceReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    statuses,
    until: (condition) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!condition(receiver)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}

interface OtlpBody {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: ReadonlyArray<{
      readonly scope: { readonly name: string };
      readonly spans: ReadonlyArray<Omit<ReceivedSpan, 'attributes' | 'resource'> & { readonly attributes: readonly KeyValue[] }>;
    }>;
  }>;
}

function spansOf({ resourceSpans }: OtlpBody): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scoped) =>
      scoped.spans.map((span) => ({ ...span, attributes: recordOf(span.attributes), resource: recordOf(resource.attributes) })),
    ),
  );
}

/** The attributes of protocol buffers in JSON. @throws Error a value is not of one of the kinds that the service sends */
function recordOf(attributes: readonly KeyValue[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => {
      const [[kind, given], ...others] = Object.entries(value);
      if (others.length > 0) throw new Error(`${key} has several values`);
      if (kind === 'intValue' && typeof given === 'string') return [key, BigInt(given)];
      if (kind === 'stringValue' && typeof given === 'string') return [key, given];
      if (kind === 'boolValue' && typeof given === 'boolean') return [key, given];
      if (kind === 'doubleValue' && typeof given === 'number') return [key, given];
      throw new Error(`${key} is no value of OTLP: ${JSON.stringify(value)}`);
    }),
  );
}
