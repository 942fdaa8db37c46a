// Points of geo columns and cells of geo grids on the host (docs/internals/segment-format.md, `geo`; assembly/aggs/geo-cells.ts).

import { geohashCorner } from '../query/geo/geo-point.ts';
import type { GeoBox } from '../query/geo/geo-queries.ts';

/** `zoom/x/y` of a geotile key. */
export function geotileKey(key: bigint): string {
  const bits = BigInt.asUintN(64, key);
  return `${bits >> 58n}/${(bits >> 29n) & 0x1fffffffn}/${bits & 0x1fffffffn}`;
}

/** Edges of a tile in degrees (Web Mercator). */
export function geotileBox(key: bigint): GeoBox {
  const bits = BigInt.asUintN(64, key);
  const tiles = 2 ** Number(bits >> 58n);
  const [x, y] = [Number((bits >> 29n) & 0x1fffffffn), Number(bits & 0x1fffffffn)];
  const latitude = (row: number): number => (Math.atan(Math.sinh(Math.PI * (1 - (2 * row) / tiles))) * 180) / Math.PI;
  return { left: (x / tiles) * 360 - 180, right: ((x + 1) / tiles) * 360 - 180, top: latitude(y), bottom: latitude(y + 1) };
}

/** Edges of a geohash cell in degrees. */
export function geohashBox(key: bigint): GeoBox {
  const hash = geohashKey(key);
  const [low, high] = [geohashCorner(hash, 'bottom_left'), geohashCorner(hash, 'top_right')];
  return { left: low.lon, right: high.lon, top: high.lat, bottom: low.lat };
}

/** Whether two boxes share more than an edge. Only `bounds` may cross the date line. */
export function boxesOverlap(cell: GeoBox, bounds: GeoBox): boolean {
  if (cell.bottom >= bounds.top || cell.top <= bounds.bottom) return false;
  const [isWestOfRight, isEastOfLeft] = [cell.left < bounds.right, cell.right > bounds.left];
  return bounds.left <= bounds.right ? isWestOfRight && isEastOfLeft : isWestOfRight || isEastOfLeft;
}

const BASE32 = '0123456789bcdefghjkmnpqrstuvwxyz';

export function geohashKey(key: bigint): string {
  const length = Number(key & 15n);
  let bits = BigInt.asUintN(64, key) >> 4n;
  let text = '';
  for (let i = 0; i < length; i++) {
    text = BASE32[Number(bits & 31n)] + text;
    bits >>= 5n;
  }
  return text;
}
