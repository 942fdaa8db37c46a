// A legacy GeoIP database (GeoIP.dat): a binary tree over the bits of an address, whose leaves are country numbers or offsets of records.
//   nodes   ├ left ┬ right ┬ left ┬ right ┬ ···      `width` bytes each, little-endian; values >= `segments` are leaves
//   records ├ bytes of the edition ┬ ···              at leaf + (2 * width - 1) * segments
//   tail    ├ ff ff ff ┬ edition ┬ segments (3, LE) ┤ within the last 20 bytes; absent in country databases
// Source: the format as read by libGeoIP 1.6.12.
import { COUNTRIES, REGIONS } from './tables.ts';

export interface Country {
  code: string;
  code3: string;
  continent: string;
  name: string;
}

/** A record of a city edition, with latin1 strings; null for absent values. */
export interface City {
  country: Country | null;
  region: string | null;
  city: string | null;
  postalCode: string | null;
  latitude: number;
  longitude: number;
  dmaCode: number;
  areaCode: number;
}

export type Kind = 'country' | 'city' | 'org';

/** First leaf of editions whose leaves are countries. */
const COUNTRY_BEGIN = 16_776_960;
const TAIL_BYTES = 20;
const MAX_TEXT = 300;

/** Content of each edition, and whether it covers IPv6 addresses. */
const EDITIONS: Record<number, { kind: Kind; v6?: boolean; wide?: boolean; rev1?: boolean }> = {
  1: { kind: 'country' },
  8: { kind: 'country' },
  10: { kind: 'country' },
  12: { kind: 'country', v6: true },
  6: { kind: 'city' },
  2: { kind: 'city', rev1: true },
  31: { kind: 'city', v6: true },
  30: { kind: 'city', v6: true, rev1: true },
  4: { kind: 'org', wide: true },
  5: { kind: 'org', wide: true },
  9: { kind: 'org' },
  11: { kind: 'org', wide: true },
  21: { kind: 'org', v6: true },
  22: { kind: 'org', v6: true, wide: true },
  23: { kind: 'org', v6: true, wide: true },
  24: { kind: 'org', v6: true, wide: true },
};

const countries: Country[] = COUNTRIES.split('\n').map((line) => {
  const [code, code3, continent, name] = line.split('|');
  return { code, code3, continent, name };
});

let regions: Map<string, string> | null = null;
/** Name of a region of a country, null if unknown. */
export function regionName(country: string, region: string): string | null {
  regions ??= new Map(
    REGIONS.split('\n').flatMap((line) => {
      const code = line.slice(0, 2);
      return line
        .slice(3)
        .split('|')
        .map((item) => [code + item.slice(0, 2), item.slice(3)] as const);
    }),
  );
  return regions.get(country + region) ?? null;
}

export class GeoDatabase {
  readonly edition: number;
  readonly #segments: number;
  readonly #width: number;
  readonly #traits: (typeof EDITIONS)[number];

  readonly #data: Buffer;

  /** @throws string in nginx's words: the edition has another kind */
  constructor(data: Buffer, kind: Kind, file: string) {
    this.#data = data;
    const { edition, at } = tailOf(data);
    this.edition = edition;
    const traits = EDITIONS[edition];
    if (traits?.kind !== kind) throw `invalid GeoIP database "${file}" type:${edition}`;
    this.#traits = traits;
    this.#width = traits.wide ? 4 : 3;
    this.#segments = kind === 'country' ? COUNTRY_BEGIN : at + 3 <= data.length ? data.readUIntLE(at, 3) : 0;
  }

  /** Leaf of an address of 4 or 16 bytes; null if the file is damaged or has no such address. */
  #leaf(address: readonly number[]): number | null {
    const bytes = this.#traits.v6
      ? address.length === 16
        ? address
        : [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, ...address]
      : address.length === 4
        ? address
        : [255, 255, 255, 255];
    let node = 0;
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const right = (bytes[bit >> 3] >> (7 - (bit & 7))) & 1;
      const at = (node * 2 + right) * this.#width;
      if (at + this.#width > this.#data.length) return null;
      node = this.#data.readUIntLE(at, this.#width);
      if (node >= this.#segments) return node;
    }
    return null;
  }

  #record(address: readonly number[]): number | null {
    const leaf = this.#leaf(address);
    // The first leaf means unknown.
    if (leaf === null || leaf === this.#segments) return null;
    const at = leaf + (2 * this.#width - 1) * this.#segments;
    return at < this.#data.length ? at : null;
  }

  country(address: readonly number[]): Country | null {
    const leaf = this.#leaf(address);
    return leaf === null || leaf === COUNTRY_BEGIN ? null : (countries[leaf - COUNTRY_BEGIN] ?? null);
  }

  org(address: readonly number[]): string | null {
    const at = this.#record(address);
    return at === null ? null : this.#text(at).value;
  }

  city(address: readonly number[]): City | null {
    const at = this.#record(address);
    if (at === null) return null;
    const data = this.#data;
    const country = data[at] === 0 ? null : (countries[data[at]] ?? null);
    const region = this.#text(at + 1);
    const city = this.#text(region.end);
    const postal = this.#text(city.end);
    if (postal.end + 6 > data.length) return null;
    const degrees = (from: number) => data.readUIntLE(from, 3) / 10_000 - 180;
    const more = this.#traits.rev1 && country?.code === 'US' && postal.end + 9 <= data.length ? data.readUIntLE(postal.end + 6, 3) : 0;
    return {
      ...{ country, region: region.value, city: city.value, postalCode: postal.value },
      latitude: degrees(postal.end),
      longitude: degrees(postal.end + 3),
      dmaCode: Math.floor(more / 1000),
      areaCode: more % 1000,
    };
  }

  /** A string up to a NUL. */
  #text(at: number): { value: string | null; end: number } {
    let end = this.#data.indexOf(0, at);
    if (end < 0) end = this.#data.length;
    return { value: end === at ? null : this.#data.latin1Slice(at, Math.min(end, at + MAX_TEXT)), end: end + 1 };
  }
}

/** @returns the edition, and the offset of the rest */
function tailOf(data: Buffer): { edition: number; at: number } {
  for (let n = 0; n < TAIL_BYTES; n++) {
    const at = data.length - 3 - n;
    if (at < 0) break;
    if (data[at] !== 255 || data[at + 1] !== 255 || data[at + 2] !== 255) continue;
    const edition = data[at + 3] ?? 1;
    return { edition: edition >= 106 ? edition - 105 : edition, at: at + 4 };
  }
  return { edition: 1, at: data.length };
}
