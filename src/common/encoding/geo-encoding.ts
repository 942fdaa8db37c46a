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

/** Distance of two points in metres in the plane approximation, the counterpart of planeMeters in assembly/search/geo.ts. */
export function planeMeters(a: { lat: number; lon: number }, b: { lat: number; lon: number }): number {
  const rad = Math.PI / 180;
  const x = (b.lon - a.lon) * rad * Math.cos(((a.lat + b.lat) / 2) * rad);
  return Math.hypot(x, (b.lat - a.lat) * rad) * 6_371_008.7714;
}
