// Which message framing is accepted. A request whose Host, Content-Length or Transfer-Encoding is ambiguous is refused:
// the next hop, or uWebSockets itself, could read it differently (request smuggling; a repeated Content-Length aborts the process).

/** Framing headers counted while the head is read once. */
export interface FramingHeaders {
  hostCount: number;
  contentLengthCount: number;
  transferEncodingCount: number;
}

export type Framing = { readonly ok: true; readonly length: number | null } | { readonly ok: false; readonly reason: string };

const NO_BODY: Framing = { ok: true, length: 0 };
const CHUNKED: Framing = { ok: true, length: null };

/** Exactly one non-empty Host; at most one Content-Length of 1-15 digits; Transfer-Encoding absent or once exactly `chunked`; not both. */
export function checkFraming(counts: FramingHeaders, headers: Readonly<Record<string, string>>): Framing {
  if (counts.hostCount !== 1 || headers.host === '') return { ok: false, reason: 'exactly one Host header is required' };
  if (counts.contentLengthCount + counts.transferEncodingCount === 0) return NO_BODY;
  if (counts.contentLengthCount + counts.transferEncodingCount > 1)
    return { ok: false, reason: 'at most one of Content-Length and Transfer-Encoding may be sent, once' };
  if (counts.transferEncodingCount === 1)
    return headers['transfer-encoding'] === 'chunked' ? CHUNKED : { ok: false, reason: 'Transfer-Encoding must be chunked' };
  if (!/^\d{1,15}$/.test(headers['content-length'])) return { ok: false, reason: 'Content-Length must be 1 to 15 digits' };
  return { ok: true, length: Number(headers['content-length']) };
}
