// BM25F on one segment: the frequencies of a term in several fields are added, weighted, and scored as those of one field whose length is the
// weighted sum of the fields' lengths. Source: Lucene's CombinedFieldQuery and MultiNormsLeafSimScorer, written anew.
import { BoundedMap } from '../../common/bounded-map.ts';
import type { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { PlanNode, TermScorer } from '../../plan/query-plan.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import type { CombinedIndexQuery } from '../index-query/index-query.ts';
import type { Term } from '../index-query/term.ts';
import { averageLength, idf, lengthOfNorm, normInverseTable, normOfLength } from '../shard/bm25.ts';
import type { Statistics } from '../shard/statistics.ts';
import type { ScoredDocs } from './match-runner.ts';

/** Statistics of the fields of a combined query as if they were one field. */
interface CombinedStatistics {
  readonly weight: number;
  readonly normInverse: Float32Array;
}

/** @returns null if no document has one of the fields. @param boost  multiplies the scores */
export function combinedStatistics(
  { fields, terms }: CombinedIndexQuery,
  statistics: Statistics,
  boost: number,
): CombinedStatistics | null {
  let docCount = 0;
  let sumTotalTermFreq = 0;
  let docFreq = 0;
  for (const { field, weight } of fields) {
    const ofField = statistics.field(field);
    if (!ofField) continue;
    docCount = Math.max(docCount, ofField.docCount);
    sumTotalTermFreq += weight * ofField.sumTotalTermFreq;
    for (const term of terms) docFreq = Math.max(docFreq, statistics.docFreq({ ...term, field }));
  }
  if (docCount === 0) return null;
  const normInverse = inverses(averageLength(Math.trunc(sumTotalTermFreq), docCount));
  return { weight: Math.fround(boost * idf(docFreq, docCount)), normInverse };
}

const tables = new BoundedMap<number, Float32Array>(100);

function inverses(average: number): Float32Array {
  let table = tables.get(average);
  if (!table) tables.set(average, (table = normInverseTable(average, true)));
  return table;
}

/** Scores of documents from their frequencies in each field. @param found  documents with a term in a field, with their frequencies */
export function scoreCombined(
  { fields }: CombinedIndexQuery,
  segment: SegmentReader,
  found: ReadonlyArray<{ readonly weight: number; readonly docs: ScoredDocs }>,
  { weight, normInverse }: CombinedStatistics,
): PlanNode {
  const freqs = new Map<number, number>();
  for (const { weight: fieldWeight, docs } of found) {
    docs.docs.forEach((docId, i) => {
      freqs.set(docId, Math.fround((freqs.get(docId) ?? 0) + Math.fround(fieldWeight * freqOf(docs.scores[i]))));
    });
  }
  const docs = Uint32Array.from(freqs.keys()).sort();
  const present = fields.filter(({ field }) => segment.postings(field));
  const withNorms = present.filter(({ field }) => segment.postings(field)?.hasNorms);
  if (withNorms.length > 0 && withNorms.length < present.length) throw mixedNormsError();
  const scores = Float32Array.from(docs, (docId) => {
    let length = 0;
    for (const { field, weight: fieldWeight } of withNorms)
      length = Math.fround(length + Math.fround(fieldWeight * lengthOfNorm(segment.norm(field, docId))));
    const inverse = normInverse[withNorms.length === 0 ? 1 : normOfLength(Math.round(length))];
    const freq = freqs.get(docId) ?? 0;
    return Math.fround(weight - Math.fround(weight / Math.fround(1 + Math.fround(freq * inverse))));
  });
  return docs.length === 0 ? { op: 'matchNone' } : { op: 'docs', docs, scores };
}

function mixedNormsError(): ApiError {
  return illegalArgumentError(
    'CombinedFieldQuery requires norms to be consistent across fields: some fields cannot  have norms enabled, while others have norms disabled',
  );
}

/** Under this scorer a frequency f scores 1 - 1 / (1 + f / 2^15), which is distinct in float32 for all frequencies below 2^16. */
const FREQUENCY_SCALE = 2 ** 15;
export const FREQUENCY_SCORER: TermScorer = { weight: 1, normInverse: new Float32Array(256).fill(1 / FREQUENCY_SCALE) };

/** A phrase under this scorer scores its frequency, which for a sloppy phrase is a fraction. */
export const PHRASE_FREQUENCY_SCORER: TermScorer = { weight: -1, normInverse: FREQUENCY_SCORER.normInverse };

/** The frequency of a term, from its score under FREQUENCY_SCORER. */
export function freqOf(score: number): number {
  return Math.round(FREQUENCY_SCALE * (1 / (1 - score) - 1));
}

/** A term of the query in one of its fields. */
export function termIn(field: string, { bytes, key }: Term): Term {
  return { field, bytes, key };
}
