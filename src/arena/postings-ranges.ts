// The ranges of terms of a large field (section kind 11, assembly/buffer/ranges.ts), as a reader of a paged segment uses them.
import { PostingsRange, RANGE_ENTRY_BYTES, SectionKind } from '../wasm/generated/buffer.ts';

/** A part of the postings or positions of a field. */
export interface RangePart {
  /** Offset in the section. */
  readonly off: number;
  readonly bytes: number;
  readonly checksum: number;
}

export interface PostingsRanges {
  /** Ordinal of each range's first term. */
  readonly firstOrds: Uint32Array;
  /** Offset of each range in the postings section. */
  readonly offsets: Uint32Array;
  readonly postings: readonly RangePart[];
  /** Empty without positions. */
  readonly positions: readonly RangePart[];
}

/** A section in the table of contents. */
interface ListedSection {
  readonly kind: number;
  readonly field: number;
  readonly bytes: number;
}

/**
 * Reads a section of ranges.
 * @param field    the number of its field
 * @param corrupt  called if the ranges do not follow each other within the field's sections
 */
export function readRanges(
  bytes: Uint8Array,
  field: number,
  sections: readonly ListedSection[],
  corrupt: (what: string) => never,
): PostingsRanges {
  const sizeOf = (kind: number): number | null =>
    sections.find((section) => section.field === field && section.kind === kind)?.bytes ?? null;
  const positionsBytes = sizeOf(SectionKind.POSITIONS);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const count = Math.floor(bytes.length / RANGE_ENTRY_BYTES);
  const word = (i: number, field: number): number => view.getUint32(i * RANGE_ENTRY_BYTES + field, true);
  const column = (field: number): Uint32Array => Uint32Array.from({ length: count }, (_, i) => word(i, field));
  const parts = (offs: Uint32Array, size: number, checksums: Uint32Array): RangePart[] =>
    Array.from(offs, (off, i) => {
      const end = i + 1 < count ? offs[i + 1] : size;
      if (end < off || (i === 0 && off !== 0)) corrupt(`section ranges: range ${i} has no place in a section of ${size} bytes`);
      return { off, bytes: end - off, checksum: checksums[i] };
    });
  if (count === 0) corrupt('section ranges: is empty');
  const firstOrds = column(PostingsRange.firstOrd);
  if (firstOrds.some((ord, i) => (i === 0 ? ord !== 0 : ord <= firstOrds[i - 1]))) corrupt('section ranges: terms do not ascend');
  const offsets = column(PostingsRange.postingsOff);
  if (offsets.some((off) => off % 4 !== 0)) corrupt('section ranges: records are not aligned');
  return {
    firstOrds,
    offsets,
    postings: parts(offsets, sizeOf(SectionKind.POSTINGS) ?? 0, column(PostingsRange.postingsChecksum)),
    positions:
      positionsBytes === null ? [] : parts(column(PostingsRange.positionsOff), positionsBytes, column(PostingsRange.positionsChecksum)),
  };
}

/** Sizes of the parts of a field: its postings, then its positions. */
export function rangeSizes({ postings, positions }: PostingsRanges): number[] {
  return [...postings, ...positions].map(({ bytes }) => bytes);
}

/** The last of the ascending `starts` that is not above `at`; the first one is 0. */
export function rangeOf(starts: Uint32Array, at: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (starts[middle] <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
