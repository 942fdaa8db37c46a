// time_series: a bucket per series of an index in time series mode; its key is the dimensions of the series.
import type { JsonObject } from '../../../common/json/json-value.ts';
import { javaText } from '../../../common/text/java-text.ts';
import { DIMENSIONS } from '../../../mapping/core/time-series.ts';
import type { AggNode } from '../../../plan/agg-plan.ts';
import { illegalArgumentError } from '../../errors.ts';
import { Params } from '../../params.ts';
import { runParentPipelines } from '../../pipelines/run.ts';
import { mergeBuckets, mergeChildren } from '../../reduce/merge.ts';
import { BucketsOut, type OutBucket } from '../../reduce/out.ts';
import { columnOf, type ValuesSource } from '../../source.ts';
import type { AggType } from '../../types.ts';
import { compareKeys, TermKeys } from './terms-keys.ts';

const DEFAULT_SIZE = 10_000;

interface SeriesParams {
  readonly keyed: boolean;
  readonly size: number;
}

export const timeSeriesType: AggType = {
  isBucket: true,
  parse(name, typeName, body): SeriesParams {
    const p = new Params(typeName, body);
    const keyed = p.bool('keyed') ?? false;
    const size = p.integer('size') ?? DEFAULT_SIZE;
    if (size <= 0) throw p.refusalError('size', `[size] must be greater than 0. Found [${size}] in [${name}]`);
    p.done();
    return { keyed, size };
  },
  bind(spec, ctx): ValuesSource {
    const type = ctx.index.mapping.field(DIMENSIONS);
    if (!type) throw illegalArgumentError(`[${spec.typeName}] requires an index in time series mode, but [${ctx.index.indexName}] is not`);
    const format = type.format(null, null);
    return { field: DIMENSIONS, type, kind: 'ordinals', format, scale: 1, unsigned: false, isDate: false, missing: null };
  },
  plan: (_spec, bound: ValuesSource, { segment }, children): AggNode => ({
    op: 'termsOrd',
    source: columnOf(bound, segment),
    accept: null,
    children,
  }),
  merge(spec, slices, parents, ctx) {
    const { keyed, size } = spec.params as SeriesParams;
    const keys = new TermKeys(slices, (slice) => slice.bound as ValuesSource, false);
    const merged = mergeBuckets(slices, (slice, columns, i) => keys.keyOf(slice, columns.keys[i]));
    const lists = merged.lists(parents);
    const children = mergeChildren(spec, slices, merged.maps, merged.count, ctx);
    const bucket = (id: number): OutBucket => {
      const key = JSON.parse(String(keys.show(merged.keys[id]).json)) as JsonObject;
      const docCount = merged.docCounts[id];
      const name = javaText(key);
      return { key: name, name, fields: { key, doc_count: docCount }, docCount, aggs: children.at(id) };
    };
    return {
      at(parent) {
        const ids = (parent < 0 ? [] : lists[parent]).sort((a, b) => compareKeys(merged.keys[a], merged.keys[b])).slice(0, size);
        ctx.addBuckets(ids.length);
        return new BucketsOut(spec, 'time_series', runParentPipelines(spec, ids.map(bucket)), { keyed });
      },
    };
  },
};
