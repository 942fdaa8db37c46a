// W3C Trace Context: the headers `traceparent` and `tracestate`, which name the caller's trace and span.
//   traceparent   00-<trace id: 32 hex digits>-<parent span id: 16>-<flags: 2>      later versions may append `-...`
// Source: https://www.w3.org/TR/trace-context/

export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

const SAMPLED = 1;
const MAX_STATE_CHARS = 512;
const PARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** @returns null for a header that is absent or malformed, which starts a new trace */
export function parseTraceparent(header: string | undefined): TraceContext | null {
  const match = header === undefined || header.length > MAX_STATE_CHARS ? null : PARENT.exec(header);
  if (match === null) return null;
  const [, version, traceId, spanId, flags, rest] = match;
  if (version === '00' && rest !== undefined) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
}

export function formatTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** The header if it may be passed on: printable ASCII of limited length. */
export function checkedTracestate(header: string | undefined): string | undefined {
  return header !== undefined && header.length <= MAX_STATE_CHARS && /^[\x20-\x7e]+$/.test(header) ? header : undefined;
}
