// RunSegment over the executor: the kernels of the arena that holds the segment.
import type { SegmentImageReader } from '../../arena/segment-reader.ts';
import { executePlan } from '../../plan/execute.ts';
import type { RunSegment } from '../shard/search-shard.ts';

export const runInKernels: RunSegment = (segment, plan, collect, options) => {
  const reader = segment as SegmentImageReader;
  const scope = options.withNested
    ? { maxDoc: reader.maxDoc, liveDocsPtr: reader.liveDocsPtr, rootDocsPtr: 0 }
    : { maxDoc: reader.maxDoc, liveDocsPtr: reader.liveDocsPtr, rootDocsPtr: reader.rootDocsPtr };
  return executePlan(reader.kernels, scope, plan, collect, {
    aggs: options.aggs,
    stop: options.stop,
    counters: options.counters,
    minCompetitiveScore: options.minCompetitiveScore,
  });
};
