// composite: all combinations of the keys of several sources in their order, page by page; `after` names the last key of the previous page.

import { jsonDouble } from '../../../common/json/json-float.ts';
import { isObject, type JsonObject } from '../../../common/json/json-value.ts';
import { present } from '../../../common/present.ts';
import type { Dialect } from '../../../compat/dialect.ts';
import { asCause } from '../../../errors/api-error.ts';
import type { AggNode } from '../../../plan/agg-plan.ts';
import { illegalArgumentError, parsingError, unsupportedError, xContentError } from '../../errors.ts';
import { geotileKey } from '../../geo.ts';
import { Params } from '../../params.ts';
import { runParentPipelines } from '../../pipelines/run.ts';
import { keepOnly, type MergeKey, mergeBuckets, mergeChildren } from '../../reduce/merge.ts';
import { BucketsOut, type OutBucket } from '../../reduce/out.ts';
import { bindSource, doubleOf, millisecondsOf, parseSource, type SourceParams, type ValuesSource } from '../../source.ts';
import type { AggSpec, AggType, Slice } from '../../types.ts';
import { tilePrecision } from '../geo-grids.ts';
import { noIntervalError, parseRounding, refusePlainInterval } from '../histograms/date-histogram.ts';
import { flattenChain, planChain } from '../terms/chain.ts';
import { compareKeys, TermKeys } from '../terms/terms-keys.ts';
import { type SegmentSource, type SourceShape, segmentSource } from './composite-source.ts';

interface CompositeSource extends SourceShape {
  readonly name: string;
  readonly source: SourceParams;
  readonly descending: boolean;
  /** Position of the missing bucket: -1 first, 1 last. */
  readonly missingOrder: -1 | 1;
}

interface CompositeParams {
  readonly sources: readonly CompositeSource[];
  readonly size: number;
  readonly after: JsonObject | null;
}

function parseSourceEntry(entry: unknown, { refusesPlainInterval }: Dialect): CompositeSource {
  if (!isObject(entry) || Object.keys(entry).length !== 1) throw parsingError('Composite sources must have one name each');
  const [name, body] = Object.entries(entry)[0];
  if (!isObject(body) || Object.keys(body).length !== 1) throw parsingError(`Composite source [${name}] must have one type`);
  const [kind, options] = Object.entries(body)[0];
  if (kind === 'geohash_grid' || !['terms', 'histogram', 'date_histogram', 'geotile_grid'].includes(kind))
    throw parsingError(`invalid source type: ${kind}`);
  const p = new Params(kind, options);
  const order = p.string('order') ?? 'asc';
  if (order !== 'asc' && order !== 'desc') throw illegalArgumentError(`Unknown SortOrder [${order}]`);
  const missingBucket = p.bool('missing_bucket') ?? false;
  const missing = p.string('missing_order') ?? 'default';
  if (!['first', 'last', 'default'].includes(missing)) throw illegalArgumentError(`Unknown missing order [${missing}]`);
  if (missing !== 'default' && !missingBucket) throw illegalArgumentError('missing_order cannot be set when missing_bucket is false');
  const source = parseSource(p, { timeZone: true });
  const interval = kind === 'histogram' ? (p.number('interval') ?? 0) : 0;
  if (kind === 'histogram' && interval <= 0) throw illegalArgumentError(`[interval] must be greater than 0 for [histogram] source`);
  if (kind === 'date_histogram' && refusesPlainInterval) refusePlainInterval(p);
  const rounding = kind === 'date_histogram' ? parseRounding(p, source.timeZone, name) : null;
  if (kind === 'date_histogram' && rounding === null) throw noIntervalError();
  const precision = kind === 'geotile_grid' ? tilePrecision(p) : 0;
  if (p.has('bounds')) throw unsupportedError('[bounds] of a composite source');
  p.done();
  const missingOrder = missing === 'first' ? -1 : missing === 'last' ? 1 : order === 'asc' ? -1 : 1;
  return {
    name,
    kind: kind as SourceShape['kind'],
    source,
    descending: order === 'desc',
    missingBucket,
    missingOrder,
    interval,
    rounding,
    precision,
  };
}

export const compositeType: AggType = {
  isBucket: true,
  parse(_name, typeName, body, { dialect }): CompositeParams {
    const p = new Params(typeName, body);
    const size = p.integer('size') ?? 10;
    const after = p.object('after');
    const list = p.list('sources');
    p.done();
    if (!list) throw illegalArgumentError('Required [sources]');
    if (size <= 0) throw p.refusalError('size', `[size] must be greater than 0. Found [${size}]`);
    let sources: CompositeSource[];
    try {
      sources = list.map((entry) => parseSourceEntry(entry, dialect));
      if (sources.length === 0) throw illegalArgumentError('Composite [sources] cannot be null or empty');
      const names = sources.map((source) => source.name);
      const twice = names.filter((name, i) => names.indexOf(name) !== i);
      if (twice.length > 0) throw illegalArgumentError(`Composite source names must be unique, found duplicates: [${twice.join(', ')}]`);
    } catch (error) {
      throw xContentError('[composite] failed to parse field [sources]', asCause(error));
    }
    return { sources, size, after };
  },
  bind(spec, ctx): ValuesSource[] {
    const { sources, after, size } = spec.params as CompositeParams;
    const parent = ctx.parents[ctx.parents.length - 1];
    if (parent && !['nested', 'filter', 'reverse_nested'].includes(parent.typeName)) {
      const factory = `${parent.typeName.replace(/(?:^|_)(\w)/g, (_, c: string) => c.toUpperCase())}AggregatorFactory`;
      throw illegalArgumentError(`[composite] aggregation cannot be used with a parent aggregation of type: [${factory}]`);
    }
    if (size > ctx.index.maxBuckets) {
      throw illegalArgumentError(
        `Trying to create too many buckets. Must be less than or equal to: [${ctx.index.maxBuckets}] but was [${size}]. This limit can be set by changing the [search.max_buckets] cluster level setting.`,
      );
    }
    if (after && (Object.keys(after).length !== sources.length || sources.some((source) => after[source.name] === undefined))) {
      throw illegalArgumentError(`[after] has ${Object.keys(after).length} value(s) but [sources] has ${sources.length}`);
    }
    return sources.map(({ kind, source }) => {
      const families =
        kind === 'terms' ? TERM_FAMILIES : kind === 'geotile_grid' ? (['geo_point'] as const) : (['numeric', 'date', 'boolean'] as const);
      return bindSource('composite', source, ctx, families);
    });
  },
  plan(spec, bound: ValuesSource[], scope, children): AggNode {
    const { sources } = spec.params as CompositeParams;
    return planChain(
      sources.map((source, s) => (below: readonly AggNode[]) => segmentSource(source, bound[s], scope).node(below)),
      children,
    );
  },
  merge: mergeComposite,
};

const TERM_FAMILIES = ['keyword', 'numeric', 'date', 'boolean', 'ip', 'text', 'other'] as const;

type Part = MergeKey | null;

/** Converts the raw keys of one source to comparable keys, and these to JSON. */
class SourceKeys {
  readonly #spec: CompositeSource;
  readonly #terms: TermKeys;
  readonly #sourceOf: (slice: Slice) => ValuesSource;
  readonly #counted = new Map<Slice, SegmentSource>();

  constructor(spec: CompositeSource, slices: readonly Slice[], s: number) {
    this.#spec = spec;
    this.#sourceOf = (slice) => (slice.bound as ValuesSource[])[s];
    this.#terms = new TermKeys(slices, this.#sourceOf, false);
  }

  part(slice: Slice, raw: number | bigint): Part {
    const spec = this.#spec;
    const source = this.#sourceOf(slice);
    const counted = this.#countedIn(slice);
    if (counted.isMissing(raw)) return null;
    switch (spec.kind) {
      case 'terms':
        return source.isDate ? millisecondsOf(raw) : this.#terms.keyOf(slice, raw);
      case 'geotile_grid':
        return geotileKey(BigInt(raw));
      case 'histogram': {
        const key = counted.isRaw ? Math.floor(doubleOf(source, raw) / spec.interval) : Number(raw);
        return key * spec.interval;
      }
      default:
        return present(spec.rounding).round(millisecondsOf(raw));
    }
  }

  #countedIn(slice: Slice): SegmentSource {
    let counted = this.#counted.get(slice);
    if (!counted) this.#counted.set(slice, (counted = segmentSource(this.#spec, this.#sourceOf(slice), slice.segment)));
    return counted;
  }

  json(part: Part): unknown {
    if (part === null) return null;
    const source = this.#terms.source;
    if (this.#spec.kind === 'geotile_grid') return part;
    if (this.#spec.kind !== 'terms' || source.isDate) {
      const text = this.#spec.source.format !== null ? (source.format?.keyAsString(Number(part)) ?? null) : null;
      return text ?? (this.#spec.kind === 'histogram' ? jsonDouble(Number(part)) : part);
    }
    const { json, text } = this.#terms.show(part);
    if (source.type?.family === 'boolean') return Number(part) === 1;
    return this.#spec.source.format !== null && text !== null ? text : json;
  }

  /** A value of `after` as a comparable key. */
  parse(value: unknown, nowMs: number): Part {
    if (value === null) {
      if (!this.#spec.missingBucket) throw illegalArgumentError(`Missing value for [after.${this.#spec.name}]`);
      return null;
    }
    const source = this.#terms.source;
    if (this.#spec.kind === 'geotile_grid') return String(value);
    if (source.isDate && typeof value === 'string')
      return Number(present(source.format).parse(value, false, nowMs, this.#spec.source.timeZone ?? undefined));
    if (source.kind === 'ordinals')
      return Buffer.from(source.type ? source.type.termBytes(value) : Buffer.from(String(value))).toString('latin1');
    if (source.type?.family === 'boolean') return value === true || value === 'true' || value === 1 ? 1 : 0;
    const number = Number(value);
    // Integers are compared as stored, in full precision; unsigned ones are stored minus 2^63.
    if (
      this.#spec.kind === 'terms' &&
      !source.isDate &&
      this.#terms.alike &&
      source.kind === 'i64' &&
      source.scale === 1 &&
      Number.isInteger(number)
    ) {
      const isExact = typeof value === 'bigint' || (typeof value === 'string' && /^-?\d+$/.test(value));
      return BigInt(isExact ? (value as bigint | string) : number) - (source.unsigned ? 1n << 63n : 0n);
    }
    if (Number.isNaN(number))
      throw illegalArgumentError(`Invalid value for [after.${this.#spec.name}], expected a number, got [${String(value)}]`);
    // Keys of scaled fields are compared as stored.
    return this.#spec.kind === 'terms' && source.scale !== 1 ? Math.round(number / source.scale) : number;
  }

  compare(a: Part, b: Part): number {
    if (a === null || b === null) {
      if (a === b) return 0;
      return a === null ? this.#spec.missingOrder : -this.#spec.missingOrder;
    }
    const by = this.#spec.kind === 'geotile_grid' ? compareTiles(String(a), String(b)) : compareKeys(a, b);
    return this.#spec.descending ? -by : by;
  }
}

function compareTiles(a: string, b: string): number {
  const left = a.split('/').map(Number);
  const right = b.split('/').map(Number);
  for (let i = 0; i < 3; i++) if (left[i] !== right[i]) return left[i] - right[i];
  return 0;
}

function mergeComposite(
  spec: AggSpec,
  all: readonly Slice[],
  parents: number,
  ctx: Parameters<AggType['merge']>[3],
): ReturnType<AggType['merge']> {
  const { sources, size, after } = spec.params as CompositeParams;
  const flat = all.map((slice) => flattenChain(slice, sources.length));
  const slices = flat.map((chain) => chain.slice);
  const columns = sources.map((source, s) => new SourceKeys(source, slices, s));
  const partsOf = new Map(flat.map((chain) => [chain.slice, chain.parts]));
  const parts = new Map<MergeKey, Part[]>();
  // Rounding during the merge can unite local buckets, so keys must always be looked up, which a second, empty slice enforces.
  const several = slices.length === 1 ? [slices[0], { ...slices[0], result: EMPTY }] : slices;
  const merged = mergeBuckets(several, (slice, _columns, i) => {
    const key = present(partsOf.get(slice))[i].map((raw, s) => columns[s].part(slice, raw));
    const joined = key.map((part) => (part === null ? 'n' : `${String(part).length}:${part}`)).join('\u0001');
    if (!parts.has(joined)) parts.set(joined, key);
    return joined;
  });
  const compareParts = (a: readonly Part[], b: readonly Part[]): number => {
    for (let s = 0; s < columns.length; s++) {
      const by = columns[s].compare(a[s], b[s]);
      if (by !== 0) return by;
    }
    return 0;
  };
  const nowMs = ctx.nowMs;
  const start = after && slices.length > 0 ? sources.map((source, s) => columns[s].parse(after[source.name] ?? null, nowMs)) : null;
  const chosen = merged.lists(parents).map((ids) => {
    const behind = start ? ids.filter((id) => compareParts(present(parts.get(merged.keys[id])), start) > 0) : ids;
    return behind.sort((a, b) => compareParts(present(parts.get(merged.keys[a])), present(parts.get(merged.keys[b])))).slice(0, size);
  });
  const { maps, numberOf } = keepOnly(merged, chosen.flat());
  const children = mergeChildren(spec, several, maps, chosen.flat().length, ctx);
  return {
    at(parent) {
      const buckets = (parent < 0 ? [] : chosen[parent]).map((id): OutBucket => {
        const key = Object.fromEntries(present(parts.get(merged.keys[id])).map((part, s) => [sources[s].name, columns[s].json(part)]));
        const name = JSON.stringify(Object.values(key).map(String));
        return {
          key: name,
          name,
          fields: { key, doc_count: merged.docCounts[id] },
          docCount: merged.docCounts[id],
          aggs: children.at(numberOf[id]),
        };
      });
      ctx.addBuckets(buckets.length);
      const shown = runParentPipelines(spec, buckets);
      const last = shown[shown.length - 1];
      return new BucketsOut(spec, 'composite', shown, { before: last ? { after_key: last.fields.key } : {} });
    },
  };
}

const EMPTY = {
  op: 'buckets',
  buckets: { parents: new Uint32Array(0), keys: new Float64Array(0), docCounts: new Uint32Array(0) },
  children: [],
} as const;
