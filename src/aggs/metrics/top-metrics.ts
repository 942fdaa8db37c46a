// top_metrics: fields of the documents that come first by a sort. The search phase selects and fetches them as it does for top_hits.
import { isObject, type JsonObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import type { FieldType } from '../../mapping/core/field-type.ts';
import type { AggNode } from '../../plan/agg-plan.ts';
import { illegalArgumentError } from '../errors.ts';
import { Params } from '../params.ts';
import { type Figure, MetricOut } from '../reduce/out.ts';
import type { AggType, BindContext } from '../types.ts';
import { docGroups } from './documents.ts';

interface TopMetricsParams {
  readonly fields: readonly string[];
  /** The sort of the request with a single key. */
  readonly sort: unknown;
  /** Field of the sort; null if it is not a field: `_score`, `_geo_distance`. */
  readonly sortField: string | null;
  readonly size: number;
}

interface BoundMetrics {
  readonly nestedPath: string | null;
  /** The date field of the sort, whose values are shown as dates. */
  readonly sortDate: FieldType | null;
}

const LARGEST_SIZE = 10;

export const topMetricsType: AggType = {
  isBucket: false,
  parse(_name, typeName, body): TopMetricsParams {
    const p = new Params(typeName, body);
    const metrics = p.list('metrics');
    const sort = p.list('sort');
    const size = p.integer('size') ?? 1;
    p.done();
    if (!metrics || metrics.length === 0) throw illegalArgumentError('Required [metrics]');
    if (!sort || sort.length === 0) throw illegalArgumentError('Required [sort]');
    const keys = sort.flatMap((key) => (isObject(key) ? Object.entries(key).map(([name, order]) => ({ [name]: order })) : [key]));
    if (keys.length > 1) throw illegalArgumentError('[top_metrics] sort must have a single key');
    if (size < 1) throw p.refusalError('size', `[size] must be more than 0 but was [${size}]`);
    const fields = metrics.map((metric) => {
      const inner = new Params('metrics', metric);
      const field = inner.name('field');
      inner.done();
      if (field === null) throw illegalArgumentError('Required [field]');
      return field;
    });
    const key = isObject(keys[0]) ? Object.keys(keys[0])[0] : String(keys[0]);
    const sortField = key === '_score' || key === '_doc' || key === '_geo_distance' || key === '_script' ? null : key;
    return { fields, sort: keys[0], sortField, size };
  },
  bind(spec, ctx): BoundMetrics {
    const { fields, size, sortField } = spec.params as TopMetricsParams;
    const limit = ctx.index.setting('index.top_metrics_max_size', LARGEST_SIZE);
    if (size > limit) {
      throw illegalArgumentError(
        `[top_metrics.size] must not be more than [${limit}] but was [${size}]. This limit can be set by changing the [index.top_metrics_max_size] index level setting.`,
      );
    }
    for (const field of fields) checkMetric(field, ctx);
    const sortType = sortField === null ? null : ctx.index.mapping.field(sortField);
    return { nestedPath: ctx.nestedPath, sortDate: sortType?.family === 'date' ? sortType : null };
  },
  plan: (): AggNode => ({ op: 'docs', children: [] }),
  merge(spec, slices, parents, ctx) {
    const params = spec.params as TopMetricsParams;
    const groups = docGroups(slices, parents);
    const bound = slices[0]?.bound as BoundMetrics | undefined;
    const request = requestOf(params);
    return {
      at(parent) {
        const found = parent < 0 ? [] : hitsOf(ctx.topHits(request, groups[parent], bound?.nestedPath ?? null));
        // Documents without a value to sort by are left out.
        const placed = found.filter(({ fields }) => params.sortField === null || fields?.[params.sortField] !== undefined);
        const top = placed.slice(0, params.size).map(({ sort, fields }): MutableJsonObject => {
          const metrics: MutableJsonObject = {};
          for (const field of params.fields) setOwn(metrics, field, fields?.[field]?.[0] ?? null);
          return { sort: sort.map((value) => shownSort(value, bound?.sortDate ?? null)), metrics };
        });
        return new MetricOut(spec, 'top_metrics', { top }, figuresOf(top[0]?.metrics as JsonObject | undefined, params.fields));
      },
    };
  },
};

function checkMetric(field: string, ctx: BindContext): void {
  const type = ctx.index.mapping.field(field);
  if (!type || (type.isAggregatable && ['numeric', 'date', 'boolean', 'keyword', 'ip'].includes(type.family))) return;
  throw illegalArgumentError(`Field [${field}] of type [${type.typeName}] is not supported for aggregation [top_metrics]`);
}

function requestOf({ fields, sort, sortField, size }: TopMetricsParams): JsonObject {
  const wanted = sortField === null ? fields : [...new Set([...fields, sortField])];
  return { size, sort: [sort], _source: false, docvalue_fields: wanted.map((field) => ({ field })) };
}

interface Hit {
  readonly sort: readonly unknown[];
  readonly fields?: Readonly<Record<string, readonly unknown[]>>;
}

function hitsOf(json: JsonObject): readonly Hit[] {
  return (json as { hits: { hits: readonly Hit[] } }).hits.hits;
}

function shownSort(value: unknown, date: FieldType | null): unknown {
  if (date === null || value === null || typeof value === 'string') return value;
  return date.format(null, null).keyAsString(Number(value)) ?? value;
}

function figuresOf(metrics: JsonObject | undefined, fields: readonly string[]): Record<string, Figure> {
  const figures: Record<string, Figure> = {};
  for (const field of fields) {
    const value = metrics?.[field];
    const number = typeof value === 'object' && value !== null ? Number(String(value)) : Number(value ?? Number.NaN);
    figures[field] = Number.isFinite(number) ? number : null;
  }
  if (fields.length === 1) figures[''] = figures[fields[0]];
  return figures;
}
