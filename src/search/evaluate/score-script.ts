// Scripts that compute scores: script_score, the functions that these scripts may call, and the checks of their results.
import { parseDurationMs } from '../../common/text/time-unit.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import { parseDistance, parseGeoPoint } from '../../query/geo/geo-point.ts';
import { compileDocScript, currentDocument, type DocScript } from '../../scripting/doc-script.ts';
import type { Implementation } from '../../scripting/java/class-info.ts';
import { ScriptFault } from '../../scripting/java/faults.ts';
import { textOf } from '../../scripting/java/objects.ts';
import type { GeoPoint } from '../../scripting/library/documents/doc-values.ts';
import type { ZonedTime } from '../../scripting/library/time/zoned-time.ts';
import { doubleOf, millisOf } from '../../scripting/numeric-value.ts';
import type { ScriptSpec } from '../../scripting/script-spec.ts';
import type { DocFunction } from '../index-query/index-query.ts';
import type { RewriteContext } from '../shard/rewrite-context.ts';
import { computeColumn } from './column-script.ts';
import { randomOf, saltedSeed } from './random-score.ts';
import { curveOf, distanceMeters } from './score-math.ts';
import { runDocScript, SegmentDocument } from './script-doc.ts';
import { vectorFunctions } from './vector-functions.ts';

/** @throws ApiError script_exception: the script does not compile */
export function compileScoreScript(spec: ScriptSpec, context: Pick<RewriteContext, 'storedScript'>): DocScript {
  return compileDocScript(spec, {
    stored: context.storedScript,
    context: 'score',
    functions: SCORE_FUNCTIONS,
  });
}

/** The result of a script as a score. @param refuse  creates the error for a result that cannot be a score */
export function scoreScript(spec: ScriptSpec, context: RewriteContext, refuse: (score: number, docId: number) => Error): DocFunction {
  const script = compileScoreScript(spec, context);
  const one = (segment: SegmentReader, docId: number, score: number): number => {
    const result = doubleOf(runDocScript(script, context, segment, docId, { score }));
    if (result === null) throw illegalArgumentError('a score script must return a number');
    if (!(result >= 0) || !Number.isFinite(result)) throw refuse(result, docId);
    return result;
  };
  const many = (segment: SegmentReader, docs: Uint32Array, scores: Float32Array): Float64Array | null => {
    let checked = 0;
    const check = (values: Float64Array): void => {
      for (; checked < values.length; checked++) {
        const result = values[checked];
        if (!(result >= 0) || result === Number.POSITIVE_INFINITY) throw refuse(result, docs[checked]);
      }
    };
    const values = computeColumn(script.arithmetic, context.mapping, {
      segment,
      docs,
      scores,
      fallback(index, done) {
        check(done);
        return one(segment, docs[index], scores[index]);
      },
    });
    if (values !== null) check(values);
    return values;
  };
  return Object.assign(one, { many });
}

const SHAPES = { Linear: 'linear', Exp: 'exp', Gauss: 'gauss' } as const;

/** decayNumericLinear(origin, scale, offset, decay, value) and the other decay functions, by signature. */
const DECAYS: Record<string, Implementation> = {};
for (const [name, shape] of Object.entries(SHAPES)) {
  const decay = (scale: number, factor: number, away: number): number => curveOf(shape, scale, factor)(Math.max(0, away));
  DECAYS[`double decayNumeric${name}(double,double,double,double,double)`] = (
    origin: number,
    scale: number,
    offset: number,
    factor: number,
    value: number,
  ) => decay(scale, factor, Math.abs(value - origin) - offset);
  DECAYS[`double decayDate${name}(String,String,String,double,ZonedDateTime)`] = (
    origin: string,
    scale: string,
    offset: string,
    factor: number,
    value: ZonedTime,
  ) => decay(duration(scale), factor, Math.abs((millisOf(value) ?? Number.NaN) - date(origin)) - duration(offset));
  DECAYS[`double decayGeo${name}(String,String,String,double,GeoPoint)`] = (
    origin: string,
    scale: string,
    offset: string,
    factor: number,
    value: GeoPoint,
  ) => decay(parseDistance(scale, 1), factor, distanceMeters(value, parseGeoPoint(origin)) - parseDistance(offset, 1));
}

const utf8 = new TextEncoder();

/** The hash of a seed and of the text of a value, of the document's number if no field is named. */
function randomScore(seed: number, field?: string): number {
  const document = currentDocument();
  if (!(document instanceof SegmentDocument)) throw new ScriptFault('illegal_state_exception', 'randomScore needs an indexed document');
  const value = field === undefined ? document.docId : document.values(field).first();
  return randomOf(utf8.encode(textOf(value)), saltedSeed(seed, document.place));
}

/** Functions that score scripts may call, by signature. */
const SCORE_FUNCTIONS: Readonly<Record<string, Implementation>> = {
  'double saturation(double,double)': (value: number, k: number) => value / (k + value),
  'double sigmoid(double,double,double)': (value: number, k: number, a: number) => value ** a / (k ** a + value ** a),
  'double randomScore(int)': randomScore,
  'double randomScore(int,String)': randomScore,
  ...DECAYS,
  ...vectorFunctions(currentDocument),
};

function date(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new ScriptFault('illegal_argument_exception', `failed to parse date [${text}]`);
  return ms;
}

function duration(text: string): number {
  const ms = text === '0' ? 0 : parseDurationMs(text);
  if (ms === null) throw new ScriptFault('illegal_argument_exception', `failed to parse [${text}] as a time value`);
  return ms;
}
