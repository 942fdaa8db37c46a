// Points as geo columns hold them: latitude in the high and longitude in the low 32 bits, each as Lucene's GeoEncodingUtils encodes it,
// the sign bit of the whole flipped.
import type { GeoPoint } from '../query/geo-point.ts';

const LAT_STEP = 180 / 2 ** 32;
const LON_STEP = 360 / 2 ** 32;

/** A raw column value (u64, or the i64 of the same bits) as degrees. */
export function decodeGeoValue(raw: bigint): GeoPoint {
  const bits = BigInt.asUintN(64, raw) ^ (1n << 63n);
  const lat = Number(BigInt.asIntN(32, bits >> 32n));
  const lon = Number(BigInt.asIntN(32, bits));
  return { lat: lat * LAT_STEP, lon: lon * LON_STEP };
}

/** The raw value (as u64 with the sign bit flipped) of a point. */
export function encodeGeoValue({ lat, lon }: GeoPoint): bigint {
  const y = Math.floor((lat === 90 ? Math.fround(lat) - LAT_STEP : lat) / LAT_STEP);
  const x = Math.floor((lon === 180 ? lon - LON_STEP : lon) / LON_STEP);
  const bits = (BigInt.asUintN(32, BigInt(y)) << 32n) | BigInt.asUintN(32, BigInt(x));
  return BigInt.asUintN(64, bits ^ (1n << 63n));
}
