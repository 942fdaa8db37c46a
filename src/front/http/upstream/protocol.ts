/** What tells back ends apart: how a request is written and a response read, and what is known of an attempt. */
import type { HeaderField } from '../../../http/wire/header.ts';
import type { CacheRequest } from './cache.ts';
import type { UpstreamConf } from './conf.ts';
import type { PeerConnection, TlsSettings } from './connect.ts';
import type { UpstreamHead } from './response-head.ts';
import type { Upstream } from './upstream.ts';

export interface ResponseParser {
  /** Takes bytes from the peer; calls the sink. Throws InvalidResponse for a malformed header. */
  feed(data: Buffer): void;
  /** the peer closed: true if the response was complete with that */
  end(): boolean;
}

export interface ParserSink {
  /** 1xx and the final header */
  head(head: UpstreamHead): unknown;
  /** a 103 that came before the final header */
  hints?(fields: HeaderField[]): void;
  /** @param last  nothing follows: `complete` is called next, before `data` can change */
  body(data: Buffer, last?: boolean): unknown;
  trailers(fields: HeaderField[]): void;
  /** bytes that came beside those of the body: framing, or more than there should be */
  beside?(count: number, isExcess: boolean): void;
  /** all was read; `keepalive`: the connection may be used again */
  complete(keepalive: boolean): unknown;
}

export class InvalidResponse extends Error {}

export interface Protocol {
  name: string;
  /** what goes before the body */
  requestHead(u: Upstream): (Buffer | string)[];
  /** wraps a piece of a streamed or buffered body */
  wrapBody(u: Upstream, data: Buffer): Buffer[];
  endBody(u: Upstream): Buffer[];
  parser(u: Upstream, sink: ParserSink): ResponseParser;
  /** last changes to the header fields (redirects, cookies) */
  rewriteField?(u: Upstream, field: HeaderField): void;
  /** connections of another kind than bytes in both directions */
  connection?: typeof PeerConnection;
  tls?(u: Upstream): TlsSettings | undefined;
  /** the head is bytes, which the first attempt and all others may send */
  fixedHead?: boolean;
  /** the parser keeps nothing of what it is fed, and hands on only what the feed still holds */
  readsInPlace?: boolean;
  /** says the length of the body before it: one of unknown length is read first, even with `request_buffering off` */
  needsLength?: boolean;
  /** may idle connections be kept for this request? */
  keepsAlive: boolean;
}

export type Failure =
  | 'error'
  | 'timeout'
  | 'invalid_header'
  | 'no_live'
  | 'not_found'
  | 'invalid_response'
  | 'busy'
  | 'denied'
  | 'http_500'
  | 'http_502'
  | 'http_503'
  | 'http_504'
  | 'http_403'
  | 'http_404'
  | 'http_429';

export interface UpstreamOptions {
  protocol: Protocol;
  conf: UpstreamConf;
  /** finds the group and gives it to `u.useGroup`, or ends the request by `u.finish` */
  resolve(u: Upstream): void;
  cache?: CacheRequest;
  method: string;
}

/** Methods that are not repeated at another peer once sent. */
export const NON_IDEMPOTENT = new Set(['POST', 'LOCK', 'PATCH']);
