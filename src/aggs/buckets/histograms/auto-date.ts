// auto_date_histogram: the finest interval of a fixed list that yields at most `buckets` buckets. Kernels return distinct times; the rounding is
// chosen for each parent bucket once the values of all segments are known.

import type { JsonObject } from '../../../common/json/json-value.ts';
import { asCause } from '../../../errors/api-error.ts';
import type { AggNode } from '../../../plan/agg-plan.ts';
import { type CalendarUnit, calendarRounding, type Rounding, UTC } from '../../dates/rounding.ts';
import { type TimeZone, timeZone } from '../../dates/time-zone.ts';
import { illegalArgumentError, xContentError } from '../../errors.ts';
import { formatOf } from '../../metrics/numeric.ts';
import { Params } from '../../params.ts';
import { runParentPipelines } from '../../pipelines/run.ts';
import { columnsOf, mergeBuckets, mergeChildren } from '../../reduce/merge.ts';
import { BucketsOut, type OutBucket } from '../../reduce/out.ts';
import { bindSource, columnOf, millisecondsOf, parseSource, type SourceParams, type ValuesSource } from '../../source.ts';
import type { AggSpec, AggType, Slice } from '../../types.ts';
import { positive } from '../terms/terms.ts';

/** Units, each with the numbers of units that a bucket may span. */
const STEPS: ReadonlyArray<{ readonly unit: CalendarUnit; readonly letter: string; readonly inner: readonly number[] }> = [
  { unit: 'second', letter: 's', inner: [1, 5, 10, 30] },
  { unit: 'minute', letter: 'm', inner: [1, 5, 10, 30] },
  { unit: 'hour', letter: 'h', inner: [1, 3, 12] },
  { unit: 'day', letter: 'd', inner: [1, 7] },
  { unit: 'month', letter: 'M', inner: [1, 3] },
  { unit: 'year', letter: 'y', inner: [1, 5, 10, 20, 50, 100] },
];

/** Maximum number of units in a bucket: while the interval is being chosen, there are up to this many starts per bucket. */
const MAX_INNER = 30;

interface AutoParams {
  readonly source: SourceParams;
  readonly buckets: number;
  readonly firstStep: number;
  readonly zone: TimeZone;
}

/** Starts of the buckets of one parent, and the name of their interval. */
interface Choice {
  readonly starts: readonly number[];
  readonly interval: string;
}

function choose({ buckets, firstStep, zone }: AutoParams, min: number, max: number): Choice {
  for (let s = firstStep; ; s++) {
    const { unit, letter, inner } = STEPS[s];
    const rounding = calendarRounding(unit, zone, 0);
    const most = inner[inner.length - 1];
    const starts = startsOf(rounding, min, max, buckets * most + 1);
    if (s < STEPS.length - 1 && starts.length - 1 > buckets * most) continue;
    const every = inner.find((n) => Math.ceil(starts.length / n) <= buckets) ?? most;
    if (Math.ceil(starts.length / every) > buckets && s < STEPS.length - 1) continue;
    return { starts: starts.filter((_, i) => i % every === 0), interval: `${every}${letter}` };
  }
}

function startsOf(rounding: Rounding, min: number, max: number, most: number): number[] {
  const starts: number[] = [];
  for (let start = rounding.round(min); start <= max; start = rounding.next(start)) {
    starts.push(start);
    if (starts.length > most + 1) break;
  }
  return starts;
}

export const autoDateHistogramType: AggType = {
  isBucket: true,
  parse(name, typeName, body): AutoParams {
    const p = new Params(typeName, body);
    const source = parseSource(p, { timeZone: true });
    const buckets = positive(p, name, 'buckets') ?? 10;
    const minimum = p.string('minimum_interval');
    p.done();
    const firstStep = minimum === null ? 0 : STEPS.findIndex((step) => step.unit === minimum);
    if (firstStep < 0)
      throw p.refusalError('minimum_interval', 'minimum_interval must be one of [[second, hour, minute, year, month, day]]');
    let zone = UTC;
    try {
      if (source.timeZone !== null) zone = timeZone(source.timeZone);
    } catch (error) {
      throw xContentError(`[${typeName}] failed to parse field [time_zone]`, asCause(error));
    }
    return { source, buckets, firstStep, zone };
  },
  bind(spec, ctx): ValuesSource {
    const { source, buckets } = spec.params as AutoParams;
    const most = Math.floor(ctx.index.maxBuckets / MAX_INNER);
    if (buckets > most) throw illegalArgumentError(`buckets must be less than ${most}`);
    return bindSource('auto_date_histogram', source, ctx, ['date', 'numeric']);
  },
  plan: (_spec, bound: ValuesSource, { segment }, children): AggNode => ({
    op: 'termsNumeric',
    source: columnOf(bound, segment),
    perValue: false,
    children,
  }),
  merge(spec: AggSpec, slices, parents, ctx) {
    const params = spec.params as AutoParams;
    const min = new Float64Array(parents).fill(Infinity);
    const max = new Float64Array(parents).fill(-Infinity);
    const parentOf = (slice: Slice, i: number) => (slice.map ? slice.map[columnsOf(slice).parents[i]] : columnsOf(slice).parents[i]);
    for (const slice of slices) {
      const { keys } = columnsOf(slice);
      for (let i = 0; i < keys.length; i++) {
        const parent = parentOf(slice, i);
        if (parent < 0) continue;
        min[parent] = Math.min(min[parent], millisecondsOf(keys[i]));
        max[parent] = Math.max(max[parent], millisecondsOf(keys[i]));
      }
    }
    const choices = Array.from({ length: parents }, (_, parent) =>
      min[parent] <= max[parent] ? choose(params, min[parent], max[parent]) : { starts: [], interval: '1s' },
    );
    // Several times fall into one bucket, so keys are looked up even for a single segment, which the empty slice enforces.
    const several = slices.length === 1 ? [slices[0], { ...slices[0], result: EMPTY }] : slices;
    const merged = mergeBuckets(several, (slice, columns, i) => {
      const { starts } = choices[parentOf(slice, i)];
      return lastAtMost(starts, millisecondsOf(columns.keys[i]));
    });
    const lists = merged.lists(parents);
    const children = mergeChildren(spec, several, merged.maps, merged.count, ctx);
    const format = formatOf(slices);
    return {
      at(parent) {
        const { starts, interval } = parent < 0 ? { starts: [], interval: '1s' } : choices[parent];
        ctx.addBuckets(starts.length);
        const byKey = new Map((parent < 0 ? [] : lists[parent]).map((id) => [merged.keys[id] as number, id]));
        const buckets = starts.map((key): OutBucket => {
          const id = byKey.get(key) ?? -1;
          const docCount = id < 0 ? 0 : merged.docCounts[id];
          const text = format?.keyAsString(key) ?? null;
          const fields: JsonObject = { ...(text === null ? {} : { key_as_string: text }), key, doc_count: docCount };
          return { key, name: text ?? String(key), fields, docCount, aggs: children.at(id) };
        });
        return new BucketsOut(spec, 'auto_date_histogram', runParentPipelines(spec, buckets), { after: { interval } });
      },
    };
  },
};

const EMPTY = {
  op: 'buckets',
  buckets: { parents: new Uint32Array(0), keys: new Float64Array(0), docCounts: new Uint32Array(0) },
  children: [],
} as const;

function lastAtMost(starts: readonly number[], time: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (starts[middle] <= time) low = middle;
    else high = middle - 1;
  }
  return starts[low];
}
