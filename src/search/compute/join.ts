// Queries over a join field. Parents and children meet in the column `field#parent`, which holds the parent's id in both: what one side finds
// is gathered by that id over all segments of the shard, then the other side is looked up. Source: Elasticsearch's parent-join module and Lucene's
// JoinUtil (behaviour).
import type { FieldType } from '../../mapping/field-type.ts';
import type { PlanNode } from '../../plan/query-plan.ts';
import type { SegmentReader } from '../../plan/segment.ts';
import type { JoinScoreMode, ParentIdQuery, RelatedQuery } from '../../query/join-queries.ts';
import { bool, type IndexQuery, keyOf, none, termOfText } from '../index-query/index-query.ts';
import { type RewriteContext, refuse, requireExpensive } from '../shard/rewrite-context.ts';
import type { ScoredDocs } from './function-score.ts';

export interface JoinQuery {
  readonly op: 'join';
  /** Column with the parent's id. */
  readonly column: string;
  /** Documents that the query is about. */
  readonly from: IndexQuery;
  /** Documents that are found. */
  readonly to: IndexQuery;
  readonly scoreMode: JoinScoreMode;
  /** How many documents of `from` there must be for one of `to`. */
  readonly minChildren: number;
  readonly maxChildren: number;
}

/** A parent type of a join field with its children. */
interface Relation {
  readonly field: FieldType;
  readonly parent: string;
  readonly children: readonly string[];
}

function relationsOf({ mapping }: RewriteContext): { field: FieldType | null; relations: Relation[] } {
  for (const name of mapping.matchFields('*')) {
    const field = mapping.field(name);
    if (field?.typeName !== 'join') continue;
    const given = field.params['relations'] as Readonly<Record<string, readonly string[]>>;
    return { field, relations: Object.entries(given).map(([parent, children]) => ({ field, parent, children })) };
  }
  return { field: null, relations: [] };
}

/** Documents with one of these names in the join field. */
function named({ field }: Relation, names: readonly string[]): IndexQuery {
  const terms = names.map((name): IndexQuery => ({ op: 'term', term: termOfText(field.spec.name, name), scored: false }));
  return terms.length === 1 ? terms[0] : bool({ should: terms, minimumShouldMatch: 1 });
}

function columnOf({ field, parent }: Relation): string {
  return `${field.spec.name}#${parent}`;
}

/** @throws ApiError query_shard_exception: no join field, or not one with this type */
export function rewriteRelated(query: RelatedQuery, inner: IndexQuery, context: RewriteContext): IndexQuery {
  requireExpensive(context, '[joining] queries');
  const found = relationFor(query, context);
  if (found === null) return none(`no relation for [${query.type}]`);
  const isChild = query.kind === 'has_child';
  const [from, to] = isChild ? [[query.type], [found.parent]] : [[query.type], found.children];
  return {
    op: 'join',
    column: columnOf(found),
    from: bool({ must: [inner], filter: [named(found, from)] }),
    to: named(found, to),
    scoreMode: query.scoreMode,
    minChildren: query.minChildren,
    maxChildren: query.maxChildren,
  };
}

function relationFor(query: RelatedQuery | ParentIdQuery, context: RewriteContext): Relation | null {
  const { field, relations } = relationsOf(context);
  const isParent = query.kind === 'has_parent';
  const relation = relations.find(({ parent, children }) => (isParent ? parent === query.type : children.includes(query.type)));
  if (relation || query.ignoreUnmapped) return relation ?? null;
  if (query.kind === 'parent_id') throw refuse(context, `[parent_id] no relation found for child [${query.type}]`);
  if (!field) throw refuse(context, `[${query.kind}] no join field has been configured`);
  throw refuse(context, `[${query.kind}] join field [${field.name}] doesn't hold [${query.type}] as a ${isParent ? 'parent' : 'child'}`);
}

/** @throws ApiError query_shard_exception: no relation of this child */
export function rewriteParentId(query: ParentIdQuery, context: RewriteContext): IndexQuery {
  const found = relationFor(query, context);
  if (found === null) return none(`no relation for [${query.type}]`);
  const id: IndexQuery = { op: 'term', term: termOfText(columnOf(found), query.id), scored: true };
  return bool({ must: [id], filter: [named(found, [query.type])] });
}

/** What the documents of `from` say about one parent id. */
export interface Joined {
  count: number;
  score: number;
}

/** By the parent's id. @param matching  documents of `from` in a segment */
export function gatherJoined(
  { column, scoreMode }: JoinQuery,
  segments: readonly SegmentReader[],
  matching: (index: number) => ScoredDocs | null,
): ReadonlyMap<string, Joined> {
  const joined = new Map<string, Joined>();
  segments.forEach((segment, index) => {
    const found = matching(index);
    if (!found || !segment.column(column)) return;
    found.docs.forEach((docId, i) => {
      const key = joinKey(segment, column, docId);
      if (key === null) return;
      const score = found.scores[i];
      const entry = joined.get(key);
      if (!entry) joined.set(key, { count: 1, score });
      else {
        entry.count++;
        entry.score =
          scoreMode === 'min'
            ? Math.min(entry.score, score)
            : scoreMode === 'max'
              ? Math.max(entry.score, score)
              : Math.fround(entry.score + score);
      }
    });
  });
  return joined;
}

/** The parent's id that a document holds, as a key; null: none. */
export function joinKey(segment: SegmentReader, column: string, docId: number): string | null {
  const [ord] = segment.values(column, docId);
  return ord === undefined ? null : keyOf(segment.termOf(column, Number(ord)));
}

/** @param boost  the score where children have none */
export function planJoined(
  query: JoinQuery,
  segment: SegmentReader,
  docs: Uint32Array,
  joined: ReadonlyMap<string, Joined>,
  boost: number,
): PlanNode {
  if (!segment.column(query.column)) return { op: 'matchNone' };
  const found: number[] = [];
  const scores: number[] = [];
  for (const docId of docs) {
    const key = joinKey(segment, query.column, docId);
    const entry = key === null ? undefined : joined.get(key);
    if (!entry || entry.count < query.minChildren || entry.count > query.maxChildren) continue;
    found.push(docId);
    scores.push(scoreOf(query, entry, boost));
  }
  return found.length === 0 ? { op: 'matchNone' } : { op: 'docs', docs: Uint32Array.from(found), scores: Float32Array.from(scores) };
}

function scoreOf({ scoreMode }: JoinQuery, { count, score }: Joined, boost: number): number {
  if (scoreMode === 'none') return boost;
  return scoreMode === 'avg' ? Math.fround(score / count) : score;
}
