// knn queries of an index: the field, the query vector in the form of the field, and the scores of similarities.

import type { Vector, VectorElement } from '../../common/encoding/vector-format.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { checkByte, checkMagnitude, vectorFormatOf } from '../../mapping/types/dense-vector.ts';
import type { KnnQuery, VectorHitsQuery } from '../../query/query.ts';
import { countsOfQuery, type KnnCounts, shardKey } from '../../query/vectors/knn-query.ts';
import { exactSimilarity, scoreOfLimit, scoreOfSimilarity } from '../evaluate/vector-similarity.ts';
import { bool, type IndexQuery, type KnnIndexQuery, none } from '../index-query/index-query.ts';
import { termOfText } from '../index-query/term.ts';
import { fieldOf, type RewriteContext } from '../shard/rewrite-context.ts';

/** @param filter  rewritten, null for none @throws ApiError illegal_argument_exception: the field or the vector does not fit */
export function rewriteKnn(query: KnnQuery, filter: IndexQuery | null, context: RewriteContext): IndexQuery {
  const knn = nearestQuery(query, filter, countsOfQuery(query, context.requestSize), context);
  if (knn === null) return none('no document has a vector');
  if (context.comparesAllVectors) return compareAll(knn, context);
  const { nestedPath } = fieldOf(context, query.field) ?? { nestedPath: null };
  return nestedPath === context.nestedPath ? knn : none('the vectors are in other documents');
}

/** The hits of a `knn` section in this shard. */
export function rewriteVectorHits({ knn, byShard }: VectorHitsQuery, filter: IndexQuery | null, context: RewriteContext): IndexQuery {
  if (context.comparesAllVectors && knn !== null) return rewriteKnn(knn, filter, context);
  const bySegment = byShard.get(shardKey(context.index, context.shard));
  return bySegment
    ? { op: 'scoredDocs', label: `hits:${knn?.field ?? ''}`, bySegment }
    : none('no vector of the shard is among the most similar');
}

/** null if no document has a vector yet. */
export function nearestQuery(query: KnnQuery, filter: IndexQuery | null, counts: KnnCounts, context: RewriteContext): KnnIndexQuery | null {
  const field = fieldOf(context, query.field);
  if (field === null) throw illegalArgumentError(`field [${query.field}] does not exist in the mapping`);
  const format = vectorFormatOf(field);
  if (format === null) throw illegalArgumentError('[knn] queries are only supported on [dense_vector] fields');
  const { element, dims, similarity } = format;
  if (similarity === null)
    throw illegalArgumentError(`to perform knn search on field [${query.field}], its mapping must have [index] set to [true]`);
  const vector = vectorIn(query.vector, element);
  if (dims === null) return null;
  const length = element === 'bit' ? vector.length * 8 : vector.length;
  if (length !== dims)
    throw illegalArgumentError(`The query vector has a different number of dimensions [${length}] than the document vectors [${dims}].`);
  checkMagnitude(vector, format);
  const space = { element, dims, similarity };
  return {
    op: 'knn',
    field: field.spec.name,
    ...space,
    vector,
    ...counts,
    filter,
    minScore: query.similarity === null ? null : scoreOfLimit(query.similarity, space),
    isNested: field.nestedPath !== null,
  };
}

function vectorIn(given: KnnQuery['vector'], element: VectorElement): Vector {
  if (element === 'float') {
    const vector = Float32Array.from(given);
    const odd = vector.findIndex((item) => !Number.isFinite(item));
    if (odd >= 0)
      throw illegalArgumentError(`element_type [float] vectors do not support infinite values but found [Infinity] at dim [${odd}];`);
    return vector;
  }
  if (given instanceof Int8Array) return given;
  const whole = Float32Array.from(given);
  given.forEach((item, dim) => {
    checkByte(item, dim, element, whole);
  });
  return Int8Array.from(given);
}

/** Scores every document that has a vector. */
function compareAll(knn: KnnIndexQuery, context: RewriteContext): IndexQuery {
  const exists: IndexQuery = { op: 'term', term: termOfText('_field_names', knn.field), scored: false };
  return {
    op: 'functionScore',
    query: bool({ filter: [exists] }),
    functions: [
      {
        filter: null,
        weight: null,
        value: (segment, docId) => {
          const bytes = segment.binary(knn.field, docId);
          return bytes === null ? 0 : scoreOfSimilarity(exactSimilarity(knn, bytes), knn);
        },
      },
    ],
    scoreMode: 'first',
    boostMode: 'replace',
    maxBoost: Number.MAX_VALUE,
    minScore: knn.minScore,
    nestedPath: context.nestedPath,
    boosts: 'result',
  };
}
