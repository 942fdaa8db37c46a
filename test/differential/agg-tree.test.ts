import { expect, test } from 'vitest';
import { AggEncoder } from '../../src/plan/agg-encode.ts';
import type { AggColumn, AggNode, AggResult } from '../../src/plan/agg-plan.ts';
import { readResults } from '../../src/plan/agg-read.ts';
import type { PlanNode } from '../../src/plan/query-plan.ts';
import type { Kernels } from '../../src/wasm/kernels.ts';
import { evaluate, type RefNode, type RefSource } from '../reference/agg-tree.ts';
import { columnImage } from '../reference/column-image.ts';
import { eachKernelBuild } from '../support/kernels.ts';
import { forSeeds, type Rng } from '../support/rng.ts';

interface World {
  k: Kernels;
  rng: Rng;
  maxDoc: number;
  isRoot: boolean[];
  rootPtr: number;
  childPtr: number;
}
interface Pair {
  plan: AggNode;
  ref: RefNode;
}

/** Values per document with a random shape: full or sparse, single or multiple, narrow or wide, with a common divisor. */
function randomColumn(world: World, kind: 'i64' | 'f64' | 'ordinals'): { source: AggColumn; ref: RefSource } {
  const { k, rng, maxDoc } = world;
  const presence = rng.pick([1, 1, 0.9, 0.3, 0.02]);
  const most = rng.pick([1, 1, 1, 3]);
  const range = rng.pick([0, 3, 200, 5000, 100_000, 2 ** 31]);
  const multiplier = kind === 'i64' ? rng.pick([1, 1, 1000]) : 1;
  const low = kind === 'ordinals' ? 0 : rng.pick([0, -50, 1_000_000]);
  const value = () =>
    kind === 'f64' ? low + Math.round(rng.float() * Math.min(range, 1000) * 8) / rng.pick([8, 3]) : low + rng.int(0, range) * multiplier;
  const docs = Array.from({ length: maxDoc }, () => {
    if (!rng.bool(presence)) return [];
    const values = Array.from({ length: rng.int(1, most) }, value).sort((a, b) => a - b);
    return kind === 'ordinals' ? [...new Set(values)] : values;
  });
  const all = docs.flat();
  const hasMissing = rng.bool(0.3);
  const max = all.length > 0 ? Math.max(...all) : low;
  const missing = !hasMissing
    ? null
    : kind === 'ordinals'
      ? rng.pick([max + 1, 0])
      : kind === 'f64'
        ? 2.5
        : low + rng.pick([0, 7 * multiplier, -3]);
  const ref = { docs, missing };
  if (all.length === 0) return { source: { column: null, missing, scale: 1, unsigned: false }, ref };
  const image = columnImage({ kind: kind === 'f64' ? 'f64' : 'i64', docs, multiplier, direct: rng.bool() });
  const toRaw = (n: number) => (kind === 'i64' ? BigInt(n) : n);
  const column = {
    kind,
    ptr: k.copyIn(image),
    multiValued: docs.some((list) => list.length > 1),
    docCount: docs.filter((list) => list.length > 0).length,
    valueCount: all.length,
    min: toRaw(Math.min(...all)),
    max: toRaw(max),
  };
  return { source: { column, missing, scale: 1, unsigned: false }, ref };
}

function randomNode(world: World, depth: number, inNested: boolean): Pair {
  const { rng, k, maxDoc } = world;
  const ops = [
    'terms',
    'ordinals',
    'histogram',
    'fixed',
    'starts',
    'ranges',
    'filters',
    'missing',
    'stats',
    'docs',
    inNested ? 'reverse' : 'nested',
  ] as const;
  const op = depth === 0 ? rng.pick(['stats', 'docs', 'terms', 'ordinals', 'histogram'] as const) : rng.pick(ops);
  const kids =
    depth === 0 || op === 'stats' || op === 'docs'
      ? []
      : Array.from({ length: rng.int(0, 2) }, () => randomNode(world, depth - 1, op === 'nested' || (inNested && op !== 'reverse')));
  const children = kids.map((kid) => kid.plan);
  const refs = kids.map((kid) => kid.ref);
  if (op === 'docs') return { plan: { op, children }, ref: { op, children: refs } };
  if (op === 'filters') {
    const picks = Array.from({ length: rng.int(1, 3) }, () => Array.from({ length: maxDoc }, () => rng.bool(0.4)));
    const other = rng.bool();
    const filters = picks.map((pick) => ({ op: 'docs', docs: bitset(k, pick), scores: null }) as unknown as PlanNode);
    return {
      plan: { op, filters, other, children },
      ref: { op, filters: picks.map((pick) => (doc: number) => pick[doc]), other, children: refs },
    };
  }
  const isParent = (doc: number) => world.isRoot[doc];
  if (op === 'nested') {
    const plan: AggNode = { op, childDocsPtr: world.childPtr, parentDocsPtr: 0, children };
    return { plan, ref: { op, isParent, isChild: (doc) => !world.isRoot[doc], children: refs } };
  }
  if (op === 'reverse') return { plan: { op: 'reverseNested', parentDocsPtr: 0, children }, ref: { op, isParent, children: refs } };
  const { source, ref } = randomColumn(
    world,
    op === 'ordinals' ? 'ordinals' : op === 'fixed' || op === 'starts' ? 'i64' : rng.pick(['i64', 'f64']),
  );
  switch (op) {
    case 'missing':
      return { plan: { op, source, children }, ref: { op, source: ref, children: refs } };
    case 'stats':
      return { plan: { op, source, sumOfSquares: rng.bool(), children }, ref: { op, source: ref, children: refs } };
    case 'terms':
      return { plan: { op: 'termsNumeric', source, perValue: false, children }, ref: { op, source: ref, keyOf: (v) => v, children: refs } };
    case 'ordinals': {
      const last = Number(source.column?.max ?? 0);
      const accept = rng.bool(0.3) && last < 10_000 ? rng.bytes((last >> 3) + 2) : null;
      const keyOf = (v: number) => (accept && !((accept[v >> 3] >> (v & 7)) & 1) ? null : v);
      if (!source.column)
        return {
          plan: { op: 'termsOrd', source, accept: null, children },
          ref: { op: 'terms', source: ref, keyOf: (v) => v, children: refs },
        };
      return { plan: { op: 'termsOrd', source, accept, children }, ref: { op: 'terms', source: ref, keyOf, children: refs } };
    }
    case 'histogram': {
      const interval = rng.pick([0.5, 1, 7, 1000]);
      const offset = rng.pick([0, 0.25]);
      const [minKey, maxKey] = rng.bool(0.2) ? [2, 90] : [-Infinity, Infinity];
      const keyOf = (v: number) => {
        const key = Math.floor((v - offset) / interval);
        return key < minKey || key > maxKey ? null : key;
      };
      const missingApart = source.missing === null && minKey === -Infinity && rng.bool(0.3);
      const counted = missingApart ? { ...ref, missing: Number.NaN } : ref;
      return {
        plan: { op, source, interval, offset, minKey, maxKey, missingApart, children },
        ref: { op, source: counted, keyOf, children: refs },
      };
    }
    case 'fixed': {
      const interval = rng.pick([1, 10, 3600, 1_000_000]);
      const offset = rng.pick([0, 5]);
      return {
        plan: { op: 'dateFixed', source, interval, offset, children },
        ref: { op, source: ref, keyOf: (v) => offset + Math.floor((v - offset) / interval) * interval, children: refs },
      };
    }
    case 'starts': {
      const starts = rng.ascending(rng.int(2, 40), rng.pick([3, 500, 10_000_000])).map((start) => start - 60);
      const keyOf = (v: number) => {
        const at = starts.findLastIndex((start) => start <= v);
        return at < 0 || at === starts.length - 1 ? null : starts[at];
      };
      return {
        plan: { op: 'dateStarts', source, starts: BigInt64Array.from(starts, BigInt), children },
        ref: { op: 'fixed', source: ref, keyOf, children: refs },
      };
    }
    default: {
      const cuts = rng.ascending(rng.int(2, 6), 300).map((cut) => cut - 60);
      const ranges = rng.bool()
        ? cuts.slice(1).map((to, i) => ({ from: cuts[i], to }))
        : cuts.map((from) => ({ from, to: from + rng.int(1, 400) }));
      return { plan: { op: 'ranges', source, ranges, children }, ref: { op: 'ranges', source: ref, ranges, children: refs } };
    }
  }
}

function bitset(k: Kernels, pick: readonly boolean[]): number {
  const bytes = new Uint8Array(Math.ceil(pick.length / 512) * 64);
  pick.forEach((set, doc) => {
    if (set) bytes[doc >> 3] |= 1 << (doc & 7);
  });
  return k.copyIn(bytes);
}

/** Converts columns to the reference's plain objects: the part of a result that belongs to one parent bucket. */
function plain(result: AggResult, parent: number): unknown {
  if (result.op === 'docs') return Array.from(result.docs.subarray(result.starts[parent], result.starts[parent + 1]));
  if (result.op === 'stats') {
    const { count, sum, min, max } = result.stats;
    return { count: count[parent], sum: sum[parent], min: min[parent], max: max[parent] };
  }
  if (result.op !== 'buckets') return null;
  const out: Record<string, unknown> = {};
  const { parents, keys, docCounts } = result.buckets;
  const order = Array.from(parents.keys()).sort((a, b) => Number(keys[a]) - Number(keys[b]));
  for (const i of order) {
    if (parents[i] === parent) out[String(keys[i])] = { count: docCounts[i], children: result.children.map((child) => plain(child, i)) };
  }
  return out;
}

/** The reference lists children of buckets in the order in which documents first reach them; nothing else differs. */
eachKernelBuild((k, build) =>
  test(`${build}: trees over random columns equal the reference`, () =>
    forSeeds(build === 'debug' ? 80 : 160, (rng) =>
      k.scoped(() => {
        const maxDoc = rng.pick([1, 70, 700, 3000]);
        const isRoot = Array.from({ length: maxDoc }, (_, doc) => doc === maxDoc - 1 || rng.bool(0.6));
        const world: World = {
          k,
          rng,
          maxDoc,
          isRoot,
          rootPtr: bitset(k, isRoot),
          childPtr: bitset(
            k,
            isRoot.map((root) => !root),
          ),
        };
        const pairs = Array.from({ length: rng.int(1, 2) }, () => randomNode(world, rng.int(0, 2), false));
        const all = rng.bool(0.3);
        const docs = Array.from({ length: maxDoc }, (_, doc) => doc).filter((doc) => isRoot[doc] && (all || rng.bool(0.7)));
        const whole = all && docs.length === maxDoc;
        const regionBytes = 6 << 20;
        const regionPtr = k.reserve(regionBytes);
        const segment = { maxDoc, rootDocsPtr: world.rootPtr, bitsetOf: (plan: PlanNode) => (plan as unknown as { docs: number }).docs };
        const encoder = new AggEncoder(k, segment, regionPtr, regionBytes);
        const encoded = encoder.encode(pairs.map((pair) => pair.plan));
        const block = rng.pick([1, 500, 5000]);
        if (whole) expect(k.exports.aggsCollectRange(encoder.rootPtr, 0, maxDoc)).toBe(0);
        else {
          for (let at = 0; at < docs.length; at += block) {
            const part = docs.slice(at, at + block);
            k.scoped(() => expect(k.exports.aggsCollect(encoder.rootPtr, k.copyInU32(Uint32Array.from(part)), 0, part.length)).toBe(0));
          }
        }
        const results = readResults(k, encoded);
        for (const [i, pair] of pairs.entries()) {
          const shown = JSON.stringify(pair.plan, (_, v) => (typeof v === 'bigint' ? String(v) : v));
          expect(plain(results[i], 0), shown).toEqual(evaluate(pair.ref, docs));
        }
      }),
    )),
);
