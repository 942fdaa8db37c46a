// rate: a sum, or a number of values or documents, per unit of time in the buckets of a date histogram. The histogram divides the totals,
// since only it has the lengths of its buckets.
import { jsonDouble } from '../../common/json/json-float.ts';
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import type { ValueFormat } from '../../mapping/core/field-type.ts';
import type { AggNode } from '../../plan/agg-plan.ts';
import { type CalendarUnit, calendarUnit, type Rounding } from '../dates/rounding.ts';
import { illegalArgumentError } from '../errors.ts';
import { Params } from '../params.ts';
import { type Figure, MetricOut, type OutAgg } from '../reduce/out.ts';
import { bindSource, columnOf, parseSource, type SourceParams, type ValuesSource } from '../source.ts';
import type { AggSpec, AggType } from '../types.ts';
import { CompensatedSums, formatOf } from './numeric.ts';
import { eachSummary, isHistogram } from './pre-aggregated.ts';

/** Milliseconds of the units of fixed length. */
const UNIT_MS: Partial<Record<CalendarUnit, number>> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
};
const UNIT_MONTHS: Partial<Record<CalendarUnit, number>> = { month: 1, quarter: 3, year: 12 };

interface RateParams {
  /** null counts documents. */
  readonly source: SourceParams | null;
  /** null shows totals. */
  readonly unit: CalendarUnit | null;
  readonly countsValues: boolean;
}

export const rateType: AggType = {
  isBucket: false,
  parse(_name, typeName, body): RateParams {
    const p = new Params(typeName, body);
    const unitName = p.string('unit');
    const mode = p.string('mode');
    const source = p.has('field') || p.has('script') ? parseSource(p) : null;
    p.done();
    const unit = unitName === null ? null : calendarUnit(unitName);
    if (unitName !== null && unit === null) throw p.refusalError('unit', `Unsupported unit ${unitName}`);
    if (mode !== null && mode !== 'sum' && mode !== 'value_count') throw p.refusalError('mode', `Unsupported value ${mode}`);
    if (mode !== null && source === null) throw illegalArgumentError('The mode parameter is only supported with field or script');
    return { source, unit, countsValues: mode === 'value_count' };
  },
  bind(spec, ctx): ValuesSource | null {
    const { source, unit } = spec.params as RateParams;
    const histogram = ctx.parents.findLast(({ typeName }) => typeName === 'date_histogram');
    if (!histogram) {
      throw illegalArgumentError(
        'The rate aggregation can only be used inside a date histogram aggregation or composite aggregation with exactly one date histogram value source',
      );
    }
    const { rounding } = histogram.params as { readonly rounding: Rounding | null };
    if (unit !== null && rounding !== null) checkUnit(unit, rounding);
    return source === null ? null : bindSource('rate', source, ctx, ['numeric']);
  },
  plan(spec, bound: ValuesSource | null, { segment }): AggNode {
    // The histogram has counted the documents.
    if (bound === null) return { op: 'filters', filters: [], other: false, children: [] };
    if (isHistogram(bound)) return { op: 'docs', children: [] };
    const source = columnOf(bound, segment);
    if ((spec.params as RateParams).countsValues) return { op: 'valueCount', source, children: [] };
    return { op: 'stats', source, sumOfSquares: false, children: [] };
  },
  merge(spec, slices, parents) {
    const totals = new Float64Array(parents);
    const sums = new CompensatedSums(totals);
    const { countsValues } = spec.params as RateParams;
    for (const slice of slices) {
      const { result, map } = slice;
      if (slice.bound !== null) {
        eachSummary(slice, (to, { count, sum }) => {
          sums.add(to, countsValues ? count : sum);
        });
      }
      const values = result.op === 'stats' ? result.stats.sum : result.op === 'valueCount' ? result.counts : [];
      for (let i = 0; i < values.length; i++) {
        const to = map ? map[i] : i;
        if (to >= 0) sums.add(to, values[i]);
      }
    }
    const format = slices.some((slice) => slice.bound !== null) ? formatOf(slices) : null;
    return { at: (parent) => new RateOut(spec, parent < 0 ? 0 : totals[parent], format) };
  },
};

function checkUnit(unit: CalendarUnit, rounding: Rounding): void {
  if (UNIT_MONTHS[unit] === undefined) return;
  const allowed = 'only week, day, hour, minute and second are supported for this histogram';
  if (rounding.unit === null)
    throw illegalArgumentError(`Cannot use month-based rate unit [${unit}] with fixed interval based histogram, ${allowed}`);
  if (UNIT_MONTHS[rounding.unit] === undefined)
    throw illegalArgumentError(
      `Cannot use month-based rate unit [${unit}] with non-month based calendar interval histogram [${rounding.unit}] ${allowed}`,
    );
}

/** A total that the histogram turns into a rate. */
class RateOut extends MetricOut {
  readonly total: number;
  readonly format: ValueFormat | null;

  constructor(spec: AggSpec, total: number, format: ValueFormat | null) {
    super(spec, 'rate', shown(total, format), { '': total, value: total });
    this.total = total;
    this.format = format;
  }
}

function shown(value: number, format: ValueFormat | null): MutableJsonObject {
  const text = format?.keyAsString(value) ?? null;
  return { value: jsonDouble(value), ...(text === null ? {} : { value_as_string: text }) };
}

export function hasRates(spec: AggSpec): boolean {
  return spec.children.some((child) => child.type === rateType || (child.typeName !== 'date_histogram' && hasRates(child)));
}

/** Divides the totals below a bucket of a date histogram by its length. @param start  of the bucket, ms */
export function applyRates(spec: AggSpec, aggs: Map<string, OutAgg>, docCount: number, start: number, rounding: Rounding): void {
  for (const child of spec.children) {
    const out = aggs.get(child.name);
    if (!out || child.typeName === 'date_histogram') continue;
    if (out instanceof RateOut) {
      const { source, unit } = child.params as RateParams;
      const rate: Figure = (source === null ? docCount : out.total) / lengthOf(start, rounding, unit);
      aggs.set(child.name, new MetricOut(child, 'rate', shown(rate, out.format), { '': rate, value: rate }));
    } else if (hasRates(child)) {
      if (out.inside) applyRates(child, out.inside as Map<string, OutAgg>, out.docCount ?? 0, start, rounding);
      for (const bucket of out.buckets ?? []) applyRates(child, bucket.aggs, bucket.docCount, start, rounding);
    }
  }
}

/** Length of a bucket in units. */
function lengthOf(start: number, rounding: Rounding, unit: CalendarUnit | null): number {
  if (unit === null) return 1;
  const ms = UNIT_MS[unit];
  if (ms !== undefined) return (rounding.next(start) - start) / ms;
  return (UNIT_MONTHS[rounding.unit ?? 'month'] ?? 1) / (UNIT_MONTHS[unit] ?? 1);
}
