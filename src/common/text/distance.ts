// Units of length in requests and mappings.

const METRES: Readonly<Record<string, number>> = {
  mm: 0.001,
  millimeters: 0.001,
  cm: 0.01,
  centimeters: 0.01,
  m: 1,
  meters: 1,
  km: 1000,
  kilometers: 1000,
  in: 0.0254,
  inch: 0.0254,
  ft: 0.3048,
  feet: 0.3048,
  yd: 0.9144,
  yards: 0.9144,
  mi: 1609.344,
  miles: 1609.344,
  nmi: 1852,
  NM: 1852,
  nauticalmiles: 1852,
};

/** Metres per unit of length, null for an unknown unit. */
export function metresOf(unit: string): number | null {
  return Object.hasOwn(METRES, unit) ? METRES[unit] : null;
}
