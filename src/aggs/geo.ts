// Points of geo columns and cells of geo grids on the host (docs/internals/segment-format.md, `geo`; assembly/aggs/geo-cells.ts).

/** `zoom/x/y` of a geotile key. */
export function geotileKey(key: bigint): string {
  const bits = BigInt.asUintN(64, key);
  return `${bits >> 58n}/${(bits >> 29n) & 0x1fffffffn}/${bits & 0x1fffffffn}`;
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
