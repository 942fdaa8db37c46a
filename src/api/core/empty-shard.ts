// The figures of a shard without documents.
import type { ShardStats } from './context.ts';

export const EMPTY_SHARD = {
  docs: 0,
  deleted: 0,
  segments: 0,
  sizeBytes: 0,
  maxSeqNo: -1,
  translogOperations: 0,
  translogBytes: 0,
  counters: {},
  recovery: null,
} as const satisfies Partial<ShardStats>;
