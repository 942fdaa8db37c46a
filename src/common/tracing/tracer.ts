// Records spans of requests. The context of a request follows its asynchronous work through an AsyncLocalStorage, so that phases far below the
// dispatcher find their span (./span.ts). Bundles of the service replace this module by dist/service/tracer.late.js.
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { type EndedSpan, KIND_INTERNAL, KIND_SERVER } from './otlp.ts';
import type { PhaseName, Span, SpanAttributes } from './span.ts';
import { type ExporterOptions, SpanExporter } from './span-exporter.ts';
import { checkedTracestate, formatTraceparent, parseTraceparent, type TraceContext } from './trace-context.ts';

/** A request, from its arrival to its response. */
export interface RequestSpan extends Span {
  end(name: string, attributes: SpanAttributes, isError: boolean): void;
}

/** What the dispatcher knows of a request when it begins. */
export interface TracedRequest {
  /** As read by performance.now(). */
  readonly startMs: number;
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
  /** False for the part of a request that another thread has received. */
  readonly isServer: boolean;
}

export interface Tracer {
  /** null if the request is not sampled: the caller decides, or the share of traces that begin here. */
  begin(request: TracedRequest): RequestSpan | null;
  /** A span that has begun in another thread; null without one. */
  continue(traceparent: string | undefined): Span | null;
  /** Runs work whose `activeSpan` is this span. */
  run<T>(span: Span, work: () => T): T;
  /** Records a phase that belongs to no request, as a trace of its own. */
  alone(name: PhaseName, startMs: number, endMs: number, attributes: SpanAttributes): void;
  /** Sends what was recorded, within a limited time. */
  flush(): Promise<void>;
}

/** How long the end of a thread may wait for the collector. */
const FLUSH_MS = 2000;

const storage = new AsyncLocalStorage<Span>();

export interface TracerOptions extends ExporterOptions {
  /** Share of the traces that begin here which are recorded, 0 to 1. */
  readonly ratio: number;
  /** Makes `activeSpan` of the calling code read this thread's context: that module is not in the file of this one. */
  readonly provide: (source: () => Span | undefined) => void;
}

export function openTracer({ ratio, provide, ...options }: TracerOptions): Tracer {
  const exporter = new SpanExporter(options);
  const add = (span: EndedSpan): void => exporter.add(span);
  const isChosen = (): boolean => ratio >= 1 || Math.random() < ratio;
  provide(() => storage.getStore());
  return {
    begin({ startMs, traceparent, tracestate, isServer }) {
      const caller = parseTraceparent(traceparent);
      if (caller === null ? !isChosen() : !caller.isSampled) return null;
      return new Recorded(add, caller, caller && checkedTracestate(tracestate), startMs, isServer ? KIND_SERVER : KIND_INTERNAL);
    },
    continue(traceparent) {
      const caller = parseTraceparent(traceparent);
      return caller === null ? null : new Continued(add, caller);
    },
    run: (span, work) => storage.run(span, work),
    alone(name, startMs, endMs, attributes) {
      if (isChosen()) add(ended({ name, traceId: hex(16), startMs, endMs, attributes }));
    },
    flush: () => exporter.flush(FLUSH_MS),
  };
}

/** A span of another thread, to which phases of this one belong. */
class Continued implements Span {
  readonly context: TraceContext;
  protected readonly add: (span: EndedSpan) => void;

  constructor(add: (span: EndedSpan) => void, context: TraceContext) {
    this.add = add;
    this.context = context;
  }

  get traceparent(): string {
    return formatTraceparent(this.context);
  }

  phase(name: PhaseName, startMs: number, endMs: number, attributes: SpanAttributes = {}): void {
    const { traceId, spanId: parentSpanId } = this.context;
    this.add(ended({ name, traceId, parentSpanId, startMs, endMs, attributes }));
  }
}

class Recorded extends Continued implements RequestSpan {
  readonly #caller: TraceContext | null;
  readonly #traceState: string | undefined;
  readonly #startMs: number;
  readonly #kind: EndedSpan['kind'];

  constructor(
    add: (span: EndedSpan) => void,
    caller: TraceContext | null,
    traceState: string | null | undefined,
    startMs: number,
    kind: EndedSpan['kind'],
  ) {
    super(add, { traceId: caller?.traceId ?? hex(16), spanId: hex(8), isSampled: true });
    this.#caller = caller;
    this.#traceState = traceState ?? undefined;
    this.#startMs = startMs;
    this.#kind = kind;
  }

  end(name: string, attributes: SpanAttributes, isError: boolean): void {
    const { traceId, spanId } = this.context;
    const parentSpanId = this.#caller?.spanId;
    const own = { spanId, kind: this.#kind, traceState: this.#traceState, isError };
    this.add({ ...ended({ name, traceId, parentSpanId, startMs: this.#startMs, endMs: performance.now(), attributes }), ...own });
  }
}

/** @param of.startMs  as read by performance.now() */
function ended(of: Pick<EndedSpan, 'name' | 'traceId' | 'startMs' | 'endMs' | 'attributes'> & { parentSpanId?: string }): EndedSpan {
  const { timeOrigin } = performance;
  return {
    parentSpanId: undefined,
    ...of,
    startMs: timeOrigin + of.startMs,
    endMs: timeOrigin + of.endMs,
    spanId: hex(8),
    traceState: undefined,
    kind: KIND_INTERNAL,
    isError: false,
  };
}

const hex = (bytes: number): string => randomBytes(bytes).toString('hex');
