// The parts of a search response that the console uses.
import type { Explanation } from './explain-model.ts';

export interface SearchAnswer {
  readonly took: number;
  readonly timed_out: boolean;
  readonly _shards?: { readonly total: number; readonly successful: number; readonly skipped?: number; readonly failed: number };
  readonly hits: Hits;
  readonly aggregations?: Readonly<Record<string, unknown>>;
}

export interface Hits {
  readonly total?: { readonly value: number; readonly relation: string } | number;
  readonly max_score: number | null;
  readonly hits: readonly Hit[];
}

export interface Hit {
  readonly _index: string;
  readonly _id: string;
  readonly _score: number | null;
  readonly _source?: Readonly<Record<string, unknown>>;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly highlight?: Readonly<Record<string, readonly string[]>>;
  readonly sort?: readonly unknown[];
  readonly _routing?: string;
  readonly _explanation?: Explanation;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

const isSearchAnswer = (json: object): json is SearchAnswer =>
  'took' in json && typeof json.took === 'number' && 'hits' in json && isObject(json.hits) && Array.isArray(json.hits.hits);

/** null if it is the response of another API. */
export function searchAnswer(json: unknown): SearchAnswer | null {
  if (!isObject(json)) return null;
  if (isObject(json.response)) return searchAnswer(json.response);
  return isSearchAnswer(json) ? json : null;
}

/** `1,234`, `10,000+`; null if hits were not counted. */
export function totalText({ total }: Hits): string | null {
  if (total === undefined) return null;
  const { value, relation } = typeof total === 'number' ? { value: total, relation: 'eq' } : total;
  return `${value.toLocaleString('en')}${relation === 'gte' ? '+' : ''}`;
}

/** Statistics of a response: `took 3 ms`, `12 hits`, `5 shards`. */
export function costOf(json: unknown): string[] {
  if (!isObject(json) || typeof json.took !== 'number') return [];
  const facts = [`took ${json.took} ms`];
  const search = searchAnswer(json);
  if (search) {
    const total = totalText(search.hits);
    if (total !== null) facts.push(`${total} ${total === '1' ? 'hit' : 'hits'}`);
    if (search.timed_out) facts.push('timed out');
    const shards = search._shards;
    if (shards) {
      const skipped = shards.skipped ? `, ${shards.skipped} skipped` : '';
      facts.push(
        `${shards.total} ${shards.total === 1 ? 'shard' : 'shards'}${skipped}${shards.failed > 0 ? `, ${shards.failed} failed` : ''}`,
      );
    }
  }
  if (Array.isArray(json.items)) facts.push(`${json.items.length} items${json.errors === true ? ', with errors' : ''}`);
  return facts;
}

/** Parts of a search that `_explain` does not support. */
const NOT_EXPLAINED = ['knn', 'retriever', 'rank', 'rescore', 'sub_searches'];

/** The query by which `_explain` explains the hits of a search; null if it would explain another score. */
export function explainableQuery(path: string, body: Readonly<Record<string, unknown>> | null): unknown {
  const [target, params = ''] = path.split('?', 2);
  if (body === null || !/(?:^|\/)_search$/.test(target) || new URLSearchParams(params).has('q')) return null;
  return NOT_EXPLAINED.some((key) => body[key] !== undefined) ? null : (body.query ?? { match_all: {} });
}
