// Parses `aggs` of a request body to an AggSpec tree: names, types, nesting, pipelines in order. Each type reads its own parameters.
import { isObject, type JsonObject, tokenOf } from '../common/json/json-value.ts';
import { writeJson } from '../common/json/json-write.ts';
import { noSubAggregationsError, parsingError, unsupportedError } from './errors.ts';
import { isPipeline, orderPipelines, parsePipeline } from './pipelines/pipelines.ts';
import { validatePipelines } from './pipelines/validate.ts';
import { aggType, KNOWN_ELSEWHERE, unknownTypeError } from './registry.ts';
import type { AggSpec, AggType, ParseContext, ParsedQuery, PipelineSpec } from './types.ts';

/** A parsed `aggs` body. */
export interface AggTree {
  readonly children: readonly AggSpec[];
  readonly pipelines: readonly PipelineSpec[];
  /** True if the tree needs scores (samplers, top hits by score). */
  readonly needsScores: boolean;
  /** All queries in the tree. */
  readonly queries: readonly ParsedQuery[];
  /** Replacements of queries whose values had to be looked up. */
  readonly resolved?: ReadonlyMap<ParsedQuery, ParsedQuery>;
}

/** Deeper trees are refused: every level costs stack. */
const MAX_DEPTH = 100;

/** @throws ApiError parsing_exception, illegal_argument_exception, x_content_parse_exception, ... with Elasticsearch's messages */
export function parseAggregations(body: unknown, ctx: ParseContext): AggTree {
  if (!isObject(body)) throw parsingError(`Unknown key for a ${tokenOf(body)} in [aggs].`);
  const queries: ParsedQuery[] = [];
  const collecting: ParseContext = {
    ...ctx,
    parseQuery(json) {
      const query = ctx.parseQuery(json);
      queries.push(query);
      return query;
    },
  };
  const { children, pipelines } = parseLevel(body, collecting, 1);
  const all = flatten(children);
  const ordered = orderPipelines(pipelines);
  validatePipelines({ children, pipelines: ordered }, ctx.dialect);
  return { children, pipelines: ordered, needsScores: all.some(wantsScores), queries };
}

function flatten(specs: readonly AggSpec[]): AggSpec[] {
  return specs.flatMap((spec) => [spec, ...flatten(spec.children)]);
}

function wantsScores(spec: AggSpec): boolean {
  if (spec.typeName === 'sampler' || spec.typeName === 'diversified_sampler') return true;
  const params = spec.params as JsonObject;
  return (
    (spec.typeName === 'top_hits' || spec.typeName === 'top_metrics') &&
    (params.sort === undefined || params.track_scores === true || writeJson(params.sort).includes('_score'))
  );
}

function parseLevel(body: JsonObject, ctx: ParseContext, depth: number): { children: AggSpec[]; pipelines: PipelineSpec[] } {
  if (depth > MAX_DEPTH) throw parsingError(`aggregations are nested deeper than [${MAX_DEPTH}] levels`);
  const children: AggSpec[] = [];
  const pipelines: PipelineSpec[] = [];
  for (const [name, definition] of Object.entries(body)) {
    if (!/^[^[\]>]+$/.test(name)) {
      throw parsingError(`Invalid aggregation name [${name}]. Aggregation names can contain any character except '[', ']', and '>'`);
    }
    if (!isObject(definition))
      throw parsingError(`Aggregation definition for [${name} starts with a [${tokenOf(definition)}], expected a [START_OBJECT].`);
    const parsed = parseOne(name, definition, ctx, depth);
    if ('type' in parsed) children.push(parsed);
    else pipelines.push(parsed);
  }
  return { children, pipelines };
}

function parseOne(name: string, definition: JsonObject, ctx: ParseContext, depth: number): AggSpec | PipelineSpec {
  let typeName: string | null = null;
  let meta: JsonObject | null = null;
  let below: JsonObject | null = null;
  for (const [key, value] of Object.entries(definition)) {
    if (key === 'meta') {
      if (value !== null && !isObject(value))
        throw parsingError(`Expected [START_OBJECT] under [meta], but got a [${tokenOf(value)}] in [${name}]`);
      meta = value as JsonObject | null;
    } else if (key === 'aggs' || key === 'aggregations') {
      if (below) throw parsingError(`Found two sub aggregation definitions under [${name}]`);
      if (!isObject(value)) throw parsingError(`Expected [START_OBJECT] under [${key}], but got a [${tokenOf(value)}] in [${name}]`);
      below = value;
    } else {
      if (!isObject(value)) throw parsingError(`Expected [START_OBJECT] under [${key}], but got a [${tokenOf(value)}] in [${name}]`);
      if (typeName !== null) throw parsingError(`Found two aggregation type definitions in [${name}]: [${typeName}] and [${key}]`);
      typeName = key;
    }
  }
  if (typeName === null) throw parsingError(`Missing definition for aggregation [${name}]`);
  const body = definition[typeName];
  if (isPipeline(typeName)) {
    const pipeline = parsePipeline(name, typeName, body, meta, ctx.dialect);
    if (below && Object.keys(below).length > 0) throw noSubAggregationsError(name, typeName, ctx.dialect);
    return pipeline;
  }
  const type = aggType(typeName);
  if (!type) throw KNOWN_ELSEWHERE.has(typeName) ? unsupportedError(`aggregation type [${typeName}]`) : unknownTypeError(typeName);
  return specOf(name, typeName, type, body, meta, below, ctx, depth);
}

function specOf(
  name: string,
  typeName: string,
  type: AggType,
  body: unknown,
  meta: JsonObject | null,
  below: JsonObject | null,
  ctx: ParseContext,
  depth: number,
): AggSpec {
  const params = type.parse(name, typeName, body, ctx);
  if (!type.isBucket && below && Object.keys(below).length > 0) {
    throw noSubAggregationsError(name, typeName, ctx.dialect);
  }
  const level = below ? parseLevel(below, ctx, depth + 1) : { children: [], pipelines: [] };
  return { name, type, typeName, params, meta, children: level.children, pipelines: orderPipelines(level.pipelines) };
}
