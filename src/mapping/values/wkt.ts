// Well-known text of shapes, read into the form of GeoJSON. Our own code, because the package wellknown has no BBOX, EMPTY, limit of nesting or
// error messages.

import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';

/** Shapes nest up to this depth in collections. */
export const MAX_SHAPE_DEPTH = 20;

type WktValue = number[] | WktValue[];

/** A shape as GeoJSON has it, whose coordinates are not checked yet. */
export type WktShape =
  | { readonly type: string; readonly coordinates: unknown }
  | { readonly type: 'geometrycollection'; readonly geometries: readonly WktShape[] };

const WKT_NAMES = new Set(['point', 'multipoint', 'linestring', 'multilinestring', 'polygon', 'multipolygon']);

function parseError(reason: string): ApiError {
  return new ApiError('parse_exception', 400, reason);
}

/** @throws ApiError parse_exception, illegal_argument_exception */
export function parseWkt(text: string): WktShape {
  const reader = new WktReader(text);
  const shape = reader.shape(0);
  reader.end();
  return shape;
}

class WktReader {
  readonly #tokens: string[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = text.match(/[(),]|[^\s(),]+/g) ?? [];
  }

  #next(): string {
    return this.#tokens[this.#at++] ?? 'END-OF-STREAM';
  }

  end(): void {
    if (this.#at < this.#tokens.length) throw parseError(`expected end of WKT string but found additional text: ${this.#tokens[this.#at]}`);
  }

  shape(depth: number): WktShape {
    if (depth > MAX_SHAPE_DEPTH) throw parseError(`shapes are nested deeper than [${MAX_SHAPE_DEPTH}]`);
    const name = this.#next().toLowerCase();
    if (name === 'bbox') {
      const [left, right, top, bottom] = this.#list(() => this.#number());
      if (bottom === undefined) throw parseError('expected 4 numbers in BBOX');
      return {
        type: 'envelope',
        coordinates: [
          [left, top],
          [right, bottom],
        ],
      };
    }
    if (name === 'geometrycollection') return { type: name, geometries: this.#list(() => this.shape(depth + 1)) };
    if (name === 'circle') throw illegalArgumentError('CIRCLE geometry is not supported');
    if (!WKT_NAMES.has(name)) throw parseError(`Unknown geometry type: ${name}`);
    const levels = name === 'point' || name === 'multipoint' || name === 'linestring' ? 1 : name === 'multipolygon' ? 3 : 2;
    const value = this.#values(levels);
    return { type: name, coordinates: name === 'point' ? value[0] : value };
  }

  #values(levels: number): WktValue[] {
    return this.#list(() => (levels > 1 ? this.#values(levels - 1) : this.#position()));
  }

  #list<T>(item: () => T): T[] {
    const open = this.#next();
    if (open.toLowerCase() === 'empty') return [];
    if (open !== '(') throw parseError(`expected ( but found: ${open}`);
    const items: T[] = [];
    for (;;) {
      items.push(item());
      const token = this.#next();
      if (token === ')') return items;
      if (token !== ',') throw parseError(`expected , or ) but found: ${token}`);
    }
  }

  /** `x y [z]`, optionally in parentheses (MULTIPOINT ((1 2), (3 4))). */
  #position(): number[] {
    const inner = this.#tokens[this.#at] === '(';
    if (inner) this.#at++;
    const numbers: number[] = [];
    while (this.#at < this.#tokens.length && !'(),'.includes(this.#tokens[this.#at])) numbers.push(this.#number());
    if (numbers.length < 2) throw parseError(`expected number but found: ${this.#tokens[this.#at] ?? 'END-OF-STREAM'}`);
    if (inner && this.#next() !== ')') throw parseError('expected )');
    return numbers;
  }

  #number(): number {
    const token = this.#next();
    const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(token) ? Number(token) : Number.NaN;
    if (Number.isNaN(number)) throw parseError(`expected number but found: ${token}`);
    return number;
  }
}
