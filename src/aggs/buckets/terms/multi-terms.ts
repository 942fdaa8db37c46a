// multi_terms: a bucket per combination of the values of several fields.

import type { MutableJsonObject } from '../../../common/json/json-value.ts';
import { present } from '../../../common/present.ts';
import { illegalArgumentError } from '../../../errors/catalog.ts';
import type { AggNode } from '../../../plan/agg-plan.ts';
import { unsupportedError } from '../../errors.ts';
import { Params } from '../../params.ts';
import { checkOrderPath, compareFigures, compareOrdered, needsChildren, type OrderPart } from '../../pipelines/bucket-path.ts';
import { runParentPipelines } from '../../pipelines/run.ts';
import { addEmpty, keepOnly, type MergeKey, mergeBuckets, mergeChildren, selectTop } from '../../reduce/merge.ts';
import { BucketsOut, type OutBucket } from '../../reduce/out.ts';
import { bindSource, parseSource, type SourceParams, type ValuesSource } from '../../source.ts';
import type { AggSpec, AggType, SegmentScope, Slice } from '../../types.ts';
import { type FlatChain, flattenChain, planChain } from './chain.ts';
import { notNegative, orderOf, positive, termsNode } from './terms.ts';
import { compareKeys, TermKeys } from './terms-keys.ts';

/** Each field is a level of a chain of aggregations. */
const MAX_FIELDS = 100;

interface MultiTermsParams {
  readonly terms: readonly SourceParams[];
  readonly size: number;
  readonly minDocCount: number;
  readonly order: readonly OrderPart[];
  readonly showError: boolean;
}

export const multiTermsType: AggType = {
  isBucket: true,
  parse(name, typeName, body): MultiTermsParams {
    const p = new Params(typeName, body);
    const list = p.list('terms') ?? [];
    if (list.length < 2) {
      throw p.refusalError(
        'terms',
        `multi term aggregation must has at least 2 terms. Found [${list.length}] in [${name}] Use terms aggregation for single term aggregation`,
      );
    }
    if (list.length > MAX_FIELDS)
      throw illegalArgumentError(`[terms] of [${name}] must have at most ${MAX_FIELDS} fields, got ${list.length}`);
    const terms = list.map((entry) => {
      const inner = new Params(typeName, entry);
      const source = parseSource(inner);
      inner.done();
      return source;
    });
    const size = positive(p, name, 'size') ?? 10;
    positive(p, name, 'shard_size');
    const minDocCount = notNegative(p, name, 'min_doc_count', 'minDocCount') ?? 1;
    // Values of scripts are computed only for the documents of the query.
    if (minDocCount === 0 && terms.some(({ script }) => script !== null)) {
      throw unsupportedError('[min_doc_count] of 0 with a script in [multi_terms]');
    }
    notNegative(p, name, 'shard_min_doc_count', 'shardMinDocCount');
    const order = orderOf(p);
    const showError = p.bool('show_term_doc_count_error') ?? false;
    p.string('collect_mode');
    p.done();
    return { terms, size, minDocCount, order, showError };
  },
  bind(spec, ctx): ValuesSource[] {
    const { terms, order } = spec.params as MultiTermsParams;
    for (const part of order) if (part.steps.length > 0) checkOrderPath(spec, part.path, ctx.index.mapping.dialect);
    return terms.map((term) => bindSource('multi_terms', term, ctx, ['keyword', 'numeric', 'date', 'boolean', 'ip', 'text', 'other']));
  },
  plan: (_spec, bound: ValuesSource[], scope, children) => combinations(bound, scope, children),
  merge(spec: AggSpec, all, parents, ctx) {
    const params = spec.params as MultiTermsParams;
    const flat = all.map((slice) => flattenChain(slice, params.terms.length));
    const slices = flat.map((chain) => chain.slice);
    const columns = params.terms.map((_, t) => new TermKeys(slices, (slice: Slice) => (slice.bound as ValuesSource[])[t], false, true));
    const parts = new Map<MergeKey, MergeKey[]>();
    const partsOf = new Map(flat.map((chain) => [chain.slice, chain.parts]));
    const keyOf = (slice: Slice, raws: ReadonlyArray<number | bigint>): string => {
      const keys = raws.map((raw, t) => columns[t].keyOf(slice, raw));
      const joined = keys.map((key) => `${typeof key === 'string' ? key.length : ''}:${key}`).join('\u0001');
      if (!parts.has(joined)) parts.set(joined, keys);
      return joined;
    };
    const merged = mergeBuckets(slices, (slice, _columns, i) => keyOf(slice, present(partsOf.get(slice))[i]));
    const compareParts = (a: MergeKey, b: MergeKey): number => {
      const left = present(parts.get(a));
      const right = present(parts.get(b));
      for (let t = 0; t < left.length; t++) {
        const by = compareKeys(left[t], right[t]);
        if (by !== 0) return by;
      }
      return 0;
    };
    if (params.minDocCount === 0) {
      const keys = slices.flatMap((slice) => combinationsOf(slice, params.terms.length).map((raws) => keyOf(slice, raws)));
      const isDescending = params.order.find(({ path }) => path === '_key')?.descending ?? false;
      const compare = (a: MergeKey, b: MergeKey): number => (isDescending ? compareParts(b, a) : compareParts(a, b));
      addEmpty(merged, keys, parents, { size: params.size, compare, maxBuckets: ctx.maxBuckets });
    }
    const lists = merged.lists(parents).map((ids) => ids.filter((id) => merged.docCounts[id] >= params.minDocCount));
    const early = needsChildren(params.order) ? mergeChildren(spec, slices, merged.maps, merged.count, ctx) : null;
    const compare = (a: number, b: number): number => {
      for (const part of params.order) {
        let by: number;
        if (part.path === '_count') by = compareFigures(merged.docCounts[a], merged.docCounts[b], part.descending);
        else if (part.path === '_key') by = (part.descending ? -1 : 1) * compareParts(merged.keys[a], merged.keys[b]);
        else {
          const bucket = (id: number) => ({ aggs: present(early).at(id), docCount: merged.docCounts[id], key: 0 });
          by = compareOrdered(part, bucket(a), bucket(b), ctx.dialect);
        }
        if (by !== 0) return by;
      }
      return 0;
    };
    const chosen = lists.map((ids) => selectTop(ids, params.size, compare));
    const kept = chosen.flat();
    ctx.addBuckets(kept.length);
    const { maps, numberOf } = keepOnly(merged, kept);
    const children = early ?? mergeChildren(spec, slices, maps, kept.length, ctx);
    return {
      at(parent) {
        const ids = parent < 0 ? [] : chosen[parent];
        let other = 0;
        if (parent >= 0) for (const id of lists[parent]) other += merged.docCounts[id];
        for (const id of ids) other -= merged.docCounts[id];
        const buckets = ids.map((id): OutBucket => {
          const shown = present(parts.get(merged.keys[id])).map((key, t) => partOf(columns[t], key));
          const text = shown.map((part) => part.text).join('|');
          const fields: MutableJsonObject = {
            key: shown.map((part) => part.json),
            key_as_string: text,
            doc_count: merged.docCounts[id],
          };
          if (params.showError) fields.doc_count_error_upper_bound = 0;
          return { key: text, name: text, fields, docCount: merged.docCounts[id], aggs: children.at(early ? id : numberOf[id]) };
        });
        const before = { doc_count_error_upper_bound: 0, sum_other_doc_count: other };
        return new BucketsOut(spec, 'multi_terms', runParentPipelines(spec, buckets), { before });
      },
    };
  },
};

function combinations(bound: readonly ValuesSource[], scope: SegmentScope, children: readonly AggNode[]): AggNode {
  return planChain(
    bound.map((source) => (below: readonly AggNode[]) => termsNode(source, scope, null, below)),
    children,
  );
}

/** Combinations of all live documents of a segment, regardless of the query. */
function combinationsOf(slice: Slice, depth: number): FlatChain['parts'] {
  const { segment } = slice;
  const [result] = segment.collectDocs(() => [combinations(slice.bound as ValuesSource[], segment, [])], segment.liveDocs(), null);
  return flattenChain({ ...slice, result }, depth).parts;
}

/** One part of a key: booleans and numbers unchanged, values with a format (dates) as strings. */
function partOf(column: TermKeys, key: MergeKey): { json: unknown; text: string } {
  const { json, text } = column.show(key);
  if (column.source.type?.family === 'boolean') return { json: Number(json) !== 0, text: text ?? String(Number(json) !== 0) };
  return { json: text ?? json, text: text ?? String(json) };
}
