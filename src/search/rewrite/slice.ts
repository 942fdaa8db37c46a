// Slices of a scroll or a point in time. Each document belongs to exactly one of `max` slices, by a hash of a field or of its id. The hashes are those
// of Elasticsearch 7.10 and Lucene (TermsSliceQuery, DocValuesSliceQuery, Uid; Apache-2.0), so that slices have the same documents there.
import { floorMod, mix64, murmur3x86 } from '../../common/encoding/java-hashes.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { ALL, type IndexQuery, none } from '../index-query/index-query.ts';
import type { RewriteContext } from '../shard/rewrite-context.ts';
import type { SearchShard } from '../shard/search-shard.ts';

/** Seed of the hashes of ids. */
const SEED = 7919;

const bits = new DataView(new ArrayBuffer(8));

/** A column value as Lucene stores it: doubles and floats as integers that sort like them. */
function sortableBits(value: bigint | number, typeName: string): bigint {
  if (typeof value === 'bigint') return value;
  if (typeName === 'float') {
    bits.setFloat32(0, value);
    const raw = bits.getInt32(0);
    return BigInt(raw ^ ((raw >> 31) & 0x7fffffff));
  }
  bits.setFloat64(0, value);
  const raw = bits.getBigInt64(0);
  return BigInt.asIntN(64, raw ^ ((raw >> 63n) & 0x7fffffffffffffffn));
}

/** An `_id` as the bytes of its term: digits in pairs, base64 decoded, anything else as UTF-8. */
function idBytes(id: string): Uint8Array {
  if (/^\d+$/.test(id)) {
    const bytes = [0xfe];
    for (let i = 0; i < id.length; i += 2) {
      const low = i + 1 < id.length ? id.charCodeAt(i + 1) - 48 : 0x0f;
      bytes.push(((id.charCodeAt(i) - 48) << 4) | low);
    }
    return Uint8Array.from(bytes);
  }
  if (isBase64(id)) {
    const decoded = Buffer.from(id, 'base64url');
    return decoded[0] >= 0xfd ? Buffer.concat([Buffer.of(0xfd), decoded]) : decoded;
  }
  return Buffer.concat([Buffer.of(0xff), Buffer.from(id)]);
}

/** True for URL-safe base64 without padding and without bits left over. */
function isBase64(id: string): boolean {
  const rest = id.length & 3;
  if (id.length === 0 || rest === 1 || !/^[\w-]+$/.test(id)) return false;
  const last = id[id.length - 1];
  return rest === 0 || (rest === 2 ? 'AQgw' : 'AEIMQUYcgkosw048').includes(last);
}

interface Slice {
  readonly id: number;
  readonly max: number;
  readonly field: string | null;
}

/**
 * The part of a slice that a shard holds. With fewer slices than shards a slice consists of whole shards; with more, the slices of a shard divide its
 * documents.
 * @returns null if the slice has none of the shard's documents
 */
function ownPart({ id, max, field }: Slice, { shard, numberOfShards }: SearchShard): Slice | null {
  if (numberOfShards === 1) return { id, max, field };
  if (max < numberOfShards) return shard % max === id ? { id: 0, max: 1, field } : null;
  if (id % numberOfShards !== shard) return null;
  const own = Math.floor(max / numberOfShards) + (max % numberOfShards > shard ? 1 : 0);
  return { id: Math.floor(id / numberOfShards), max: own, field };
}

export function sliceFilter(given: Slice, shard: SearchShard, context: RewriteContext): IndexQuery {
  if (given.max > shard.limits.maxSlices) {
    throw illegalArgumentError(
      `The number of slices [${given.max}] is too large. It must be less than [${shard.limits.maxSlices}]. This limit can be set by changing the ` +
        '[index.max_slices_per_scroll] index level setting.',
    );
  }
  const slice = ownPart(given, shard);
  if (slice === null) return none('no documents of the slice');
  const { field: name } = slice;
  if (name !== null && name !== '_id') {
    const field = context.mapping.field(name);
    if (!field) throw illegalArgumentError(`field ${name} not found`);
    if (field.family !== 'numeric' && field.family !== 'date') throw illegalArgumentError(`cannot load numeric doc values on ${name}`);
    if (slice.max === 1) return ALL;
    const column = field.spec.name;
    return {
      op: 'hostFilter',
      field: column,
      label: 'slice',
      matches: (segment, docId) => {
        const [value] = segment.values(column, docId);
        const hash = value === undefined ? 0 : Number(BigInt.asIntN(32, mix64(sortableBits(value, field.typeName))));
        return floorMod(hash, slice.max) === slice.id;
      },
    };
  }
  if (slice.max === 1) return ALL;
  return {
    op: 'hostFilter',
    field: '',
    label: 'slice',
    matches: (segment, docId) => floorMod(murmur3x86(idBytes(segment.idOf(docId)), SEED), slice.max) === slice.id,
  };
}
