// Opens a segment image in an arena: checks its frame and answers by field name. The layout is specified in docs/internals/segment-format.md.
import { corruptIndex } from '../errors/catalog.ts';
import { COLUMN_KINDS, FIELD_FLAG } from '../wasm/buffer.ts';
import { crc32c } from '../wasm/codec.ts';
import type { Kernels } from '../wasm/kernels.ts';
import { SegmentImageReader } from './segment-reader.ts';

const MAGIC = 0x47534e47;
const VERSION = 1;
const HEADER_BYTES = 64;
const TOC_ENTRY_BYTES = 32;
export const NO_FIELD = 0xffffffff;
export const SECTION = { fields: 1, terms: 2, postings: 3, positions: 4, norms: 5, column: 6, ids: 7, nested: 8, binary: 9 } as const;
const SECTION_NAMES: Record<number, string> = Object.fromEntries(Object.entries(SECTION).map(([name, kind]) => [kind, name]));

/** Where the parts of one field are; addresses in the arena, 0 if the segment has none. */
export interface FieldPlace {
  readonly name: string;
  readonly flags: number;
  readonly columnKind: (typeof COLUMN_KINDS)[number];
  terms: number;
  positions: number;
  norms: number;
  column: number;
  binary: number;
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

export interface OpenOptions {
  /** Unique in the node's life. */
  readonly id: number;
  /** File that the image came from: named in errors. */
  readonly file: string;
  /** Check the checksum of every section (reads the whole image); header and table of contents are checked always. */
  readonly verify: boolean;
}

/**
 * Opens the image at `ptr` (multiple of 64, in the memory of `kernels`).
 * @throws ApiError corrupt_index_exception naming file and section
 */
export function openSegment(kernels: Kernels, ptr: number, bytes: number, options: OpenOptions): SegmentImageReader {
  return new SegmentImageReader(kernels, readImage(kernels, ptr, bytes, options), options);
}

/** Checks the frame of an image and finds its sections. @throws ApiError corrupt_index_exception */
export function readImage(k: Kernels, ptr: number, bytes: number, { file, verify }: Pick<OpenOptions, 'file' | 'verify'>): ImagePlaces {
  const corrupt = (what: string): never => {
    throw corruptIndex(file, `segment ${what}`);
  };
  const word = (off: number): number => k.u32[(ptr + off) >>> 2];
  if (bytes < HEADER_BYTES) corrupt(`header: file of ${bytes} bytes is too short`);
  if (word(0) !== MAGIC) corrupt('header: magic number is wrong');
  if (word(4) !== VERSION) corrupt(`header: format version ${word(4)} is not known`);
  if (word(8) !== bytes) corrupt(`header: ${word(8)} bytes announced, ${bytes} present`);
  const sectionCount = word(16);
  const tocOff = word(20);
  if (tocOff % 4 !== 0 || tocOff + sectionCount * TOC_ENTRY_BYTES > bytes) corrupt('header: table of contents lies outside');
  if (k.exports.bufferImageChecksum(ptr) >>> 0 !== word(32)) corrupt('header and table of contents: checksum differs');

  const sections: { kind: number; field: number; off: number; bytes: number }[] = [];
  for (let i = 0; i < sectionCount; i++) {
    const at = tocOff + i * TOC_ENTRY_BYTES;
    const section = { kind: word(at), field: word(at + 4), off: word(at + 8), bytes: word(at + 12) };
    const name = `section ${SECTION_NAMES[section.kind] ?? section.kind} at ${section.off}`;
    if (section.off % 64 !== 0 || section.off + section.bytes > tocOff) corrupt(`${name}: lies outside`);
    if (verify && crc32c(k, ptr + section.off, section.bytes) !== word(at + 16)) corrupt(`${name}: checksum differs`);
    sections.push(section);
  }
  const records = readFields(
    k,
    ptr,
    sections.find(({ kind }) => kind === SECTION.fields),
  );
  const fields = new Map<string, FieldPlace>();
  const nested = new Map<string, number>();
  for (const record of records) if (!(record.flags & FIELD_FLAG.path)) fields.set(record.name, record);
  let rootDocsPtr = 0;
  let ids = 0;
  for (const section of sections) {
    const at = ptr + section.off;
    const record = records[section.field];
    if (section.kind === SECTION.ids) ids = at;
    else if (section.kind === SECTION.nested) {
      if (section.field === NO_FIELD) rootDocsPtr = at;
      else nested.set(record.name, at);
    } else if (section.kind === SECTION.terms) record.terms = at;
    else if (section.kind === SECTION.positions) record.positions = at;
    else if (section.kind === SECTION.norms) record.norms = at;
    else if (section.kind === SECTION.column) record.column = at;
    else if (section.kind === SECTION.binary) record.binary = at;
  }
  if (ids === 0) corrupt('has no section of ids');
  if (!fields.get('_seq_no')?.column) corrupt('has no column [_seq_no]');
  const listed = sections.map(({ kind, field, bytes: size }) => ({
    kind: SECTION_NAMES[kind] ?? String(kind),
    field: records[field]?.name ?? null,
    bytes: size,
  }));
  return { ptr, bytes, maxDoc: word(12), rootDocs: word(28), fields, nested, rootDocsPtr, ids, sections: listed };
}

function readFields(k: Kernels, ptr: number, section: { off: number } | undefined): FieldPlace[] {
  const records: FieldPlace[] = [];
  if (!section) return records;
  const start = ptr + section.off;
  let at = start + 8;
  for (let left = k.u32[start >>> 2]; left > 0; left--) {
    const flags = k.u32[(at + 4) >>> 2];
    const name = Buffer.from(k.u8.buffer, at + 16, k.u32[(at + 8) >>> 2]).toString();
    const columnKind = COLUMN_KINDS[(flags >>> FIELD_FLAG.columnShift) & 7];
    records.push({ name, flags, columnKind, terms: 0, positions: 0, norms: 0, column: 0, binary: 0 });
    at += k.u32[at >>> 2];
  }
  return records;
}
