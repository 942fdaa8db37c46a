// Document frequencies shared by the fields of cross_fields, so that a word is equally rare in all of them.
// Source: BlendedTermQuery of Elasticsearch/OpenSearch (Apache 2.0), described and written anew.
import type { Term } from '../index-query/term.ts';
import type { ShardStatistics } from '../shard/statistics.ts';

/** Document frequency of each term after blending, parallel to `terms`; 0 where the term does not occur. */
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
  // From the most frequent on, each rarer field counts one more: a small bias towards popular fields.
  const order = docFreqs.map((_, i) => i).sort((a, b) => docFreqs[b] - docFreqs[a] || a - b);
  const blended = [...docFreqs];
  let previous = docFreqs[order[0]];
  let shared = Math.min(limit, max);
  for (const i of order) {
    const current = docFreqs[i];
    if (current === 0) break;
    if (previous > current) shared++;
    // No more than the documents with the field: its words would weigh less than nothing.
    blended[i] = Math.min(limit, shared, statistics.field(terms[i].field)?.docCount ?? limit);
    previous = current;
  }
  return blended;
}
