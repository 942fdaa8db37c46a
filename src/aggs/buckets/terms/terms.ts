// terms and rare_terms: one bucket per distinct value. Counts are exact, because every segment returns all its buckets; error bounds are 0.
import type { MutableJsonObject } from '../../../common/json/json-value.ts';
import { checkTurn } from '../../../common/turns/turn.ts';
import { asCause } from '../../../errors/api-error.ts';
import type { AggNode } from '../../../plan/agg-plan.ts';
import type { PlanNode } from '../../../plan/query-plan.ts';
import type { SegmentReader } from '../../../plan/segment-reader.ts';
import { illegalArgumentError, unsupportedError, xContentError } from '../../errors.ts';
import { Params } from '../../params.ts';
import { checkOrderPath, needsChildren, type OrderPart, orderPart, parseOrder } from '../../pipelines/bucket-path.ts';
import { runParentPipelines } from '../../pipelines/run.ts';
import { addEmpty, keepOnly, type MergedBuckets, type MergeKey, mergeBuckets, mergeChildren, selectTop } from '../../reduce/merge.ts';
import { hashesOf, mergeText } from '../../reduce/merge-text.ts';
import { BucketsOut, type OutBucket } from '../../reduce/out.ts';
import { bindSource, columnIn, columnOf, parseSource, type SourceParams, type ValuesSource } from '../../source.ts';
import type { AggSpec, AggType, BindContext, MergedAgg, ParseContext, ReduceContext, SegmentScope, Slice } from '../../types.ts';
import {
  acceptedOrdinals,
  checkIncludeExclude,
  type IncludeExclude,
  numberFilter,
  parseIncludeExclude,
  termFilter,
} from './include-exclude.ts';
import { comparator, compareKeys, MAX_TEXT_BITS, TermKeys } from './terms-keys.ts';

export interface TermsParams {
  readonly source: SourceParams;
  readonly size: number;
  /** The number of buckets that servers with this default collect from each shard. */
  readonly shardSize: number;
  readonly minDocCount: number;
  readonly order: readonly OrderPart[];
  readonly filter: IncludeExclude | null;
  readonly showError: boolean;
  /** rare_terms: the highest count that is shown; 0 for terms. */
  readonly maxDocCount: number;
  /** The requested execution, as reported by `profile`. */
  readonly requested: { readonly isBreadthFirst: boolean; readonly byMap: boolean };
  /** Checked for terms of texts only. */
  readonly hint?: string | null;
}

export interface BoundTerms {
  readonly source: ValuesSource;
  readonly nowMs: number;
}

const BY_COUNT = [orderPart('_count', true), orderPart('_key', false)];

/** Validates Elasticsearch's collect modes and execution hints, which have no effect here. */
const HINTS = new Set(['map', 'global_ordinals', 'global_ordinals_hash', 'global_ordinals_low_cardinality']);

function parseTerms(name: string, typeName: string, body: unknown, ctx: ParseContext): TermsParams {
  const p = new Params(typeName, body);
  const source = parseSource(p);
  const size = positive(p, name, 'size') ?? 10;
  const shardSize = positive(p, name, 'shard_size');
  const minDocCount = notNegative(p, name, 'min_doc_count', 'minDocCount') ?? 1;
  notNegative(p, name, 'shard_min_doc_count', 'shardMinDocCount');
  const order = orderOf(p);
  const filter = parseIncludeExclude(p, ctx.dialect);
  const showError = p.bool('show_term_doc_count_error') ?? false;
  const mode = p.string('collect_mode');
  if (mode !== null && mode !== 'depth_first' && mode !== 'breadth_first')
    throw p.refusalError('collect_mode', `No [collect_mode] found for value [${mode}]`);
  const hint = p.string('execution_hint');
  p.done();
  return {
    source,
    size,
    // The order of keys is the same in all shards, so no extra keys need to be collected.
    shardSize: Math.max(size, shardSize ?? (order[0].path === '_key' ? size : Math.floor(size * 1.5) + 10)),
    minDocCount,
    order,
    filter,
    showError,
    maxDocCount: 0,
    requested: { isBreadthFirst: mode === 'breadth_first', byMap: hint === 'map' },
    hint,
  };
}

/** `order`, with the key as the tie-breaker. */
export function orderOf(p: Params): readonly OrderPart[] {
  let order: readonly OrderPart[];
  try {
    order = parseOrder(p.take('order'), BY_COUNT);
  } catch (error) {
    throw xContentError(`[${p.typeName}] failed to parse field [order]`, asCause(error));
  }
  return order[order.length - 1].path === '_key' ? order : [...order, orderPart('_key', false)];
}

export function positive(p: Params, name: string, key: string): number | null {
  const value = p.integer(key);
  if (value !== null && value <= 0) {
    const shown = key.replace(/_(\w)/g, (_, c: string) => c.toUpperCase());
    throw p.refusalError(key, `[${shown}] must be greater than 0. Found [${value}] in [${name}]`);
  }
  return value;
}

export function notNegative(p: Params, name: string, key: string, shown: string): number | null {
  const value = p.integer(key);
  if (value !== null && value < 0)
    throw p.refusalError(key, `[${shown}] must be greater than or equal to 0. Found [${value}] in [${name}]`);
  return value;
}

/** @param listed  the hints that the error names. @throws ApiError illegal_argument_exception: an unknown execution hint */
export function checkHint(hint: string | null, known: ReadonlySet<string>, listed: string): void {
  if (hint !== null && !known.has(hint)) throw illegalArgumentError(`Unknown \`execution_hint\`: [${hint}], expected any of [${listed}]`);
}

function bindTerms(spec: AggSpec, ctx: BindContext): BoundTerms {
  const params = spec.params as TermsParams;
  const source = bindSource(spec.typeName, params.source, ctx, ['keyword', 'numeric', 'date', 'boolean', 'ip', 'text', 'other']);
  if (source.type?.spec.column === 'ordinals') checkHint(params.hint ?? null, HINTS, 'map, global_ordinals');
  if (params.filter) {
    checkIncludeExclude(params.filter, source, spec.name, ctx.index.mapping.dialect);
    // Rejects values that are not numbers.
    if (source.type && source.kind !== 'ordinals') numberFilter(params.filter, source, ctx.index.nowMs);
  }
  for (const part of params.order) if (part.steps.length > 0) checkOrderPath(spec, part.path, ctx.index.mapping.dialect);
  return { source, nowMs: ctx.index.nowMs };
}

function planTerms(spec: AggSpec, bound: BoundTerms, scope: SegmentScope, children: readonly AggNode[]): AggNode {
  const { filter } = spec.params as TermsParams;
  return termsNode(bound.source, scope, filter, children);
}

/** One bucket per value of a source. */
export function termsNode(source: ValuesSource, scope: SegmentScope, filter: IncludeExclude | null, children: readonly AggNode[]): AggNode {
  const { segment } = scope;
  if (source.type?.family === 'text') return textNode(source.field, segment, filter, source, children);
  const column = columnOf(source, segment);
  if (source.kind !== 'ordinals') return { op: 'termsNumeric', source: column, perValue: false, children };
  const accept = filter && column.column ? acceptedOrdinals(filter, source, segment, Number(column.column.max) + 1) : null;
  return { op: 'termsOrd', source: column, accept, children };
}

function textNode(
  field: string,
  segment: SegmentReader,
  filter: IncludeExclude | null,
  source: ValuesSource,
  children: readonly AggNode[],
): AggNode {
  const postings = segment.postings(field);
  if (!postings) return { op: 'filters', filters: [], other: false, children };
  if (postings.termCount * segment.maxDoc > MAX_TEXT_BITS) {
    throw unsupportedError(
      `an aggregation over the [${postings.termCount}] terms of the text field [${field}] in [${segment.maxDoc}] documents`,
    );
  }
  const test = filter ? termFilter(filter, source) : null;
  const terms = segment.walkTerms(field, { from: null, to: null }, postings.termCount);
  const filters = terms.map(
    (term): PlanNode => (!test || test(term.bytes) ? { op: 'term', postings, term, scorer: null } : { op: 'matchNone' }),
  );
  return { op: 'filters', filters, other: false, children };
}

function mergeTerms(spec: AggSpec, all: readonly Slice[], parents: number, ctx: ReduceContext): MergedAgg {
  const params = spec.params as TermsParams;
  const sourceOf = (slice: Slice) => (slice.bound as BoundTerms).source;
  const slices = all.length > 1 ? all.filter((slice) => slice.result.op === 'buckets' && slice.result.buckets.parents.length > 0) : all;
  const zero = params.minDocCount === 0;
  // The ordinal of a `missing` term that the segment lacks is not in the order of the terms.
  const inOrder = slices.length === 1 && sourceOf(slices[0]).missing === null;
  const keys = new TermKeys(slices.length > 0 ? slices : all, sourceOf, inOrder && !zero);
  const hashes = keys.isText && slices.length > 1 && !zero ? hashesOf(slices, sourceOf) : null;
  const hashed = hashes ? mergeText(slices, sourceOf, hashes) : null;
  const merged = hashed ?? mergeBuckets(slices, (slice, columns, i) => keys.keyOf(slice, columns.keys[i]));
  if (zero) {
    const test = numberTest(slices, keys, params);
    const wanted = test ? [...allKeys(all, keys, params.filter)].filter((key) => test(key as number)) : allKeys(all, keys, params.filter);
    addEmpty(merged, wanted, parents, { size: params.size, compare: keyOrder(params.order), maxBuckets: ctx.maxBuckets });
  }
  const lists = filtered(merged, merged.lists(parents), slices, keys, params);
  // A single shard counts the buckets dropped by min_doc_count among the others, except those among its best `shard_size`, which are dropped
  // when the response is made; several shards do not report theirs.
  const isOneShard = new Set(slices.map(({ segment }) => segment.shard)).size === 1;
  const counted =
    isOneShard && params.minDocCount > 1 ? filtered(merged, merged.lists(parents), slices, keys, { ...params, minDocCount: 1 }) : lists;
  const early = needsChildren(params.order) ? mergeChildren(spec, slices, merged.maps, merged.count, ctx) : null;
  const compare = comparator(params.order, ctx.dialect, merged, early, hashed?.compareKeys);
  const chosen = lists.map((ids) => (hashed ?? { selectTop }).selectTop(ids, params.size, compare));
  const uncounted = counted.map((ids) =>
    counted === lists
      ? []
      : (hashed ?? { selectTop }).selectTop(ids, params.shardSize, compare).filter((id) => merged.docCounts[id] < params.minDocCount),
  );
  const kept = chosen.flat();
  ctx.addBuckets(kept.length);
  const { maps, numberOf } = keepOnly(merged, kept);
  const children = early ?? mergeChildren(spec, slices, maps, kept.length, ctx);
  const childOf = (id: number) => children.at(early ? id : numberOf[id]);
  return {
    at(parent) {
      const ids = parent < 0 ? [] : chosen[parent];
      let other = 0;
      if (parent >= 0) for (const id of counted[parent]) other += merged.docCounts[id];
      for (const id of ids) other -= merged.docCounts[id];
      if (parent >= 0) for (const id of uncounted[parent]) other -= merged.docCounts[id];
      const buckets = ids.map((id): OutBucket => {
        const { json, plain, text } = keys.show(hashed ? hashed.textOf(id) : merged.keys[id]);
        const fields: MutableJsonObject = { key: json, ...(text === null ? {} : { key_as_string: text }), doc_count: merged.docCounts[id] };
        if (params.showError) fields.doc_count_error_upper_bound = 0;
        return { key: plain, name: text ?? String(plain), fields, docCount: merged.docCounts[id], aggs: childOf(id) };
      });
      const before: MutableJsonObject = params.maxDocCount > 0 ? {} : { doc_count_error_upper_bound: 0, sum_other_doc_count: other };
      return new BucketsOut(spec, typedName(keys, params), runParentPipelines(spec, buckets), { before });
    },
  };
}

function typedName(keys: TermKeys, params: TermsParams): string {
  return params.maxDocCount > 0 && !keys.isUnmapped ? keys.typedName.replace('terms', 'rareterms') : keys.typedName;
}

/** Include and exclude for numeric keys, null if they do not apply. */
function numberTest(slices: readonly Slice[], keys: TermKeys, { filter }: TermsParams): ((key: number) => boolean) | null {
  if (!filter || keys.isText || slices.length === 0) return null;
  return numberFilter(filter, keys.source, (slices[0].bound as BoundTerms).nowMs);
}

/** Order of the keys of buckets that are equal otherwise. */
function keyOrder(order: readonly OrderPart[]): (a: MergeKey, b: MergeKey) => number {
  const isDescending = order.find(({ path }) => path === '_key')?.descending ?? false;
  return isDescending ? (a, b) => compareKeys(b, a) : compareKeys;
}

/** Removes buckets by count, and numeric ones by include and exclude. */
function filtered(merged: MergedBuckets, lists: number[][], slices: readonly Slice[], keys: TermKeys, params: TermsParams): number[][] {
  const { minDocCount, maxDocCount } = params;
  const test = numberTest(slices, keys, params);
  if (!test && minDocCount <= 1 && maxDocCount === 0) return lists;
  return lists.map((ids) =>
    ids.filter((id) => {
      const count = merged.docCounts[id];
      if (count < minDocCount || (maxDocCount > 0 && count > maxDocCount)) return false;
      return !test || test(merged.keys[id] as number);
    }),
  );
}

/** Keys of all values in the segments, regardless of the query, for `min_doc_count: 0`. */
function* allKeys(slices: readonly Slice[], keys: TermKeys, filter: IncludeExclude | null): Iterable<MergeKey> {
  for (const slice of slices) {
    const { source } = slice.bound as BoundTerms;
    for (const raw of allValues(source, slice, filter)) yield keys.keyOf(slice, raw);
  }
}

function* allValues(source: ValuesSource, slice: Slice, filter: IncludeExclude | null): Iterable<number | bigint> {
  const { segment } = slice.segment;
  const column = columnIn(source, segment);
  if (!column) {
    if (source.type?.name === '_index') yield 0;
    return;
  }
  if (source.kind === 'ordinals') {
    const test = filter ? termFilter(filter, source) : null;
    for (let ord = 0; ord <= Number(column.max); ord++) {
      if ((ord & 1023) === 0) checkTurn();
      if (!test || test(segment.termOf(source.field, ord))) yield ord;
    }
    return;
  }
  const seen = new Set<number | bigint>();
  for (let doc = 0; doc < segment.maxDoc; doc++) {
    for (const value of segment.values(source.field, doc)) {
      if (seen.has(value)) continue;
      seen.add(value);
      yield typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
    }
  }
}

export const termsType: AggType = { isBucket: true, parse: parseTerms, bind: bindTerms, plan: planTerms, merge: mergeTerms };

export const rareTermsType: AggType = {
  isBucket: true,
  parse(name, typeName, body, ctx): TermsParams {
    const p = new Params(typeName, body);
    const source = parseSource(p);
    const maxDocCount = positive(p, name, 'max_doc_count') ?? 1;
    if (maxDocCount > 100) throw illegalArgumentError(`[max_doc_count] must be smaller than or equal to 100 in [${name}]`);
    const precision = p.number('precision');
    if (precision !== null && precision < 0.00001) throw illegalArgumentError('[precision] must be greater than 0.00001');
    const filter = parseIncludeExclude(p, ctx.dialect);
    p.done();
    const order = [orderPart('_count', false), orderPart('_key', false)];
    return {
      source,
      size: Number.MAX_SAFE_INTEGER,
      shardSize: Number.MAX_SAFE_INTEGER,
      minDocCount: 1,
      order,
      filter,
      showError: false,
      maxDocCount,
      requested: { isBreadthFirst: false, byMap: true },
    };
  },
  bind(spec, ctx): BoundTerms {
    const type = ctx.index.mapping.field((spec.params as TermsParams).source.field);
    if (type && (type.spec.column === 'f64' || type.scale !== 1))
      throw illegalArgumentError('RareTerms aggregation does not support floating point fields.');
    return bindTerms(spec, ctx);
  },
  plan: planTerms,
  merge: mergeTerms,
};
