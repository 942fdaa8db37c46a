// Common parts of parent pipelines, which read a figure of each bucket and add one.
import { jsonDouble } from '../../common/json/json-float.ts';
import type { Params } from '../params.ts';
import { type Figure, jsonFigures, MetricOut, type OutBucket } from '../reduce/out.ts';
import type { AggSpec } from '../types.ts';
import { figureAt, noFigureError, parsePath } from './bucket-path.ts';
import { type PipelineBody, withGap } from './pipeline-body.ts';

/** Parses the parameters of a pipeline; `run` changes the buckets of the enclosing aggregation. */
export type Parent = (
  p: Params,
  body: PipelineBody,
) => {
  run(buckets: OutBucket[], spec: AggSpec): OutBucket[];
  /** Paths in addition to `buckets_path`. */
  paths?: readonly string[];
  /** Problem that the pipeline's validation reports. */
  problem?: string | null;
};

/** The figure of a bucket under the gap policy, NaN for a gap; the bucket's own count is never a gap. @throws ApiError illegal_argument_exception */
export function figureOf(bucket: OutBucket, body: PipelineBody): number {
  const steps = parsePath(body.path);
  const figure = figureAt(bucket, steps);
  if (figure === undefined) throw noFigureError(bucket.aggs, steps, body.path, body.dialect);
  return withGap(figure, bucket.docCount, body.gap, body.path === '_count');
}

/** Adds a single value to a bucket. @param more  further figures next to it */
export function putFigure(
  bucket: OutBucket,
  body: PipelineBody,
  typedName: string,
  value: Figure,
  more: Readonly<Record<string, Figure>> = {},
): void {
  const text = body.text(value);
  const shown = value === null || Number.isNaN(value) ? null : value;
  const json = { value: jsonDouble(shown), ...(text === null ? {} : { value_as_string: text }), ...jsonFigures(more) };
  bucket.aggs.set(body.name, new MetricOut(body, typedName, json, { '': shown, value: shown, ...more }));
}
