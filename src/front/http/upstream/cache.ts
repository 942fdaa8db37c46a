/** What an upstream asks of a cache; cache-request.ts is the implementation. */

import type { Failure } from './protocol.ts';
import type { UpstreamHead } from './response-head.ts';
import type { Upstream } from './upstream.ts';

export interface CacheRequest {
  /** key of the entry, '' before `open` */
  readonly key: string;
  /** Looks the request up: answers it, or calls `miss` when the back end must be asked. */
  open(u: Upstream, miss: () => void): void;
  /** waits for another request that fetches the same */
  readonly waiting: boolean;
  /** the answer may be stored: conditions and ranges of the client are then not passed on */
  readonly cacheable: boolean;
  /** a 304 from the back end: the entry was sent (true) */
  revalidated(u: Upstream, head: UpstreamHead): boolean;
  /** sends a stale entry instead of the failure, if allowed */
  useStale(u: Upstream, failure: Failure): boolean;
  /** the answer was replaced by an error page */
  intercepted(u: Upstream, head: UpstreamHead): void;
  /** decides whether the answer whose header was accepted is stored */
  prepare(u: Upstream): void;
  write(u: Upstream, data: Buffer): void;
  complete(u: Upstream): void;
  abandon(u: Upstream, status?: number): void;
  /** the client left: true if the fetch goes on for the cache */
  keepsGoing(u: Upstream): boolean;
}
