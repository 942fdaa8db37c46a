// OP_DISTINCT: HyperLogLog registers of the raw values, 2^precision bytes per parent bucket at node.counts.
import { E_NO_SPACE } from '../mem/status';
import { hashValue, hllAdd } from '../sketch/hll';
import { DistinctNode, regrow } from './node';
import { beginValues, loadRaw, nextSlots, valueBuckets } from './values';

/** One block; `limit`: parent buckets that may occur. @returns 0 or a status */
export function collectDistinct(node: DistinctNode, docs: usize, base: u32, buckets: usize, count: u32, limit: u32): i32 {
  const precision = node.precision;
  if (limit > node.capacity) {
    const capacity = max(limit, node.capacity << 1);
    const grown = regrow(<usize>node.root, <usize>node.counts, <u64>node.capacity << precision, <u64>capacity << precision);
    if (!grown) return E_NO_SPACE;
    node.counts = <u32>grown;
    node.capacity = capacity;
  }
  const registers = <usize>node.counts, values = <usize>node.values;
  beginValues(node);
  for (let n = nextSlots(node, docs, base, buckets, count); n > 0; n = nextSlots(node, docs, base, buckets, count)) {
    loadRaw(node, n, values);
    for (let i: u32 = 0; i < n; i++) {
      const bucket = valueBuckets ? load<u32>(valueBuckets + (<usize>i << 2)) : 0;
      hllAdd(registers + (<usize>bucket << precision), precision, hashValue(load<u64>(values + (<usize>i << 3))));
    }
  }
  return 0;
}
