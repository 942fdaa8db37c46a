// Spans of the request that the calling code works for. Loaded by every thread; what records and exports spans (./tracer.ts) is loaded only if an
// endpoint for traces is configured, and `activeSpan` is a comparison with null otherwise.

export type SpanAttributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Phases of requests. `log` is an append to the operation log, `refresh` makes writes searchable. */
export type PhaseName = 'parse' | 'plan' | 'run' | 'reduce' | 'fetch' | 'log' | 'refresh';

/** A request that is traced. */
export interface Span {
  /** For work on behalf of the request elsewhere: the `traceparent` of W3C Trace Context. */
  readonly traceparent: string;
  /** Records a phase that has ended. Times as read by performance.now() in this thread; attributes that are null or undefined are left out. */
  phase(name: PhaseName, startMs: number, endMs: number, attributes?: SpanAttributes): void;
}

let read: (() => Span | undefined) | null = null;

/** The span of the request in whose asynchronous context the caller runs; null if it is not traced. */
export function activeSpan(): Span | null {
  return read === null ? null : (read() ?? null);
}

/** Makes `activeSpan` ask this function. */
export function provideActiveSpan(source: () => Span | undefined): void {
  read = source;
}
