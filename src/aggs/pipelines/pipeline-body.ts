// Parameters common to all pipeline aggregations: name, path, gap policy, format.
import type { JsonObject } from '../../common/json/json-value.ts';
import type { Dialect } from '../../compat/dialect.ts';
import type { Figure } from '../reduce/out.ts';

export type GapPolicy = 'skip' | 'insert_zeros' | 'keep_values';

/** Parameters of every pipeline. */
export interface PipelineBody {
  readonly name: string;
  readonly meta: JsonObject | null;
  readonly path: string;
  readonly gap: GapPolicy;
  readonly dialect: Dialect;
  /** `value_as_string` in the pipeline's `format`. */
  text(value: Figure): string | null;
}

/**
 * A figure under the gap policy; NaN if the bucket is a gap to skip. Buckets without documents are gaps for every path except `_count`.
 */
export function withGap(figure: Figure, docCount: number, gap: GapPolicy, isCount: boolean): number {
  const isNumber = figure !== null && Number.isFinite(figure);
  if (isNumber && (docCount > 0 || isCount || gap === 'keep_values')) return figure;
  return gap === 'insert_zeros' ? 0 : Number.NaN;
}
