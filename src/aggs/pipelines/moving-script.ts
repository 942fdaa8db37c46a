// Scripts of moving_fn: Painless with the values of the window and the class MovingFunctions.
import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { defineClass } from '../../scripting/java/class-info.ts';
import type { Value } from '../../scripting/java/values.ts';
import { type CompiledScript, compileScript } from '../../scripting/painless.ts';
import type { ScriptContext } from '../../scripting/script-context.ts';
import { toScript } from '../../scripting/update-script.ts';
import { illegalArgumentError, unsupportedError } from '../errors.ts';
import type { Params } from '../params.ts';
import { deviation, exponentialMean, highest, holt, holtWinters, linearMean, lowest, mean, sum, type Window } from './moving-functions.ts';

defineClass('org.elasticsearch.search.aggregations.pipeline.MovingFunctions', ['java.lang.Object'], {
  members: {
    'static double max(double[])': highest,
    'static double min(double[])': lowest,
    'static double sum(double[])': sum,
    'static double unweightedAvg(double[])': mean,
    'static double stdDev(double[],double)': deviation,
    'static double linearWeightedAvg(double[])': linearMean,
    'static double ewma(double[],double)': exponentialMean,
    'static double holt(double[],double,double)': holt,
    'static double holtWinters(double[],double,double,double,int,boolean)': (
      values: Window,
      alpha: number,
      beta: number,
      gamma: number,
      period: number,
      isMultiplicative: boolean,
    ) => holtWinters(values, { alpha, beta, gamma, period, isMultiplicative }),
  },
});

const MOVING_FUNCTION: ScriptContext = { returns: 'double', variables: { params: 'Map', values: 'double[]' } };

/** A function of a window of values. @throws ApiError script_exception */
export type MovingScript = (values: readonly number[]) => number;

/** @throws ApiError illegal_argument_exception: no script, or one that is stored or not in Painless */
export function movingScript(p: Params): MovingScript {
  const script = p.take('script');
  const given: JsonObject = isObject(script) ? script : { source: script };
  if (given.id !== undefined) throw unsupportedError('a stored script in [moving_fn]');
  const { source, lang = 'painless' } = given;
  if (typeof source !== 'string') throw illegalArgumentError('Required [script]');
  if (lang !== 'painless') throw unsupportedError(`script language [${String(lang)}] in [moving_fn]`);
  const constants = isObject(given.params) ? given.params : {};
  // Compiled during the reduce, where Elasticsearch reports its errors.
  let compiled: CompiledScript | null = null;
  return (values) => {
    compiled ??= compileScript(source, MOVING_FUNCTION);
    const result: Value = compiled.run({ params: toScript(constants), values: Float64Array.from(values) });
    return Number(result);
  };
}
