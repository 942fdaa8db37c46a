// Distances on the sphere and the coding of coordinates.
//   encoded latitude  u32: floor(degrees / (180 / 2^32)) with the sign bit flipped; longitude: 360 / 2^32
// Source: Lucene, GeoEncodingUtils and SloppyMath (mean earth radius, haversine with the three lowest bits of its key cleared).

const LATITUDE_STEP: f64 = 180.0 / 4294967296.0;
const LONGITUDE_STEP: f64 = 360.0 / 4294967296.0;
const EARTH_DIAMETER: f64 = 6371008.7714 * 2;
const RADIANS: f64 = 0.017453292519943295;

// @ts-ignore: decorator
@inline
export function latitudeOf(encoded: u32): f64 {
  return <f64>(<i32>(encoded ^ 0x80000000)) * LATITUDE_STEP;
}

// @ts-ignore: decorator
@inline
export function longitudeOf(encoded: u32): f64 {
  return <f64>(<i32>(encoded ^ 0x80000000)) * LONGITUDE_STEP;
}

/** Metres between two points in degrees. */
export function haversinMeters(lat1: f64, lon1: f64, lat2: f64, lon2: f64): f64 {
  const x1 = lat1 * RADIANS;
  const x2 = lat2 * RADIANS;
  const h = 1 - Math.cos(x1 - x2) + Math.cos(x1) * Math.cos(x2) * (1 - Math.cos((lon1 - lon2) * RADIANS));
  const key = reinterpret<f64>(reinterpret<u64>(h) & 0xfffffffffffffff8);
  return EARTH_DIAMETER * Math.asin(min<f64>(1, Math.sqrt(key * 0.5)));
}

/** Metres between two points in degrees as if the surface were flat between them. Source: Elasticsearch, GeoUtils.planeDistance (behaviour). */
export function planeMeters(lat1: f64, lon1: f64, lat2: f64, lon2: f64): f64 {
  const x = (lon2 - lon1) * RADIANS * Math.cos(((lat2 + lat1) / 2) * RADIANS);
  const y = (lat2 - lat1) * RADIANS;
  return Math.sqrt(x * x + y * y) * (EARTH_DIAMETER / 2);
}
