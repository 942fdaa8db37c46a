// The geo_grid processor: replaces the address of a cell of a grid (geohash, tile of a map, hexagon) by its shape, and adds its relatives.
import { h3 } from '../../common/encoding/h3.ts';
import { jsonDouble } from '../../common/json/json-float.ts';
import { javaDouble } from '../../common/text/java-text.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { fieldText } from './parse.ts';
import type { ProcessorFactory } from './processor.ts';

/** A cell with its shape and relatives. */
interface Cell {
  /** [lon, lat] of the corners, the first one again at the end; of a box, its upper left and lower right corner. */
  readonly corners: readonly (readonly [number, number])[];
  readonly isBox: boolean;
  readonly precision: number;
  /** null at the top. */
  readonly parent: string | null;
  readonly children: readonly string[];
  /** Cells of the next precision that reach into this one without being its children. */
  readonly strangers: readonly string[];
}

const MAX_ZOOM = 29;
const BASE32 = '0123456789bcdefghjkmnpqrstuvwxyz';

function geohashCell(hash: string): Cell {
  if (!/^[0-9b-hjkmnp-z]{1,12}$/.test(hash)) throw illegalArgumentError(`Invalid geohash [${hash}]`);
  const [lon, lat] = [
    [-180, 180],
    [-90, 90],
  ];
  [...hash].forEach((char, i) => {
    const bits = BASE32.indexOf(char);
    for (let bit = 4; bit >= 0; bit--) {
      // Bits alternate between longitude and latitude, beginning with longitude.
      const range = (i * 5 + 4 - bit) % 2 === 0 ? lon : lat;
      range[(bits >> bit) & 1 ? 0 : 1] = (range[0] + range[1]) / 2;
    }
  });
  return {
    corners: [
      [lon[0], lat[1]],
      [lon[1], lat[0]],
    ],
    isBox: true,
    precision: hash.length,
    parent: hash.length > 1 ? hash.slice(0, -1) : null,
    children: hash.length < 12 ? [...BASE32].map((char) => hash + char) : [],
    strangers: [],
  };
}

function tileCell(address: string): Cell {
  const match = /^(\d{1,2})\/(\d{1,10})\/(\d{1,10})$/.exec(address);
  const [zoom, x, y] = match ? match.slice(1).map(Number) : [MAX_ZOOM + 1, 0, 0];
  const tiles = 2 ** zoom;
  if (zoom > MAX_ZOOM || x >= tiles || y >= tiles)
    throw illegalArgumentError(`Invalid geotile_grid hash string of ${address}. Must be three integers in a form "zoom/x/y".`);
  const latitude = (row: number): number => (Math.atan(Math.sinh(Math.PI * (1 - (2 * row) / tiles))) * 180) / Math.PI;
  const child = (dx: number, dy: number): string => `${zoom + 1}/${2 * x + dx}/${2 * y + dy}`;
  return {
    corners: [
      [(x / tiles) * 360 - 180, latitude(y)],
      [((x + 1) / tiles) * 360 - 180, latitude(y + 1)],
    ],
    isBox: true,
    precision: zoom,
    parent: zoom > 0 ? `${zoom - 1}/${x >> 1}/${y >> 1}` : null,
    children: zoom < MAX_ZOOM ? [child(0, 0), child(1, 0), child(0, 1), child(1, 1)] : [],
    strangers: [],
  };
}

function hexCell(address: string): Cell {
  if (!h3().isValidCell(address)) throw illegalArgumentError(`Invalid h3 address [${address}].`);
  const precision = h3().getResolution(address);
  const corners = h3()
    .cellToBoundary(address)
    .map(([lat, lon]) => [lon, lat] as const);
  const children = precision < 15 ? h3().cellToChildren(address, precision + 1) : [];
  return {
    corners: [...corners, corners[0]],
    isBox: false,
    precision,
    parent: precision > 0 ? h3().cellToParent(address, precision - 1) : null,
    children,
    strangers: precision < 15 ? strangersOf(address, children) : [],
  };
}

/** Those cells around the children that border on two of them lie across an edge of the parent. */
function strangersOf(address: string, children: readonly string[]): string[] {
  const around = h3().gridDisk(h3().cellToCenterChild(address, h3().getResolution(address) + 1), 2);
  return around.filter((cell) => !children.includes(cell) && children.filter((child) => h3().areNeighborCells(child, cell)).length === 2);
}

const GRIDS: Readonly<Record<string, (address: string) => Cell>> = { geohash: geohashCell, geotile: tileCell, geohex: hexCell };

function shapeOf({ corners, isBox }: Cell, asText: boolean): unknown {
  if (isBox && asText) {
    const [[left, top], [right, bottom]] = corners;
    return `BBOX (${[left, right, top, bottom].map(javaDouble).join(', ')})`;
  }
  if (asText) return `POLYGON ((${corners.map((corner) => corner.map(javaDouble).join(' ')).join(', ')}))`;
  const points = corners.map((corner) => corner.map(jsonDouble));
  return isBox ? { type: 'Envelope', coordinates: points } : { type: 'Polygon', coordinates: [points] };
}

export const geoGridProcessor: ProcessorFactory = (config) => {
  const field = config.text('field');
  const target = config.text('target_field', field);
  const type = config.text('tile_type').toLowerCase();
  if (!Object.hasOwn(GRIDS, type)) throw config.error('tile_type', `illegal value [${type}], valid values are [GEOHASH, GEOTILE, GEOHEX]`);
  const format = config.text('target_format', 'geojson').toLowerCase();
  if (format !== 'geojson' && format !== 'wkt')
    throw config.error('target_format', `illegal value [${format}], valid values are [WKT, GEOJSON]`);
  const parentField = config.text('parent_field', '');
  const childrenField = config.text('children_field', '');
  const strangersField = config.text('non_children_field', '');
  const precisionField = config.text('precision_field', '');
  const ignoreMissing = config.boolean('ignore_missing');
  return (document) => {
    const address = fieldText(document, field, ignoreMissing, 'process it');
    if (address === null) return;
    const cell = GRIDS[type](address);
    document.set(target, shapeOf(cell, format === 'wkt'));
    if (parentField !== '' && cell.parent !== null) document.set(parentField, cell.parent);
    if (childrenField !== '' && cell.children.length > 0) document.set(childrenField, cell.children);
    if (strangersField !== '' && cell.strangers.length > 0) document.set(strangersField, cell.strangers);
    if (precisionField !== '') document.set(precisionField, cell.precision);
  };
};
