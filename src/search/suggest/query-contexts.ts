// Contexts of a completion request: which contexts of an input they select, and by how much they boost it. Source: CategoryQueryContext,
// GeoQueryContext and GeoContextMapping of Elasticsearch 7.10 (Apache License 2.0), described and written anew.
import { geohashNeighbours, geohashOf, MAX_GEOHASH_LENGTH } from '../../common/encoding/geohash.ts';
import { isObject, type JsonObject, tokenOf } from '../../common/json/json-value.ts';
import { getOwn } from '../../common/json/own-property.ts';
import { checkTurn } from '../../common/turns/turn.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { numberFormatError, xContentParseError } from '../../errors/search-errors.ts';
import { type ContextMapping, type InputContext, isCategory, parsePrecision } from '../../mapping/types/completion-contexts.ts';
import { parseGeoPoint } from '../../mapping/values/geo-point-value.ts';
import { readBoolean } from '../../query/read-json.ts';

interface SelectedContext {
  readonly value: string;
  readonly boost: number;
  /** Selects every context that begins with `value`. */
  readonly isPrefix: boolean;
}

/**
 * The contexts of one mapping that a request selects. A request may name many contexts, and every input of the field is compared with them.
 */
class Selection {
  /** The largest boost of each value. */
  readonly #whole = new Map<string, number>();
  readonly #prefixes = new Map<string, number>();
  readonly #prefixLengths: readonly number[];

  constructor(selected: readonly SelectedContext[]) {
    for (const { value, boost, isPrefix } of selected) {
      const boosts = isPrefix ? this.#prefixes : this.#whole;
      boosts.set(value, Math.max(boost, boosts.get(value) ?? 0));
    }
    this.#prefixLengths = [...new Set(Array.from(this.#prefixes.keys(), ({ length }) => length))];
  }

  /** The largest boost of those that select a context; 0 if none does. */
  boostOf(context: string): number {
    let boost = this.#whole.get(context) ?? 0;
    for (const length of this.#prefixLengths)
      if (length <= context.length) boost = Math.max(boost, this.#prefixes.get(context.slice(0, length)) ?? 0);
    return boost;
  }
}

/** Contexts of a request, by the position of their mapping. */
export type QueryContexts = ReadonlyMap<number, Selection>;

/**
 * @param mappings  null for a field without contexts
 * @returns null if neither the field nor the request has contexts
 * @throws ApiError illegal_argument_exception, x_content_parse_exception
 */
export function parseQueryContexts(
  given: JsonObject | null,
  mappings: readonly ContextMapping[] | null,
  field: string,
): QueryContexts | null {
  if (mappings === null) {
    if (given === null) return null;
    throw illegalArgumentError(`suggester [${field}] doesn't expect any context`);
  }
  const names = mappings.map(({ name }) => name);
  for (const name of Object.keys(given ?? {}))
    if (!names.includes(name)) throw illegalArgumentError(`Unknown context name [${name}], must be one of [${names.join(', ')}]`);
  const contexts = new Map<number, Selection>();
  mappings.forEach((mapping, i) => {
    const value = given === null ? undefined : getOwn(given, mapping.name);
    if (value === undefined) return;
    const selected = mapping.type === 'GEO' ? placesOf(mapping, value) : categoriesOf(value);
    if (selected.length > 0) contexts.set(i, new Selection(selected));
  });
  if (contexts.size === 0) throw illegalArgumentError('Missing mandatory contexts in context query');
  return contexts;
}

function categoriesOf(value: unknown): SelectedContext[] {
  return (Array.isArray(value) ? value : [value]).map(categoryOf);
}

const CATEGORY_ERROR = 'category context must be a string, number or boolean';

function categoryOf(value: unknown): SelectedContext {
  if (isCategory(value)) return { value: String(value), boost: 1, isPrefix: false };
  if (!isObject(value)) throw xContentParseError('category context must be an object, string, number or boolean');
  try {
    for (const key of Object.keys(value))
      if (!['context', 'boost', 'prefix'].includes(key)) throw xContentParseError(`[category] unknown field [${key}]`);
    const { context, prefix } = value;
    if (!isCategory(context)) throw xContentParseError(CATEGORY_ERROR);
    return { value: String(context), boost: boostOf(value), isPrefix: prefix !== undefined && readBoolean(prefix, 'prefix') };
  } catch (error) {
    throw error instanceof ApiError ? xContentParseError(CATEGORY_ERROR) : error;
  }
}

function boostOf({ boost }: JsonObject): number {
  if (boost === undefined) return 1;
  const number = typeof boost === 'string' ? Number(boost) : boost;
  if (typeof number !== 'number' || !Number.isInteger(number)) throw numberFormatError(String(boost));
  if (number <= 0) throw illegalArgumentError('boost must be greater than 0');
  return number;
}

const GEO_KEYS = ['context', 'boost', 'precision', 'neighbours', 'lat', 'lon'];

function placesOf(mapping: ContextMapping, value: unknown): SelectedContext[] {
  return (Array.isArray(value) ? value : [value]).flatMap((item) => {
    checkTurn();
    return placeOf(mapping, item);
  });
}

function placeOf(mapping: ContextMapping, value: unknown): SelectedContext[] {
  if (typeof value === 'string') return cellsAround(mapping, { place: value, boost: 1, precision: MAX_GEOHASH_LENGTH, neighbours: [] });
  if (!isObject(value)) throw new ApiError('parse_exception', 400, 'geo context must be an object or string');
  for (const key of Object.keys(value)) if (!GEO_KEYS.includes(key)) throw xContentParseError(`[geo] unknown field [${key}]`);
  const { lat, lon, precision, neighbours } = value;
  const context = value['context'] ?? (lat === undefined && lon === undefined ? undefined : { lat, lon });
  if (context === undefined) throw illegalArgumentError('no geohash or geo point provided');
  if (!isObject(context)) throw xContentParseError(`[geo] context doesn't support values of type: ${tokenOf(context)}`);
  return cellsAround(mapping, {
    place: context,
    boost: inField('boost', () => boostOf(value)),
    precision: precision === undefined ? MAX_GEOHASH_LENGTH : inField('precision', () => lengthOf(precision, 'precision')),
    neighbours:
      neighbours === undefined ? [] : inField('neighbours', () => [neighbours].flat().map((length) => lengthOf(length, 'neighbour value'))),
  });
}

function lengthOf(value: unknown, what: string): number {
  const length = parsePrecision(value);
  if (length < 1 || length > MAX_GEOHASH_LENGTH) throw illegalArgumentError(`${what} must be between 1 and ${MAX_GEOHASH_LENGTH}`);
  return length;
}

function inField<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof ApiError ? xContentParseError(`[geo] failed to parse field [${name}]`, error) : error;
  }
}

interface Place {
  readonly place: unknown;
  readonly boost: number;
  readonly precision: number;
  /** Lengths of geohashes whose cells around the place count, too. */
  readonly neighbours: readonly number[];
}

function cellsAround({ precision: own = 6 }: ContextMapping, { place, boost, precision, neighbours }: Place): SelectedContext[] {
  const hash = geohashOf(parseGeoPoint(place), Math.min(own, precision));
  const cells = new Set([hash]);
  const lengths = neighbours.length === 0 && hash.length === own ? [own] : neighbours.filter((length) => length < hash.length);
  for (const length of lengths) {
    const cell = hash.slice(0, length);
    cells.add(cell);
    for (const around of geohashNeighbours(cell)) cells.add(around);
  }
  return [...cells].map((value) => ({ value, boost, isPrefix: value.length < own }));
}

/** The contexts of an input that a request selects, and the largest boost among them; null if there are none. */
export function selectContexts(
  selected: QueryContexts,
  contexts: readonly InputContext[],
): { readonly boost: number; readonly contexts: readonly InputContext[] } | null {
  let boost = 0;
  const found: InputContext[] = [];
  for (const context of contexts) {
    const own = selected.get(context.mapping)?.boostOf(context.value) ?? 0;
    if (own === 0) continue;
    found.push(context);
    boost = Math.max(boost, own);
  }
  return found.length === 0 ? null : { boost, contexts: found };
}
