// Fields whose values were counted or computed before they were indexed: histograms, and the sums and counts of aggregate metrics. The host reads
// them from the documents of each bucket.
import { checkTurn } from '../../common/turns/turn.ts';
import { eachInHistogram } from '../../mapping/values/histogram-encoding.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import { doublesOf, type ValuesSource } from '../source.ts';
import type { Slice } from '../types.ts';

const DOCS_PER_CHECK_MASK = 1023;

export function isHistogram({ type }: ValuesSource): boolean {
  return type?.family === 'histogram';
}

/** Visits each value of a document with its number of occurrences: 1 unless the field is a histogram. */
export function eachValue(source: ValuesSource, segment: SegmentReader, doc: number, visit: (value: number, count: number) => void): void {
  if (isHistogram(source)) {
    const bytes = segment.binary(source.field, doc);
    if (bytes) eachInHistogram(bytes, visit);
  } else for (const value of doublesOf(source, segment, doc)) visit(value, 1);
}

/** Count, sum and extremes of some values. */
export interface Summary {
  count: number;
  sum: number;
  min: number;
  max: number;
}

/** Visits the summary of each document in a slice of documents, with its parent bucket in the merged tree. */
export function eachSummary({ result, map, bound, segment }: Slice, visit: (parent: number, summary: Summary) => void): void {
  if (result.op !== 'docs') return;
  const source = bound as ValuesSource;
  for (let i = 0; i + 1 < result.starts.length; i++) {
    const parent = map ? map[i] : i;
    if (parent < 0) continue;
    for (let d = result.starts[i]; d < result.starts[i + 1]; d++) {
      if ((d & DOCS_PER_CHECK_MASK) === 0) checkTurn();
      visit(parent, summaryOf(source, segment.segment, result.docs[d]));
    }
  }
}

function summaryOf(source: ValuesSource, segment: SegmentReader, doc: number): Summary {
  const summary = { count: 0, sum: 0, min: Infinity, max: -Infinity };
  eachValue(source, segment, doc, (value, count) => {
    summary.count += count;
    summary.sum += value * count;
    summary.min = Math.min(summary.min, value);
    summary.max = Math.max(summary.max, value);
  });
  // The value of an aggregate metric is the sum of as many values as its count says.
  if (source.counts !== undefined && summary.count > 0)
    summary.count = segment.values(source.counts, doc).reduce<number>((a, b) => a + Number(b), 0);
  return summary;
}
