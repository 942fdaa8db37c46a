// Aggregation kernels for bench/kernel/kernels.ts: buckets by ordinal, by intervals of numbers and dates, by calendar months, and HyperLogLog, over
// full columns of one value a document. A kernel's time is that of laying the tree out, collecting every document and reading the buckets.
import { addValue } from '../../src/aggs/metrics/hyper-log-log.ts';
import { AggEncoder } from '../../src/plan/agg-encode.ts';
import type { AggColumn, AggNode, AggResult } from '../../src/plan/agg-plan.ts';
import { readResults } from '../../src/plan/agg-read.ts';
import type { SegmentColumn } from '../../src/plan/segment.ts';
import type { Kernels } from '../../src/wasm/kernels.ts';
import type { Rng } from '../../test/support/rng.ts';

export interface AggregationCase {
  readonly name: string;
  readonly kernel: () => number;
  readonly twin: () => number;
  /** Job of twins.c, which returns the same number. */
  readonly job: ReadonlyArray<string | number>;
}

const REGION_BYTES = 8 << 20;
const FULL = 2;
const DIRECT = 4;
const DOUBLE = 8;
const DAY_MS = 86_400_000;
const ORDINALS = 1000;
const PRECISION = 14;

/** Each case's result is the sum of a bucket's documents times its number, from 1 on; of HyperLogLog that of the registers. */
export function aggregationCases(k: Kernels, rng: Rng, docs: number): AggregationCase[] {
  const run = (node: AggNode): AggResult =>
    k.scoped(() => {
      const encoder = new AggEncoder(k, { maxDoc: docs, rootDocsPtr: 0, bitsetOf: () => 0 }, k.reserve(REGION_BYTES, 64), REGION_BYTES);
      const encoded = encoder.encode([node]);
      const status = k.exports.aggsCollectRange(encoder.rootPtr, 0, docs);
      if (status !== 0) throw new Error(`${node.op}: status ${status}`);
      return readResults(k, encoded)[0];
    });
  const bucketSum = (node: AggNode, numberOf: (key: number) => number): number => {
    const result = run(node);
    if (result.op !== 'buckets') throw new Error(`${node.op} gives no buckets`);
    const { keys, docCounts } = result.buckets;
    return Array.from(docCounts).reduce((sum, count, i) => sum + count * (numberOf(Number(keys[i])) + 1), 0);
  };
  const countSum = (buckets: number, bucketOf: (doc: number) => number): number => {
    const counts = new Uint32Array(buckets);
    for (let doc = 0; doc < docs; doc++) counts[bucketOf(doc)]++;
    return counts.reduce((sum, count, i) => sum + count * (i + 1), 0);
  };

  const ords = Uint16Array.from({ length: docs }, () => Math.floor(ORDINALS * rng.float() ** 2));
  const prices = Float64Array.from({ length: docs }, () => rng.float() * 5000);
  const first = Date.UTC(2020, 0, 1);
  const seconds = Uint32Array.from({ length: docs }, () => Math.floor(rng.float() * 4 * 365 * 86_400));
  // The smallest and the largest value are the column's base and bound.
  ords.set([0, ORDINALS - 1]);
  seconds.set([0, 4 * 365 * 86_400 - 1]);
  const starts = BigInt64Array.from({ length: 49 }, (_, month) => BigInt(Date.UTC(2020, month, 1)));
  const startsPtr = k.copyIn(new Uint8Array(starts.buffer));
  const keyword = column(k, 'ordinals', ords, 0, 1);
  const price = column(k, 'f64', prices, 0, 1);
  const time = column(k, 'i64', seconds, first, 1000);
  const ptrOf = ({ column: own }: AggColumn): number => own!.ptr;

  const byOrdinal: AggNode = { op: 'termsOrd', source: keyword, accept: null, children: [] };
  const byPrice: AggNode = {
    op: 'histogram',
    missingApart: false,
    source: price,
    interval: 50,
    offset: 0,
    minKey: Number.NEGATIVE_INFINITY,
    maxKey: Number.POSITIVE_INFINITY,
    children: [],
  };
  const byDay: AggNode = { op: 'dateFixed', source: time, interval: DAY_MS, offset: 0, children: [] };
  const byMonth: AggNode = { op: 'dateStarts', source: time, starts, children: [] };
  const distinct: AggNode = { op: 'distinct', source: time, precision: PRECISION, children: [] };
  const weigh = (registers: Uint8Array): number => registers.reduce((sum, rank, i) => sum + rank * (i + 1), 0);
  const months = [...starts].map(Number);
  return [
    {
      name: `buckets by ordinal, ${ORDINALS} of them`,
      kernel: () => bucketSum(byOrdinal, (ord) => ord),
      twin: () => countSum(ORDINALS, (doc) => ords[doc]),
      job: ['ordinals', ptrOf(keyword), ORDINALS],
    },
    {
      name: 'histogram of doubles',
      kernel: () => bucketSum(byPrice, (key) => key),
      twin: () => countSum(100, (doc) => Math.floor(prices[doc] / 50)),
      job: ['histogram', ptrOf(price), 50, 100],
    },
    {
      name: 'date histogram, fixed interval of a day',
      kernel: () => bucketSum(byDay, (key) => (key - first) / DAY_MS),
      twin: () => countSum(4 * 365, (doc) => Math.floor((seconds[doc] * 1000) / DAY_MS)),
      job: ['fixed', ptrOf(time), DAY_MS / 1000, 4 * 365],
    },
    {
      name: 'date histogram, calendar months',
      kernel: () => bucketSum(byMonth, (key) => months.indexOf(key)),
      twin: () => countSum(48, (doc) => months.findLastIndex((start) => start <= first + seconds[doc] * 1000)),
      job: ['starts', ptrOf(time), startsPtr, months.length],
    },
    {
      name: 'HyperLogLog of 2^14 registers',
      kernel: () => {
        const result = run(distinct);
        if (result.op !== 'distinct') throw new Error('distinct gives no registers');
        return weigh(result.registers);
      },
      twin: () => {
        const registers = new Uint8Array(1 << PRECISION);
        for (let doc = 0; doc < docs; doc++) addValue(registers, PRECISION, BigInt(first + seconds[doc] * 1000));
        return weigh(registers);
      },
      job: ['distinct', ptrOf(time), PRECISION],
    },
  ];
}

/** A full column with one value a document (docs/internals/segment-format.md, "Column"): stored values behind the header. */
function column(
  k: Kernels,
  kind: SegmentColumn['kind'],
  stored: Uint16Array | Uint32Array | Float64Array,
  base: number,
  multiplier: number,
): AggColumn {
  const image = new Uint8Array(64 + stored.byteLength);
  const view = new DataView(image.buffer);
  const isDouble = stored instanceof Float64Array;
  view.setUint32(0, FULL | DIRECT | (isDouble ? DOUBLE : 0), true);
  view.setUint32(4, stored.BYTES_PER_ELEMENT, true);
  if (!isDouble) {
    view.setBigInt64(8, BigInt(base), true);
    view.setBigInt64(16, BigInt(multiplier), true);
  }
  view.setUint32(24, stored.length, true);
  view.setUint32(28, stored.length, true);
  view.setUint32(32, 64, true);
  view.setUint32(52, stored.length, true);
  image.set(new Uint8Array(stored.buffer), 64);
  const ptr = k.reserve(image.length, 64);
  k.u8.set(image, ptr);
  const values = Array.from(stored, (value) => base + value * multiplier);
  const raw = (value: number): number | bigint => (kind === 'i64' ? BigInt(value) : value);
  const own: SegmentColumn = {
    kind,
    ptr,
    multiValued: false,
    docCount: stored.length,
    valueCount: stored.length,
    min: raw(values.reduce((a, b) => Math.min(a, b))),
    max: raw(values.reduce((a, b) => Math.max(a, b))),
  } as SegmentColumn;
  return { column: own, missing: null, scale: 1, unsigned: false };
}
