// Checks the frame of a segment image in an arena and finds the parts of each field. The layout is specified in docs/internals/segment-format.md.
import { corruptIndexError } from '../errors/catalog.ts';
import type { TermPairs } from '../plan/segment.ts';
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

/** A field's record in the section of fields. */
export interface FieldInfo {
  readonly name: string;
  readonly flags: number;
  readonly columnKind: ColumnKindName;
}

/** Parts of one field: addresses in the arena, 0 for missing parts. Parts of a paged image are loaded on first use. */
export interface FieldPlace extends FieldInfo {
  readonly terms: number;
  /** Base that kernels assume for term records: 0 if it is the real one, and then kernels return addresses. */
  readonly recordBase: number;
  readonly norms: number;
  readonly column: number;
  readonly binary: number;
  /** Graph over the vectors of the binary column. */
  readonly graph: number;
  readonly hasGraph: boolean;
  readonly hasNorms: boolean;
  /** See SegmentPostings. A place is the address of a record minus `recordBase`. */
  recordAt(place: number): number;
  positionsAt(place: number): number;
  relocate(pairs: TermPairs): void;
  pieces(from: number, to: number): Uint32Array;
}

/** The addresses of everything in an image. */
export interface SegmentPlaces {
  /** Bytes of the whole segment. */
  readonly bytes: number;
  readonly maxDoc: number;
  readonly rootDocs: number;
  readonly fields: Pick<ReadonlyMap<string, FieldPlace>, 'get' | 'keys'>;
  readonly nested: ReadonlyMap<string, number>;
  readonly rootDocsPtr: number;
  readonly ids: number;
  readonly sections: ReadonlyArray<{ readonly kind: string; readonly field: string | null; readonly bytes: number }>;
  /** Bytes of the sections that are in memory. */
  readonly residentBytes: number;
}

/** A checked image in an arena. */
export interface ImagePlaces extends SegmentPlaces {
  readonly ptr: number;
  readonly fields: ReadonlyMap<string, ImageField>;
}

/** An entry of the table of contents. */
export interface SectionEntry {
  readonly kind: number;
  /** Position of the field's record, NO_FIELD if the section belongs to no field. */
  readonly field: number;
  readonly off: number;
  readonly bytes: number;
  readonly checksum: number;
}

export interface CheckOptions {
  /** File of the image, for errors. */
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

  const sections = readToc(k, ptr + tocOff, sectionCount);
  for (const { kind, off, bytes: size, checksum } of sections) {
    const name = `section ${sectionName(kind)} at ${off}`;
    if (off % 64 !== 0 || off + size > tocOff) corrupt(`${name}: lies outside`);
    if (verify && crc32c(k, ptr + off, size) !== checksum) corrupt(`${name}: checksum differs`);
  }
  const fieldsSection = sections.find(({ kind }) => kind === SectionKind.FIELDS);
  const records = (fieldsSection ? readFields(k, ptr + fieldsSection.off, corrupt) : []).map((info) => new ImageField(info));
  const fields = new Map<string, ImageField>();
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
    else if (section.kind === SectionKind.NORMS) {
      record.norms = at;
      record.hasNorms = true;
    } else if (section.kind === SectionKind.COLUMN) record.column = at;
    else if (section.kind === SectionKind.BINARY) record.binary = at;
    else if (section.kind === SectionKind.VECTORS) {
      record.graph = at;
      record.hasGraph = true;
    }
  }
  if (ids === 0) corrupt('has no section of ids');
  if (!fields.get('_seq_no')?.column) corrupt('has no column [_seq_no]');
  return {
    ptr,
    bytes,
    maxDoc: getU32(k, ptr, ImageHeader.maxDoc),
    rootDocs: getU32(k, ptr, ImageHeader.rootDocs),
    fields,
    nested,
    rootDocsPtr,
    ids,
    sections: listSections(sections, records),
    residentBytes: bytes,
  };
}

/** Parts of a field of an image that is wholly in memory: its records are where the dictionary leads to. */
export class ImageField implements FieldPlace {
  readonly name: string;
  readonly flags: number;
  readonly columnKind: ColumnKindName;
  readonly recordBase = 0;
  terms = 0;
  positions = 0;
  hasNorms = false;
  norms = 0;
  column = 0;
  binary = 0;
  graph = 0;
  hasGraph = false;

  constructor({ name, flags, columnKind }: FieldInfo) {
    this.name = name;
    this.flags = flags;
    this.columnKind = columnKind;
  }

  recordAt(place: number): number {
    return place;
  }

  positionsAt(): number {
    return this.positions;
  }

  relocate(): void {}

  pieces(_from: number, to: number): Uint32Array {
    return Uint32Array.of(to, 0);
  }
}

/** Name of a kind of section, for statistics and errors. */
export function sectionName(kind: number): string {
  return SECTION_NAMES[kind] ?? String(kind);
}

/** @param at  address of the table of contents */
export function readToc(k: Kernels, at: number, count: number): SectionEntry[] {
  return Array.from({ length: count }, (_, i) => {
    const entry = at + i * TocEntry.sizeof;
    return {
      kind: getU32(k, entry, TocEntry.kind),
      field: getU32(k, entry, TocEntry.fieldOrd),
      off: getU32(k, entry, TocEntry.off),
      bytes: getU32(k, entry, TocEntry.bytes),
      checksum: getU32(k, entry, TocEntry.checksum),
    };
  });
}

/** Sections as statistics show them. */
export function listSections(sections: readonly SectionEntry[], records: readonly FieldInfo[]): SegmentPlaces['sections'] {
  return sections.map(({ kind, field, bytes }) => ({ kind: sectionName(kind), field: records[field]?.name ?? null, bytes }));
}

/** @param start  address of the section of fields */
export function readFields(k: Kernels, start: number, corrupt: (what: string) => never): FieldInfo[] {
  const records: FieldInfo[] = [];
  let at = start + FIELDS_HEADER_BYTES;
  for (let left = k.u32[start >>> 2]; left > 0; left--) {
    const flags = getU32(k, at, FieldRecord.flags);
    const name = Buffer.from(k.u8.buffer, at + FieldRecord.sizeof, getU32(k, at, FieldRecord.nameLength)).toString();
    const columnKind = columnKindName(flags) ?? corrupt(`section fields: column kind of [${name}] is not known`);
    records.push({ name, flags, columnKind });
    at += getU32(k, at, FieldRecord.bytes);
  }
  return records;
}
