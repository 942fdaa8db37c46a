// Buckets whose documents the host has grouped: their sub-aggregations run over them afterwards.
import { mergeChildren } from '../reduce/merge.ts';
import type { OutAgg } from '../reduce/out.ts';
import type { AggSpec, ReduceContext, Slice } from '../types.ts';

/** Documents of a bucket, ascending in each slice. */
export class HostBucket {
  readonly #docs = new Map<Slice, number[]>();
  docCount = 0;

  add(slice: Slice, doc: number): void {
    const docs = this.#docs.get(slice);
    if (docs) docs.push(doc);
    else this.#docs.set(slice, [doc]);
    this.docCount++;
  }

  /** Results of the sub-aggregations of `spec` in this bucket. */
  children(spec: AggSpec, ctx: ReduceContext): Map<string, OutAgg> {
    const below: Slice[] = [];
    if (spec.children.length > 0) {
      for (const [slice, list] of this.#docs) {
        const docs = Uint32Array.from(list);
        const children = slice.segment.collectChildren(spec, slice.bindings, docs, null);
        const buckets = { parents: Uint32Array.of(0), keys: Float64Array.of(0), docCounts: Uint32Array.of(docs.length) };
        below.push({ ...slice, map: null, result: { op: 'buckets', buckets, children } });
      }
    }
    const maps = below.map(() => Int32Array.of(0));
    return mergeChildren(spec, below, maps, 1, ctx).at(this.docCount > 0 ? 0 : -1);
  }
}
