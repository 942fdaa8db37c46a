// has_child, has_parent and parent_id: the relations of a join field become a join over the column `field#parent`, which holds the parent's id in
// parents and children alike. Source: Elasticsearch's parent-join module (behaviour).
import type { FieldType } from '../../mapping/core/field-type.ts';
import type { ParentIdQuery } from '../../query/leaf-query.ts';
import type { RelatedQuery } from '../../query/query.ts';
import { bool, type IndexQuery, none } from '../index-query/index-query.ts';
import { termOfText } from '../index-query/term.ts';
import { type RewriteContext, requireExpensive, rewriteError } from '../shard/rewrite-context.ts';

/** A parent type of a join field and its child types. */
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

/** Documents that have one of these names in the join field. */
function named({ field }: Relation, names: readonly string[]): IndexQuery {
  const terms = names.map((name): IndexQuery => ({ op: 'term', term: termOfText(field.spec.name, name), scored: false }));
  return terms.length === 1 ? terms[0] : bool({ should: terms, minimumShouldMatch: 1 });
}

function columnOf({ field, parent }: Relation): string {
  return `${field.spec.name}#${parent}`;
}

/** @throws ApiError query_shard_exception: there is no join field, or it does not have this type */
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
  if (query.kind === 'parent_id') throw rewriteError(context, `[parent_id] no relation found for child [${query.type}]`);
  if (!field) throw rewriteError(context, `[${query.kind}] no join field has been configured`);
  throw rewriteError(
    context,
    `[${query.kind}] join field [${field.name}] doesn't hold [${query.type}] as a ${isParent ? 'parent' : 'child'}`,
  );
}

/** @throws ApiError query_shard_exception: no relation has this child type */
export function rewriteParentId(query: ParentIdQuery, context: RewriteContext): IndexQuery {
  const found = relationFor(query, context);
  if (found === null) return none(`no relation for [${query.type}]`);
  const id: IndexQuery = { op: 'term', term: termOfText(columnOf(found), query.id), scored: true };
  return bool({ must: [id], filter: [named(found, [query.type])] });
}
