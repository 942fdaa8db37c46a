// significant_terms: terms that are more frequent among the documents of the bucket than in the whole index.
import { jsonDouble } from '../../common/json/json-float.ts';
import type { JsonObject } from '../../common/json/json-value.ts';
import type { AggNode } from '../../plan/agg-plan.ts';
import { unsupported } from '../errors.ts';
import { Params } from '../params.ts';
import { runParentPipelines } from '../pipelines/run.ts';
import { columnsOf, keepOnly, mergeBuckets, mergeChildren, selectTop } from '../reduce/merge.ts';
import { BucketsOut, type OutBucket } from '../reduce/out.ts';
import { bindSource, parseSource, type SourceParams, type ValuesSource } from '../source.ts';
import type { AggSpec, AggType, Slice } from '../types.ts';
import { checkIncludeExclude, type IncludeExclude, parseIncludeExclude } from './include-exclude.ts';
import { type Heuristic, parseHeuristic } from './significance.ts';
import { notNegative, positive, termsNode } from './terms.ts';
import { TermKeys } from './terms-keys.ts';

interface SignificantParams {
  readonly source: SourceParams;
  readonly size: number;
  readonly minDocCount: number;
  readonly filter: IncludeExclude | null;
  readonly heuristic: Heuristic;
}

/** The node counts the documents of the bucket; its child counts those of each term. */
function innerSlice(slice: Slice): Slice | null {
  if (slice.result.op !== 'buckets' || slice.result.children.length === 0) return null;
  const map = Int32Array.from(slice.result.buckets.parents, (parent) => (slice.map ? slice.map[parent] : parent));
  return { ...slice, result: slice.result.children[0], map };
}

export const significantTermsType: AggType = {
  isBucket: true,
  parse(name, typeName, body, ctx): SignificantParams {
    const p = new Params(typeName, body);
    const source = parseSource(p);
    const size = positive(p, name, 'size') ?? 10;
    positive(p, name, 'shard_size');
    const minDocCount = notNegative(p, name, 'min_doc_count', 'minDocCount') ?? 3;
    notNegative(p, name, 'shard_min_doc_count', 'shardMinDocCount');
    const filter = parseIncludeExclude(p, ctx.dialect);
    const heuristic = parseHeuristic(p);
    p.string('execution_hint');
    p.done();
    return { source, size, minDocCount, filter, heuristic };
  },
  bind(spec, ctx): ValuesSource {
    const { source: params, filter } = spec.params as SignificantParams;
    const source = bindSource('significant_terms', params, ctx, ['keyword', 'ip', 'text', 'numeric', 'date', 'boolean']);
    if (source.type && source.kind !== 'ordinals') throw unsupported(`[significant_terms] on a field of type [${source.type.typeName}]`);
    if (filter) checkIncludeExclude(filter, source, spec.name, ctx.index.mapping.dialect);
    return source;
  },
  plan(spec, bound: ValuesSource, scope, children): AggNode {
    const terms = termsNode(bound, scope, (spec.params as SignificantParams).filter, children);
    return { op: 'filters', filters: [{ op: 'matchAll' }], other: false, children: [terms] };
  },
  merge(spec: AggSpec, all, parents, ctx) {
    const { size, minDocCount, heuristic } = spec.params as SignificantParams;
    const subsetSizes = new Float64Array(parents);
    for (const slice of all) {
      const columns = columnsOf(slice);
      columns.parents.forEach((parent, i) => {
        const to = slice.map ? slice.map[parent] : parent;
        if (to >= 0) subsetSizes[to] += columns.docCounts[i];
      });
    }
    const slices = all.map(innerSlice).filter((slice) => slice !== null);
    const segments = new Map(all.map((slice) => [slice.segment, slice]));
    const supersetSize = [...segments.keys()].reduce(
      (sum, { segment }) => sum + (ctx.dialect.comparesRootDocuments ? segment.numRootDocs : segment.numDocs),
      0,
    );
    const keys = new TermKeys(all, (slice) => slice.bound as ValuesSource, false);
    const merged = mergeBuckets(slices, (slice, columns, i) => keys.keyOf(slice, columns.keys[i]));
    const supersetFreqs = new Map<number, number>();
    const supersetFreq = (id: number): number => {
      let freq = supersetFreqs.get(id);
      if (freq === undefined) {
        const term = Buffer.from(String(merged.keys[id]), 'latin1');
        freq = [...segments].reduce((sum, [{ segment }, slice]) => sum + segment.docFreqOf((slice.bound as ValuesSource).field, term), 0);
        supersetFreqs.set(id, freq);
      }
      return freq;
    };
    const scores = merged.keys.map((_, id) =>
      heuristic({
        subsetFreq: merged.docCounts[id],
        subsetSize: subsetSizes[merged.parents[id]],
        supersetFreq: supersetFreq(id),
        supersetSize,
      }),
    );
    const shown = merged.lists(parents).map((ids) => ids.filter((id) => merged.docCounts[id] >= minDocCount && scores[id] > 0));
    const chosen = shown.map((ids) => selectTop(ids, size, (a, b) => scores[b] - scores[a] || (merged.keys[a] < merged.keys[b] ? -1 : 1)));
    const { maps, numberOf } = keepOnly(merged, chosen.flat());
    const children = mergeChildren(spec, slices, maps, chosen.flat().length, ctx);
    return {
      at(parent) {
        const buckets = (parent < 0 ? [] : chosen[parent]).map((id): OutBucket => {
          const { json, plain } = keys.show(merged.keys[id]);
          const fields: JsonObject = {
            key: json,
            doc_count: merged.docCounts[id],
            score: jsonDouble(scores[id]),
            bg_count: supersetFreq(id),
          };
          return { key: plain, name: String(plain), fields, docCount: merged.docCounts[id], aggs: children.at(numberOf[id]) };
        });
        ctx.addBuckets(buckets.length);
        const before = keys.isUnmapped ? {} : { doc_count: parent < 0 ? 0 : subsetSizes[parent], bg_count: supersetSize };
        return new BucketsOut(spec, 'sigsterms', runParentPipelines(spec, buckets), { before });
      },
    };
  },
};
