// significant_terms: terms that are more frequent among the documents of the bucket than in the whole index.
import { jsonDouble } from '../../../common/json/json-float.ts';
import type { JsonObject } from '../../../common/json/json-value.ts';
import { ApiError } from '../../../errors/api-error.ts';
import type { AggNode } from '../../../plan/agg-plan.ts';
import { Params } from '../../params.ts';
import { runParentPipelines } from '../../pipelines/run.ts';
import { columnsOf, keepOnly, type MergedBuckets, mergeBuckets, mergeChildren, selectTop } from '../../reduce/merge.ts';
import { BucketsOut, type OutBucket } from '../../reduce/out.ts';
import { bindSource, parseSource, type SourceParams, type ValuesSource } from '../../source.ts';
import type { AggSpec, AggType, BindContext, ParsedQuery, Slice } from '../../types.ts';
import { checkIncludeExclude, type IncludeExclude, numberFilter, parseIncludeExclude } from '../terms/include-exclude.ts';
import { notNegative, positive, termsNode } from '../terms/terms.ts';
import { TermKeys } from '../terms/terms-keys.ts';
import { type Background, backgroundOf, parseBackground } from './background.ts';
import { type Heuristic, parseHeuristic } from './significance.ts';

interface SignificantParams {
  readonly source: SourceParams;
  readonly size: number;
  readonly minDocCount: number;
  readonly filter: IncludeExclude | null;
  readonly heuristic: Heuristic;
  readonly background: ParsedQuery | null;
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
    const background = parseBackground(p, ctx);
    p.string('execution_hint');
    p.done();
    return { source, size, minDocCount, filter, heuristic, background };
  },
  bind(spec, ctx: BindContext): ValuesSource {
    const { source: params, filter } = spec.params as SignificantParams;
    const source = bindSource('significant_terms', params, ctx, ['keyword', 'ip', 'text', 'numeric', 'date', 'boolean']);
    if (filter) {
      checkIncludeExclude(filter, source, spec.name, ctx.index.mapping.dialect);
      if (source.type && source.kind !== 'ordinals') numberFilter(filter, source, ctx.index.nowMs);
    }
    if (source.type && (source.kind === 'f64' || source.scale !== 1))
      throw new ApiError('unsupported_operation_exception', 500, 'No support for examining floating point numerics');
    return source;
  },
  plan(spec, bound: ValuesSource, scope, children): AggNode {
    const terms = termsNode(bound, scope, (spec.params as SignificantParams).filter, children);
    return { op: 'filters', filters: [{ op: 'matchAll' }], other: false, children: [terms] };
  },
  merge(spec: AggSpec, given, parents, ctx) {
    const mapped = given.filter(({ bound }) => (bound as ValuesSource).type !== null);
    // Indices without the field do not count unless none has it.
    const all = mapped.length > 0 ? mapped : given;
    const { size, minDocCount, heuristic, background: parsed, filter } = spec.params as SignificantParams;
    const subsetSizes = new Float64Array(parents);
    for (const slice of all) {
      const columns = columnsOf(slice);
      columns.parents.forEach((parent, i) => {
        const to = slice.map ? slice.map[parent] : parent;
        if (to >= 0) subsetSizes[to] += columns.docCounts[i];
      });
    }
    const slices = all.map(innerSlice).filter((slice) => slice !== null);
    const keys = new TermKeys(all, (slice) => slice.bound as ValuesSource, false);
    const merged = mergeBuckets(slices, (slice, columns, i) => keys.keyOf(slice, columns.keys[i]));
    const test = filter && !keys.isText && all.length > 0 ? numberFilter(filter, keys.source, ctx.nowMs) : null;
    const candidates = merged
      .lists(parents)
      .map((ids) => ids.filter((id) => merged.docCounts[id] >= minDocCount && (!test || test(merged.keys[id] as number | bigint))));
    const background = backgroundOf(all, keys, parsed, ctx.dialect);
    const scores = scoresOf(candidates, merged, heuristic, subsetSizes, background);
    const shown = candidates.map((ids) => ids.filter((id) => scores[id] > 0));
    const chosen = shown.map((ids) => selectTop(ids, size, (a, b) => scores[b] - scores[a] || (merged.keys[a] < merged.keys[b] ? -1 : 1)));
    const { maps, numberOf } = keepOnly(merged, chosen.flat());
    const children = mergeChildren(spec, slices, maps, chosen.flat().length, ctx);
    return {
      at(parent) {
        const buckets = (parent < 0 ? [] : chosen[parent]).map((id): OutBucket => {
          const { json, plain, text } = keys.show(merged.keys[id]);
          const fields: JsonObject = {
            key: json,
            ...(text === null ? {} : { key_as_string: keys.source.type?.family === 'boolean' ? text === 'true' : text }),
            doc_count: merged.docCounts[id],
            score: jsonDouble(scores[id]),
            bg_count: background.freq(merged.keys[id]),
          };
          return { key: plain, name: String(plain), fields, docCount: merged.docCounts[id], aggs: children.at(numberOf[id]) };
        });
        ctx.addBuckets(buckets.length);
        const before = keys.isUnmapped ? {} : { doc_count: parent < 0 ? 0 : subsetSizes[parent], bg_count: background.size };
        return new BucketsOut(spec, keys.isText || keys.isUnmapped ? 'sigsterms' : 'siglterms', runParentPipelines(spec, buckets), {
          before,
        });
      },
    };
  },
};

/** Scores of the candidates by their number. @throws ApiError illegal_argument_exception: the background does not contain the subset */
function scoresOf(
  candidates: readonly number[][],
  { keys, docCounts }: MergedBuckets,
  heuristic: Heuristic,
  subsetSizes: Float64Array,
  background: Background,
): Float64Array {
  const scores = new Float64Array(keys.length);
  candidates.forEach((ids, parent) => {
    for (const id of ids)
      scores[id] = heuristic({
        subsetFreq: docCounts[id],
        subsetSize: subsetSizes[parent],
        supersetFreq: background.freq(keys[id]),
        supersetSize: background.size,
      });
  });
  return scores;
}
