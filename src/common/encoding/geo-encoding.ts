// Points as 64-bit integers in geo columns: value = latBits * 2^32 + (lonBits + 2^31), where latBits and lonBits are the signed 32-bit integers of
// Lucene's GeoEncodingUtils (floor of degrees * 2^32 / 180 and / 360). Values ascend with the latitude.

const LAT_DECODE = 180 / 2 ** 32;
const LON_DECODE = 360 / 2 ** 32;
const MAX_BITS = 2 ** 31 - 1;

/** Signed 32-bit code of a latitude in [-90, 90]. */
export function encodeLatitude(lat: number): number {
  return Math.min(MAX_BITS, Math.floor(lat / LAT_DECODE));
}

/** Signed 32-bit code of a longitude in [-180, 180]. */
export function encodeLongitude(lon: number): number {
  return Math.min(MAX_BITS, Math.floor(lon / LON_DECODE));
}

/** Value of a geo column for a point. */
export function encodeGeoPoint({ lat, lon }: { readonly lat: number; readonly lon: number }): bigint {
  return (BigInt(encodeLatitude(lat)) << 32n) + BigInt(encodeLongitude(lon) + 2 ** 31);
}

/** Degrees of a value of a geo column, decoded as in Lucene. */
export function decodeGeoPoint(value: bigint): { lat: number; lon: number } {
  const latBits = Number(value >> 32n);
  const lonBits = Number(value & 0xffffffffn) - 2 ** 31;
  return { lat: latBits * LAT_DECODE, lon: lonBits * LON_DECODE };
}

const EARTH_RADIUS = 6_371_008.7714;
const RADIANS = Math.PI / 180;
const KEY = new DataView(new ArrayBuffer(8));

/** Distance of two points in metres on the sphere, the counterpart of haversinMeters in assembly/search/geo.ts. */
export function arcMeters(a: { lat: number; lon: number }, b: { lat: number; lon: number }): number {
  const [x1, x2] = [a.lat * RADIANS, b.lat * RADIANS];
  const h = 1 - Math.cos(x1 - x2) + Math.cos(x1) * Math.cos(x2) * (1 - Math.cos((a.lon - b.lon) * RADIANS));
  KEY.setFloat64(0, h);
  KEY.setBigUint64(0, KEY.getBigUint64(0) & ~7n);
  return 2 * EARTH_RADIUS * Math.asin(Math.min(1, Math.sqrt(KEY.getFloat64(0) * 0.5)));
}

/** Distance of two points in metres in the plane approximation, the counterpart of planeMeters in assembly/search/geo.ts. */
export function planeMeters(a: { lat: number; lon: number }, b: { lat: number; lon: number }): number {
  const x = (b.lon - a.lon) * RADIANS * Math.cos(((a.lat + b.lat) / 2) * RADIANS);
  return Math.hypot(x, (b.lat - a.lat) * RADIANS) * EARTH_RADIUS;
}
