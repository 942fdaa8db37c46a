/** Legacy GeoIP databases, written here in the layout that libGeoIP reads. */
import { describe, expect, test } from 'vitest';
import { GeoDatabase, regionName } from '../../../../../src/front/http/geoip/database.ts';

const COUNTRY_BEGIN = 16_776_960;
const [DE, RU, US] = [56, 185, 225];

/** A tree in which each address (as bits) has a leaf of its own, and all others `none`. */
function tree(leaves: Record<string, number>, none: number, width: number, count: (nodes: number) => number): Buffer {
  const nodes: [number | string, number | string][] = [['', '']];
  for (const bits of Object.keys(leaves)) {
    let at = 0;
    for (let n = 0; n < bits.length; n++) {
      const side = bits[n] === '1' ? 1 : 0;
      if (n === bits.length - 1) nodes[at][side] = `leaf ${bits}`;
      else if (nodes[at][side] === '') {
        nodes[at][side] = nodes.length;
        at = nodes.push(['', '']) - 1;
      } else at = nodes[at][side] as number;
    }
  }
  const segments = count(nodes.length);
  const out = Buffer.alloc(nodes.length * 2 * width);
  nodes.flat().forEach((value, n) => {
    const leaf = typeof value === 'number' ? value : segments + (value === '' ? none : leaves[value.slice(5)]);
    out.writeUIntLE(leaf, n * width, width);
  });
  return out;
}

const bitsOf = (bytes: number[]) => bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('');
const u24 = (value: number) => Buffer.from([value & 255, (value >> 8) & 255, value >> 16]);
const tail = (edition: number, segments?: number) =>
  Buffer.concat([Buffer.from([255, 255, 255, edition]), segments === undefined ? Buffer.alloc(0) : u24(segments)]);

/** Records after a tree; their positions count from one past the leaf of absent records. */
function withRecords(leaves: Record<string, Buffer>, edition: number, width: number): Buffer {
  const places: Record<string, number> = {};
  let at = 1;
  for (const [bits, record] of Object.entries(leaves)) {
    places[bits] = at;
    at += record.length;
  }
  let segments = 0;
  const nodes = tree(places, 0, width, (count) => (segments = count));
  return Buffer.concat([nodes, Buffer.from([0]), ...Object.values(leaves), tail(edition, segments)]);
}

const text = (value: string) => Buffer.from(`${value}\0`, 'latin1');
const degrees = (value: number) => u24(Math.round((value + 180) * 10_000));

describe('GeoDatabase', () => {
  test('finds countries of IPv4 and IPv6 addresses', () => {
    const one = new GeoDatabase(Buffer.concat([tree({ [bitsOf([10])]: DE }, 0, 3, () => COUNTRY_BEGIN), tail(106)]), 'country', 'x');
    expect(one.country([10, 1, 2, 3])).toEqual({ code: 'DE', code3: 'DEU', continent: 'EU', name: 'Germany' });
    expect(one.country([11, 1, 2, 3])).toBeNull();
    const address = [0x20, 0x01, 0x0d, 0xb8, ...new Array<number>(12).fill(0)];
    const mapped = [...new Array<number>(10).fill(0), 255, 255, 192, 0];
    const v6 = new GeoDatabase(
      Buffer.concat([tree({ [bitsOf(address)]: US, [bitsOf(mapped)]: RU }, 0, 3, () => COUNTRY_BEGIN), tail(12)]),
      'country',
      'x',
    );
    expect(v6.country(address)?.code).toBe('US');
    expect(v6.country([192, 0, 2, 1])?.code).toBe('RU');
    expect(v6.country([1, 2, 3, 4])).toBeNull();
  });

  test('finds cities, with the codes of the United States', () => {
    const moscow = Buffer.concat([Buffer.from([RU]), text('48'), text('Moscow'), text(''), degrees(55.7543), degrees(37.6202), u24(0)]);
    const york = Buffer.concat([Buffer.from([US]), text('NY'), text('New York'), text('10001'), degrees(40.7), degrees(-74), u24(501_212)]);
    const db = new GeoDatabase(withRecords({ [bitsOf([10])]: moscow, [bitsOf([11])]: york }, 2, 3), 'city', 'x');
    const found = db.city([10, 0, 0, 1])!;
    expect(found).toMatchObject({ region: '48', city: 'Moscow', postalCode: null, dmaCode: 0, areaCode: 0 });
    expect([found.latitude, found.longitude].map((d) => d.toFixed(4))).toEqual(['55.7543', '37.6202']);
    expect(regionName('RU', '48')).toBe('Moscow City');
    expect(db.city([11, 0, 0, 1])).toMatchObject({ country: { code: 'US' }, postalCode: '10001', dmaCode: 501, areaCode: 212 });
    expect(db.city([12, 0, 0, 1])).toBeNull();
  });

  test('reads the wide nodes of organisations, and reports other editions and damaged files', () => {
    const db = new GeoDatabase(withRecords({ [bitsOf([10])]: text('Acme') }, 5, 4), 'org', 'x');
    expect(db.org([10, 0, 0, 1])).toBe('Acme');
    expect(db.org([10, 0, 0, 1, ...new Array<number>(12).fill(0)])).toBeNull();
    expect(() => new GeoDatabase(tail(5, 1), 'city', 'file.dat')).toThrow('invalid GeoIP database "file.dat" type:5');
    expect(new GeoDatabase(Buffer.from([1, 2]), 'country', 'x').country([1, 2, 3, 4])).toBeNull();
  });
});
