// Boxes in the encoding of geo columns: u32 per coordinate, increasing with the degrees (Lucene's GeoEncodingUtils with the sign bit flipped).
import { GeoBoxNode } from '../wasm/generated/search.ts';
import type { Kernels } from '../wasm/kernels.ts';
import { setU32 } from '../wasm/records.ts';

/** Both ends included; west > east crosses the dateline. */
export interface EncodedBox {
  readonly south: number;
  readonly north: number;
  readonly west: number;
  readonly east: number;
}

const LATITUDE_STEP = 180 / 2 ** 32;
const LONGITUDE_STEP = 360 / 2 ** 32;
const EARTH_RADIUS = 6371008.7714;
const DEGREES = 180 / Math.PI;
const LAST = 0xffffffff;

function encode(degrees: number, step: number, round: (value: number) => number): number {
  return Math.min(LAST, Math.max(0, round(degrees / step) + 2 ** 31));
}

export function encodedBox(top: number, left: number, bottom: number, right: number): EncodedBox {
  return {
    south: encode(bottom, LATITUDE_STEP, Math.ceil),
    north: encode(top, LATITUDE_STEP, Math.floor),
    west: encode(left, LONGITUDE_STEP, Math.ceil),
    east: encode(right, LONGITUDE_STEP, Math.floor),
  };
}

/** A box that contains every point within `meters`; a little larger, since the kernel checks the distance itself. */
export function distanceBox(lat: number, lon: number, meters: number): EncodedBox {
  const angle = (meters / EARTH_RADIUS) * 1.000001 + 1e-9;
  const top = lat + angle * DEGREES;
  const bottom = lat - angle * DEGREES;
  if (top >= 90 || bottom <= -90) return encodedBox(Math.min(top, 90), -180, Math.max(bottom, -90), 180);
  const width = Math.asin(Math.min(1, Math.sin(angle) / Math.cos(lat / DEGREES))) * DEGREES * 1.000001 + 1e-7;
  if (width >= 180) return encodedBox(top, -180, bottom, 180);
  const left = lon - width < -180 ? lon - width + 360 : lon - width;
  const right = lon + width > 180 ? lon + width - 360 : lon + width;
  return encodedBox(top, left, bottom, right);
}

/** Writes a box into a GeoBoxNode, or a record that begins with one. */
export function writeBox(k: Kernels, ptr: number, box: EncodedBox): void {
  setU32(k, ptr, GeoBoxNode.south, box.south);
  setU32(k, ptr, GeoBoxNode.north, box.north);
  setU32(k, ptr, GeoBoxNode.west, box.west);
  setU32(k, ptr, GeoBoxNode.east, box.east);
}
