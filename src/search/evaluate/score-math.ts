// Arithmetic that score functions and the functions of score scripts share: hashes, decay curves, distances.

/** 32-bit MurmurHash3 of one 32-bit word. */
export function murmur32(word: number, seed: number): number {
  let k = Math.imul(word, 0xcc9e2d51);
  k = Math.imul((k << 15) | (k >>> 17), 0x1b873593);
  let hash = seed ^ k;
  hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  hash ^= 4;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** Decay by distance: 1 at distance 0, `decayed` at distance `scale`. */
export function curveOf(shape: 'gauss' | 'exp' | 'linear', scale: number, decayed: number): (distance: number) => number {
  if (shape === 'gauss') {
    const width = (0.5 * scale ** 2) / Math.log(decayed);
    return (distance) => Math.exp((0.5 * distance ** 2) / width);
  }
  if (shape === 'exp') {
    const rate = Math.log(decayed) / scale;
    return (distance) => Math.exp(rate * distance);
  }
  const reach = scale / (1 - decayed);
  return (distance) => Math.max(0, (reach - distance) / reach);
}

const EARTH_METERS = 6_371_008.7714;

/** Distance along the great circle, in metres. */
export function distanceMeters(a: { lat: number; lon: number }, b: { lat: number; lon: number }): number {
  const rad = Math.PI / 180;
  const [y1, y2] = [a.lat * rad, b.lat * rad];
  const h = Math.sin((y2 - y1) / 2) ** 2 + Math.cos(y1) * Math.cos(y2) * Math.sin(((b.lon - a.lon) * rad) / 2) ** 2;
  return 2 * EARTH_METERS * Math.asin(Math.min(1, Math.sqrt(h)));
}
