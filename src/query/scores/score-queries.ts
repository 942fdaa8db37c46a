// Parsers of queries that compute scores: script, script_score, rank_feature, distance_feature.

import { isObject, type JsonObject, tokenOf } from '../../common/json/json-value.ts';
import { illegalArgumentError, parsingError } from '../../errors/catalog.ts';
import { parseScript, type ScriptSpec } from '../../scripting/script-spec.ts';
import { readBase } from '../field-body.ts';
import { parseGeoPoint } from '../geo/geo-point.ts';
import type { FeatureFunction } from '../leaf-query.ts';
import { BASE_KINDS, ObjectParser } from '../parameters.ts';
import type { Query } from '../query.ts';
import type { QueryParseContext, QueryParser } from '../query-parser.ts';
import { readFloat, readText } from '../read-json.ts';

export const SCORE_PARSERS: Readonly<Record<string, QueryParser>> = {
  script: parseScriptQuery,
  script_score: parseScriptScore,
  rank_feature: parseRankFeature,
  distance_feature: parseDistanceFeature,
};

function parseScriptQuery(body: JsonObject): Query {
  let script: ScriptSpec | null = null;
  for (const [key, value] of Object.entries(body)) {
    if (Array.isArray(value)) {
      throw parsingError(
        'query name not yet supported: array of scripts. If this is your intention, use a bool query with a [must] clause of script queries',
      );
    }
    if (key === 'script') script = parseScript(value);
    else if (key !== 'boost' && key !== '_name') throw parsingError(`[script] query does not support [${key}]`);
  }
  if (script === null) throw parsingError('script must be provided with a [script] query');
  return { kind: 'script', script, ...readBase('script', body) };
}

const SCRIPT_SCORE = new ObjectParser('script_score', { query: 'object', script: 'object', min_score: 'number', ...BASE_KINDS });

function parseScriptScore(body: JsonObject, context: QueryParseContext): Query {
  let query: Query | null = null;
  let script: ScriptSpec | null = null;
  let minScore: number | null = null;
  SCRIPT_SCORE.check(body);
  for (const [key, value] of Object.entries(body)) {
    if (key === 'query') query = SCRIPT_SCORE.read(key, () => context.inner(value));
    else if (key === 'script') script = SCRIPT_SCORE.read(key, () => parseScript(value));
    else if (key === 'min_score') minScore = SCRIPT_SCORE.read(key, () => readFloat(value, key));
  }
  if (query === null) throw illegalArgumentError('Required [query]');
  if (script === null) throw illegalArgumentError('Required [script]');
  return { kind: 'script_score', query, script, minScore, ...readBase('script_score', body, SCRIPT_SCORE) };
}

const FUNCTIONS: Readonly<Record<string, (body: JsonObject) => FeatureFunction>> = {
  saturation: (body) => ({ kind: 'saturation', pivot: optional('saturation', body, 'pivot') }),
  log: (body) => ({ kind: 'log', scalingFactor: required('log', body, 'scaling_factor') }),
  sigmoid: (body) => ({ kind: 'sigmoid', pivot: required('sigmoid', body, 'pivot'), exponent: required('sigmoid', body, 'exponent') }),
  linear: () => ({ kind: 'linear' }),
};

function optional(name: string, body: JsonObject, key: string): number | null {
  for (const other of Object.keys(body))
    if (!['pivot', 'scaling_factor', 'exponent'].includes(other)) throw parsingError(`[${name}] unknown field [${other}]`);
  return body[key] === undefined ? null : readFloat(body[key], key);
}

function required(name: string, body: JsonObject, key: string): number {
  const value = optional(name, body, key);
  if (value === null) throw illegalArgumentError(`Required [${key}]`);
  return value;
}

function parseRankFeature(body: JsonObject): Query {
  let field: string | null = null;
  let found: FeatureFunction | null = null;
  for (const [key, value] of Object.entries(body)) {
    if (key === 'field') field = readText(value, key);
    else if (Object.hasOwn(FUNCTIONS, key)) {
      if (!isObject(value)) throw parsingError(`[rank_feature] ${key} doesn't support values of type: ${tokenOf(value)}`);
      if (found) throw illegalArgumentError('Can only specify one of [log], [saturation], [sigmoid] and [linear]');
      found = FUNCTIONS[key](value);
    } else if (key !== 'boost' && key !== '_name') throw parsingError(`[rank_feature] unknown field [${key}]`);
  }
  if (field === null) throw illegalArgumentError('Required [field]');
  return { kind: 'rank_feature', field, function: found ?? { kind: 'saturation', pivot: null }, ...readBase('rank_feature', body) };
}

const DISTANCE_FEATURE = new ObjectParser('distance_feature', { field: 'string', origin: 'pointOrDate', pivot: 'string', ...BASE_KINDS });

function parseDistanceFeature(body: JsonObject): Query {
  DISTANCE_FEATURE.check(body);
  const { field, origin, pivot } = body;
  for (const [name, value] of Object.entries({ field, origin, pivot }))
    if (value === undefined) throw illegalArgumentError(`Required [${name}]`);
  return {
    kind: 'distance_feature',
    field: readText(field, 'field'),
    origin: typeof origin === 'object' ? DISTANCE_FEATURE.read('origin', () => parseGeoPoint(origin)) : origin,
    pivot: readText(pivot, 'pivot'),
    ...readBase('distance_feature', body, DISTANCE_FEATURE),
  };
}
