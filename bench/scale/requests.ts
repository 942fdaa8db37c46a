// Searches of bench:scale: a list of different ones, and a log in which few of them are frequent and most are rare.
import { Rng } from '../../test/support/rng.ts';
import { type Documents, kindOf, rareWord, userOf } from './documents.ts';

export interface SearchRequest {
  readonly family: string;
  readonly body: string;
}

type Make = (rng: Rng, documents: Documents, count: number) => object;

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2020, 0, 1);
/** Four documents a minute. */
const DOCS_PER_DAY = 5760;

const words = (rng: Rng, documents: Documents, count: number): string => Array.from({ length: count }, () => documents.word(rng)).join(' ');

/** A range of `days` days within those of `count` documents. */
function period(rng: Rng, count: number, days: number): object {
  const first = rng.int(0, Math.max(0, Math.floor(count / DOCS_PER_DAY) - days));
  const from = START_MS + first * DAY_MS;
  return { range: { time: { gte: from, lt: from + days * DAY_MS } } };
}

/** Each family with its share of the list. */
const FAMILIES: ReadonlyArray<readonly [name: string, share: number, make: Make]> = [
  ['match', 30, (rng, documents) => ({ query: { match: { body: words(rng, documents, rng.int(2, 4)) } } })],
  ['match all terms', 10, (rng, documents) => ({ query: { match: { body: { query: words(rng, documents, 2), operator: 'and' } } } })],
  ['phrase', 10, (rng, documents) => ({ query: { match_phrase: { body: words(rng, documents, 2) } }, track_total_hits: true })],
  ['rare term', 10, (rng, _, count) => ({ query: { match: { body: rareWord(rng.int(0, Math.floor((count - 1) / 3)) * 3) } } })],
  [
    'bool',
    10,
    (rng, documents, count) => ({
      query: {
        bool: {
          must: { match: { body: words(rng, documents, 2) } },
          filter: [{ term: { kind: kindOf(rng) } }, period(rng, count, 30)],
          must_not: { match: { title: documents.word(rng) } },
        },
      },
    }),
  ],
  ['user', 10, (rng) => ({ query: { term: { user: userOf(rng) } }, sort: [{ time: 'desc' }] })],
  [
    'sort',
    5,
    (rng, documents) => ({ query: { match: { title: documents.word(rng) } }, sort: [{ price: 'desc' }, { time: 'asc' }], _source: false }),
  ],
  ['count', 5, (rng, documents) => ({ size: 0, track_total_hits: true, query: { match: { body: words(rng, documents, 2) } } })],
  [
    'terms',
    5,
    (rng, documents) => ({
      size: 0,
      query: { match: { title: documents.word(rng) } },
      aggs: { kinds: { terms: { field: 'kind' }, aggs: { size: { stats: { field: 'size' } } } } },
    }),
  ],
  [
    'histogram',
    5,
    (rng, _, count) => ({
      size: 0,
      query: { bool: { filter: [period(rng, count, 60), { term: { kind: kindOf(rng) } }] } },
      aggs: { days: { date_histogram: { field: 'time', calendar_interval: 'day' }, aggs: { users: { cardinality: { field: 'user' } } } } },
    }),
  ],
];

/**
 * Different searches in random order, with the shares of their families.
 * @param count  of the documents in the index
 */
export function searchRequests(documents: Documents, count: number, amount: number): SearchRequest[] {
  const rng = new Rng(17);
  const shares = FAMILIES.flatMap((family) => Array.from({ length: family[1] }, () => family));
  return Array.from({ length: amount }, () => {
    const [family, , make] = rng.pick(shares);
    return { family, body: JSON.stringify(make(rng, documents, count)) };
  });
}

/** Indexes into the list of searches: the frequency of one falls with its place in the list. */
export function queryLog(amount: number, length: number): number[] {
  const rng = new Rng(23);
  return Array.from({ length }, () => rng.skewed(amount - 1));
}
