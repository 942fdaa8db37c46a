// Runs the pipelines that belong to the buckets of an aggregation.
import type { OutBucket } from '../reduce/out.ts';
import type { AggSpec } from '../types.ts';

/** Parent pipelines of `spec` in order over its buckets. */
export function runParentPipelines(spec: AggSpec, buckets: OutBucket[]): OutBucket[] {
  let out = buckets;
  for (const pipeline of spec.pipelines) if (pipeline.parent) out = pipeline.parent(out, spec);
  return out;
}
