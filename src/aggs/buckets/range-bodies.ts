// The entries of `ranges`: range, date_range, geo_distance and ip_range have a parser each.
import { DecimalLiteral } from '../../common/json/json-parse.ts';
import { isObject, type JsonObject, tokenOf } from '../../common/json/json-value.ts';
import { ApiError } from '../../errors/api-error.ts';
import { parsingError, xContentError } from '../errors.ts';
import { Params } from '../params.ts';
import { maskRange } from './ip-addresses.ts';

/** A range as the request has it. */
export interface RangeSpec {
  readonly key: string | null;
  readonly from: unknown;
  readonly to: unknown;
  readonly mask: string | null;
}

/** The members of an entry of `ranges`. @throws ApiError illegal_state_exception, x_content_parse_exception: not an object */
function rangeBody(name: string, body: unknown): JsonObject {
  if (Array.isArray(body)) throw new ApiError('illegal_state_exception', 400, 'expected value but got [START_ARRAY]');
  if (!isObject(body)) throw xContentError(`[${name}] Expected START_OBJECT but was: ${tokenOf(body)}`);
  return body;
}

/** @param name  of the parser, for its errors */
export function parseRange(name: string, body: unknown): RangeSpec {
  const inner = new Params(name, rangeBody(name, body));
  const range = { key: inner.string('key'), from: rangeEnd(inner, 'from'), to: rangeEnd(inner, 'to'), mask: null };
  for (const shown of ['from_as_string', 'to_as_string']) {
    const text = inner.string(shown);
    if (text !== null && shown === 'from_as_string') range.from = text;
    else if (text !== null) range.to = text;
  }
  inner.done();
  return range;
}

const GEO_RANGE_KEYS: Readonly<Record<string, readonly string[]>> = {
  key: ['string'],
  from: ['number', 'string'],
  to: ['number', 'string'],
};

/** A range of geo_distance, whose parser ends at the first member that it does not expect. */
export function parseGeoRange(body: unknown): RangeSpec {
  if (isObject(body))
    for (const [key, value] of Object.entries(body)) {
      if (value === null) continue;
      if (typeof value === 'boolean' || (typeof value === 'object' && !(value instanceof DecimalLiteral)))
        throw parsingError(`Failed to parse object: unexpected token [${tokenOf(value)}] found`);
      const kinds = Object.hasOwn(GEO_RANGE_KEYS, key) ? GEO_RANGE_KEYS[key] : [];
      if (!kinds.includes(typeof value === 'string' ? 'string' : 'number'))
        throw parsingError(`Failed to parse object: unknown field [${key}] found`);
    }
  // Members that are null count as absent.
  return parseRange(
    'geo_distance range',
    isObject(body) ? Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)) : body,
  );
}

/** A number, a string or nothing. @throws ApiError x_content_parse_exception: something else */
function rangeEnd(inner: Params, key: string): unknown {
  const value = inner.take(key) ?? null;
  if (typeof value === 'boolean' || typeof value === 'object') if (value !== null) throw inner.wrongTypeError(key, value);
  return value;
}

const IP_RANGE_KEYS: readonly string[] = ['key', 'from', 'to', 'mask'];

/** @throws ApiError: an unknown key, or a mask that is none */
export function parseIpRange(typeName: string, body: unknown): RangeSpec {
  if (!isObject(body)) throw parsingError(`[ranges] must contain objects, but hit a ${tokenOf(body)}`);
  for (const key of Object.keys(body)) if (!IP_RANGE_KEYS.includes(key)) throw parsingError(`Unexpected ip range parameter: [${key}]`);
  const text = (key: string): string | null => {
    const value = body[key] ?? null;
    if (value !== null && typeof value !== 'string')
      throw new ApiError('illegal_state_exception', 400, `Can't get text on a ${tokenOf(value)}`);
    return value;
  };
  const range = { key: text('key'), from: text('from'), to: text('to'), mask: text('mask') };
  if (range.mask !== null) maskRange(typeName, range.mask);
  return range;
}
