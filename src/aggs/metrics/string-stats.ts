// string_stats: lengths of the strings of a field, and the entropy of their characters (UTF-16 code units, as Java counts them).
import { jsonDouble } from '../../common/json/json-float.ts';
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { checkTurn } from '../../common/turns/turn.ts';
import type { AggNode } from '../../plan/agg-plan.ts';
import { Params } from '../params.ts';
import { columnsOf } from '../reduce/merge.ts';
import { MetricOut } from '../reduce/out.ts';
import { termBytes } from '../reduce/term-bytes.ts';
import { bindSource, columnOf, parseSource, type SourceParams, type ValuesSource } from '../source.ts';
import type { AggType, Slice } from '../types.ts';
import { formatOf } from './numeric.ts';

interface StringParams {
  readonly source: SourceParams;
  readonly showDistribution: boolean;
}

/** Totals of one bucket. */
interface StringTotals {
  count: number;
  min: number;
  max: number;
  length: number;
  readonly chars: Map<number, number>;
}

const TERMS_PER_CHECK_MASK = 255;

export const stringStatsType: AggType = {
  isBucket: false,
  parse(_name, typeName, body): StringParams {
    const p = new Params(typeName, body);
    const source = parseSource(p);
    const showDistribution = p.bool('show_distribution') ?? false;
    p.done();
    return { source, showDistribution };
  },
  bind: (spec, ctx) => bindSource('string_stats', (spec.params as StringParams).source, ctx, ['keyword', 'text']),
  plan(_spec, bound: ValuesSource, { segment }): AggNode {
    return { op: 'termsOrd', source: columnOf(bound, segment), accept: null, children: [] };
  },
  merge(spec, slices, parents) {
    const { showDistribution } = spec.params as StringParams;
    const totals = totalsOf(slices, parents);
    const format = formatOf(slices);
    return {
      at(parent) {
        const one = totals[parent] ?? emptyTotals();
        const figures = {
          count: one.count,
          min_length: one.count > 0 ? one.min : null,
          max_length: one.count > 0 ? one.max : null,
          avg_length: one.count > 0 ? one.length / one.count : null,
          entropy: entropyOf(one),
        };
        const json: MutableJsonObject = { ...figures, avg_length: jsonDouble(figures.avg_length), entropy: jsonDouble(figures.entropy) };
        if (showDistribution) json.distribution = distributionOf(one);
        if (format && format.name !== 'raw' && one.count > 0) {
          for (const [name, value] of Object.entries(figures)) {
            const text = name === 'count' || value === null ? null : format.keyAsString(value);
            if (text !== null) json[`${name}_as_string`] = text;
          }
        }
        return new MetricOut(spec, 'string_stats', json, figures);
      },
    };
  },
};

function emptyTotals(): StringTotals {
  return { count: 0, min: Infinity, max: 0, length: 0, chars: new Map() };
}

function totalsOf(slices: readonly Slice[], parents: number): StringTotals[] {
  const totals = Array.from({ length: parents }, emptyTotals);
  for (const slice of slices) {
    const columns = columnsOf(slice);
    for (let i = 0; i < columns.parents.length; i++) {
      if ((i & TERMS_PER_CHECK_MASK) === 0) checkTurn();
      const parent = slice.map ? slice.map[columns.parents[i]] : columns.parents[i];
      if (parent < 0) continue;
      const text = Buffer.from(termBytes(slice, slice.bound as ValuesSource, Number(columns.keys[i]))).toString();
      add(totals[parent], text, columns.docCounts[i]);
    }
  }
  return totals;
}

function add(totals: StringTotals, text: string, count: number): void {
  totals.count += count;
  totals.min = Math.min(totals.min, text.length);
  totals.max = Math.max(totals.max, text.length);
  totals.length += text.length * count;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    totals.chars.set(code, (totals.chars.get(code) ?? 0) + count);
  }
}

/** Shannon entropy in bits per character. */
function entropyOf({ chars, length }: StringTotals): number {
  let sum = 0;
  for (const count of chars.values()) sum += (count / length) * Math.log2(count / length);
  return sum === 0 ? 0 : -sum;
}

/** Share of each character, the most frequent first. */
function distributionOf({ chars, length }: StringTotals): MutableJsonObject {
  const shares: MutableJsonObject = {};
  const sorted = [...chars].sort(([a, countA], [b, countB]) => countB - countA || a - b);
  for (const [code, count] of sorted) setOwn(shares, String.fromCharCode(code), jsonDouble(count / length));
  return shares;
}
