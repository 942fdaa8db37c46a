// Frame of a segment image: header, sections, table of contents. The layout is specified in docs/internals/segment-format.md.
import { crc32c } from '../codec/crc32c';

export const IMAGE_MAGIC: u32 = 0x47534e47; // "GNSG"
export const IMAGE_VERSION: u32 = 1;
export const IMAGE_HEADER_BYTES: usize = 64;
export const TOC_ENTRY_BYTES: usize = 32;
/** Sections that belong to no field. */
export const NO_FIELD: u32 = 0xffffffff;

export namespace SectionKind {
  export const FIELDS: u32 = 1;
  export const TERMS: u32 = 2;
  export const POSTINGS: u32 = 3;
  export const POSITIONS: u32 = 4;
  export const NORMS: u32 = 5;
  export const COLUMN: u32 = 6;
  export const IDS: u32 = 7;
  export const NESTED: u32 = 8;
  export const BINARY: u32 = 9;
  export const VECTORS: u32 = 10;
  export const RANGES: u32 = 11;
}

// @ts-ignore: decorator
@unmanaged
export class ImageHeader {
  magic: u32;
  version: u32;
  bytes: u32;
  maxDoc: u32;
  sectionCount: u32;
  tocOff: u32;
  liveDocs: u32;
  rootDocs: u32;
  checksum: u32;
}

// @ts-ignore: decorator
@unmanaged
export class TocEntry {
  kind: u32;
  fieldOrd: u32;
  off: u32;
  bytes: u32;
  checksum: u32;
  aux0: u32;
  aux1: u32;
  aux2: u32;
}

/** An image being written, section by section. */
// @ts-ignore: decorator
@unmanaged
export class ImageWriter {
  start: usize;
  /** First free byte after the last section; multiple of 64. */
  cur: usize;
  end: usize;
  /** Table of contents so far, in memory of the caller. */
  toc: usize;
  tocCapacity: u32;
  count: u32;
}

/** Starts an image at `start` (multiple of 64). `toc`: room for `tocCapacity` entries. False if there is no room. */
export function imageOpen(image: ImageWriter, start: usize, end: usize, toc: usize, tocCapacity: u32): bool {
  image.start = start;
  image.end = end;
  image.cur = start + IMAGE_HEADER_BYTES;
  image.toc = toc;
  image.tocCapacity = tocCapacity;
  image.count = 0;
  return start <= end && IMAGE_HEADER_BYTES <= end - start;
}

/** Bytes left for sections. */
// @ts-ignore: decorator
@inline
export function imageFree(image: ImageWriter): usize {
  return image.end > image.cur ? image.end - image.cur : 0;
}

/** Registers the section of `bytes` bytes that the caller has written at `image.cur`. False if its padding does not fit. */
export function imageSection(image: ImageWriter, kind: u32, fieldOrd: u32, bytes: usize): bool {
  const padded = (bytes + 63) & ~63;
  if (image.count == image.tocCapacity || padded > imageFree(image)) return false;
  memory.fill(image.cur + bytes, 0, padded - bytes);
  const entry = changetype<TocEntry>(image.toc + <usize>image.count * TOC_ENTRY_BYTES);
  memory.fill(changetype<usize>(entry), 0, TOC_ENTRY_BYTES);
  entry.kind = kind;
  entry.fieldOrd = fieldOrd;
  entry.off = <u32>(image.cur - image.start);
  entry.bytes = <u32>bytes;
  image.cur += padded;
  image.count++;
  return true;
}

/** Checksums and closes the image. Returns its size in bytes, or 0 if the table of contents does not fit. */
export function imageFinish(image: ImageWriter, maxDoc: u32, rootDocs: u32): usize {
  const tocBytes = <usize>image.count * TOC_ENTRY_BYTES;
  if (tocBytes > imageFree(image) || image.cur + tocBytes - image.start > <usize>0xffff0000) return 0;
  for (let i: u32 = 0; i < image.count; i++) {
    const entry = changetype<TocEntry>(image.toc + <usize>i * TOC_ENTRY_BYTES);
    entry.checksum = crc32c(image.start + entry.off, entry.bytes, 0);
  }
  memory.copy(image.cur, image.toc, tocBytes);
  const header = changetype<ImageHeader>(image.start);
  memory.fill(image.start, 0, IMAGE_HEADER_BYTES);
  header.magic = IMAGE_MAGIC;
  header.version = IMAGE_VERSION;
  header.bytes = <u32>(image.cur + tocBytes - image.start);
  header.maxDoc = maxDoc;
  header.sectionCount = image.count;
  header.tocOff = <u32>(image.cur - image.start);
  header.liveDocs = maxDoc;
  header.rootDocs = rootDocs;
  header.checksum = imageChecksum(image.start);
  return header.bytes;
}

/** CRC-32C of header (with its checksum as 0) and table of contents. Pre: both are within the image. */
export function imageChecksum(start: usize): u32 {
  const header = changetype<ImageHeader>(start);
  const before = crc32c(start, offsetof<ImageHeader>('checksum'), 0);
  const zeros = crc32c(changetype<usize>(ZERO_WORD), 4, before);
  const rest = crc32c(start + offsetof<ImageHeader>('checksum') + 4, IMAGE_HEADER_BYTES - offsetof<ImageHeader>('checksum') - 4, zeros);
  return crc32c(start + header.tocOff, <usize>header.sectionCount * TOC_ENTRY_BYTES, rest);
}

const ZERO_WORD: StaticArray<u32> = [0];
