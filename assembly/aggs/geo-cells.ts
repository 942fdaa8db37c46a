// Cells of geo grids from packed points (docs/internals/segment-format.md, `geo`: encoded latitude above, longitude below, sign bit flipped).
//   geotile key  zoom << 58 | x << 29 | y, as Elasticsearch's GeoTileUtils.longEncodeTiles
//   geohash key  the point's first 5 * length bits of interleaved longitude and latitude, above the length in 4 bits

const LAT_SCALE: f64 = 180.0 / 4294967296.0;
const LON_SCALE: f64 = 360.0 / 4294967296.0;
const TILE_LATITUDE: f64 = 85.0511287798066;

@inline
function latitudeOf(packed: u64): f64 {
  return <f64><i32>(<u32>((packed ^ 0x8000000000000000) >> 32) ^ GEO_FLIP) * LAT_SCALE;
}

@inline
function longitudeOf(packed: u64): f64 {
  return <f64><i32>(<u32>packed ^ GEO_FLIP) * LON_SCALE;
}

/** Both halves are kept with their sign bit flipped so that they order as unsigned numbers. */
const GEO_FLIP: u32 = 0x80000000;

export function geotileCell(packed: u64, zoom: u32): u64 {
  const tiles = <f64>((<u64>1) << zoom);
  const last = tiles - 1;
  const x = Math.floor((longitudeOf(packed) + 180.0) / 360.0 * tiles);
  let lat = latitudeOf(packed);
  lat = lat > TILE_LATITUDE ? TILE_LATITUDE : lat < -TILE_LATITUDE ? -TILE_LATITUDE : lat;
  const sine = Math.sin(lat * (Math.PI / 180.0));
  const y = Math.floor((0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * tiles);
  return (<u64>zoom << 58) | (<u64>(x > last ? last : x) << 29) | <u64>(y < 0 ? 0.0 : y > last ? last : y);
}

export function geohashCell(packed: u64, length: u32): u64 {
  // As unsigned 32-bit fractions of the range.
  const lat = <u32>((packed ^ 0x8000000000000000) >> 32) ^ GEO_FLIP ^ 0x80000000;
  const lon = <u32>packed ^ GEO_FLIP ^ 0x80000000;
  const bits = spread(lon) << 1 | spread(lat);
  return (bits >> (64 - 5 * length) << 4) | <u64>length;
}

/** Spreads the bits of `v` to the even positions. */
function spread(v: u32): u64 {
  let x = <u64>v;
  x = (x | (x << 16)) & 0x0000ffff0000ffff;
  x = (x | (x << 8)) & 0x00ff00ff00ff00ff;
  x = (x | (x << 4)) & 0x0f0f0f0f0f0f0f0f;
  x = (x | (x << 2)) & 0x3333333333333333;
  return (x | (x << 1)) & 0x5555555555555555;
}
