// Final results of aggregations as a tree of objects, which pipelines read and change, orders compare, and the response renders.
import { jsonDouble } from '../../common/json/json-float.ts';
import type { JsonObject, MutableJsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';

/** A number of a result as buckets paths and orders see it; null if it has no value. */
export type Figure = number | null;

/** Figures as members of a response: counts as integers, all others as doubles. */
export function jsonFigures(figures: Readonly<Record<string, Figure>>): MutableJsonObject {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, name === 'count' ? value : jsonDouble(value)]));
}

export interface OutAgg {
  /** Prefix of the name with `typed_keys`. */
  readonly typedName: string;
  readonly meta: MutableJsonObject | null;
  /** A figure by name (`avg`, `50.0`); the empty name is the single value. undefined if there is no figure with that name. */
  figure(name: string): Figure | undefined;
  /** The number by which a figure without a value is sorted, if there is one. */
  emptyFigure?(name: string): number;
  /** Aggregations below a single bucket; null for metrics and multi-bucket aggregations. */
  readonly inside: ReadonlyMap<string, OutAgg> | null;
  readonly buckets: readonly OutBucket[] | null;
  /** Number of documents of a single bucket. */
  readonly docCount: number | null;
  render(typedKeys: boolean): MutableJsonObject;
}

export interface OutBucket {
  /** The key as pipelines see it: a string, or the double of numeric and date buckets. */
  readonly key: string | number;
  /** Name in a keyed response, and in the `keys` of max_bucket and the like. */
  readonly name: string;
  /** Fields rendered before the sub-aggregations: `key`, `key_as_string`, `doc_count`... */
  readonly fields: MutableJsonObject;
  readonly docCount: number;
  readonly aggs: Map<string, OutAgg>;
}

/** The aggregation of a result, a spec of either kind. */
interface Owner {
  readonly meta: JsonObject | null;
}

/** Types of metrics that show a minimum of infinity and a maximum of negative infinity if there are no values. */
const HAS_EXTREMES = new Set(['min', 'max', 'stats', 'extended_stats']);

/** A JSON body that is rendered unchanged: top_hits. */
export class JsonOut implements OutAgg {
  readonly inside = null;
  readonly buckets = null;
  readonly docCount = null;
  readonly typedName: string;
  readonly meta: MutableJsonObject | null;
  readonly #json: MutableJsonObject;

  constructor(owner: Owner, typedName: string, json: MutableJsonObject) {
    this.typedName = typedName;
    this.meta = owner.meta;
    this.#json = json;
  }

  figure(_name: string): Figure | undefined {
    return undefined;
  }

  render(): MutableJsonObject {
    return withMeta(this.meta, this.#json);
  }
}

/** A metric: `json` as rendered (without meta), `figures` by name. */
export class MetricOut extends JsonOut {
  readonly #figures: Readonly<Record<string, Figure>>;

  constructor(owner: Owner, typedName: string, json: MutableJsonObject, figures: Readonly<Record<string, Figure>>) {
    super(owner, typedName, json);
    this.#figures = figures;
  }

  override figure(name: string): Figure | undefined {
    return Object.hasOwn(this.#figures, name) ? this.#figures[name] : undefined;
  }

  emptyFigure(name: string): number {
    if (!HAS_EXTREMES.has(this.typedName)) return Number.NaN;
    const of = name === '' || name === 'value' ? this.typedName : name;
    return of === 'min' ? Number.POSITIVE_INFINITY : of === 'max' ? Number.NEGATIVE_INFINITY : Number.NaN;
  }
}

/** One bucket without a key: filter, nested, global... */
export class SingleBucketOut implements OutAgg {
  readonly buckets = null;
  readonly typedName: string;
  readonly meta: MutableJsonObject | null;
  readonly docCount: number;
  readonly inside: ReadonlyMap<string, OutAgg>;

  readonly #before: MutableJsonObject;

  /** @param before  fields of the aggregation before its count */
  constructor(owner: Owner, typedName: string, docCount: number, inside: ReadonlyMap<string, OutAgg>, before: MutableJsonObject = {}) {
    this.#before = before;
    this.typedName = typedName;
    this.meta = owner.meta;
    this.docCount = docCount;
    this.inside = inside;
  }

  figure(name: string): Figure | undefined {
    return name === '' || name === '_count' || name === 'doc_count' ? this.docCount : undefined;
  }

  render(typedKeys: boolean): MutableJsonObject {
    return withMeta(this.meta, { ...this.#before, doc_count: this.docCount, ...renderAggs(this.inside, typedKeys) });
  }
}

/** A list of buckets, or an object of buckets by name. */
export class BucketsOut implements OutAgg {
  readonly inside = null;
  readonly docCount = null;
  readonly typedName: string;
  readonly meta: MutableJsonObject | null;
  readonly buckets: readonly OutBucket[];
  readonly #keyed: boolean;
  readonly #before: MutableJsonObject;
  readonly #after: MutableJsonObject;

  /** @param before, after  fields of the aggregation around `buckets` */
  constructor(
    owner: Owner,
    typedName: string,
    buckets: readonly OutBucket[],
    options: { keyed?: boolean; before?: MutableJsonObject; after?: MutableJsonObject } = {},
  ) {
    this.typedName = typedName;
    this.meta = owner.meta;
    this.buckets = buckets;
    this.#keyed = options.keyed ?? false;
    this.#before = options.before ?? {};
    this.#after = options.after ?? {};
  }

  figure(name: string): Figure | undefined {
    return name === '_bucket_count' ? this.buckets.length : undefined;
  }

  render(typedKeys: boolean): MutableJsonObject {
    const one = (bucket: OutBucket): MutableJsonObject => ({ ...bucket.fields, ...renderAggs(bucket.aggs, typedKeys) });
    const buckets = this.#keyed
      ? Object.fromEntries(this.buckets.map((bucket) => [bucket.name, one(bucket)]))
      : this.buckets.map((bucket) => one(bucket));
    return withMeta(this.meta, { ...this.#before, buckets, ...this.#after });
  }
}

/** Kind of a change in a series, and the bucket where it is. */
export class ChangePointOut implements OutAgg {
  readonly inside = null;
  readonly buckets = null;
  readonly docCount = null;
  readonly typedName = 'change_point';
  readonly meta: MutableJsonObject | null;
  readonly #type: MutableJsonObject;
  readonly #bucket: OutBucket | null;

  constructor(owner: Owner, type: MutableJsonObject, bucket: OutBucket | null) {
    this.meta = owner.meta;
    this.#type = type;
    this.#bucket = bucket;
  }

  figure(): undefined {
    return undefined;
  }

  render(typedKeys: boolean): MutableJsonObject {
    const bucket = this.#bucket;
    const shown = bucket && { key: bucket.name, doc_count: bucket.docCount, ...renderAggs(bucket.aggs, typedKeys) };
    return withMeta(this.meta, { ...(shown === null ? {} : { bucket: shown }), type: this.#type });
  }
}

export function renderAggs(aggs: ReadonlyMap<string, OutAgg>, typedKeys: boolean): MutableJsonObject {
  const json: MutableJsonObject = {};
  for (const [name, agg] of aggs) setOwn(json, typedKeys ? `${agg.typedName}#${name}` : name, agg.render(typedKeys));
  return json;
}

function withMeta(meta: MutableJsonObject | null, json: MutableJsonObject): MutableJsonObject {
  return meta ? { meta, ...json } : json;
}
