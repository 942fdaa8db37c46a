// Parser of function_score: functions (weights, field values, decays, random numbers, scripts) that change the score of a query.

import { stringHash } from '../../common/encoding/java-hashes.ts';
import { isObject, type JsonObject, tokenOf } from '../../common/json/json-value.ts';
import { illegalArgumentError, parsingError } from '../../errors/catalog.ts';
import { parseScript } from '../../scripting/script-spec.ts';
import { readBase } from '../field-body.ts';
import { bareEntries, withoutNulls } from '../parameters.ts';
import type { Query, WeightedFunction } from '../query.ts';
import type { QueryParseContext } from '../query-parser.ts';
import { readFloat, readInt, readNumber, readText } from '../read-json.ts';
import type { BoostMode, Modifier, ScoreFunction, ScoreMode } from './score-function.ts';

const SCORE_MODES = new Set(['multiply', 'sum', 'avg', 'first', 'max', 'min']);
const BOOST_MODES = new Set(['multiply', 'replace', 'sum', 'avg', 'max', 'min']);
const MODIFIERS = new Set(['none', 'log', 'log1p', 'log2p', 'ln', 'ln1p', 'ln2p', 'square', 'sqrt', 'reciprocal']);
const FUNCTIONS = new Set(['field_value_factor', 'gauss', 'exp', 'linear', 'random_score', 'script_score', 'weight']);
const MAX_FLOAT = 3.4028234663852886e38;

export function parseFunctionScore(given: JsonObject, context: QueryParseContext): Query {
  const body = withoutNulls(given);
  let query: Query | null = null;
  let functions: WeightedFunction[] | null = null;
  let single: ScoreFunction | null = null;
  let singleName: string | null = null;
  let weight: number | null = null;
  let scoreMode: ScoreMode = 'multiply';
  let boostMode: BoostMode = 'multiply';
  let maxBoost = MAX_FLOAT;
  let minScore: number | null = null;
  for (const [key, value] of Object.entries(body)) {
    if (Array.isArray(value) && key !== 'functions')
      throw parsingError(`failed to parse [function_score] query. array [${key}] is not supported`);
    switch (key) {
      case 'query':
        query = context.inner(value);
        break;
      case 'score_mode':
        scoreMode = readMode(value, SCORE_MODES, 'FunctionScoreQuery.ScoreMode') as ScoreMode;
        break;
      case 'boost_mode':
        boostMode = readMode(value, BOOST_MODES, 'CombineFunction') as BoostMode;
        break;
      case 'max_boost':
        maxBoost = readFloat(value, key);
        break;
      case 'min_score':
        minScore = readFloat(value, key);
        break;
      case 'functions':
        if (singleName !== null) throw bothWays(singleName, key);
        if (!Array.isArray(value))
          throw parsingError(`failed to parse [function_score] query. array of functions expected, found [${tokenOf(value)}]`);
        functions = value.map((item) => readFunction(item, context));
        break;
      case 'boost':
      case '_name':
        break;
      default: {
        if (!FUNCTIONS.has(key)) throw parsingError(`no [function_score] function registered for [${key}]`);
        if (functions) throw bothWays('functions', key);
        if (singleName !== null) throw anotherFunctionError(singleName, key);
        singleName = key;
        if (key === 'weight') weight = readWeight(value);
        else single = readScoreFunction(key, value);
      }
    }
  }
  const all = functions ?? (singleName === null ? [] : [{ filter: null, weight, function: single ?? { kind: 'weight' as const } }]);
  return { kind: 'function_score', query, functions: all, scoreMode, boostMode, maxBoost, minScore, ...readBase('function_score', body) };
}

function bothWays(first: string, second: string) {
  return parsingError(
    `failed to parse [function_score] query. [you can either define [functions] array or a single function, not both. already found [${first}], now encountering [${second}].]`,
  );
}

function anotherFunctionError(first: string, second: string) {
  return parsingError(
    `failed to parse [function_score] query. already found function [${first}], now encountering [${second}]. use [functions] array if you want to define several functions.`,
  );
}

function readWeight(value: unknown): number {
  const weight = readFloat(value, 'weight');
  if (weight < 0) throw illegalArgumentError('[weight] cannot be negative for a filtering function');
  return weight;
}

function readMode(value: unknown, known: ReadonlySet<string>, type: string): string {
  const mode = readText(value, 'function_score').toLowerCase();
  if (!known.has(mode))
    throw illegalArgumentError(`No enum constant org.opensearch.common.lucene.search.function.${type}.${mode.toUpperCase()}`);
  return mode;
}

function readFunction(item: unknown, context: QueryParseContext): WeightedFunction {
  if (!isObject(item))
    throw parsingError(`failed to parse function. expected a [START_OBJECT] while parsing functions but got a [${tokenOf(item)}] instead`);
  let filter: Query | null = null;
  let weight: number | null = null;
  let found: ScoreFunction | null = null;
  for (const [key, value] of bareEntries(item)) {
    if (key === 'filter') filter = context.inner(value);
    else if (key === 'weight') weight = readWeight(value);
    else if (key === '_name') readText(value, key);
    else {
      if (!FUNCTIONS.has(key)) throw parsingError(`no [function_score] function registered for [${key}]`);
      if (found) throw parsingError(`failed to parse function_score functions. already found [${found.kind}], now encountering [${key}].`);
      found = readScoreFunction(key, value);
    }
  }
  if (!found && weight === null) throw parsingError('an entry in functions list is missing a function.');
  return { filter, weight, function: found ?? { kind: 'weight' } };
}

function readScoreFunction(name: string, value: unknown): ScoreFunction {
  if (!isObject(value)) throw parsingError(`[${name}] expects an object, but found [${tokenOf(value)}]`);
  if (name === 'field_value_factor') return readFieldValue(value);
  if (name === 'random_score') return readRandom(value);
  if (name === 'script_score') return readScript(value);
  return readDecay(name as 'gauss' | 'exp' | 'linear', value);
}

function readScript(body: JsonObject): ScoreFunction {
  for (const key of Object.keys(body)) if (key !== 'script') throw parsingError(`script_score query does not support [${key}]`);
  if (body['script'] === undefined) throw parsingError("script_score requires 'script' field");
  return { kind: 'script', script: parseScript(body['script']) };
}

function readFieldValue(body: JsonObject): ScoreFunction {
  let field: string | null = null;
  let factor = 1;
  let modifier: Modifier = 'none';
  let missing: number | null = null;
  if (Array.isArray(body['factor'])) throw parsingError("[field_value_factor] field 'factor' does not support lists or objects");
  for (const [key, value] of bareEntries(body)) {
    if (key === 'field') field = readText(value, key);
    else if (key === 'factor') factor = readFloat(value, key);
    else if (key === 'missing') missing = readNumber(value, key);
    else if (key === 'modifier') {
      const name = readText(value, key).toLowerCase();
      if (!MODIFIERS.has(name)) throw illegalArgumentError(`${name.toUpperCase()} is not a valid modifier`);
      modifier = name as Modifier;
    } else throw parsingError(`field_value_factor query does not support [${key}]`);
  }
  if (field === null) throw parsingError("[field_value_factor] required field 'field' missing");
  return { kind: 'field', field, factor, modifier, missing };
}

function readRandom(body: JsonObject): ScoreFunction {
  let seed: number | null = null;
  let field: string | null = null;
  for (const [key, value] of bareEntries(body)) {
    if (key === 'seed' && (typeof value === 'boolean' || (typeof value === 'number' && !Number.isInteger(value))))
      throw parsingError(
        `random_score seed must be an int${typeof value === 'boolean' ? '/' : ', '}long or string, not '${String(value)}'`,
      );
    if (key === 'seed') seed = typeof value === 'string' ? stringHash(value) : hashLong(readInt(value, key));
    else if (key === 'field') field = readText(value, key);
    else throw parsingError(`random_score query does not support [${key}]`);
  }
  return { kind: 'random', seed: seed === null ? null : seed | 0, field };
}

/** Java's Long.hashCode. */
function hashLong(value: number): number {
  const long = BigInt(value);
  return Number(BigInt.asIntN(32, long ^ (long >> 32n)));
}

const DECAY_MODES = new Set(['min', 'max', 'avg', 'sum']);

function readDecay(shape: 'gauss' | 'exp' | 'linear', body: JsonObject): ScoreFunction {
  let field: string | null = null;
  let options: JsonObject = {};
  let mode: 'min' | 'max' | 'avg' | 'sum' = 'min';
  for (const [key, value] of Object.entries(body)) {
    if (key === 'multi_value_mode') {
      const name = readText(value, key).toLowerCase();
      if (!DECAY_MODES.has(name)) throw illegalArgumentError(`Illegal sort mode: ${name}`);
      mode = name as typeof mode;
    } else if (isObject(value)) {
      field = key;
      options = value;
    } else throw parsingError(`malformed score function score parameters.`);
  }
  if (field === null) throw parsingError('malformed score function score parameters.');
  const unsupported = Object.keys(options).find((key) => !['origin', 'scale', 'offset', 'decay'].includes(key)) ?? null;
  const { origin, scale, offset, decay = 0.5 } = options;
  return { kind: 'decay', shape, field, origin: origin ?? null, scale: scale ?? null, offset: offset ?? null, decay, mode, unsupported };
}
