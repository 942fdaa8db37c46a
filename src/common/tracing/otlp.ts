// Spans as the JSON that OTLP/HTTP carries. Ids are hexadecimal, 64-bit integers are strings.
// Source: https://opentelemetry.io/docs/specs/otlp/ (JSON Protobuf Encoding)
import type { SpanAttributes } from './span.ts';

export const KIND_INTERNAL = 1;
export const KIND_SERVER = 2;
const STATUS_ERROR = 2;

export interface EndedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly traceState: string | undefined;
  readonly name: string;
  readonly kind: typeof KIND_INTERNAL | typeof KIND_SERVER;
  /** Milliseconds since 1970, with fractions. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: SpanAttributes;
  readonly isError: boolean;
}

/** The body of `POST /v1/traces`. @param resource  attributes of the service */
export function otlpBody(spans: readonly EndedSpan[], resource: SpanAttributes): string {
  const scope = { name: 'gannet' };
  return JSON.stringify({
    resourceSpans: [{ resource: { attributes: keyValues(resource) }, scopeSpans: [{ scope, spans: spans.map(spanJson) }] }],
  });
}

function spanJson({ startMs, endMs, attributes, isError, ...span }: EndedSpan): object {
  return {
    ...span,
    startTimeUnixNano: nanos(startMs),
    endTimeUnixNano: nanos(Math.max(startMs, endMs)),
    attributes: keyValues(attributes),
    status: isError ? { code: STATUS_ERROR } : {},
  };
}

/** A double has microseconds at present times; below them are zeros. */
const nanos = (ms: number): string => `${Math.round(ms * 1000)}000`;

function keyValues(attributes: SpanAttributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
