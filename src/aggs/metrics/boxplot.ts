// boxplot: extremes, quartiles and whiskers of a field's values.
import { jsonDouble } from '../../common/json/json-float.ts';
import { Params } from '../params.ts';
import { type Figure, MetricOut } from '../reduce/out.ts';
import { bindSource, parseSource, type SourceParams } from '../source.ts';
import type { AggType } from '../types.ts';
import { formatOf } from './numeric.ts';
import type { Quantiles } from './t-digest/digest.ts';
import { parseSketch } from './t-digest/parse-sketch.ts';
import { type BoundSketch, bindSketch, DEFAULT_COMPRESSION, type SketchParams, sketches, sketchNode } from './t-digest/sketch.ts';

/** Values farther from the quartiles than this many times their distance are outliers. */
const WHISKER_LENGTH = 1.5;

interface BoxplotParams {
  readonly source: SourceParams;
  readonly sketch: SketchParams;
}

export const boxplotType: AggType = {
  isBucket: false,
  parse(name, typeName, body): BoxplotParams {
    const p = new Params(typeName, body);
    const source = parseSource(p);
    const sketch = parseSketch(p, name, DEFAULT_COMPRESSION, true);
    p.done();
    return { source, sketch };
  },
  bind(spec, ctx): BoundSketch {
    const { source, sketch } = spec.params as BoxplotParams;
    return bindSketch(bindSource('boxplot', source, ctx, ['numeric', 'date', 'boolean']), sketch, ctx.index.mapping.dialect);
  },
  plan: (_spec, bound: BoundSketch, scope) => sketchNode(bound, scope),
  merge(spec, slices, parents) {
    const { sketch } = spec.params as BoxplotParams;
    const of = sketches(slices, parents, sketch, true);
    const format = formatOf(slices);
    return {
      at(parent) {
        const figures = figuresOf(of.at(parent));
        const json: Record<string, unknown> = {};
        for (const [name, value] of Object.entries(figures)) json[name] = Number.isFinite(value) ? jsonDouble(value) : String(value);
        if (format) {
          for (const [name, value] of Object.entries(figures)) {
            const text = Number.isFinite(value) ? format.keyAsString(value) : null;
            if (text !== null) json[`${name}_as_string`] = text;
          }
        }
        return new MetricOut(spec, 'boxplot', json, figures satisfies Record<string, Figure>);
      },
    };
  },
};

/** Without values the extremes are infinite, and all other figures are NaN. */
function figuresOf(values: Quantiles): Record<string, number> {
  const [q1, q2, q3] = [0.25, 0.5, 0.75].map((q) => values.quantile(q));
  const reach = WHISKER_LENGTH * (q3 - q1);
  let [lower, upper] = [Number.NaN, Number.NaN];
  values.each((value) => {
    if (Number.isNaN(lower) && value >= q1 - reach) lower = value;
    if (value <= q3 + reach) upper = value;
  });
  const isEmpty = values.size === 0;
  return { min: isEmpty ? Infinity : values.quantile(0), max: isEmpty ? -Infinity : values.quantile(1), q1, q2, q3, lower, upper };
}
