// range, date_range, ip_range, geo_distance: a bucket per interval [from, to), ordered by the ends.

import { arcMeters, decodeGeoPoint, planeMeters } from '../../common/encoding/geo-encoding.ts';
import { jsonDouble } from '../../common/json/json-float.ts';
import { isObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import { present } from '../../common/present.ts';
import { metresOf } from '../../common/text/distance.ts';
import { javaDouble } from '../../common/text/java-text.ts';
import { asCause } from '../../errors/api-error.ts';
import { standAloneField } from '../../mapping/stand-alone-field.ts';
import { parseGeoPoint } from '../../mapping/values/geo-point-value.ts';
import type { AggColumn, AggNode, AggRange } from '../../plan/agg-plan.ts';
import type { PlanNode } from '../../plan/query-plan.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import { isPlaneDistance } from '../../query/geo/geo-point.ts';
import { illegalArgumentError, numberFormatError, parsingError, tooManyBucketsError, xContentError } from '../errors.ts';
import { isHistogram } from '../metrics/pre-aggregated.ts';
import { Params } from '../params.ts';
import { runParentPipelines } from '../pipelines/run.ts';
import { mergeBuckets, mergeChildren } from '../reduce/merge.ts';
import { BucketsOut, type OutBucket } from '../reduce/out.ts';
import { bindSource, columnIn, columnOf, parseSource, type SourceParams, type ValuesSource } from '../source.ts';
import type { AggSpec, AggType, BindContext, MergedAgg, ReduceContext, SegmentScope, Slice } from '../types.ts';
import { countedSlices, refuseCountedChildren } from './counted-buckets.ts';
import { ipBytes, ipText, maskRange, toBigInt } from './ip-addresses.ts';
import { parseGeoRange, parseIpRange, parseRange, type RangeSpec } from './range-bodies.ts';

/** Ranges of one aggregation, whatever `search.max_buckets` is: each range is compared with the values of every document. */
const MAX_RANGES = 10_000;

interface RangeParams {
  readonly source: SourceParams;
  readonly ranges: readonly RangeSpec[];
  readonly keyed: boolean;
}

/** A bucket as rendered; absent fields are omitted. */
interface Shown {
  readonly key: string;
  readonly fields: MutableJsonObject;
}

interface BoundRanges {
  readonly source: ValuesSource;
  readonly ranges: readonly AggRange[];
  readonly shown: readonly Shown[];
  /** ip_range: ends as terms. */
  readonly terms: ReadonlyArray<{ readonly from: Uint8Array | null; readonly to: Uint8Array | null }>;
}

function parseRanges(p: Params, source: SourceParams, withMask: boolean): RangeParams {
  const keyed = p.bool('keyed') ?? false;
  const given = p.takeValue('ranges');
  if (given !== undefined && typeof given !== 'object') throw p.wrongTypeError('ranges', given);
  const list = given === undefined ? [] : [given].flat();
  p.done();
  if (list.length > MAX_RANGES) throw tooManyBucketsError(MAX_RANGES, list.length);
  const ranges = list.map((body): RangeSpec => {
    try {
      if (withMask) return parseIpRange(p.typeName, body);
      return p.typeName === 'geo_distance' ? parseGeoRange(body) : parseRange('range', body);
    } catch (error) {
      throw xContentError(`[${p.typeName}] failed to parse field [ranges]`, asCause(error));
    }
  });
  return { source, ranges, keyed };
}

/** Ends as doubles, sorted, with their string forms. */
function bindNumbers(spec: AggSpec, ctx: BindContext, source: ValuesSource, end: (value: unknown, isTo: boolean) => number): BoundRanges {
  const params = spec.params as RangeParams;
  if (params.ranges.length === 0) throw illegalArgumentError(`No [ranges] specified for the [${spec.name}] aggregation`);
  void ctx;
  const withText = source.isDate || params.source.format !== null;
  const text = (value: number) => source.format?.keyAsString(value) ?? null;
  const rows = params.ranges.map((range) => ({
    range,
    from: range.from === null ? -Infinity : end(range.from, false),
    to: range.to === null ? Infinity : end(range.to, true),
  }));
  rows.sort((a, b) => a.from - b.from || a.to - b.to);
  const shown = rows.map(({ range, from, to }): Shown => {
    const name = (value: number) => (Number.isFinite(value) ? ((withText ? text(value) : null) ?? javaDouble(value)) : '*');
    const fields: MutableJsonObject = {};
    for (const [side, value] of [
      ['from', from],
      ['to', to],
    ] as const) {
      if (!Number.isFinite(value)) continue;
      fields[side] = jsonDouble(value);
      const asText = withText ? text(value) : null;
      if (asText !== null) fields[`${side}_as_string`] = asText;
    }
    return { key: range.key ?? `${name(from)}-${name(to)}`, fields };
  });
  return { source, ranges: rows.map(({ from, to }) => ({ from, to })), shown, terms: [] };
}

function mergeRanges(spec: AggSpec, given: readonly Slice[], parents: number, ctx: ReduceContext): MergedAgg {
  const { keyed } = spec.params as RangeParams;
  const slices = given.flatMap((slice) => (slice.result.op === 'docs' ? countedRanges(slice, parents, ctx) : [slice]));
  const merged = mergeBuckets(slices, (_slice, columns, i) => Number(columns.keys[i]));
  const lists = merged.lists(parents);
  const children = mergeChildren(spec, slices, merged.maps, merged.count, ctx);
  // Ends are shown as dates only if the field is mapped.
  const all = ctx.bindings.map((bindings) => bindings.get(spec) as BoundRanges | undefined).filter((one) => one !== undefined);
  const bound = all.find((one) => one.source.type) ?? all[0];
  return {
    at(parent) {
      ctx.addBuckets(bound?.shown.length ?? 0);
      const byRange = new Map((parent < 0 ? [] : lists[parent]).map((id) => [Number(merged.keys[id]), id]));
      const buckets = (bound?.shown ?? []).map(({ key, fields }, i): OutBucket => {
        const id = byRange.get(i) ?? -1;
        const docCount = id < 0 ? 0 : merged.docCounts[id];
        return { key, name: key, fields: { ...(keyed ? {} : { key }), ...fields, doc_count: docCount }, docCount, aggs: children.at(id) };
      });
      return new BucketsOut(spec, spec.typeName, runParentPipelines(spec, buckets), { keyed });
    },
  };
}

function countedRanges(slice: Slice, parents: number, ctx: ReduceContext): Slice[] {
  const { source, ranges } = slice.bound as BoundRanges;
  const keysOf = (value: number): number[] => ranges.flatMap(({ from, to }, i) => (value >= from && value < to ? [i] : []));
  return countedSlices([{ ...slice, bound: source }], parents, keysOf, ctx);
}

export const rangeType: AggType = {
  isBucket: true,
  parse(_name, typeName, body): RangeParams {
    const p = new Params(typeName, body);
    return parseRanges(p, parseSource(p), false);
  },
  bind(spec, ctx): BoundRanges {
    const source = bindSource('range', (spec.params as RangeParams).source, ctx, ['numeric', 'date', 'boolean']);
    refuseCountedChildren(spec, source);
    return bindNumbers(spec, ctx, source, (value) => {
      if (source.isDate && typeof value === 'string') return Number(present(source.format).parse(value, false, ctx.index.nowMs));
      const number = Number(value);
      if (Number.isNaN(number) || value === '') throw numberFormatError(String(value));
      return number;
    });
  },
  plan: planRanges,
  merge: mergeRanges,
};

function planRanges(_spec: AggSpec, bound: BoundRanges, { segment }: SegmentScope, children: readonly AggNode[]): AggNode {
  if (isHistogram(bound.source)) return { op: 'docs', children: [] };
  const source = columnOf(bound.source, segment);
  if (source.unsigned) return { op: 'filters', filters: bound.ranges.map((range) => unsignedRange(source, range)), other: false, children };
  return { op: 'ranges', source, ranges: bound.ranges, children };
}

const UNSIGNED_SHIFT = 1n << 63n;

/** Documents with an unsigned value in [from, to), compared as integers: small values are stored near 2^63, where doubles are 1024 apart. */
function unsignedRange({ column, missing }: AggColumn, { from, to }: AggRange): PlanNode {
  const whole = (end: number) => (end <= 0 ? 0n : end >= 2 ** 64 ? 1n << 64n : BigInt(Math.ceil(end)));
  const min = whole(from) - UNSIGNED_SHIFT;
  const max = whole(to) - 1n - UNSIGNED_SHIFT;
  const takesMissing = missing !== null && BigInt(missing) >= min && BigInt(missing) <= max;
  if (!column) return { op: takesMissing ? 'matchAll' : 'matchNone' };
  const present: PlanNode = min > max ? { op: 'matchNone' } : { op: 'rangeI64', column, min, max };
  if (!takesMissing) return present;
  const absent: PlanNode = {
    op: 'bool',
    must: [],
    filter: [],
    should: [],
    mustNot: [{ op: 'existsColumn', column }],
    minimumShouldMatch: 0,
  };
  return { op: 'bool', must: [], filter: [], should: [present, absent], mustNot: [], minimumShouldMatch: 1 };
}

export const dateRangeType: AggType = {
  isBucket: true,
  parse(_name, typeName, body): RangeParams {
    const p = new Params(typeName, body);
    return parseRanges(p, parseSource(p, { timeZone: true }), false);
  },
  bind(spec, ctx): BoundRanges {
    const params = (spec.params as RangeParams).source;
    const bound = bindSource('date_range', params, ctx, ['date', 'numeric']);
    // The ends are dates even if the index does not have the field.
    const source = bound.type ? bound : { ...bound, isDate: true, format: standAloneField('date').format(params.format, params.timeZone) };
    return bindNumbers(spec, ctx, source, (value) => {
      // Numbers are read in the format, too: `epoch_second` makes them seconds.
      if (!source.format) {
        if (typeof value === 'number') return value;
        const time = Date.parse(String(value));
        if (Number.isNaN(time)) throw parsingError(`failed to parse date field [${String(value)}]`);
        return time;
      }
      return Number(
        source.format.parse(
          String(typeof value === 'number' ? Math.trunc(value) : value),
          false,
          ctx.index.nowMs,
          params.timeZone ?? undefined,
        ),
      );
    });
  },
  plan: planRanges,
  merge: mergeRanges,
};

// ip_range

export const ipRangeType: AggType = {
  isBucket: true,
  parse(_name, typeName, body): RangeParams {
    const p = new Params(typeName, body);
    return parseRanges(p, parseSource(p, { script: false, format: false }), true);
  },
  bind(spec, ctx): BoundRanges {
    const params = spec.params as RangeParams;
    const source = bindSource('ip_range', params.source, ctx, ['ip']);
    if (params.ranges.length === 0) throw illegalArgumentError(`No [ranges] specified for the [${spec.name}] aggregation`);
    const bytesOf = (value: unknown): Uint8Array | null => {
      if (value === null) return null;
      const bytes = ipBytes(String(value));
      if (!bytes) throw illegalArgumentError(`'${String(value)}' is not an IP string literal.`);
      return bytes;
    };
    const rows = params.ranges.map(({ key, from, to, mask }) => {
      const ends = mask !== null ? maskRange('ip_range', mask) : { from: bytesOf(from), to: bytesOf(to) };
      const fields: MutableJsonObject = { ...(ends.from ? { from: ipText(ends.from) } : {}), ...(ends.to ? { to: ipText(ends.to) } : {}) };
      return { ends, shown: { key: key ?? mask ?? `${fields.from ?? '*'}-${fields.to ?? '*'}`, fields } };
    });
    const order = (bytes: Uint8Array | null, open: bigint) => (bytes ? toBigInt(bytes) : open);
    const compare = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0);
    rows.sort(
      (a, b) =>
        compare(order(a.ends.from, -1n), order(b.ends.from, -1n)) || compare(order(a.ends.to, 1n << 129n), order(b.ends.to, 1n << 129n)),
    );
    return { source, ranges: [], shown: rows.map((row) => row.shown), terms: rows.map((row) => row.ends) };
  },
  plan(_spec, bound: BoundRanges, { segment }, children): AggNode {
    const source = columnOf(bound.source, segment);
    const ord = (bytes: Uint8Array | null, open: number) =>
      bytes && bound.source.type ? segment.seekOrd(bound.source.field, bytes) : open;
    const ranges = bound.terms.map(({ from, to }) => ({ from: ord(from, 0), to: ord(to, Infinity) }));
    const { missing, field } = bound.source;
    if (!(missing instanceof Uint8Array)) return { op: 'ranges', source, ranges, children };
    const address = toBigInt(missing);
    const filters = bound.terms.map(({ from, to }, i): PlanNode => {
      const takesMissing = (!from || address >= toBigInt(from)) && (!to || address < toBigInt(to));
      const ords = (docId: number): readonly number[] => (source.column ? segment.values(field, docId).map(Number) : []);
      return docsWith(segment, ords, ranges[i].from, ranges[i].to, takesMissing);
    });
    return { op: 'filters', filters, other: false, children };
  },
  merge: mergeRanges,
};

// geo_distance

interface DistanceParams extends RangeParams {
  readonly origin: { lat: number; lon: number };
  readonly metres: number;
  readonly isPlane: boolean;
}

export const geoDistanceType: AggType = {
  isBucket: true,
  parse(_name, typeName, body): DistanceParams {
    const p = new Params(typeName, body);
    const origin = parsePoint(p, p.take('origin') ?? p.take('center') ?? p.take('point'));
    const unit = p.string('unit') ?? 'm';
    const metres = metresOf(unit);
    if (metres === null) throw p.refusalError('unit', `No DistanceUnit match for [${unit}]`);
    const isPlane = isPlaneDistance(p.string('distance_type') ?? 'arc');
    const params = parseRanges(p, parseSource(p, { format: false }), false);
    if (!origin) throw illegalArgumentError('Required [origin]');
    return { ...params, origin, metres, isPlane };
  },
  bind(spec, ctx): BoundRanges {
    const source = bindSource('geo_distance', (spec.params as RangeParams).source, ctx, ['geo_point']);
    const bound = bindNumbers(spec, ctx, { ...source, format: null }, (value) => {
      const number = Number(value);
      if (Number.isNaN(number)) throw numberFormatError(String(value));
      return number;
    });
    // Distances start at 0, which is shown explicitly, but not in the key.
    return {
      ...bound,
      shown: bound.shown.map(({ key, fields }, i) => ({
        key: bound.ranges[i].from === 0 && key.startsWith('0.0-') ? `*${key.slice(3)}` : key,
        fields: bound.ranges[i].from === -Infinity ? { from: jsonDouble(0), ...fields } : fields,
      })),
    };
  },
  plan(spec, bound: BoundRanges, { segment }, children): AggNode {
    const { origin, metres, isPlane } = spec.params as DistanceParams;
    const column = columnIn(bound.source, segment);
    if (!column) return { op: 'filters', filters: bound.ranges.map((): PlanNode => ({ op: 'matchNone' })), other: false, children };
    if (isPlane || column.multiValued) {
      const meters = isPlane ? planeMeters : arcMeters;
      const distances = (docId: number): number[] =>
        segment.values(bound.source.field, docId).map((raw) => meters(origin, decodeGeoPoint(BigInt(raw))) / metres);
      const filters = bound.ranges.map(({ from, to }): PlanNode => docsWith(segment, distances, from, to));
      return { op: 'filters', filters, other: false, children };
    }
    const within = (distance: number): PlanNode =>
      distance === Infinity
        ? { op: 'existsColumn', column }
        : { op: 'geoDistance', column, lat: origin.lat, lon: origin.lon, meters: distance * metres };
    const filters = bound.ranges.map(({ from, to }): PlanNode => {
      if (from <= 0) return within(to);
      return { op: 'bool', must: [], filter: [within(to)], should: [], mustNot: [within(from)], minimumShouldMatch: 0 };
    });
    return { op: 'filters', filters, other: false, children };
  },
  merge: mergeRanges,
};

/**
 * Documents with a value in [from, to).
 * @param values        reads the values of a document
 * @param takesMissing  whether documents without a value are in the range
 */
function docsWith(
  segment: SegmentReader,
  values: (docId: number) => readonly number[],
  from: number,
  to: number,
  takesMissing = false,
): PlanNode {
  const docs: number[] = [];
  for (let docId = 0; docId < segment.maxDoc; docId++) {
    const found = values(docId);
    if (found.length === 0 ? takesMissing : found.some((value) => value >= from && value < to)) docs.push(docId);
  }
  return docs.length === 0 ? { op: 'matchNone' } : { op: 'docs', docs: Uint32Array.from(docs), scores: null };
}

/** A point in the forms that aggregations accept: `lat,lon`, [lon, lat], { lat, lon }. */
function parsePoint(p: Params, value: unknown): { lat: number; lon: number } | null {
  if (value === undefined) return null;
  let point: { lat: number; lon: number } | null = null;
  if (typeof value === 'string') {
    if (!value.includes(',')) return parseGeoPoint(value);
    const [lat, lon] = value.split(',').map(Number);
    point = { lat, lon };
  } else if (Array.isArray(value)) point = { lat: Number(value[1]), lon: Number(value[0]) };
  else if (isObject(value)) point = { lat: Number(value.lat), lon: Number(value.lon) };
  if (!point) throw p.wrongTypeError('origin', value);
  if (Number.isNaN(point.lat) || Number.isNaN(point.lon)) throw parsingError('failed to parse geo point [origin]');
  return point;
}
