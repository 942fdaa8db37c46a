// Document frequencies for cross_fields: blended between fields, so that a word is equally rare in all of them.
// Source: BlendedTermQuery of Elasticsearch/OpenSearch (Apache 2.0), described and written anew.
import type { Term } from '../index-query/term.ts';
import type { ShardStatistics } from '../shard/statistics.ts';

/** Blended document frequency of each term, parallel to `terms`; 0 for terms that do not occur. */
export function blendDocFreqs(terms: readonly Term[], statistics: ShardStatistics): number[] {
  const docFreqs = terms.map((term) => statistics.docFreq(term));
  if (terms.length <= 1) return docFreqs;
  const max = Math.max(...docFreqs);
  if (max === 0) return docFreqs;
  let minSumTotalTermFreq = Number.POSITIVE_INFINITY;
  terms.forEach((term, i) => {
    if (docFreqs[i] > 0) minSumTotalTermFreq = Math.min(minSumTotalTermFreq, statistics.field(term.field)?.sumTotalTermFreq ?? 0);
  });
  const limit = Math.min(statistics.maxDoc, minSumTotalTermFreq);
  // Starting with the most frequent field, each rarer field adds one: a small bias towards popular fields.
  const order = docFreqs.map((_, i) => i).sort((a, b) => docFreqs[b] - docFreqs[a] || a - b);
  const blended = [...docFreqs];
  let previous = docFreqs[order[0]];
  let shared = Math.min(limit, max);
  for (const i of order) {
    const current = docFreqs[i];
    if (current === 0) break;
    if (previous > current) shared++;
    // Limited to the number of documents that have the field: beyond it, the weight would be negative.
    blended[i] = Math.min(limit, shared, statistics.field(terms[i].field)?.docCount ?? limit);
    previous = current;
  }
  return blended;
}
