// Rewriting of queries that compute scores: scripts, features, distances.

import { decodeGeoPoint } from '../../common/encoding/geo-encoding.ts';
import { minOf } from '../../common/large-lists.ts';
import { javaDouble } from '../../common/text/java-text.ts';
import { parseDurationMs } from '../../common/text/time-unit.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { FieldType } from '../../mapping/core/field-type.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import { parseDistance, parseGeoPoint } from '../../query/geo/geo-point.ts';
import type { FeatureFunction } from '../../query/leaf-query.ts';
import type { Query } from '../../query/query.ts';
import { compileDocScript } from '../../scripting/doc-script.ts';
import type { ScriptSpec } from '../../scripting/script-spec.ts';
import { computeColumn } from '../evaluate/column-script.ts';
import { distanceMeters } from '../evaluate/score-math.ts';
import { scoreScript } from '../evaluate/score-script.ts';
import { runDocScript } from '../evaluate/script-doc.ts';
import { constant, type DocFunction, type FunctionScoreIndexQuery, type IndexQuery, none } from '../index-query/index-query.ts';
import { termOfText } from '../index-query/term.ts';
import { fieldOf, type RewriteContext, requireExpensive, rewriteError } from '../shard/rewrite-context.ts';

export function rewriteScript(spec: ScriptSpec, context: RewriteContext): IndexQuery {
  requireExpensive(context, '[script] queries');
  const script = compileDocScript(spec, { stored: context.storedScript, context: 'filter' });
  const matches = (segment: SegmentReader, docId: number): boolean => {
    const result = runDocScript(script, context, segment, docId);
    // The expression language has numbers only.
    if (typeof result === 'number') return result !== 0;
    if (typeof result !== 'boolean') throw illegalArgumentError('a filter script must return a boolean');
    return result;
  };
  return constant({
    op: 'scriptFilter',
    label: `ScriptQuery(${spec.source ?? spec.id})`,
    nestedPath: context.nestedPath,
    matches,
    matchesMany: (segment, docs) => {
      const fallback = (index: number): number => Number(matches(segment, docs[index]));
      return computeColumn(script.arithmetic, context.mapping, { segment, docs, scores: null, fallback });
    },
  });
}

type ScriptScore = Extract<Query, { kind: 'script_score' }>;

/** @param inner  the rewritten query whose documents the script scores */
export function rewriteScriptScore(query: ScriptScore, inner: IndexQuery, context: RewriteContext): IndexQuery {
  requireExpensive(context, '[script score] queries');
  const value = scoreScript(query.script, context, (score, docId) =>
    illegalArgumentError(`script_score script returned an invalid score [${score}] for doc [${docId}]. Must be a non-negative score!`),
  );
  return scored(inner, value, context, query.minScore);
}

/** Documents of a query, scored by a function. */
function scored(query: IndexQuery, value: DocFunction, context: RewriteContext, minScore: number | null = null): FunctionScoreIndexQuery {
  return {
    op: 'functionScore',
    query,
    functions: [{ filter: null, weight: null, value }],
    scoreMode: 'first',
    boostMode: 'replace',
    maxBoost: Number.POSITIVE_INFINITY,
    minScore,
    nestedPath: context.nestedPath,
    boosts: 'result',
  };
}

type RankFeature = Extract<Query, { kind: 'rank_feature' }>;

export function rewriteRankFeature(query: RankFeature, context: RewriteContext): IndexQuery {
  const type = fieldOf(context, query.field);
  const [parent, feature] = type ? [type, query.field] : splitFeature(query.field, context);
  if (!parent) return none(`unmapped field [${query.field}]`);
  if (parent.typeName !== 'rank_feature' && parent.typeName !== 'rank_features') {
    throw illegalArgumentError(
      `[rank_feature] query only works on [rank_feature] fields and features of [rank_features] fields, not [${parent.typeName}]`,
    );
  }
  const isPositive = parent.params['positive_score_impact'] !== false;
  const { function: spec } = query;
  if (!isPositive && spec.kind === 'log') {
    throw illegalArgumentError(
      `Cannot use the [log] function with a field that has a negative score impact as it would trigger negative scores`,
    );
  }
  return { op: 'feature', term: termOfText(parent.spec.name, feature), scoreOf: (pivot) => featureScore(spec, pivot) };
}

/** The rank_features field of `field.feature`, and the name of the feature. */
function splitFeature(name: string, context: RewriteContext): [FieldType | null, string] {
  const dot = name.lastIndexOf('.');
  return dot < 0 ? [null, name] : [fieldOf(context, name.slice(0, dot)), name.slice(dot + 1)];
}

/** Formulas of Lucene's FeatureField, in its float and double steps. @param pivot  default pivot of saturation */
function featureScore(spec: FeatureFunction, pivot: number): (value: number) => number {
  const { fround } = Math;
  switch (spec.kind) {
    case 'saturation': {
      const k = spec.pivot ?? pivot;
      return (value) => fround(1 - fround(k / fround(value + k)));
    }
    case 'log':
      return (value) => fround(Math.log(fround(spec.scalingFactor + value)));
    case 'sigmoid': {
      const power = spec.pivot ** spec.exponent;
      return (value) => fround(1 - power / (value ** spec.exponent + power));
    }
    case 'linear':
      return (value) => value;
  }
}

type DistanceFeature = Extract<Query, { kind: 'distance_feature' }>;

export function rewriteDistanceFeature(query: DistanceFeature, context: RewriteContext): IndexQuery {
  const type = fieldOf(context, query.field);
  if (!type) return none(`unmapped field [${query.field}]`);
  const { name } = type.spec;
  const distance =
    type.family === 'date' ? dateDistance(query, type, context) : type.family === 'geo_point' ? geoDistance(query, type) : null;
  if (distance === null) {
    throw illegalArgumentError(
      `Illegal data type of [${type.typeName}]![distance_feature] query can only be run on a date, date_nanos or geo_point field type!`,
    );
  }
  const { pivot, measure } = distance;
  if (!(pivot > 0))
    throw rewriteError(
      context,
      `failed to create query: pivotDistance must be > 0, got ${type.family === 'date' ? pivot : javaDouble(pivot)}`,
    );
  const value: DocFunction = (segment, docId) => {
    const nearest = minOf(segment.values(name, docId).map(measure));
    return pivot / (pivot + nearest);
  };
  return { ...scored({ op: 'existsColumn', field: name }, value, context), boosts: 'value' };
}

interface Distance {
  readonly pivot: number;
  /** The distance of a raw value from the origin, in the unit of the pivot. */
  readonly measure: (raw: bigint | number) => number;
}

function dateDistance(query: DistanceFeature, type: FieldType, context: RewriteContext): Distance {
  const pivotMs = parseDurationMs(query.pivot);
  if (pivotMs === null) {
    throw illegalArgumentError(
      `failed to parse setting [pivot] with value [${query.pivot}] as a time value: unit is missing or unrecognized`,
    );
  }
  const bounds = type.rangeBounds({
    from: null,
    to: query.origin,
    includeFrom: true,
    includeTo: true,
    format: null,
    timeZone: null,
    nowMs: context.nowMs,
  });
  if (bounds.kind !== 'i64') throw illegalArgumentError(`origin [${String(query.origin)}] is not a date`);
  const origin = bounds.max;
  const perMs = type.typeName === 'date_nanos' ? 1e6 : 1;
  return { pivot: pivotMs * perMs, measure: (raw) => Math.abs(Number(BigInt(raw) - origin)) };
}

function geoDistance(query: DistanceFeature, type: FieldType): Distance {
  void type;
  const origin = parseGeoPoint(query.origin);
  return { pivot: parseDistance(query.pivot, 1), measure: (raw) => distanceMeters(origin, decodeGeoPoint(BigInt(raw))) };
}
