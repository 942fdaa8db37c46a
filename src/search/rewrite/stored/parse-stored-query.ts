// Parses the queries that percolator fields store, and refuses those that depend on more than the document that is percolated.
import { isObject, type JsonObject } from '../../../common/json/json-value.ts';
import { illegalArgumentError } from '../../../errors/catalog.ts';
import { parseQuery } from '../../../query/parse-query.ts';
import type { Query } from '../../../query/query.ts';

const UNSUPPORTED = new Set(['has_child', 'has_parent', 'percolate']);
const LOOKUPS: Readonly<Record<string, string>> = { terms_lookup: 'terms', geo_shape: 'geo_shape', like_document: 'more_like_this' };

/** @throws ApiError: no query, or one that cannot be percolated */
export function parseStoredQuery(body: unknown): Query {
  const query = parseQuery(body as JsonObject);
  checkSupported(query);
  return query;
}

function checkSupported(query: unknown): void {
  if (Array.isArray(query)) query.forEach(checkSupported);
  if (!isObject(query)) return;
  const { kind } = query;
  if (typeof kind === 'string') {
    if (UNSUPPORTED.has(kind)) throw illegalArgumentError(`the [${kind}] query is unsupported inside a percolator query`);
    if (Object.hasOwn(LOOKUPS, kind) && (kind !== 'geo_shape' || query['indexed'] !== null))
      throw illegalArgumentError(
        `the [${kind === 'geo_shape' ? query['space'] : LOOKUPS[kind]}] query must not read other documents inside a percolator query`,
      );
  }
  for (const value of Object.values(query)) checkSupported(value);
}
