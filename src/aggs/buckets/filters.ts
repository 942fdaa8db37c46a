// Aggregations that pass documents on without a key of their own: filter, filters, missing, global, nested, reverse_nested, adjacency_matrix, sampler.

import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { present } from '../../common/present.ts';
import type { AggNode } from '../../plan/agg-plan.ts';
import type { PlanNode } from '../../plan/query-plan.ts';
import { executionError, illegalArgumentError, misusedError, parsingError, xContentError } from '../errors.ts';
import { Params } from '../params.ts';
import { runParentPipelines } from '../pipelines/run.ts';
import { columnsOf, mergeBuckets, mergeChildren } from '../reduce/merge.ts';
import { BucketsOut, type OutBucket, SingleBucketOut } from '../reduce/out.ts';
import { bindSource, columnOf, parseSource, type SourceParams, type ValuesSource } from '../source.ts';
import type { AggSpec, AggType, BindContext, MergedAgg, ParsedQuery, ReduceContext, Slice } from '../types.ts';

function mergeSingle(spec: AggSpec, slices: readonly Slice[], parents: number, ctx: ReduceContext): MergedAgg {
  const merged = mergeBuckets(slices, () => 0);
  const children = mergeChildren(spec, slices, merged.maps, merged.count, ctx);
  const idOf = new Int32Array(parents).fill(-1);
  merged.parents.forEach((parent, id) => {
    idOf[parent] = id;
  });
  return {
    at(parent) {
      const id = parent < 0 ? -1 : idOf[parent];
      ctx.addBuckets(1);
      return new SingleBucketOut(spec, spec.typeName, id < 0 ? 0 : merged.docCounts[id], children.at(id));
    },
  };
}

export const filterType: AggType = {
  isBucket: true,
  parse: (_name, _typeName, body, ctx) => ({ query: ctx.parseQuery(body) }),
  bind: () => null,
  plan(spec, _bound, scope, children): AggNode {
    return { op: 'filters', filters: [scope.planQuery((spec.params as { query: ParsedQuery }).query)], other: false, children };
  },
  merge: mergeSingle,
};

/** All documents of the index: planned like a filter that matches all, run over all documents (see AggregationRun). */
export const globalType: AggType = {
  isBucket: true,
  parse(name, typeName, body) {
    new Params(typeName, body, name).done();
    return null;
  },
  bind(spec, ctx) {
    if (ctx.parents.length > 0) {
      const [parent] = ctx.index.mapping.dialect.blamesAggregationRequests ? ctx.parents.slice(-1) : [spec];
      throw misusedError(
        `Aggregation [${parent.name}] cannot have a global sub-aggregation [${spec.name}]. Global aggregations can only be defined as top level aggregations`,
        ctx.index.mapping.dialect,
      );
    }
    return null;
  },
  childPath: () => null,
  plan: (_spec, _bound, _scope, children): AggNode => ({ op: 'filters', filters: [{ op: 'matchAll' }], other: false, children }),
  merge: mergeSingle,
};

interface FiltersParams {
  readonly names: readonly string[] | null;
  readonly queries: readonly ParsedQuery[];
  readonly other: string | null;
  /** Whether named filters are members of an object rather than of a list. */
  readonly keyed: boolean;
}

export const filtersType: AggType = {
  isBucket: true,
  parse(name, typeName, body, ctx): FiltersParams {
    const p = new Params(typeName, body, name);
    const filters = p.take('filters');
    const otherKey = p.string('other_bucket_key');
    const wantsOther = p.bool('other_bucket') ?? otherKey !== null;
    const keyed = (ctx.dialect.listsNamedFilters ? p.bool('keyed') : null) ?? true;
    p.done();
    const other = wantsOther ? (otherKey ?? '_other_') : null;
    if (Array.isArray(filters) && filters.length > 0)
      return { names: null, queries: filters.map((query) => ctx.parseQuery(query)), other, keyed: false };
    if (isObject(filters) && Object.keys(filters).length > 0) {
      const names = Object.keys(filters).sort();
      return { names, queries: names.map((name) => ctx.parseQuery(filters[name])), other, keyed };
    }
    throw illegalArgumentError('[filters] cannot be empty.');
  },
  bind: () => null,
  plan(spec, _bound, scope, children): AggNode {
    const { queries, other } = spec.params as FiltersParams;
    return { op: 'filters', filters: queries.map((query) => scope.planQuery(query)), other: other !== null, children };
  },
  merge(spec, slices, parents, ctx) {
    const { names, queries, other, keyed } = spec.params as FiltersParams;
    const merged = mergeBuckets(slices, (_slice, columns, i) => Number(columns.keys[i]));
    const lists = merged.lists(parents);
    const children = mergeChildren(spec, slices, merged.maps, merged.count, ctx);
    const shown = [...queries.map((_, i) => names?.[i] ?? String(i)), ...(other !== null ? [other] : [])];
    return {
      at(parent) {
        ctx.addBuckets(shown.length);
        const byFilter = new Map((parent < 0 ? [] : lists[parent]).map((id) => [Number(merged.keys[id]), id]));
        const buckets = shown.map((key, i): OutBucket => {
          const id = byFilter.get(i) ?? -1;
          const docCount = id < 0 ? 0 : merged.docCounts[id];
          return {
            key,
            name: key,
            fields: { ...(names !== null && !keyed ? { key } : {}), doc_count: docCount },
            docCount,
            aggs: children.at(id),
          };
        });
        return new BucketsOut(spec, 'filters', runParentPipelines(spec, buckets), { keyed });
      },
    };
  },
};

interface MissingParams {
  readonly source: SourceParams;
  /** Documents without a value, for columns that kernels do not read. */
  readonly absent: ParsedQuery;
}

export const missingType: AggType = {
  isBucket: true,
  parse(_name, typeName, body, ctx): MissingParams {
    const p = new Params(typeName, body);
    const source = parseSource(p);
    p.done();
    return { source, absent: ctx.parseQuery({ bool: { must_not: { exists: { field: source.field || '_id' } } } }) };
  },
  bind(spec, ctx): ValuesSource {
    const { source } = spec.params as MissingParams;
    // Analyzed text has no column.
    if (ctx.index.mapping.field(source.field)?.family !== 'text') return bindSource('missing', source, ctx, null);
    return { ...bindSource('missing', source, ctx, ['text']), kind: 'binary' };
  },
  plan(spec, bound: ValuesSource, scope, children): AggNode {
    // If missing values are replaced, no document counts as missing.
    if (bound.missing !== null) return { op: 'filters', filters: [{ op: 'matchNone' }], other: false, children };
    if (bound.kind === 'binary')
      return { op: 'filters', filters: [scope.planQuery((spec.params as MissingParams).absent)], other: false, children };
    return { op: 'missing', source: columnOf(bound, scope.segment), children };
  },
  merge: mergeSingle,
};

interface BoundNested {
  readonly path: string | null;
  readonly parentPath: string | null;
  readonly mapped: boolean;
}

export const nestedType: AggType = {
  isBucket: true,
  parse(name, typeName, body) {
    const p = new Params(typeName, body, name);
    const path = p.string('path');
    p.done();
    if (path === null) throw parsingError(`Missing [path] field for nested aggregation [${name}]`);
    return { path };
  },
  bind(spec, ctx): BoundNested {
    const { path } = spec.params as { path: string };
    const { mapping } = ctx.index;
    if (mapping.isNested(path)) return { path, parentPath: ctx.nestedPath, mapped: true };
    if (mapping.isObject(path) && !mapping.dialect.blamesAggregationRequests)
      throw executionError(`[nested] nested path [${path}] is not nested`);
    return { path, parentPath: ctx.nestedPath, mapped: false };
  },
  childPath: (spec) => (spec.params as { path: string }).path,
  plan(_spec, bound: BoundNested, { segment }, children): AggNode {
    const childDocsPtr = bound.mapped ? segment.nestedDocsPtr(present(bound.path)) : 0;
    return { op: 'nested', childDocsPtr, parentDocsPtr: bound.parentPath ? segment.nestedDocsPtr(bound.parentPath) : 0, children };
  },
  merge: mergeSingle,
};

export const reverseNestedType: AggType = {
  isBucket: true,
  parse(name, typeName, body) {
    const p = new Params(typeName, body, name);
    const path = p.string('path');
    p.done();
    return { path };
  },
  bind(spec, ctx: BindContext): BoundNested {
    const { path } = spec.params as { path: string | null };
    if (!ctx.parents.some((parent) => parent.typeName === 'nested')) {
      throw illegalArgumentError(`Reverse nested aggregation [${spec.name}] can only be used inside a [nested] aggregation`);
    }
    if (path !== null && !ctx.index.mapping.isNested(path)) {
      if (ctx.index.mapping.isObject(path) && !ctx.index.mapping.dialect.blamesAggregationRequests)
        throw executionError(`[reverse_nested] nested path [${path}] is not nested`);
      return { path, parentPath: ctx.nestedPath, mapped: false };
    }
    return { path, parentPath: ctx.nestedPath, mapped: true };
  },
  childPath: (spec) => (spec.params as { path: string | null }).path,
  plan(_spec, bound: BoundNested, { segment }, children): AggNode {
    if (!bound.mapped) return { op: 'filters', filters: [{ op: 'matchNone' }], other: false, children };
    return { op: 'reverseNested', parentDocsPtr: bound.path ? segment.nestedDocsPtr(bound.path) : 0, children };
  },
  merge: mergeSingle,
};

interface AdjacencyParams {
  readonly names: readonly string[];
  readonly queries: readonly ParsedQuery[];
  readonly separator: string;
  /** Only pairs are shown. */
  readonly pairsOnly: boolean;
}

/** Filters and their intersections, planned as filters inside filters; each pair is shown once. */
export const adjacencyMatrixType: AggType = {
  isBucket: true,
  parse(_name, typeName, body, ctx): AdjacencyParams {
    const p = new Params(typeName, body);
    const filters = p.object('filters');
    const separator = p.string('separator') ?? '&';
    const pairsOnly = p.bool('show_only_intersecting') ?? false;
    p.done();
    if (!filters || Object.keys(filters).length === 0) throw xContentError('[adjacency_matrix] Required [filters]');
    const names = Object.keys(filters).sort();
    return { names, queries: names.map((name) => ctx.parseQuery(filters[name])), separator, pairsOnly };
  },
  bind(spec, ctx) {
    const limit = ctx.index.setting('index.max_adjacency_matrix_filters', 100);
    const { names } = spec.params as AdjacencyParams;
    if (names.length > limit) {
      throw illegalArgumentError(
        `Number of filters is too large, must be less than or equal to: [${limit}] but was [${names.length}].This limit can be set by changing the [index.max_adjacency_matrix_filters] index level setting.`,
      );
    }
    return null;
  },
  plan(spec, _bound, scope, children): AggNode {
    const filters: PlanNode[] = (spec.params as AdjacencyParams).queries.map((query) => scope.planQuery(query));
    return { op: 'filters', filters, other: false, children: [...children, { op: 'filters', filters, other: false, children }] };
  },
  merge(spec, slices, parents, ctx) {
    const { names, separator, pairsOnly } = spec.params as AdjacencyParams;
    const flat = slices.flatMap((slice) => singlesAndPairs(slice, names.length));
    const merged = mergeBuckets(flat.length === 1 ? [...flat, flat[0]] : flat, (_slice, columns, i) => Number(columns.keys[i]));
    const lists = merged.lists(parents);
    const children = mergeChildren(spec, flat, merged.maps, merged.count, ctx);
    const nameOf = (key: number) =>
      key < names.length ? names[key] : `${names[Math.floor(key / names.length) - 1]}${separator}${names[key % names.length]}`;
    return {
      at(parent) {
        const ids = (parent < 0 ? [] : lists[parent]).filter((id) => !pairsOnly || Number(merged.keys[id]) >= names.length);
        const buckets = ids.map((id): OutBucket => {
          const key = nameOf(Number(merged.keys[id]));
          const fields: JsonObject = { key, doc_count: merged.docCounts[id] };
          return { key, name: key, fields, docCount: merged.docCounts[id], aggs: children.at(id) };
        });
        buckets.sort((a, b) => (a.key < b.key ? -1 : 1));
        ctx.addBuckets(buckets.length);
        return new BucketsOut(spec, 'adjacency_matrix', runParentPipelines(spec, buckets));
      },
    };
  },
};

/** Derives two slices from one: filters by number i, pairs i < j by (i + 1) * filters + j. */
function singlesAndPairs(slice: Slice, filters: number): Slice[] {
  if (slice.result.op !== 'buckets') return [];
  const singles = columnsOf(slice);
  const inner = slice.result.children[slice.result.children.length - 1];
  const kids = slice.result.children.slice(0, -1);
  if (inner?.op !== 'buckets') return [];
  const pairs = inner.buckets;
  // A pair (i, j <= i) repeats another one, so its parent is a bucket to which nothing maps.
  const parentOf = (i: number) => {
    const first = Number(singles.keys[pairs.parents[i]]);
    return Number(pairs.keys[i]) > first ? singles.parents[pairs.parents[i]] : -1;
  };
  const parentCount = singles.parents.reduce((most, parent) => Math.max(most, parent), -1) + 2;
  const map = Int32Array.from({ length: parentCount }, (_, parent) =>
    parent === parentCount - 1 ? -1 : slice.map ? slice.map[parent] : parent,
  );
  const parents = Uint32Array.from(pairs.parents, (_, i) => (parentOf(i) < 0 ? parentCount - 1 : parentOf(i)));
  const keys = Float64Array.from(pairs.parents, (single, i) => (Number(singles.keys[single]) + 1) * filters + Number(pairs.keys[i]));
  return [
    { ...slice, result: { op: 'buckets', buckets: singles, children: kids } },
    { ...slice, map, result: { op: 'buckets', buckets: { parents, keys, docCounts: pairs.docCounts }, children: inner.children } },
  ];
}
