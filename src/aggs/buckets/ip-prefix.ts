// ip_prefix: a bucket per subnet. Terms are sorted addresses, so those of a subnet are adjacent: single values are merged by their
// prefix; where documents have several, each subnet is a range of ordinals, in which a document counts once.
import { checkTurn } from '../../common/turns/turn.ts';
import type { AggNode, AggRange } from '../../plan/agg-plan.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import { illegalArgumentError, tooManyBucketsError } from '../errors.ts';
import { Params } from '../params.ts';
import { runParentPipelines } from '../pipelines/run.ts';
import { keepOnly, mergeBuckets, mergeChildren } from '../reduce/merge.ts';
import { BucketsOut, type OutBucket } from '../reduce/out.ts';
import { termBytes } from '../reduce/term-bytes.ts';
import { bindSource, columnOf, parseSource, type SourceParams, type ValuesSource } from '../source.ts';
import type { AggType, Slice } from '../types.ts';
import { ipText } from './ip-addresses.ts';

interface PrefixParams {
  readonly source: SourceParams;
  readonly prefixLength: number;
  readonly isIpv6: boolean;
  readonly appendLength: boolean;
  readonly minDocCount: number;
  readonly keyed: boolean;
}

/** Subnets of a segment whose documents have several addresses: each one is compared with the values of every document. */
const MAX_RANGES = 10_000;
const ADDRESS_BYTES = 16;
const IPV4_BYTES = 4;

function lengthProblem(length: number, isIpv6: boolean): string {
  return `[prefix_length] must be in range [0, ${isIpv6 ? 128 : 32}] while value is [${length}]`;
}

export const ipPrefixType: AggType = {
  isBucket: true,
  parse(_name, typeName, body): PrefixParams {
    const p = new Params(typeName, body);
    const source = parseSource(p, { script: false, format: false });
    const prefixLength = p.integer('prefix_length') ?? -1;
    const isIpv6 = p.bool('is_ipv6') ?? false;
    const appendLength = p.bool('append_prefix_length') ?? false;
    const minDocCount = p.integer('min_doc_count') ?? 1;
    const keyed = p.bool('keyed') ?? false;
    if (p.has('prefix_length') && prefixLength < 0) throw p.refusalError('prefix_length', lengthProblem(prefixLength, isIpv6));
    if (minDocCount < 1)
      throw p.refusalError('min_doc_count', `[min_doc_count] must be in range [1, 2147483647] while value is [${minDocCount}]`);
    p.done();
    return { source, prefixLength, isIpv6, appendLength, minDocCount, keyed };
  },
  bind(spec, ctx) {
    const { source, prefixLength, isIpv6 } = spec.params as PrefixParams;
    const bound = bindSource('ip_prefix', source, ctx, ['ip']);
    if (prefixLength < 0 || prefixLength > (isIpv6 ? 128 : 32)) throw illegalArgumentError(lengthProblem(prefixLength, isIpv6));
    return bound;
  },
  plan(spec, bound: ValuesSource, { segment }, children): AggNode {
    const source = columnOf(bound, segment);
    if (!source.column?.multiValued) return { op: 'termsOrd', source, accept: null, children };
    return { op: 'ranges', source, ranges: subnetRanges(segment, bound, spec.params as PrefixParams), children };
  },
  merge(spec, slices: readonly Slice[], parents, ctx) {
    const params = spec.params as PrefixParams;
    const merged = mergeBuckets(slices, (slice, columns, i) => keyOf(slice, Number(columns.keys[i]), params), false);
    const { minDocCount, keyed, isIpv6, appendLength, prefixLength } = params;
    const chosen = merged
      .lists(parents)
      .map((ids) => ids.filter((id) => merged.docCounts[id] >= minDocCount).sort((a, b) => (merged.keys[a] < merged.keys[b] ? -1 : 1)));
    const { maps, numberOf } = keepOnly(merged, chosen.flat());
    const children = mergeChildren(spec, slices, maps, chosen.flat().length, ctx);
    const mask = isIpv6 ? {} : { netmask: netmask(prefixLength) };
    return {
      at(parent) {
        const buckets = (parent < 0 ? [] : chosen[parent]).map((id): OutBucket => {
          const bytes = Buffer.from(String(merged.keys[id]), 'latin1');
          const address = isIpv6 ? ipText(bytes) : bytes.join('.');
          const key = appendLength ? `${address}/${prefixLength}` : address;
          const docCount = merged.docCounts[id];
          return {
            key,
            name: key,
            fields: { ...(keyed ? {} : { key }), ...mask, doc_count: docCount, is_ipv6: isIpv6, prefix_length: prefixLength },
            docCount,
            aggs: children.at(numberOf[id]),
          };
        });
        ctx.addBuckets(buckets.length);
        return new BucketsOut(spec, 'ip_prefix', runParentPipelines(spec, buckets), { keyed });
      },
    };
  },
};

/** The first address of the subnet of a term, or of the range of a segment with this number, as a string of bytes. */
function keyOf(slice: Slice, raw: number, params: PrefixParams): string {
  const bound = slice.bound as ValuesSource;
  const { segment } = slice.segment;
  const isRange = columnOf(bound, segment).column?.multiValued ?? false;
  return prefixOf(termBytes(slice, bound, isRange ? subnetRanges(segment, bound, params)[raw].from : raw), params);
}

/** The masked address: all of its bytes, or the last four for IPv4, as a string of bytes. */
function prefixOf(address: Uint8Array, { prefixLength, isIpv6 }: PrefixParams): string {
  const masked = Buffer.from(isIpv6 ? address : address.subarray(ADDRESS_BYTES - IPV4_BYTES));
  for (let i = 0; i < masked.length; i++) masked[i] &= 0xff << (8 - Math.max(0, Math.min(8, prefixLength - 8 * i)));
  return masked.toString('latin1');
}

const remembered = new WeakMap<PrefixParams, WeakMap<SegmentReader, AggRange[]>>();

/** Ranges of ordinals [from, to), one for each subnet in a segment, then that of the `missing` address. @throws ApiError too_many_buckets_exception */
function subnetRanges(segment: SegmentReader, bound: ValuesSource, params: PrefixParams): AggRange[] {
  let bySegment = remembered.get(params);
  if (!bySegment) remembered.set(params, (bySegment = new WeakMap()));
  const known = bySegment.get(segment);
  if (known) return known;
  const { field } = bound;
  const { column, missing } = columnOf(bound, segment);
  const count = Number(column?.max ?? -1) + 1;
  const ranges: Array<{ from: number; to: number }> = [];
  let last = '';
  for (let ord = 0; ord < count; ord++) {
    if ((ord & 1023) === 0) checkTurn();
    const prefix = prefixOf(segment.termOf(field, ord), params);
    if (prefix !== last || ord === 0) {
      if (ranges.length === MAX_RANGES) throw tooManyBucketsError(MAX_RANGES, ranges.length + 1);
      ranges.push({ from: ord, to: ord + 1 });
    } else ranges[ranges.length - 1].to = ord + 1;
    last = prefix;
  }
  if (missing !== null && Number(missing) >= count) ranges.push({ from: Number(missing), to: Number(missing) + 1 });
  bySegment.set(segment, ranges);
  return ranges;
}

/** `255.255.255.0`. */
function netmask(length: number): string {
  return [0, 1, 2, 3].map((i) => (0xff << (8 - Math.max(0, Math.min(8, length - 8 * i)))) & 0xff).join('.');
}
