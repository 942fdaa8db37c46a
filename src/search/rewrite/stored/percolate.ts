// Rewriting of `percolate`: the documents of the request become a segment, whose terms select the stored queries that may match.
import { parseJsonBytes } from '../../../common/json/json-parse.ts';
import { EXTRACTED_TERMS, EXTRACTION_RESULT, QUERY_COLUMN, UNEXTRACTED } from '../../../mapping/types/percolator.ts';
import type { PercolateQuery } from '../../../query/leaf-query.ts';
import type { Query } from '../../../query/query.ts';
import { bool, type IndexQuery } from '../../index-query/index-query.ts';
import { termOfBytes, termOfText } from '../../index-query/term.ts';
import { segmentOfDocuments } from '../../shard/document-segment.ts';
import { fieldOf, type RewriteContext, requireExpensive, rewriteError } from '../../shard/rewrite-context.ts';
import { termsOfDocuments } from './extracted-terms.ts';
import { parseStoredQuery } from './parse-stored-query.ts';

/** @param rewrite  rewrites a stored query @throws ApiError query_shard_exception: the field is not a percolator, or a document does not fit the mapping */
export function rewritePercolate(
  query: PercolateQuery,
  context: RewriteContext,
  rewrite: (query: Query, context: RewriteContext) => IndexQuery,
): IndexQuery {
  requireExpensive(context, '[percolate] queries');
  const type = fieldOf(context, query.field);
  if (!type) throw rewriteError(context, `field [${query.field}] does not exist`);
  if (type.typeName !== 'percolator')
    throw rewriteError(context, `expected field [${query.field}] to be of type [percolator], but is of type [${type.typeName}]`);
  if (query.documents === null)
    throw rewriteError(context, 'a document named by [index] and [id] cannot be read here: give it as [document]');
  const documents = segmentOfDocuments(context.mapping, context.analysis, query.documents);
  const { name } = type;
  const inner: RewriteContext = { ...context, mapping: documents.mapping, nestedPath: null };
  return {
    op: 'percolate',
    slotName: query.slotName ?? query.field,
    column: `${name}.${QUERY_COLUMN}`,
    nestedPath: context.nestedPath,
    mapping: documents.mapping,
    sources: documents.sources,
    candidates: {
      op: 'perShard',
      label: `${name}.${EXTRACTED_TERMS}`,
      make: ({ segments }) => {
        const unextracted: IndexQuery = {
          op: 'term',
          term: termOfText(`${name}.${EXTRACTION_RESULT}`, UNEXTRACTED),
          scored: false,
        };
        if (segments.length === 0) return unextracted;
        const keys = documents.open(segments[0], (segment) => termsOfDocuments(segment, documents.mapping.fields));
        const field = `${name}.${EXTRACTED_TERMS}`;
        const terms = keys.map((key) => termOfBytes(field, key));
        return bool({ should: [{ op: 'anyTerm', field, terms, hasColumn: false }, unextracted], minimumShouldMatch: 1 });
      },
    },
    open: (beside, action) => documents.open(beside, action),
    queryOf: (json) => rewrite(parseStoredQuery(parseJsonBytes(json)), inner),
  };
}
