// geo_line: the points of a bucket's documents as a line, ordered by a field.
import { decodeGeoPoint } from '../../common/encoding/geo-encoding.ts';
import { jsonDouble } from '../../common/json/json-float.ts';
import { checkTurn } from '../../common/turns/turn.ts';
import { illegalArgumentError } from '../errors.ts';
import { Params } from '../params.ts';
import { selectTop } from '../reduce/merge.ts';
import { JsonOut } from '../reduce/out.ts';
import { bindSource, doublesOf, parseSource, type SourceParams, type ValuesSource } from '../source.ts';
import type { AggType, BindContext } from '../types.ts';
import { docGroups } from './documents.ts';

interface LineParams {
  readonly point: SourceParams;
  readonly sort: SourceParams;
  readonly isDescending: boolean;
  readonly showsSort: boolean;
  readonly size: number;
}

interface BoundLine {
  readonly point: ValuesSource;
  readonly sort: ValuesSource;
}

/** Default and largest number of points. */
const MAX_POINTS = 10_000;
const POINTS_PER_CHECK_MASK = 1023;

function sourceOf(p: Params, key: string): SourceParams {
  const body = p.object(key);
  if (body === null) throw illegalArgumentError(`Required [${key}]`);
  const inner = new Params(p.typeName, body);
  const source = parseSource(inner, { script: false });
  inner.done();
  return source;
}

/** Degrees as written by the user, since the encoding of points rounds down. */
function rounded(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6;
}

export const geoLineType: AggType = {
  isBucket: false,
  parse(name, typeName, body): LineParams {
    const p = new Params(typeName, body);
    const point = sourceOf(p, 'point');
    const sort = sourceOf(p, 'sort');
    const order = (p.string('sort_order') ?? 'asc').toLowerCase();
    const showsSort = p.bool('include_sort') ?? false;
    const size = p.integer('size') ?? MAX_POINTS;
    p.done();
    if (order !== 'asc' && order !== 'desc') throw p.refusalError('sort_order', `Unknown SortOrder [${order}]`);
    if (size <= 0 || size > MAX_POINTS)
      throw p.refusalError('size', `invalid [size] value [${size}] must be a positive integer <= ${MAX_POINTS} in [${name}]`);
    return { point, sort, isDescending: order === 'desc', showsSort, size };
  },
  bind(spec, ctx: BindContext): BoundLine {
    const { point, sort } = spec.params as LineParams;
    return {
      point: bindSource(spec.typeName, point, ctx, ['geo_point']),
      sort: bindSource(spec.typeName, sort, ctx, ['numeric', 'date']),
    };
  },
  plan: () => ({ op: 'docs', children: [] }),
  merge(spec, slices, parents) {
    const { isDescending, showsSort, size } = spec.params as LineParams;
    const groups = docGroups(slices, parents);
    return {
      at(parent) {
        const points: bigint[] = [];
        const keys: number[] = [];
        for (const { slice, segment, docs } of parent < 0 ? [] : groups[parent]) {
          const { point, sort } = slice.bound as BoundLine;
          for (const doc of docs) {
            if ((points.length & POINTS_PER_CHECK_MASK) === 0) checkTurn();
            const [raw] = point.type ? segment.segment.values(point.field, doc) : [];
            const [key] = doublesOf(sort, segment.segment, doc);
            // Documents without either are left out of the line.
            const value = raw ?? point.missing;
            if (typeof value !== 'bigint' || key === undefined) continue;
            points.push(value);
            keys.push(key);
          }
        }
        const order = selectTop(
          points.map((_, i) => i),
          size,
          (a, b) => (isDescending ? keys[b] - keys[a] : keys[a] - keys[b]) || a - b,
        );
        const coordinates = order.map((i) => {
          const { lat, lon } = decodeGeoPoint(points[i]);
          return [jsonDouble(rounded(lon)), jsonDouble(rounded(lat))];
        });
        const properties = {
          complete: points.length <= size,
          ...(showsSort ? { sort_values: order.map((i) => jsonDouble(keys[i])) } : {}),
        };
        return new JsonOut(spec, 'geo_line', { type: 'Feature', geometry: { type: 'LineString', coordinates }, properties });
      },
    };
  },
};
