// geohex_grid: a bucket per hexagonal cell (H3) that contains points. The package h3-js, loaded on use, finds the cells on the host.
import { decodeGeoPoint } from '../../common/encoding/geo-encoding.ts';
import { h3 } from '../../common/encoding/h3.ts';
import { checkTurn } from '../../common/turns/turn.ts';
import type { AggNode } from '../../plan/agg-plan.ts';
import { type GeoBox, readBox } from '../../query/geo/geo-queries.ts';
import { numberFormatError, tooManyBucketsError, xContentError } from '../errors.ts';
import { boxesOverlap } from '../geo.ts';
import { docGroups } from '../metrics/documents.ts';
import { Params } from '../params.ts';
import { runParentPipelines } from '../pipelines/run.ts';
import { selectTop } from '../reduce/merge.ts';
import { BucketsOut, type OutBucket } from '../reduce/out.ts';
import { bindSource, parseSource, type SourceParams, type ValuesSource } from '../source.ts';
import type { AggType } from '../types.ts';
import { HostBucket } from './host-buckets.ts';
import { positive } from './terms/terms.ts';

interface HexParams {
  readonly source: SourceParams;
  readonly precision: number;
  readonly size: number;
  /** Only cells that overlap it have buckets. */
  readonly bounds: GeoBox | null;
}

const MAX_PRECISION = 15;
const DOCS_PER_CHECK_MASK = 127;

function precisionOf(p: Params): number {
  const text = p.string('precision') ?? '6';
  const precision = text.trim() === '' ? Number.NaN : Math.trunc(Number(text));
  if (Number.isNaN(precision)) throw xContentError(`[${p.typeName}] failed to parse field [precision]`, numberFormatError(text));
  if (precision < 0 || precision > MAX_PRECISION)
    throw p.refusalError('precision', `Invalid geohex aggregation precision of ${precision}. Must be between 0 and ${MAX_PRECISION}.`);
  return precision;
}

/** The box around a cell; `left` exceeds `right` if it crosses the date line. Cells around a pole reach it and all longitudes. */
function boxOf(cell: string): GeoBox {
  const corners = h3().cellToBoundary(cell);
  const lats = corners.map(([lat]) => lat);
  const lons = corners.map(([, lon]) => lon);
  let [left, right] = [Math.min(...lons), Math.max(...lons)];
  let [bottom, top] = [Math.min(...lats), Math.max(...lats)];
  if (right - left <= 180) return { left, right, top, bottom };
  const resolution = h3().getResolution(cell);
  const pole = [90, -90].find((lat) => h3().latLngToCell(lat, 0, resolution) === cell);
  if (pole === 90) [left, right, top] = [-180, 180, 90];
  else if (pole === -90) [left, right, bottom] = [-180, 180, -90];
  else {
    left = Math.min(...lons.filter((lon) => lon > 0));
    right = Math.max(...lons.filter((lon) => lon <= 0));
  }
  return { left, right, top, bottom };
}

/** Whether a cell overlaps the bounds; both may cross the date line. */
function overlaps(cell: GeoBox, bounds: GeoBox): boolean {
  if (cell.left <= cell.right) return boxesOverlap(cell, bounds);
  return boxesOverlap({ ...cell, right: 180 }, bounds) || boxesOverlap({ ...cell, left: -180 }, bounds);
}

export const geohexGridType: AggType = {
  isBucket: true,
  parse(name, typeName, body): HexParams {
    const p = new Params(typeName, body);
    const source = parseSource(p, { script: false, format: false });
    const precision = precisionOf(p);
    const size = positive(p, name, 'size') ?? 10_000;
    positive(p, name, 'shard_size');
    const bounds = p.object('bounds');
    p.done();
    return { source, precision, size, bounds: bounds === null ? null : readBox(bounds) };
  },
  bind: (spec, ctx) => bindSource('geohex_grid', (spec.params as HexParams).source, ctx, ['geo_point']),
  plan: (): AggNode => ({ op: 'docs', children: [] }),
  merge(spec, slices, parents, ctx) {
    const { precision, size, bounds } = spec.params as HexParams;
    const groups = docGroups(slices, parents);
    return {
      at(parent) {
        const buckets = new Map<string, HostBucket>();
        const bucketOf = (cell: string): HostBucket => {
          let bucket = buckets.get(cell);
          if (bucket) return bucket;
          if (buckets.size >= ctx.maxBuckets) throw tooManyBucketsError(ctx.maxBuckets, buckets.size + 1);
          buckets.set(cell, (bucket = new HostBucket()));
          return bucket;
        };
        let seen = 0;
        for (const { slice, segment, docs } of parent < 0 ? [] : groups[parent]) {
          const { type, field, missing } = slice.bound as ValuesSource;
          for (const doc of docs) {
            if ((++seen & DOCS_PER_CHECK_MASK) === 0) checkTurn();
            const values = type ? segment.segment.values(field, doc) : [];
            const points = values.length > 0 || missing === null ? values : [missing];
            const cells = new Set<string>();
            for (const point of points) {
              if (typeof point !== 'bigint') continue;
              const { lat, lon } = decodeGeoPoint(point);
              cells.add(h3().latLngToCell(lat, lon, precision));
            }
            for (const cell of cells) bucketOf(cell).add(slice, doc);
          }
        }
        const found = [...buckets].filter(([cell]) => bounds === null || overlaps(boxOf(cell), bounds));
        const order = selectTop(
          found.map((_, i) => i),
          size,
          (a, b) => found[b][1].docCount - found[a][1].docCount || (found[a][0] > found[b][0] ? -1 : 1),
        );
        ctx.addBuckets(order.length);
        const out = order.map((i): OutBucket => {
          const [key, bucket] = found[i];
          const { docCount } = bucket;
          return { key, name: key, fields: { key, doc_count: docCount }, docCount, aggs: bucket.children(spec, ctx) };
        });
        return new BucketsOut(spec, 'geohex_grid', runParentPipelines(spec, out));
      },
    };
  },
};
