// Encoding of range fields in a binary column: all ranges of a document, concatenated, bounds inclusive.
//   integer_range, long_range, date_range: ├ from i64 ┬ to i64 ┤    float_range, double_range: ├ from f64 ┬ to f64 ┤
//   ip_range: ├ from 16 bytes ┬ to 16 bytes ┤                       Little-endian; open bounds are the type's smallest and largest values.

export type RangeKind = 'i64' | 'f64' | 'ip';

export interface EncodedRange {
  readonly from: bigint | number | Uint8Array;
  readonly to: bigint | number | Uint8Array;
}

export function encodeRange(kind: RangeKind, { from, to }: EncodedRange): Uint8Array {
  if (kind === 'ip') {
    const bytes = new Uint8Array(32);
    bytes.set(from as Uint8Array, 0);
    bytes.set(to as Uint8Array, 16);
    return bytes;
  }
  const view = new DataView(new ArrayBuffer(16));
  if (kind === 'i64') {
    view.setBigInt64(0, from as bigint, true);
    view.setBigInt64(8, to as bigint, true);
  } else {
    view.setFloat64(0, from as number, true);
    view.setFloat64(8, to as number, true);
  }
  return new Uint8Array(view.buffer);
}

export function decodeRanges(kind: RangeKind, bytes: Uint8Array): EncodedRange[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const out: EncodedRange[] = [];
  const size = kind === 'ip' ? 32 : 16;
  for (let at = 0; at + size <= bytes.length; at += size) {
    if (kind === 'ip') out.push({ from: bytes.slice(at, at + 16), to: bytes.slice(at + 16, at + 32) });
    else if (kind === 'i64') out.push({ from: view.getBigInt64(at, true), to: view.getBigInt64(at + 8, true) });
    else out.push({ from: view.getFloat64(at, true), to: view.getFloat64(at + 8, true) });
  }
  return out;
}

/** Element kind of a range type. */
export function rangeKindOf(typeName: string): RangeKind {
  if (typeName === 'ip_range') return 'ip';
  return typeName === 'float_range' || typeName === 'double_range' ? 'f64' : 'i64';
}
