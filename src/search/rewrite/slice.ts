// Slices of a scroll or a point in time. Each document belongs to exactly one of `max` slices, by a hash of a field or of its sequence number.
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { IndexQuery } from '../index-query/index-query.ts';
import type { RewriteContext } from '../shard/rewrite-context.ts';
import type { SearchShard } from '../shard/search-shard.ts';

/** The 64-bit hash of HPPC's BitMixer; returns its low half as a signed integer. */
function mix(value: bigint): number {
  let hash = BigInt.asUintN(64, value);
  hash = BigInt.asUintN(64, (hash ^ (hash >> 32n)) * 0x4cd6944c5cc20b6dn);
  hash = BigInt.asUintN(64, (hash ^ (hash >> 29n)) * 0xfc12c5b19d3259e9n);
  return Number(BigInt.asIntN(32, hash ^ (hash >> 32n)));
}

function isInSlice(value: bigint, { id, max }: { id: number; max: number }): boolean {
  return ((mix(value) % max) + max) % max === id;
}

export function sliceFilter(
  slice: { id: number; max: number; field: string | null },
  shard: SearchShard,
  context: RewriteContext,
): IndexQuery {
  if (slice.max > shard.limits.maxSlices) {
    throw illegalArgumentError(
      `The number of slices [${slice.max}] is too large. It must be less than [${shard.limits.maxSlices}]. This limit can be set by changing the ` +
        '[index.max_slices_per_scroll] index level setting.',
    );
  }
  const { field: name } = slice;
  if (name !== null && name !== '_id') {
    const field = context.mapping.field(name);
    if (!field) throw illegalArgumentError(`field ${name} not found`);
    if (field.family !== 'numeric' && field.family !== 'date') throw illegalArgumentError(`cannot load numeric doc values on ${name}`);
    const column = field.spec.name;
    return {
      op: 'hostFilter',
      field: column,
      label: 'slice',
      matches: (segment, docId) => {
        const [value] = segment.values(column, docId);
        const bits = value === undefined ? 0n : typeof value === 'bigint' ? value : BigInt(Math.trunc(value));
        return isInSlice(bits, slice);
      },
    };
  }
  return {
    op: 'hostFilter',
    field: '',
    label: 'slice',
    matches: (segment, docId) => isInSlice(BigInt(segment.seqNo(segment.rootOf(docId))), slice),
  };
}
