// Bounds the number of clauses that one request may have parsed, before its indices and their limits are known.
import { checkTurn } from '../common/turns/turn.ts';
import { tooManyNestedClausesError } from '../errors/search-errors.ts';

/** Far above the limits of indices: parsing this many clauses takes about 50 ms. */
export const MAX_PARSED_CLAUSES = 32_768;

/** Counts the clauses of a request: queries at any depth, interval rules, filters of aggregations. */
export class ClauseCounter {
  #count = 0;

  /** Called before the body of a clause is parsed. @throws ApiError too_many_nested_clauses */
  add(count = 1): void {
    this.#count += count;
    if ((this.#count & 255) === 0) checkTurn();
    if (this.#count > MAX_PARSED_CLAUSES) throw tooManyNestedClausesError(MAX_PARSED_CLAUSES);
  }
}
