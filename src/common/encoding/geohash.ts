// Geohashes: cells of the globe by their name, the cells around them, and the length whose cells have a size.

const DIGITS = '0123456789bcdefghjkmnpqrstuvwxyz';
export const MAX_GEOHASH_LENGTH = 12;

const EQUATOR = 40_075_016.6856;
const POLAR = 6_356_752.314245 * Math.PI;

/** Length of the geohashes whose cells do not exceed the distance, estimated as Elasticsearch's GeoUtils.geoHashLevelsForPrecision does. */
export function geohashLengthOf(metres: number): number {
  if (metres === 0) return MAX_GEOHASH_LENGTH;
  const width = metres / (1 + POLAR / EQUATOR);
  const bits = Math.ceil(Math.log2(Math.ceil(EQUATOR / width)));
  const full = Math.floor(bits / 5);
  const left = bits - full * 5;
  return Math.max(1, Math.min(MAX_GEOHASH_LENGTH, full + (left > 0 ? 1 : 0) + full + (left > 3 ? 1 : 0)));
}

/** Length of the longest geohashes whose cells are at least as wide as the distance: the precision of completion contexts. */
export function geohashLengthWithin(metres: number): number {
  if (metres === 0) return MAX_GEOHASH_LENGTH;
  const bits = Math.floor(Math.log2(Math.ceil(EQUATOR / (metres / (1 + POLAR / EQUATOR)))));
  let length = 1;
  while (length < MAX_GEOHASH_LENGTH && Math.ceil(((length + 1) * 5) / 2) <= bits) length++;
  return length;
}

/** The cell of a point. @param length  1 to 12 */
export function geohashOf({ lat, lon }: { readonly lat: number; readonly lon: number }, length: number): string {
  let [bottom, top, left, right] = [-90, 90, -180, 180];
  let hash = '';
  let isLongitude = true;
  while (hash.length < Math.min(length, MAX_GEOHASH_LENGTH)) {
    let digit = 0;
    for (let bit = 0; bit < 5; bit++) {
      const middle = isLongitude ? (left + right) / 2 : (bottom + top) / 2;
      const isUpper = (isLongitude ? lon : lat) >= middle;
      digit = digit * 2 + (isUpper ? 1 : 0);
      if (isLongitude) [left, right] = isUpper ? [middle, right] : [left, middle];
      else [bottom, top] = isUpper ? [middle, top] : [bottom, middle];
      isLongitude = !isLongitude;
    }
    hash += DIGITS[digit];
  }
  return hash;
}

/** The cells of the same length around a cell, without those beyond a pole. */
export function geohashNeighbours(hash: string): string[] {
  const lonBits = Math.ceil((hash.length * 5) / 2);
  const latBits = Math.floor((hash.length * 5) / 2);
  const [x, y] = columnAndRow(hash);
  const [columns, rows] = [2 ** lonBits, 2 ** latBits];
  const found: string[] = [];
  for (const dy of [-1, 0, 1]) {
    for (const dx of [-1, 0, 1]) {
      if ((dx === 0 && dy === 0) || y + dy < 0 || y + dy >= rows) continue;
      const lon = ((((x + dx + columns) % columns) + 0.5) * 360) / columns - 180;
      const lat = ((y + dy + 0.5) * 180) / rows - 90;
      found.push(geohashOf({ lat, lon }, hash.length));
    }
  }
  return found;
}

/** Position of a cell in the grid of its length, from the south-west. Characters that are not digits count as 0. */
function columnAndRow(hash: string): [x: number, y: number] {
  let [x, y] = [0, 0];
  let isLongitude = true;
  for (const char of hash) {
    const digit = Math.max(0, DIGITS.indexOf(char));
    for (let bit = 16; bit > 0; bit >>= 1) {
      const one = digit & bit ? 1 : 0;
      if (isLongitude) x = x * 2 + one;
      else y = y * 2 + one;
      isLongitude = !isLongitude;
    }
  }
  return [x, y];
}
