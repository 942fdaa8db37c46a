// The interfaces between an exchange with a back end and a cache; cache-request.ts is the implementation.
import type { Failure, UpstreamHead } from '../protocol/protocol.ts';
import type { HeadReceiver } from '../protocol/response-head.ts';

/** The exchange, as seen by its cache. */
export interface CacheClient extends HeadReceiver {
  head: UpstreamHead | null;
  cacheStatus: string | null;
  /** the response is being stored */
  cacheable: boolean;
  /** the response may be stored by what its header says */
  mayCache: boolean;
  /** header lines that revalidate the entry */
  conditional: string;
  headerDone: boolean;
  /** Called when the cache responds instead of a peer. */
  served(): void;
  /** The peer is released: the response comes from the cache. */
  letGo(): void;
  finish(rc: number): void;
}

export interface CacheRequest {
  /** key of the entry, '' before `open` */
  readonly key: string;
  /** waits for another request that fetches the same */
  readonly waiting: boolean;
  /** the response may be stored: conditions and ranges of the client are not passed on */
  readonly cacheable: boolean;
  /** Looks the request up: responds from the cache, or calls `miss` if the back end must be asked. */
  open(u: CacheClient, miss: () => void): void;
  /** a 304 from the back end: returns whether the entry was sent */
  revalidated(u: CacheClient, head: UpstreamHead): boolean;
  /** sends a stale entry instead of the failure, if allowed */
  useStale(u: CacheClient, failure: Failure): boolean;
  /** the response was replaced by an error page */
  intercepted(u: CacheClient, head: UpstreamHead): void;
  /** decides whether the response whose header was accepted is stored */
  prepare(u: CacheClient, head: UpstreamHead): void;
  write(data: Buffer): void;
  complete(u: CacheClient): void;
  abandon(status?: number): void;
  /** the client disconnected: returns whether the fetch continues for the cache */
  keepsGoing(u: CacheClient): boolean;
}
