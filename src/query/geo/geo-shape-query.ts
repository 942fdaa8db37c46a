// Parsers of geo_shape and shape: a shape in the request, or a reference to one in a document.
import { isObject, type JsonObject, tokenOf } from '../../common/json/json-value.ts';
import { illegalArgumentError, parsingError } from '../../errors/catalog.ts';
import { GEO_SHAPE_RULES, parseShape, type Shape, type ShapeRules } from '../../mapping/values/geo-shape-value.ts';
import { PLANE_RULES } from '../../mapping/values/plane-point.ts';
import { readBase } from '../field-body.ts';
import type { GeoShapeQuery } from '../leaf-query.ts';
import type { Query } from '../query.ts';
import { readBoolean } from '../read-json.ts';

const RELATIONS = ['intersects', 'disjoint', 'within', 'contains'] as const;
const SHAPE_TYPES = [
  'point',
  'multipoint',
  'linestring',
  'multilinestring',
  'polygon',
  'multipolygon',
  'envelope',
  'geometrycollection',
  'circle',
];

/** @throws ApiError parsing_exception, illegal_argument_exception, parse_exception: not a shape */
export function parseGeoShapeQuery(body: JsonObject): Query {
  return parseAnyShapeQuery(body, 'geo_shape');
}

/** @throws ApiError parsing_exception, illegal_argument_exception, parse_exception: not a shape */
export function parseShapeQuery(body: JsonObject): Query {
  return parseAnyShapeQuery(body, 'shape');
}

/** Rules for the shapes of a query. */
export function rulesOf(space: GeoShapeQuery['space']): ShapeRules {
  return space === 'shape' ? PLANE_RULES : GEO_SHAPE_RULES;
}

function parseAnyShapeQuery(body: JsonObject, space: GeoShapeQuery['space']): Query {
  let field: string | null = null;
  let shape: Shape | null = null;
  let indexed: GeoShapeQuery['indexed'] = null;
  let relation: GeoShapeQuery['relation'] = 'intersects';
  let ignoreUnmapped = false;
  for (const [key, value] of Object.entries(body)) {
    if (key === 'boost' || key === '_name') continue;
    if (key === 'ignore_unmapped') ignoreUnmapped = readBoolean(value, key);
    else if (isObject(value)) {
      if (field !== null) throw parsingError(`[${space}] point specified twice. [${key}]`);
      field = key;
      for (const [inner, content] of Object.entries(value)) {
        if (inner === 'shape') shape = readShape(content, space);
        else if (inner === 'indexed_shape') indexed = readIndexedShape(content, space);
        else if (inner === 'relation') relation = readRelation(content);
        else if (inner !== 'strategy') throw parsingError(`[${space}] unknown token [START_OBJECT] after [${inner}]`);
      }
    } else throw parsingError(`[${space}] query does not support [${key}]`);
  }
  if (field === null) throw illegalArgumentError('fieldName is required');
  if (shape === null && indexed === null) throw illegalArgumentError('either shape or indexedShapeId is required');
  const base = readBase(space, body);
  // As in Elasticsearch, matches score 0 unless the query has a boost.
  const boost = body['boost'] === undefined ? 0 : base.boost;
  return { kind: 'geo_shape', space, field, shape, indexed, relation, ignoreUnmapped, ...base, boost };
}

function readShape(value: unknown, space: GeoShapeQuery['space']): Shape {
  const type = isObject(value) ? value['type'] : undefined;
  if (typeof type === 'string' && !SHAPE_TYPES.includes(type.toLowerCase())) throw illegalArgumentError(`unknown geo_shape [${type}]`);
  return parseShape(value, rulesOf(space));
}

function readIndexedShape(value: unknown, space: GeoShapeQuery['space']): GeoShapeQuery['indexed'] {
  if (!isObject(value)) throw parsingError(`[${space}] unknown token [${tokenOf(value)}] after [indexed_shape]`);
  for (const key of Object.keys(value))
    if (!['id', 'index', 'path', 'routing'].includes(key)) throw parsingError(`[${space}] unknown token [VALUE_STRING] after [${key}]`);
  const { id, index = 'shapes', path = 'shape', routing = null } = value;
  if (id === undefined) throw illegalArgumentError('ID for indexed shape not provided');
  return { id: String(id), index: String(index), path: String(path), routing: routing === null ? null : String(routing) };
}

function readRelation(value: unknown): GeoShapeQuery['relation'] {
  const name = String(value).toLowerCase();
  const relation = RELATIONS.find((known) => known === name);
  if (!relation) throw parsingError(`Unknown shape operation [${String(value)} ]`);
  return relation;
}
