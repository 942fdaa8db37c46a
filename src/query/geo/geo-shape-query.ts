// Parser of geo_shape: a shape in the request, or a reference to one in a document.
import { isObject, type JsonObject, tokenOf } from '../../common/json/json-value.ts';
import { illegalArgumentError, parsingError } from '../../errors/catalog.ts';
import { parseGeoShape, type Shape } from '../../mapping/values/geo-shape-value.ts';
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
  let field: string | null = null;
  let shape: Shape | null = null;
  let indexed: GeoShapeQuery['indexed'] = null;
  let relation: GeoShapeQuery['relation'] = 'intersects';
  let ignoreUnmapped = false;
  for (const [key, value] of Object.entries(body)) {
    if (key === 'boost' || key === '_name') continue;
    if (key === 'ignore_unmapped') ignoreUnmapped = readBoolean(value, key);
    else if (isObject(value)) {
      if (field !== null) throw parsingError(`[geo_shape] point specified twice. [${key}]`);
      field = key;
      for (const [inner, content] of Object.entries(value)) {
        if (inner === 'shape') shape = readShape(content);
        else if (inner === 'indexed_shape') indexed = readIndexedShape(content);
        else if (inner === 'relation') relation = readRelation(content);
        else if (inner !== 'strategy') throw parsingError(`[geo_shape] unknown token [START_OBJECT] after [${inner}]`);
      }
    } else throw parsingError(`[geo_shape] query does not support [${key}]`);
  }
  if (field === null) throw illegalArgumentError('fieldName is required');
  if (shape === null && indexed === null) throw illegalArgumentError('either shape or indexedShapeId is required');
  return { kind: 'geo_shape', field, shape, indexed, relation, ignoreUnmapped, ...readBase('geo_shape', body) };
}

function readShape(value: unknown): Shape {
  const type = isObject(value) ? value['type'] : undefined;
  if (typeof type === 'string' && !SHAPE_TYPES.includes(type.toLowerCase())) throw illegalArgumentError(`unknown geo_shape [${type}]`);
  return parseGeoShape(value);
}

function readIndexedShape(value: unknown): GeoShapeQuery['indexed'] {
  if (!isObject(value)) throw parsingError(`[geo_shape] unknown token [${tokenOf(value)}] after [indexed_shape]`);
  for (const key of Object.keys(value))
    if (!['id', 'index', 'path', 'routing'].includes(key)) throw parsingError(`[geo_shape] unknown token [VALUE_STRING] after [${key}]`);
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
