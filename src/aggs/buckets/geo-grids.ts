// geotile_grid and geohash_grid: a bucket per cell that contains points.

import { geohashLengthOf } from '../../common/encoding/geohash.ts';
import type { JsonObject } from '../../common/json/json-value.ts';
import { metresOf } from '../../common/text/distance.ts';
import { asCause } from '../../errors/api-error.ts';
import type { AggNode } from '../../plan/agg-plan.ts';
import { type GeoBox, readBox } from '../../query/geo/geo-queries.ts';
import { numberFormatError, xContentError } from '../errors.ts';
import { boxesOverlap, geohashBox, geohashKey, geotileBox, geotileKey } from '../geo.ts';
import { Params } from '../params.ts';
import { runParentPipelines } from '../pipelines/run.ts';
import { keepOnly, mergeBuckets, mergeChildren, selectTop } from '../reduce/merge.ts';
import { BucketsOut, type OutBucket } from '../reduce/out.ts';
import { bindSource, columnOf, parseSource, type SourceParams, type ValuesSource } from '../source.ts';
import type { AggType, Slice } from '../types.ts';
import { positive } from './terms/terms.ts';

interface GridParams {
  readonly source: SourceParams;
  readonly precision: number;
  readonly size: number;
  /** Only cells that overlap it have buckets. */
  readonly bounds: GeoBox | null;
}

function boundsOf(p: Params, bounds: JsonObject): GeoBox {
  try {
    return readBox(bounds);
  } catch (error) {
    throw xContentError(`[${p.typeName}] failed to parse field [bounds]`, asCause(error));
  }
}

function gridType(grid: 'geotile' | 'geohash', parsePrecision: (p: Params) => number): AggType {
  return {
    isBucket: true,
    parse(name, typeName, body): GridParams {
      const p = new Params(typeName, body);
      const source = parseSource(p, { script: false, format: false });
      const precision = parsePrecision(p);
      const size = positive(p, name, 'size') ?? 10_000;
      positive(p, name, 'shard_size');
      const bounds = p.object('bounds');
      p.done();
      return { source, precision, size, bounds: bounds === null ? null : boundsOf(p, bounds) };
    },
    bind: (spec, ctx) => bindSource(`${grid}_grid`, (spec.params as GridParams).source, ctx, ['geo_point']),
    plan(spec, bound: ValuesSource, { segment }, children): AggNode {
      const { precision } = spec.params as GridParams;
      return { op: 'geoCells', source: columnOf(bound, segment), grid, precision, missingApart: false, children };
    },
    merge(spec, slices: readonly Slice[], parents, ctx) {
      const merged = mergeBuckets(slices, (_slice, columns, i) => BigInt(columns.keys[i]));
      const compare = (a: number, b: number) => merged.docCounts[b] - merged.docCounts[a] || (merged.keys[a] > merged.keys[b] ? -1 : 1);
      const { size, bounds } = spec.params as GridParams;
      const boxOf = grid === 'geotile' ? geotileBox : geohashBox;
      const isInside = (id: number): boolean => bounds === null || boxesOverlap(boxOf(merged.keys[id] as bigint), bounds);
      const chosen = merged.lists(parents).map((ids) => selectTop(bounds === null ? ids : ids.filter(isInside), size, compare));
      const { maps, numberOf } = keepOnly(merged, chosen.flat());
      const children = mergeChildren(spec, slices, maps, chosen.flat().length, ctx);
      return {
        at(parent) {
          const buckets = (parent < 0 ? [] : chosen[parent]).map((id): OutBucket => {
            const raw = merged.keys[id] as bigint;
            const key = grid === 'geotile' ? geotileKey(raw) : geohashKey(raw);
            return {
              key,
              name: key,
              fields: { key, doc_count: merged.docCounts[id] },
              docCount: merged.docCounts[id],
              aggs: children.at(numberOf[id]),
            };
          });
          ctx.addBuckets(buckets.length);
          return new BucketsOut(spec, `${grid}_grid`, runParentPipelines(spec, buckets));
        },
      };
    },
  };
}

export function tilePrecision(p: Params): number {
  const precision = wholeNumber(p, p.string('precision') ?? '7');
  if (precision < 0 || precision > 29)
    throw p.refusalError('precision', `Invalid geotile_grid precision of ${precision}. Must be between 0 and 29.`);
  return precision;
}

/** A number without its fraction. @throws ApiError x_content_parse_exception */
function wholeNumber(p: Params, text: string): number {
  const number = text.trim() === '' ? Number.NaN : Math.trunc(Number(text));
  if (Number.isNaN(number)) throw xContentError(`[${p.typeName}] failed to parse field [precision]`, numberFormatError(text));
  return number;
}

/** A geohash length from 1 to 12, or a maximum cell size as a distance. */
function hashPrecision(p: Params): number {
  const text = p.string('precision') ?? '5';
  const distance = /^([\d.]+)\s*([A-Za-z]+)$/.exec(text);
  if (distance) {
    const metres = metresOf(distance[2]);
    if (metres === null) throw p.refusalError('precision', `No DistanceUnit match for [${distance[2]}]`);
    return geohashLengthOf(Number(distance[1]) * metres);
  }
  const precision = wholeNumber(p, text);
  if (precision < 1 || precision > 12) {
    throw p.refusalError('precision', `Invalid geohash aggregation precision of ${text}. Must be between 1 and 12.`);
  }
  return precision;
}

export const geotileGridType = gridType('geotile', tilePrecision);
export const geohashGridType = gridType('geohash', hashPrecision);
