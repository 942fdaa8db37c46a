// bucket_script and bucket_selector: a script over figures of each bucket, passed as members of `params`.
import { jsonDouble } from '../../common/json/json-float.ts';
import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { CONTEXTS } from '../../scripting/contexts.ts';
import { Double, type Value } from '../../scripting/java/values.ts';
import { doubleOf } from '../../scripting/numeric-value.ts';
import { type CompiledScript, compileScript } from '../../scripting/painless.ts';
import { toScript } from '../../scripting/update-script.ts';
import { illegalArgumentError, parsingError, unsupportedError } from '../errors.ts';
import type { Params } from '../params.ts';
import { MetricOut, type OutBucket } from '../reduce/out.ts';
import type { PipelineSpec } from '../types.ts';
import { figureAt, noFigureError, parsePath } from './bucket-path.ts';
import { type PipelineBody, withGap } from './pipeline-body.ts';

/** `buckets_path` of a script: names to paths. */
export function scriptPaths(raw: unknown, name: string): Map<string, string> {
  if (typeof raw === 'string') return new Map([['_value', raw]]);
  if (Array.isArray(raw)) return new Map(raw.map((path, i) => [`_value${i}`, String(path)]));
  if (isObject(raw) && Object.values(raw).every((path) => typeof path === 'string'))
    return new Map(Object.entries(raw as Record<string, string>));
  throw parsingError(`Missing required field [buckets_path] for aggregation [${name}]`);
}

interface BucketScript {
  /** @throws ApiError script_exception */
  run(figures: Readonly<Record<string, number>>): number | boolean | null;
}

/** @throws ApiError illegal_argument_exception: no script, or an unsupported one */
function compile(p: Params, context: 'bucket_aggregation' | 'aggregation_selector'): BucketScript {
  const script = p.take('script');
  const source = isObject(script) ? script.source : script;
  if (isObject(script) && script.id !== undefined) throw unsupportedError('a stored script in a pipeline aggregation');
  if (typeof source !== 'string') throw illegalArgumentError(`Required [script]`);
  const lang = isObject(script) ? (script.lang ?? 'painless') : 'painless';
  if (lang !== 'painless') throw unsupportedError(`script language [${String(lang)}] in a pipeline aggregation`);
  const constants = isObject(script) && isObject(script.params) ? script.params : {};
  // Compiled during the reduce, where Elasticsearch reports its errors.
  let compiled: CompiledScript | null = null;
  return {
    run(figures) {
      compiled ??= compileScript(source, CONTEXTS[context]);
      const params = toScript(constants) as Map<Value, Value>;
      for (const [name, value] of Object.entries(figures)) params.set(name, new Double(value));
      return numberOf(compiled.run({ params }), source);
    },
  };
}

/** A script's result as a plain number; booleans and null unchanged. @throws ApiError illegal_argument_exception: any other type */
function numberOf(value: unknown, source: string): number | boolean | null {
  if (typeof value === 'boolean' || value === null) return value;
  const number = doubleOf(value);
  if (number !== null) return number;
  throw illegalArgumentError(`script [${source}] must return a Number`);
}

function figuresOf(bucket: OutBucket, paths: ReadonlyMap<string, string>, body: PipelineBody): Record<string, number> {
  const figures: Record<string, number> = {};
  for (const [name, path] of paths) {
    const steps = parsePath(path);
    const figure = figureAt(bucket, steps);
    if (figure === undefined) throw noFigureError(bucket.aggs, steps, path, body.dialect);
    setOwn(figures, name, withGap(figure, bucket.docCount, body.gap, path === '_count' || path.endsWith('_bucket_count')));
  }
  return figures;
}

type ScriptedPipeline = (p: Params, body: PipelineBody, paths: ReadonlyMap<string, string>) => NonNullable<PipelineSpec['parent']>;

const bucketScript: ScriptedPipeline = (p, body, paths) => {
  const script = compile(p, 'bucket_aggregation');
  return (buckets) => {
    for (const bucket of buckets) {
      const figures = figuresOf(bucket, paths, body);
      if (Object.values(figures).some(Number.isNaN)) continue;
      const result = script.run(figures);
      if (result === null) continue;
      if (typeof result === 'boolean')
        throw illegalArgumentError(`series_arithmetic script for reducer [${body.name}] must return a Number`);
      const shown = Number.isFinite(result) ? result : null;
      const text = body.text(shown);
      const json: JsonObject = { value: jsonDouble(shown), ...(text === null ? {} : { value_as_string: text }) };
      bucket.aggs.set(body.name, new MetricOut(body, 'simple_value', json, { '': shown, value: shown }));
    }
    return buckets;
  };
};

const bucketSelector: ScriptedPipeline = (p, body, paths) => {
  const script = compile(p, 'aggregation_selector');
  return (buckets) => buckets.filter((bucket) => script.run(figuresOf(bucket, paths, body)) === true);
};

export const SCRIPTED_PIPELINES: Readonly<Record<string, ScriptedPipeline>> = {
  bucket_script: bucketScript,
  bucket_selector: bucketSelector,
};
