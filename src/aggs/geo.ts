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

const UNITS: Readonly<Record<string, number>> = {
  m: 1,
  meters: 1,
  km: 1000,
  kilometers: 1000,
  cm: 0.01,
  mm: 0.001,
  mi: 1609.344,
  miles: 1609.344,
  yd: 0.9144,
  yards: 0.9144,
  ft: 0.3048,
  feet: 0.3048,
  in: 0.0254,
  inch: 0.0254,
  nmi: 1852,
  NM: 1852,
  nauticalmiles: 1852,
  centimeters: 0.01,
  millimeters: 0.001,
}; // prettier-ignore

/** Metres per unit of length, null for an unknown unit. */
export function metresOf(unit: string): number | null {
  return Object.hasOwn(UNITS, unit) ? UNITS[unit] : null;
}
