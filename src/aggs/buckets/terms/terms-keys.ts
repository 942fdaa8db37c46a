// Keys of terms over segments and indices: text, numbers and dates under one order.
import { jsonDouble } from '../../../common/json/json-float.ts';
import { present } from '../../../common/present.ts';
import type { Dialect } from '../../../compat/dialect.ts';
import type { ValueFormat } from '../../../mapping/core/field-type.ts';
import { compareOrdered, type OrderPart } from '../../pipelines/bucket-path.ts';
import type { MergedBuckets, MergedChildren, MergeKey } from '../../reduce/merge.ts';
import { termBytes, termKey } from '../../reduce/term-bytes.ts';
import { doubleOf, type ValuesSource } from '../../source.ts';
import type { Slice } from '../../types.ts';

/** Analyzed terms have no column, so each term is a filter. Limited, because each one costs a bitset of the segment. */
export const MAX_TEXT_BITS = 2 ** 31;

/** Comparable keys of slices: ordinals for a single segment, term bytes for several; raw numbers if all indices store them in the same form. */
export class TermKeys {
  readonly isText: boolean;
  readonly #direct: boolean;
  /** True if all indices store the numbers in the same form, so that keys are as stored; otherwise keys are doubles. */
  readonly alike: boolean;
  readonly #big: boolean;
  readonly #slices: readonly Slice[];
  readonly #sourceOf: (slice: Slice) => ValuesSource;

  /** @param exact  compare integers as bigints in any case: in a chain, only some of the keys of a level may need it */
  constructor(slices: readonly Slice[], sourceOf: (slice: Slice) => ValuesSource, direct: boolean, exact = false) {
    this.#slices = slices;
    this.#sourceOf = sourceOf;
    this.#direct = direct;
    const sources = slices.map(sourceOf);
    this.isText = sources.some((source) => source.kind === 'ordinals');
    const mapped = sources.filter((source) => source.type);
    this.alike = mapped.every(
      (source) => source.kind === mapped[0].kind && source.scale === mapped[0].scale && source.unsigned === mapped[0].unsigned,
    );
    const wide = exact && mapped.length > 0 && mapped[0].kind === 'i64';
    const hasWideKeys = slices.some((slice) => slice.result.op === 'buckets' && slice.result.buckets.keys instanceof BigInt64Array);
    this.#big = this.alike && (wide || hasWideKeys);
  }

  keyOf(slice: Slice, raw: number | bigint): MergeKey {
    const source = this.#sourceOf(slice);
    if (this.isText) return source.kind === 'ordinals' ? (this.#direct ? Number(raw) : termKey(slice, source, Number(raw))) : String(raw);
    if (!this.alike) return doubleOf(source, raw);
    return this.#big && (typeof raw === 'bigint' || Number.isInteger(raw)) ? BigInt(raw) : raw;
  }

  /** Source and format that determine how keys are shown. */
  get source(): ValuesSource {
    const sources = this.#slices.map(this.#sourceOf);
    return sources.find((source) => source.type) ?? sources[0];
  }

  /** The key as JSON, for pipelines, and as `key_as_string`. */
  show(key: MergeKey): { json: unknown; plain: string | number; text: string | null } {
    const source = this.source;
    if (this.isText) {
      const bytes = typeof key === 'number' && this.#direct ? termBytes(this.#slices[0], source, key) : Buffer.from(String(key), 'latin1');
      const shown = source.format ? source.format.formatBytes(bytes) : Buffer.from(bytes).toString();
      return { json: shown, plain: String(shown), text: null };
    }
    const value = this.alike ? doubleOf(source, key as number) : Number(key);
    const exact = typeof key === 'bigint' && source.scale === 1 ? key + (source.unsigned ? 1n << 63n : 0n) : null;
    // Integers beyond 2^53 stay bigints, which the JSON writer prints exactly.
    const isDouble = source.kind === 'f64' || source.scale !== 1;
    const json = isDouble ? jsonDouble(value) : exact !== null && !Number.isSafeInteger(Number(exact)) ? exact : value;
    return { json, plain: value, text: textOf(source.format, exact ?? value) };
  }

  /** Also true without segments, since the type of the values is unknown then. */
  get isUnmapped(): boolean {
    return this.#slices.length === 0 || (!this.source.type && this.source.missing === null);
  }

  get typedName(): string {
    // Terms of unmapped fields have no type, and are named like strings.
    if (this.isUnmapped || this.isText) return 'sterms';
    const { source } = this;
    return source.unsigned ? 'ulterms' : source.kind === 'f64' || source.scale !== 1 ? 'dterms' : 'lterms';
  }
}

function textOf(format: ValueFormat | null, value: number | bigint): string | null {
  return format ? format.keyAsString(value) : null;
}

export function compareKeys(a: MergeKey, b: MergeKey): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Comparator of merged buckets; uses `children` if the order refers to sub-aggregations. */
export function comparator(
  order: readonly OrderPart[],
  dialect: Dialect,
  merged: MergedBuckets,
  children: MergedChildren | null,
  byKey: (a: number, b: number) => number = (a, b) => compareKeys(merged.keys[a], merged.keys[b]),
): (a: number, b: number) => number {
  const below = new Map<number, ReturnType<MergedChildren['at']>>();
  const aggsOf = (id: number) => {
    let aggs = below.get(id);
    if (!aggs) {
      aggs = present(children).at(id);
      below.set(id, aggs);
    }
    return aggs;
  };
  const bucket = (id: number) => ({ aggs: aggsOf(id), docCount: merged.docCounts[id], key: 0 });
  const { docCounts } = merged;
  return (a, b) => {
    for (const part of order) {
      let by: number;
      if (part.path === '_count') by = part.descending ? docCounts[b] - docCounts[a] : docCounts[a] - docCounts[b];
      else if (part.path === '_key') by = part.descending ? byKey(b, a) : byKey(a, b);
      else by = compareOrdered(part, bucket(a), bucket(b), dialect);
      if (by !== 0) return by;
    }
    return 0;
  };
}
