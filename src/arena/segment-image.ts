// Checks the frame of a segment image in an arena and finds the parts of each field. The layout is specified in docs/internals/segment-format.md.
import { corruptIndexError } from '../errors/catalog.ts';
import { type ColumnKindName, columnKindName } from '../wasm/buffer.ts';
import { crc32c } from '../wasm/codec.ts';
import {
  FIELDS_HEADER_BYTES,
  FieldRecord,
  IMAGE_HEADER_BYTES,
  IMAGE_MAGIC,
  IMAGE_VERSION,
  ImageHeader,
  NO_FIELD,
  SectionKind,
  TocEntry,
} from '../wasm/generated/buffer.ts';
import { FIELD_PATH } from '../wasm/generated/codec.ts';
import type { Kernels } from '../wasm/kernels.ts';
import { getU32 } from '../wasm/records.ts';

const SECTION_NAMES: Record<number, string> = Object.fromEntries(
  Object.entries(SectionKind).map(([name, kind]) => [kind, name.toLowerCase()]),
);

/** Parts of one field: addresses in the arena, 0 for missing parts. */
export interface FieldPlace {
  readonly name: string;
  readonly flags: number;
  readonly columnKind: ColumnKindName;
  terms: number;
  positions: number;
  norms: number;
  column: number;
  binary: number;
  /** Graph over the vectors of the binary column. */
  graph: number;
}

/** A checked image: addresses of everything in it. */
export interface ImagePlaces {
  readonly ptr: number;
  readonly bytes: number;
  readonly maxDoc: number;
  readonly rootDocs: number;
  readonly fields: ReadonlyMap<string, FieldPlace>;
  readonly nested: ReadonlyMap<string, number>;
  readonly rootDocsPtr: number;
  readonly ids: number;
  readonly sections: ReadonlyArray<{ readonly kind: string; readonly field: string | null; readonly bytes: number }>;
}

export interface CheckOptions {
  /** File that the image came from: named in errors. */
  readonly file: string;
  /** Check the checksum of every section (reads the whole image); header and table of contents are always checked. */
  readonly verify: boolean;
}

/** Checks the frame of an image and finds its sections. @throws ApiError corrupt_index_exception */
export function readImage(k: Kernels, ptr: number, bytes: number, { file, verify }: CheckOptions): ImagePlaces {
  const corrupt = (what: string): never => {
    throw corruptIndexError(file, `segment ${what}`);
  };
  if (bytes < IMAGE_HEADER_BYTES) corrupt(`header: file of ${bytes} bytes is too short`);
  if (getU32(k, ptr, ImageHeader.magic) !== IMAGE_MAGIC) corrupt('header: magic number is wrong');
  const version = getU32(k, ptr, ImageHeader.version);
  if (version !== IMAGE_VERSION) corrupt(`header: format version ${version} is not known`);
  const announced = getU32(k, ptr, ImageHeader.bytes);
  if (announced !== bytes) corrupt(`header: ${announced} bytes announced, ${bytes} present`);
  const sectionCount = getU32(k, ptr, ImageHeader.sectionCount);
  const tocOff = getU32(k, ptr, ImageHeader.tocOff);
  if (tocOff % 4 !== 0 || tocOff + sectionCount * TocEntry.sizeof > bytes) corrupt('header: table of contents lies outside');
  if (k.exports.bufferImageChecksum(ptr) >>> 0 !== getU32(k, ptr, ImageHeader.checksum))
    corrupt('header and table of contents: checksum differs');

  const sections: { kind: number; field: number; off: number; bytes: number }[] = [];
  for (let i = 0; i < sectionCount; i++) {
    const at = ptr + tocOff + i * TocEntry.sizeof;
    const section = {
      kind: getU32(k, at, TocEntry.kind),
      field: getU32(k, at, TocEntry.fieldOrd),
      off: getU32(k, at, TocEntry.off),
      bytes: getU32(k, at, TocEntry.bytes),
    };
    const name = `section ${SECTION_NAMES[section.kind] ?? section.kind} at ${section.off}`;
    if (section.off % 64 !== 0 || section.off + section.bytes > tocOff) corrupt(`${name}: lies outside`);
    if (verify && crc32c(k, ptr + section.off, section.bytes) !== getU32(k, at, TocEntry.checksum)) corrupt(`${name}: checksum differs`);
    sections.push(section);
  }
  const records = readFields(
    k,
    ptr,
    sections.find(({ kind }) => kind === SectionKind.FIELDS),
    corrupt,
  );
  const fields = new Map<string, FieldPlace>();
  const nested = new Map<string, number>();
  for (const record of records) if (!(record.flags & FIELD_PATH)) fields.set(record.name, record);
  let rootDocsPtr = 0;
  let ids = 0;
  for (const section of sections) {
    const at = ptr + section.off;
    const record = records[section.field];
    if (section.kind === SectionKind.IDS) ids = at;
    else if (section.kind === SectionKind.NESTED) {
      if (section.field === NO_FIELD) rootDocsPtr = at;
      else nested.set(record.name, at);
    } else if (section.kind === SectionKind.TERMS) record.terms = at;
    else if (section.kind === SectionKind.POSITIONS) record.positions = at;
    else if (section.kind === SectionKind.NORMS) record.norms = at;
    else if (section.kind === SectionKind.COLUMN) record.column = at;
    else if (section.kind === SectionKind.BINARY) record.binary = at;
    else if (section.kind === SectionKind.VECTORS) record.graph = at;
  }
  if (ids === 0) corrupt('has no section of ids');
  if (!fields.get('_seq_no')?.column) corrupt('has no column [_seq_no]');
  const listed = sections.map(({ kind, field, bytes: size }) => ({
    kind: SECTION_NAMES[kind] ?? String(kind),
    field: records[field]?.name ?? null,
    bytes: size,
  }));
  return {
    ptr,
    bytes,
    maxDoc: getU32(k, ptr, ImageHeader.maxDoc),
    rootDocs: getU32(k, ptr, ImageHeader.rootDocs),
    fields,
    nested,
    rootDocsPtr,
    ids,
    sections: listed,
  };
}

function readFields(k: Kernels, ptr: number, section: { off: number } | undefined, corrupt: (what: string) => never): FieldPlace[] {
  const records: FieldPlace[] = [];
  if (!section) return records;
  const start = ptr + section.off;
  let at = start + FIELDS_HEADER_BYTES;
  for (let left = k.u32[start >>> 2]; left > 0; left--) {
    const flags = getU32(k, at, FieldRecord.flags);
    const name = Buffer.from(k.u8.buffer, at + FieldRecord.sizeof, getU32(k, at, FieldRecord.nameLength)).toString();
    const columnKind = columnKindName(flags) ?? corrupt(`section fields: column kind of [${name}] is not known`);
    records.push({ name, flags, columnKind, terms: 0, positions: 0, norms: 0, column: 0, binary: 0, graph: 0 });
    at += getU32(k, at, FieldRecord.bytes);
  }
  return records;
}
