// Additions of a percolate query to hits: the documents of the request that the stored query matches, by their position (slot), the names
// of its matching clauses, and highlights of these documents.
import type { JsonObject, MutableJsonObject } from '../../common/json/json-value.ts';
import type { LeafQuery, Query } from '../../query/query.ts';
import { highlightPart } from '../highlight/highlight.ts';
import type { IndexQuery, PercolateIndexQuery } from '../index-query/index-query.ts';
import type { HighlightField } from '../request/highlight-request.ts';
import { namedQueries } from '../rewrite/named-queries.ts';
import type { RewriteContext } from '../shard/rewrite-context.ts';
import type { SearchShard } from '../shard/search-shard.ts';
import type { FetchPart, FetchTarget } from './fetch-target.ts';

const SLOT_FIELD = '_percolator_document_slot';

/** Whether a query may contain a percolate query that adds to its hits. */
export function hasPercolate(query: Query): boolean {
  switch (query.kind) {
    case 'percolate':
      return true;
    case 'bool':
      return [...query.must, ...query.filter, ...query.should].some(hasPercolate);
    case 'constant_score':
      return hasPercolate(query.filter);
    case 'dis_max':
      return query.queries.some(hasPercolate);
    case 'boosting':
      return hasPercolate(query.positive);
    case 'function_score':
      return query.query !== null && hasPercolate(query.query);
    case 'script_score':
      return hasPercolate(query.query);
    case 'pinned':
      return hasPercolate(query.organic);
    case 'nested':
    case 'has_child':
    case 'has_parent':
      // These match other documents than the hits.
      return false;
    case 'knn':
    case 'vector_hits':
      // Their filters neither score nor explain hits.
      return false;
    default:
      query satisfies LeafQuery;
      return false;
  }
}

/** The percolate queries of a search that score or filter its hits. */
function percolatesIn(query: IndexQuery): readonly PercolateIndexQuery[] {
  switch (query.op) {
    case 'percolate':
      return [query];
    case 'named':
    case 'boost':
    case 'constant':
    case 'functionScore':
      return percolatesIn(query.query);
    case 'bool':
      return [...query.must, ...query.filter, ...query.should].flatMap(percolatesIn);
    case 'disMax':
      return query.queries.flatMap(percolatesIn);
    case 'boosting':
      return percolatesIn(query.positive);
    default:
      return [];
  }
}

/** Adds the slots of all percolate queries to hits, and highlights of the documents in them. */
export function percolatedPart(highlight: readonly HighlightField[], contextOf: (shard: SearchShard) => RewriteContext): FetchPart {
  const known = new WeakMap<IndexQuery, readonly PercolateIndexQuery[]>();
  return (target, json) => {
    const { query } = target.at.prepared.shardQuery;
    let queries = known.get(query);
    if (!queries) known.set(query, (queries = percolatesIn(query)));
    for (const percolate of queries) addSlots(target, json, percolate, queries.length === 1, { highlight, contextOf });
  };
}

interface Highlighting {
  readonly highlight: readonly HighlightField[];
  readonly contextOf: (shard: SearchShard) => RewriteContext;
}

function addSlots(target: FetchTarget, json: MutableJsonObject, query: PercolateIndexQuery, isOnly: boolean, options: Highlighting): void {
  const { at, hit, segment } = target;
  const stored = segment.binary(query.column, hit.docId);
  if (stored === null) return;
  const { planner } = at.prepared;
  const own = query.queryOf(stored);
  const slots = [...planner.percolated(query, hit.segment, hit.docId, () => own)];
  if (slots.length === 0) return;
  const field = isOnly ? SLOT_FIELD : `${SLOT_FIELD}_${query.slotName}`;
  const fields = (json['fields'] ??= {}) as MutableJsonObject;
  fields[field] = slots;
  if (at.shard.dialect.namesPercolatedQueries) {
    const names = namesBySlot(own, (inner) => [...planner.percolated(query, hit.segment, hit.docId, () => inner)]);
    for (const slot of slots) if (names.has(slot)) fields[`${field}_${slot}_matched_queries`] = names.get(slot);
  }
  if (options.highlight.length > 0) addHighlights(target, json, query, own, slots, isOnly, options);
}

/** Names of the clauses that match each document. */
function namesBySlot(query: IndexQuery, matching: (query: IndexQuery) => readonly number[]): ReadonlyMap<number, readonly string[]> {
  const names = new Map<number, string[]>();
  for (const { name, query: inner } of namedQueries([query]))
    for (const slot of matching(inner)) names.set(slot, [...new Set([...(names.get(slot) ?? []), name])].sort());
  return names;
}

function addHighlights(
  { at, hit }: FetchTarget,
  json: MutableJsonObject,
  query: PercolateIndexQuery,
  own: IndexQuery,
  slots: readonly number[],
  isOnly: boolean,
  { highlight, contextOf }: Highlighting,
): void {
  const shard: SearchShard = { ...at.shard, mapping: query.mapping };
  const add = highlightPart(highlight, () => own, contextOf);
  const all: MutableJsonObject = { ...(json['highlight'] as MutableJsonObject | undefined) };
  for (const slot of slots) {
    const source: JsonObject = query.sources[slot];
    const found: MutableJsonObject = {};
    add({ at: { shard }, hit, source: () => source }, found);
    const prefix = `${isOnly ? '' : `${query.slotName}_`}${query.sources.length === 1 ? '' : `${slot}_`}`;
    for (const [name, fragments] of Object.entries((found['highlight'] ?? {}) as JsonObject)) all[prefix + name] = fragments;
  }
  if (Object.keys(all).length > 0) json['highlight'] = all;
}
