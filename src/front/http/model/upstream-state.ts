// What logs, variables and metrics know of a request's exchange with back ends.
import type { HeaderField } from '../../../http/wire/header.ts';

/** One attempt at a peer: source of $upstream_* and of the log. Times are ms, -1: not reached. */
export interface UpstreamState {
  peer: string;
  status: number;
  connectMs: number;
  headerMs: number;
  responseMs: number;
  /** bytes of the body */
  responseLength: number;
  /** bytes received other than those of the body */
  besideBytes: number;
  bytesReceived: number;
  bytesSent: number;
  /** time in the queue of the group, -1: none */
  queueMs: number;
  startMs: number;
}

/** A request's exchange with a back end, as seen by logs, variables and HTTP/2 (class Upstream). */
export interface UpstreamReport {
  /** URL for log lines, '' before a peer was chosen */
  describe(): string;
  /** what is being done, for log lines */
  readonly action: string;
  readonly passesTrailers: boolean;
  readonly trailers: readonly HeaderField[];
  readonly head: { readonly fields: readonly HeaderField[] } | null;
  /** chosen last, also after it was released */
  readonly lastPeer: { readonly name: string; readonly configured: string } | null;
  readonly cacheStatus: string | null;
  /** request fields that revalidate an expired entry of the cache, as lines */
  readonly conditional: string;
  readonly cacheKey: string | null;
}
