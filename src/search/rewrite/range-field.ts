// Queries on range fields (integer_range, date_range, ip_range...). The host compares them with the ranges in the binary column of each document,
// both of whose ends are inclusive.
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { FieldType } from '../../mapping/core/field-type.ts';
import { decodeRanges, type EncodedRange, rangeKindOf } from '../../mapping/values/range-encoding.ts';
import { type IndexQuery, none } from '../index-query/index-query.ts';
import { compareBytes } from '../index-query/term.ts';
import type { RewriteContext } from '../shard/rewrite-context.ts';

export type RangeRelation = 'intersects' | 'within' | 'contains' | 'disjoint';

interface RequestedRange {
  readonly from: unknown;
  readonly to: unknown;
  readonly includeFrom?: boolean;
  readonly includeTo?: boolean;
  readonly format?: string | null;
  readonly timeZone?: string | null;
}

type End = EncodedRange['from'];

/** Documents with a range that has the relation to the requested one. */
export function rangeFieldQuery(field: FieldType, requested: RequestedRange, relation: RangeRelation, context: RewriteContext): IndexQuery {
  if (field.typeName === 'integer_range' || field.typeName === 'long_range') {
    for (const end of [requested.from, requested.to])
      if (end !== undefined && end !== null && Number(end) % 1 !== 0 && !Number.isNaN(Number(end)))
        throw illegalArgumentError(`Value [${String(end)}] has a decimal part`);
  }
  const bounds = field.rangeBounds({
    from: requested.from ?? null,
    to: requested.to ?? null,
    includeFrom: requested.includeFrom ?? true,
    includeTo: requested.includeTo ?? true,
    format: requested.format ?? null,
    timeZone: requested.timeZone ?? null,
    nowMs: context.nowMs,
  });
  if (bounds.empty) return none('the range is empty');
  const [low, high]: readonly [End | null, End | null] = bounds.kind === 'bytes' ? [bounds.from, bounds.to] : [bounds.min, bounds.max];
  const kind = rangeKindOf(field.typeName);
  const name = field.spec.name;
  return {
    op: 'hostFilter',
    field: name,
    label: `${field.name}:${relation}`,
    matches: (segment, docId) => {
      const bytes = segment.binary(name, docId);
      return bytes !== null && decodeRanges(kind, bytes).some((range) => relates(range, low, high, relation));
    },
  };
}

function compareEnds(a: End, b: End): number {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  return a < b ? -1 : a > b ? 1 : 0;
}

function relates(range: EncodedRange, low: End | null, high: End | null, relation: RangeRelation): boolean {
  const startsAfterLow = low === null || compareEnds(range.from, low) >= 0;
  const endsBeforeHigh = high === null || compareEnds(range.to, high) <= 0;
  const touches = (high === null || compareEnds(range.from, high) <= 0) && (low === null || compareEnds(range.to, low) >= 0);
  switch (relation) {
    case 'intersects':
      return touches;
    case 'disjoint':
      return !touches;
    case 'within':
      return startsAfterLow && endsBeforeHigh;
    case 'contains':
      return low !== null && high !== null && compareEnds(range.from, low) <= 0 && compareEnds(range.to, high) >= 0;
  }
}
