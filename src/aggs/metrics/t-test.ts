// t_test: the probability of a difference at least as large as that of the means of two samples, if their true means are equal.
import { jsonDouble } from '../../common/json/json-float.ts';
import type { AggNode } from '../../plan/agg-plan.ts';
import type { PlanNode } from '../../plan/query-plan.ts';
import { executionError, illegalArgumentError } from '../errors.ts';
import { Params } from '../params.ts';
import { MetricOut } from '../reduce/out.ts';
import { bindSource, columnOf, doublesOf, parseSource, type SourceParams, type ValuesSource } from '../source.ts';
import type { AggSpec, AggType, ParseContext, ParsedQuery, Slice } from '../types.ts';
import { docGroups } from './documents.ts';
import { twoTailed } from './student-t.ts';

const TESTS = ['paired', 'homoscedastic', 'heteroscedastic'] as const;
type Test = (typeof TESTS)[number];

interface Population {
  readonly source: SourceParams;
  readonly filter: ParsedQuery | null;
}

interface TTestParams {
  readonly a: Population;
  readonly b: Population;
  readonly test: Test;
}

type BoundSamples = readonly [ValuesSource, ValuesSource];

/** Count, sum and sum of squares of one sample. */
interface Sample {
  count: number;
  sum: number;
  squares: number;
}

function parsePopulation(p: Params, key: string, ctx: ParseContext): Population {
  const body = p.object(key);
  if (!body) throw illegalArgumentError(`Required [${key}]`);
  const inner = new Params(key, body);
  const filter = inner.object('filter');
  const source = parseSource(inner);
  inner.done();
  return { source, filter: filter ? ctx.parseQuery(filter) : null };
}

export const tTestType: AggType = {
  isBucket: false,
  parse(_name, typeName, body, ctx): TTestParams {
    const p = new Params(typeName, body);
    const a = parsePopulation(p, 'a', ctx);
    const b = parsePopulation(p, 'b', ctx);
    const test = (p.string('type') ?? 'heteroscedastic').toLowerCase() as Test;
    if (!TESTS.includes(test)) throw p.refusalError('type', `No enum constant TTestType.${test.toUpperCase()}`);
    p.done();
    if (test === 'paired' && (a.filter !== null || b.filter !== null)) throw executionError("Paired t-test doesn't support filters");
    return { a, b, test };
  },
  bind(spec, ctx): BoundSamples {
    const { a, b } = spec.params as TTestParams;
    const families = ['numeric', 'date', 'boolean'] as const;
    return [bindSource('t_test', a.source, ctx, families), bindSource('t_test', b.source, ctx, families)];
  },
  plan(spec, bound: BoundSamples, scope): AggNode {
    const { a, b, test } = spec.params as TTestParams;
    if (test === 'paired') return { op: 'docs', children: [] };
    const matching = ({ filter }: Population): PlanNode => (filter === null ? { op: 'matchAll' } : scope.planQuery(filter));
    const children = bound.map((source): AggNode => {
      return { op: 'stats', source: columnOf(source, scope.segment), sumOfSquares: true, children: [] };
    });
    // Both filters have statistics of both fields, of which those on the diagonal count.
    return { op: 'filters', filters: [matching(a), matching(b)], other: false, children };
  },
  merge(spec, slices, parents) {
    const { test } = spec.params as TTestParams;
    const of = test === 'paired' ? pairs(slices, parents) : samples(slices, parents);
    return {
      at(parent) {
        const result = parent < 0 ? Number.NaN : test === 'paired' ? pairedTest(of(parent)[0]) : unpairedTest(of(parent), test);
        const value = Number.isNaN(result) ? null : result;
        return new MetricOut(spec as AggSpec, 't_test', { value: jsonDouble(value) }, { '': value, value });
      },
    };
  },
};

function emptySample(): Sample {
  return { count: 0, sum: 0, squares: 0 };
}

/** The two samples of each parent. */
function samples(slices: readonly Slice[], parents: number): (parent: number) => Sample[] {
  const all = Array.from({ length: parents }, () => [emptySample(), emptySample()]);
  for (const { result, map } of slices) {
    if (result.op !== 'buckets') continue;
    const { parents: locals, keys } = result.buckets;
    locals.forEach((local, i) => {
      const parent = map ? map[local] : local;
      const which = Number(keys[i]);
      const stats = result.children[which];
      if (parent < 0 || stats.op !== 'stats') return;
      const sample = all[parent][which];
      sample.count += stats.stats.count[i];
      sample.sum += stats.stats.sum[i];
      sample.squares += stats.stats.sumOfSquares[i];
    });
  }
  return (parent) => all[parent];
}

/** Differences of the values of documents that have both. */
function pairs(slices: readonly Slice[], parents: number): (parent: number) => Sample[] {
  const groups = docGroups(slices, parents);
  return (parent) => {
    const sample = emptySample();
    for (const { slice, segment, docs } of groups[parent]) {
      const [a, b] = slice.bound as BoundSamples;
      for (const doc of docs) {
        const left = doublesOf(a, segment.segment, doc);
        const right = doublesOf(b, segment.segment, doc);
        if (left.length > 1 || right.length > 1)
          throw executionError(
            'Encountered more than one value for a single document. Use a script to combine multiple values per doc into a single value.',
          );
        if (left.length === 0 || right.length === 0) continue;
        const difference = left[0] - right[0];
        sample.count++;
        sample.sum += difference;
        sample.squares += difference * difference;
      }
    }
    return [sample];
  };
}

/** Variance of the population that a sample comes from. */
function varianceOf({ count, sum, squares }: Sample): number {
  return (squares - (sum * sum) / count) / (count - 1);
}

function pairedTest(sample: Sample): number {
  if (sample.count < 2) return Number.NaN;
  const t = sample.sum / sample.count / Math.sqrt(varianceOf(sample) / sample.count);
  return twoTailed(t, sample.count - 1);
}

function unpairedTest([a, b]: readonly Sample[], test: Test): number {
  if (a.count < 2 || b.count < 2) return Number.NaN;
  const difference = a.sum / a.count - b.sum / b.count;
  const [varianceA, varianceB] = [varianceOf(a), varianceOf(b)];
  if (test === 'homoscedastic') {
    const freedom = a.count + b.count - 2;
    const pooled = ((a.count - 1) * varianceA + (b.count - 1) * varianceB) / freedom;
    return twoTailed(difference / Math.sqrt(pooled * (1 / a.count + 1 / b.count)), freedom);
  }
  const [shareA, shareB] = [varianceA / a.count, varianceB / b.count];
  const freedom = (shareA + shareB) ** 2 / (shareA ** 2 / (a.count - 1) + shareB ** 2 / (b.count - 1));
  return twoTailed(difference / Math.sqrt(shareA + shareB), freedom);
}
