// Scripts that compute scores: script_score, the functions that these scripts may call, and the checks of their results.
import { parseDurationMs } from '../../common/time-unit.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { parseDistance, parseGeoPoint } from '../../query/geo-point.ts';
import { doubleOf, millisOf } from '../../scripting/dates.ts';
import { compileDocScript, type DocScript, type ScriptDocument } from '../../scripting/doc-script.ts';
import type { HostFunction } from '../../scripting/evaluator.ts';
import type { ScriptSpec } from '../../scripting/script-spec.ts';
import { Double, type HostObject, ScriptFault, type Value } from '../../scripting/syntax-tree.ts';
import type { DocFunction } from '../index-query/index-query.ts';
import type { RewriteContext } from '../shard/rewrite-context.ts';
import { curveOf, distanceMeters, murmur32 } from './score-math.ts';
import { runDocScript } from './script-doc.ts';

/** @throws ApiError script_exception: the script does not compile */
function compileScoreScript(spec: ScriptSpec, context: RewriteContext): DocScript {
  return compileDocScript(spec, { stored: context.storedScript, variables: ['_score'], functions: scoreFunctions });
}

/** The result of a script as a score. @param refuse  creates the error for a result that cannot be a score */
export function scoreScript(spec: ScriptSpec, context: RewriteContext, refuse: (score: number, docId: number) => Error): DocFunction {
  const script = compileScoreScript(spec, context);
  return (segment, docId, score) => {
    const result = doubleOf(runDocScript(script, context, segment, docId, { score }));
    if (result === null) throw illegalArgumentError('a score script must return a number');
    if (!(result >= 0) || !Number.isFinite(result)) throw refuse(result, docId);
    return result;
  };
}

function scoreFunctions(document: () => ScriptDocument): Readonly<Record<string, HostFunction>> {
  void document;
  return {
    saturation: ([value, k]) => new Double(num(value) / (num(k) + num(value))),
    sigmoid: ([value, k, a]) => {
      const power = num(value) ** num(a);
      return new Double(power / (num(k) ** num(a) + power));
    },
    randomScore: ([seed]) => new Double((murmur32(num(seed) | 0, 0) & 0x00ffffff) / 2 ** 24),
    ...decays('Numeric', (value, origin) => Math.abs(num(value) - num(origin)), num),
    ...decays('Date', (value, origin) => Math.abs(date(value) - date(origin)), duration),
    ...decays(
      'Geo',
      (value, origin) => distanceMeters(point(value), point(origin)),
      (text) => parseDistance(String(text), 1),
    ),
  };
}

const SHAPES = { Linear: 'linear', Exp: 'exp', Gauss: 'gauss' } as const;

/**
 * decayNumericLinear(origin, scale, offset, decay, value) and the other decay functions.
 * @param measure  converts scale and offset
 */
function decays(
  kind: 'Numeric' | 'Date' | 'Geo',
  distance: (value: Value, origin: Value) => number,
  measure: (value: Value) => number,
): Record<string, HostFunction> {
  const functions: Record<string, HostFunction> = {};
  for (const [name, shape] of Object.entries(SHAPES)) {
    functions[`decay${kind}${name}`] = ([origin, scale, offset, decay, value]) => {
      const away = Math.max(0, distance(value, origin) - measure(offset));
      return new Double(curveOf(shape, measure(scale), num(decay))(away));
    };
  }
  return functions;
}

function num(value: Value): number {
  const number = doubleOf(value);
  if (number === null) throw new ScriptFault('class_cast_exception', 'a number is expected');
  return number;
}

function date(value: Value): number {
  const ms = typeof value === 'string' ? Date.parse(value) : (millisOf(value) ?? doubleOf(value) ?? Number.NaN);
  if (Number.isNaN(ms)) throw new ScriptFault('illegal_argument_exception', `failed to parse date [${String(value)}]`);
  return ms;
}

function duration(value: Value): number {
  const text = String(value);
  const ms = text === '0' ? 0 : parseDurationMs(text);
  if (ms === null) throw new ScriptFault('illegal_argument_exception', `failed to parse [${text}] as a time value`);
  return ms;
}

function point(value: Value): { lat: number; lon: number } {
  if (typeof value === 'string') return parseGeoPoint(value);
  const { lat, lon } = (value as HostObject).fields;
  return { lat: num(lat), lon: num(lon) };
}
