// Bounds the documents that a response contains. A page is bounded by index.max_result_window, but a search may have inner hits for each hit, top hits
// for each bucket, and groups of collapsed hits: their numbers multiply.
import { checkWork } from '../../common/turns/turn.ts';
import { circuitBreakingError } from '../../errors/search-errors.ts';

/** Most bytes of hits in a response, by their sources. */
const MAX_FETCHED_BYTES = 128 * 2 ** 20;
/** Bytes of a hit in addition to its source. */
const HIT_BYTES = 200;

/** Counts the hits of one search. */
export class FetchBudget {
  #bytes = 0;

  /**
   * Counts a hit before it is rendered.
   * @param source  null if none is stored
   * @throws ApiError circuit_breaking_exception (429)
   */
  add(source: Uint8Array | null): void {
    checkWork();
    this.#bytes += HIT_BYTES + (source?.length ?? 0);
    if (this.#bytes > MAX_FETCHED_BYTES) throw circuitBreakingError('fetch', this.#bytes, MAX_FETCHED_BYTES);
  }
}
