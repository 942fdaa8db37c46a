// The differences between back ends: how a request is written and a response is read. The types that a protocol, a cache and the exchange
// itself (class Upstream) share.
import type { HeaderField } from '../../../../http/wire/header.ts';
import type { Request } from '../../model/types.ts';
import type { UpstreamConf } from '../conf.ts';
import type { PeerConnection, TlsSettings } from '../connection/connect.ts';

/** Header of a back end's response. */
export interface UpstreamHead {
  status: number;
  /** `404 Gone`; '' for the standard text */
  statusLine: string;
  fields: HeaderField[];
  /** -1: unknown */
  contentLength: number;
  /** the back end has no such object (memcached); `whole`: nothing else was received, so the connection can be reused */
  missing?: 'whole' | 'followed';
}

export interface ResponseParser {
  /** Parses bytes from the peer; calls the sink. Throws InvalidResponse for a malformed header. */
  feed(data: Buffer): void;
  /** The peer closed. Returns whether that completes the response. */
  end(): boolean;
}

export interface ParserSink {
  /** the final header, or a 101 */
  head(head: UpstreamHead): unknown;
  /** a field of the header was dropped, because it repeats `previous` */
  repeated?(field: HeaderField, previous: HeaderField): void;
  /** a 103 that preceded the final header */
  hints?(fields: HeaderField[]): void;
  /** @param last  nothing follows: `complete` is called next, before `data` can change */
  body(data: Buffer, last?: boolean): unknown;
  trailers(fields: HeaderField[]): void;
  /** bytes outside of the body: framing, or more than was announced */
  beside?(count: number, isExcess: boolean): void;
  /** everything was read; `keepalive`: the connection may be used again */
  complete(keepalive: boolean): unknown;
}

export class InvalidResponse extends Error {}

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

/** Methods that are not repeated at another peer once sent. */
export const NON_IDEMPOTENT = new Set(['POST', 'LOCK', 'PATCH']);

/** Address and content of a request to a back end, with the fields that log lines show; each protocol extends it. */
export interface UpstreamTarget {
  /** `https://`; default: the name of the protocol */
  readonly schema?: string;
  /** URI that is requested */
  readonly requestUri?: string;
}

/** An exchange with a back end, as seen by its protocol. */
export interface Exchange<Target = unknown> {
  readonly r: Request;
  readonly conf: UpstreamConf;
  readonly method: string;
  readonly target: Target;
  readonly conn: PeerConnection | null;
  /** the response may be stored: conditions and ranges of the client are not passed on */
  readonly caching: boolean;
  /** header lines that revalidate a stale cache entry, '' for none */
  readonly conditional: string;
  /** set by the protocol: the request asks for another protocol on the connection */
  upgrade: boolean;
  next(failure: Failure): void;
  finish(rc: number): void;
}

export interface Protocol<Target = unknown> {
  name: string;
  /** requests whose protocols have the same pool may share idle connections; default: the name */
  pool?: string;
  /** idle connections may be kept for this request */
  keepsAlive: boolean;
  /** what precedes the body */
  requestHead(x: Exchange<Target>): (Buffer | string)[];
  /** frames a piece of a streamed or buffered body */
  wrapBody(x: Exchange<Target>, data: Buffer): Buffer[];
  endBody(x: Exchange<Target>): Buffer[];
  parser(x: Exchange<Target>, sink: ParserSink): ResponseParser;
  /** final changes to header fields (redirects, cookies) */
  rewriteField?(x: Exchange<Target>, field: HeaderField): void;
  /** kind of connection if it is not a plain stream of bytes */
  connection?: typeof PeerConnection;
  tls?(x: Exchange<Target>): TlsSettings | undefined;
  /** the head consists of bytes that every attempt may send */
  fixedHead?: boolean;
  /** the parser stores nothing of its input, and passes on only what is valid during the call */
  readsInPlace?: boolean;
  /** announces the length of the body: one of unknown length is read first, even with `request_buffering off` */
  needsLength?: boolean;
}
