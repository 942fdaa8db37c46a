// What an answer depends on beside the text of its request and the shards: what does must not be kept for the next request of the same text.
import type { AggTree } from '../../aggs/index.ts';
import type { SearchRequest } from '../../search/request/search-request.ts';

/** `now` of date math, also behind an escaped control character of JSON, where no word begins. */
const NOW = /(?:\b|\\[bfnrt])now\b/;
/** An escaped ASCII character could hide any of the words looked for; those of other scripts are common. */
const HIDDEN = /\\u00[2-7]/;
/** Scores that have a default which changes: the origin of a decay by date, the seed of random scores. */
const CHANGING = /"(?:gauss|exp|linear|random_score)"/;
/** These defaults in the parsed request. */
const DEFAULTS = ['"origin":null', '"seed":null'];

/** Whether a body's answer depends on the time, on chance, or on scripts that are stored under an id. */
export function isVolatileBody(text: string, request: SearchRequest, aggs: AggTree | null): boolean {
  if (NOW.test(text) || HIDDEN.test(text)) return true;
  if (text.includes('script') && text.includes('"id"')) return true;
  if (!CHANGING.test(text)) return false;
  const parsed = JSON.stringify([request, aggs?.queries], (_key, value) => (typeof value === 'bigint' ? String(value) : value));
  return DEFAULTS.some((mark) => parsed.includes(mark));
}

/** The same for the `q` parameter. */
export function isVolatileText(q: string | undefined): boolean {
  return q !== undefined && NOW.test(q);
}
