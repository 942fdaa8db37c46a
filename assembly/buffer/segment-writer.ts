// State that flush and merge share: the scratch and image of a segment being written, its columns and binary sections.
//   at ├ SegmentWriter ┬ scratch ··· ┬ image ··· ┤ end
import { COLUMN_F64, COLUMN_ORDINALS } from '../docvalues/column';
import { columnSort, columnWrite } from '../docvalues/column-writer';
import { REGION_BYTES, Region, regionAllocate, regionInit } from '../mem/region';
import { E_NO_SPACE } from '../mem/status';
import { FieldOutput, outputBytes, outputCreate } from './field-output';
import { ImageWriter, SectionKind, TOC_ENTRY_BYTES, imageFree, imageOpen, imageSection } from './image';
import { ColumnKind } from './layout';
import { rangeCapacity } from './ranges';

// @ts-ignore: decorator
@unmanaged
export class SegmentWriter {
  scratch: Region;
  image: ImageWriter;
  output: FieldOutput;
  /** Room for two SliceReaders. */
  readers: usize;
  maxDoc: u32;
  rootDocs: u32;
}

const IMAGE_OFF: usize = 32;
const READERS_OFF: usize = 64;
const SCRATCH_OFF: usize = 96;
const SEGMENT_WRITER_BYTES: usize = 256;

/** Columns that every segment has: sequence number, version and primary term of each document. */
export const SYSTEM_COLUMNS: u32 = 3;
const SEQ_NO_NAME = memory.data<u8>([7, 95, 115, 101, 113, 95, 110, 111]);
const VERSION_NAME = memory.data<u8>([8, 95, 118, 101, 114, 115, 105, 111, 110]);
const PRIMARY_TERM_NAME = memory.data<u8>([13, 95, 112, 114, 105, 109, 97, 114, 121, 95, 116, 101, 114, 109]);

/** Address of ├ length u8 │ name ┤: `_seq_no`, `_version`, `_primary_term`. */
export function systemColumnName(which: u32): usize {
  return which == 0 ? SEQ_NO_NAME : which == 1 ? VERSION_NAME : PRIMARY_TERM_NAME;
}

/**
 * Lays out a writer at `at` (multiple of 64) with `scratchBytes` of scratch for the caller, for at most `fields` fields and nested paths and
 * `maxDoc` documents. Null if there is no room for the image.
 */
export function segmentWriterOpen(at: usize, end: usize, scratchBytes: usize, fields: u32, maxDoc: u32): SegmentWriter | null {
  const sections = (fields + SYSTEM_COLUMNS) * 7 + 8;
  if (at > end) return null;
  const ranges = rangeCapacity(end - at);
  const fixed = SEGMENT_WRITER_BYTES + <usize>sections * TOC_ENTRY_BYTES + outputBytes(maxDoc, ranges) + 256;
  if (<u64>fixed + <u64>scratchBytes > <u64>(end - at)) return null;
  const writer = changetype<SegmentWriter>(at);
  writer.image = changetype<ImageWriter>(at + IMAGE_OFF);
  writer.readers = at + READERS_OFF;
  writer.scratch = changetype<Region>(at + SCRATCH_OFF);
  const imageStart = (at + fixed + scratchBytes + 63) & ~63;
  regionInit(writer.scratch, at + SEGMENT_WRITER_BYTES, imageStart);
  const toc = regionAllocate(writer.scratch, <usize>sections * TOC_ENTRY_BYTES);
  const output = outputCreate(writer.scratch, writer.image, maxDoc, ranges);
  if (!toc || !output || !imageOpen(writer.image, imageStart, end, toc, sections)) return null;
  writer.output = output;
  return writer;
}

/** Writes a column from parallel arrays; `sort`: sorts the values within documents first. Writes nothing if `count` is 0. Returns 0 or E_NO_SPACE. */
export function segmentColumn(writer: SegmentWriter, ord: u32, kind: u32, docs: usize, values: usize, count: u32, sort: bool): i32 {
  if (count == 0) return 0;
  const flags: u32 = kind == ColumnKind.F64 ? COLUMN_F64 : kind == ColumnKind.ORDINALS ? COLUMN_ORDINALS : 0;
  if (sort) count = columnSort(flags, docs, values, count);
  const image = writer.image;
  const bytes = columnWrite(flags, writer.maxDoc, docs, values, count, image.cur, image.end);
  return bytes && imageSection(image, SectionKind.COLUMN, ord, bytes) ? 0 : E_NO_SPACE;
}

/** Writes a binary section: `values` are addresses of ├ length u32 │ bytes ┤. Only the first value of a document is kept. */
export function segmentBinary(writer: SegmentWriter, ord: u32, docs: usize, values: usize, count: u32): i32 {
  if (count == 0) return 0;
  const image = writer.image, start = image.cur;
  let cur = start + (<usize>writer.maxDoc + 1) * 4;
  const bytesStart = cur;
  if (cur > image.end) return E_NO_SPACE;
  let next: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const doc = load<u32>(docs + ((<usize>i) << 2));
    if (doc < next) continue;
    for (; next <= doc; next++) store<u32>(start + ((<usize>next) << 2), <u32>(cur - bytesStart));
    const value = <usize>load<i64>(values + ((<usize>i) << 3)), length = <usize>load<u32>(value);
    if (cur > image.end || length > image.end - cur) return E_NO_SPACE;
    memory.copy(cur, value + 4, length);
    cur += length;
  }
  for (; next <= writer.maxDoc; next++) store<u32>(start + ((<usize>next) << 2), <u32>(cur - bytesStart));
  return imageSection(image, SectionKind.BINARY, ord, cur - start) ? 0 : E_NO_SPACE;
}
