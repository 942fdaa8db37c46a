// A segment whose sections are read from its file on first use. Its directory is always in memory, in an extent:
//     header | table of contents | section of fields | nested bitsets | ranges of postings          each at a multiple of 64
// Other sections are loaded into a pool (section-table.ts); a section's address changes each time it is evicted and reloaded. The distance
// from a dictionary to the postings is that of the file; readers subtract it (`recordBase`) and add the address of the postings when they
// run a plan.
import { readSync } from 'node:fs';
import { crc32c as crc32cOf } from '../common/encoding/crc32.ts';
import { corruptIndexError } from '../errors/catalog.ts';
import { crc32c } from '../wasm/codec.ts';
import { IMAGE_HEADER_BYTES, IMAGE_MAGIC, IMAGE_VERSION, ImageHeader, NO_FIELD, SectionKind, TocEntry } from '../wasm/generated/buffer.ts';
import { FIELD_PATH } from '../wasm/generated/codec.ts';
import type { Kernels } from '../wasm/kernels.ts';
import { getU32 } from '../wasm/records.ts';
import type { ImageFile } from './merge.ts';
import { type FieldSections, PagedField, type Resolve } from './paged-field.ts';
import { type PostingsRanges, type RangePart, rangeSizes, readRanges } from './postings-ranges.ts';
import type { PinnedSections, SectionSource, SectionTable } from './section-table.ts';
import { type FieldPlace, listSections, readFields, readToc, type SectionEntry, type SegmentPlaces, sectionName } from './segment-image.ts';

const ALIGN = 64;
const CHUNK_BYTES = 16 << 20;
/** Where the sections of a segment are read from, see src/indexing/segment-set.ts. */
interface Paging {
  readonly fd: number;
  readonly firstRow: number;
}

interface SectionOwner {
  readonly file: string;
  /** Receives what is wrong with a section when it is read. */
  readonly onDamage: (reason: string) => void;
}

/** The part of a paged segment that is always in memory. */
export interface ImageDirectory {
  readonly bytes: Uint8Array;
  /** Sizes of all parts that are loaded on their own: the sections in the order of the table of contents, then the ranges of large fields. */
  readonly sizes: readonly number[];
}

/** Reads a file at an offset. */
function readAt(fd: number, target: Uint8Array, offset: number, file: string): void {
  for (let at = 0; at < target.length; ) {
    const count = readSync(fd, target, at, Math.min(CHUNK_BYTES, target.length - at), offset + at);
    if (count === 0) throw corruptIndexError(file, 'file is truncated');
    at += count;
  }
}

/** The whole segment file as a merge input. */
export function imageFile(fd: number, bytes: number, file: string): ImageFile {
  return { length: bytes, readInto: (target) => readAt(fd, target, 0, file) };
}

/**
 * Reads and checks header, table of contents, fields and nested bitsets of a segment file.
 * @param bytes  size of the file @throws ApiError corrupt_index_exception
 */
export function readDirectory(fd: number, bytes: number, file: string): ImageDirectory {
  const corrupt = (what: string): never => {
    throw corruptIndexError(file, `segment ${what}`);
  };
  if (bytes < IMAGE_HEADER_BYTES) corrupt(`header: file of ${bytes} bytes is too short`);
  const header = Buffer.alloc(IMAGE_HEADER_BYTES);
  readAt(fd, header, 0, file);
  const word = (at: number): number => header.readUInt32LE(at);
  if (word(ImageHeader.magic) !== IMAGE_MAGIC) corrupt('header: magic number is wrong');
  if (word(ImageHeader.version) !== IMAGE_VERSION) corrupt(`header: format version ${word(ImageHeader.version)} is not known`);
  if (word(ImageHeader.bytes) !== bytes) corrupt(`header: ${word(ImageHeader.bytes)} bytes announced, ${bytes} present`);
  const tocOff = word(ImageHeader.tocOff);
  const tocBytes = word(ImageHeader.sectionCount) * TocEntry.sizeof;
  if (tocOff % 4 !== 0 || tocOff + tocBytes > bytes) corrupt('header: table of contents lies outside');
  const toc = Buffer.alloc(tocBytes);
  readAt(fd, toc, tocOff, file);
  const blank = Buffer.from(header);
  blank.writeUInt32LE(0, ImageHeader.checksum);
  if (crc32cOf(toc, crc32cOf(blank)) !== word(ImageHeader.checksum)) corrupt('header and table of contents: checksum differs');
  const parts: Buffer[] = [header, toc];
  const sections: { kind: number; field: number; bytes: number }[] = [];
  const ranged: { field: number; section: Buffer }[] = [];
  for (let at = 0; at < tocBytes; at += TocEntry.sizeof) {
    const kind = toc.readUInt32LE(at + TocEntry.kind);
    const field = toc.readUInt32LE(at + TocEntry.fieldOrd);
    const off = toc.readUInt32LE(at + TocEntry.off);
    const size = toc.readUInt32LE(at + TocEntry.bytes);
    const name = `section ${sectionName(kind)} at ${off}`;
    if (off % ALIGN !== 0 || off + size > tocOff) corrupt(`${name}: lies outside`);
    sections.push({ kind, field, bytes: size });
    if (!isInDirectory(kind)) continue;
    const section = Buffer.alloc(size);
    readAt(fd, section, off, file);
    if (crc32cOf(section) !== toc.readUInt32LE(at + TocEntry.checksum)) corrupt(`${name}: checksum differs`);
    parts.push(section);
    if (kind === SectionKind.RANGES) ranged.push({ field, section });
  }
  const sizes = [
    ...sections.map((section) => section.bytes),
    ...ranged.flatMap(({ field, section }) => rangeSizes(readRanges(section, field, sections, corrupt))),
  ];
  const image = new Uint8Array(parts.reduce((sum, part) => sum + aligned(part.length), 0));
  let at = 0;
  for (const part of parts) {
    image.set(part, at);
    at += aligned(part.length);
  }
  return { bytes: image, sizes };
}

function isInDirectory(kind: number): boolean {
  return kind === SectionKind.FIELDS || kind === SectionKind.NESTED || kind === SectionKind.RANGES;
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / ALIGN) * ALIGN;
}

function partName({ kind, off }: SectionEntry, field: string | undefined): string {
  return `section ${sectionName(kind)}${field === undefined ? '' : ` of [${field}]`} at ${off}`;
}

/** A part of a segment file that is loaded on its own. */
class FilePart implements SectionSource {
  readonly bytes: number;
  readonly #kernels: Kernels;
  readonly #fd: number;
  readonly #owner: SectionOwner;
  readonly #off: number;
  readonly #checksum: number;
  readonly #part: string;

  constructor(
    kernels: Kernels,
    fd: number,
    owner: SectionOwner,
    place: { readonly off: number; readonly bytes: number; readonly checksum: number },
    part: string,
  ) {
    this.#kernels = kernels;
    this.#fd = fd;
    this.#owner = owner;
    this.#off = place.off;
    this.bytes = place.bytes;
    this.#checksum = place.checksum;
    this.#part = part;
  }

  get name(): string {
    return `${this.#part} in ${this.#owner.file}`;
  }

  load(address: number): void {
    const { bytes } = this;
    const { u8 } = this.#kernels;
    const { file, onDamage } = this.#owner;
    try {
      readAt(this.#fd, u8.subarray(address, address + bytes), this.#off, file);
    } catch (error) {
      onDamage((error as Error).message);
      throw error;
    }
    // Wide loads at the end of a part read what follows it.
    u8.fill(0, address + bytes, address + aligned(bytes) + ALIGN);
    if (crc32c(this.#kernels, address, bytes) === this.#checksum) return;
    const damage = corruptIndexError(file, `segment ${this.#part}: checksum differs`);
    onDamage(damage.message);
    throw damage;
  }
}

/** State that all readers of a paged segment in a thread share. */
export class PagedImage {
  readonly maxDoc: number;
  readonly rootDocs: number;
  readonly nested = new Map<string, number>();
  readonly bytes: number;
  readonly rootDocsPtr: number;
  readonly sections: SegmentPlaces['sections'];
  readonly kernels: Kernels;
  readonly #table: SectionTable;
  readonly #paging: Paging;
  /** Its parts in the order of their rows: sections, then ranges. */
  readonly #parts: FilePart[];
  readonly #fields = new Map<string, FieldSections>();
  readonly #ids: number;

  /**
   * @param ptr  address of the directory
   * @param of   the file, and who is told that one of its sections is damaged
   * @throws ApiError corrupt_index_exception
   */
  constructor(kernels: Kernels, table: SectionTable, ptr: number, paging: Paging, of: SectionOwner) {
    const { file } = of;
    this.kernels = kernels;
    this.#table = table;
    this.#paging = paging;
    const corrupt = (what: string): never => {
      throw corruptIndexError(file, `segment ${what}`);
    };
    this.bytes = getU32(kernels, ptr, ImageHeader.bytes);
    this.maxDoc = getU32(kernels, ptr, ImageHeader.maxDoc);
    this.rootDocs = getU32(kernels, ptr, ImageHeader.rootDocs);
    const count = getU32(kernels, ptr, ImageHeader.sectionCount);
    const entries = readToc(kernels, ptr + IMAGE_HEADER_BYTES, count);
    const addresses = directoryAddresses(entries, ptr + aligned(IMAGE_HEADER_BYTES) + aligned(count * TocEntry.sizeof));
    const fieldsAt = addresses[entries.findIndex(({ kind }) => kind === SectionKind.FIELDS)];
    const records = fieldsAt ? readFields(kernels, fieldsAt, corrupt) : [];
    for (const info of records) if (!(info.flags & FIELD_PATH)) this.#fields.set(info.name, { info, sections: new Map(), ranges: null });
    let ids = -1;
    let rootDocsPtr = 0;
    entries.forEach(({ kind, field }, i) => {
      if (kind === SectionKind.IDS) ids = i;
      else if (kind === SectionKind.NESTED && field === NO_FIELD) rootDocsPtr = addresses[i];
      else if (kind === SectionKind.NESTED) this.nested.set(records[field].name, addresses[i]);
      else if (field !== NO_FIELD) this.#fields.get(records[field].name)?.sections.set(kind, i);
    });
    if (ids < 0) corrupt('has no section of ids');
    this.rootDocsPtr = rootDocsPtr;
    this.#ids = ids;
    if (!this.#fields.get('_seq_no')?.sections.has(SectionKind.COLUMN)) corrupt('has no column [_seq_no]');
    this.sections = listSections(entries, records);
    this.#parts = entries.map((entry) => new FilePart(kernels, paging.fd, of, entry, partName(entry, records[entry.field]?.name)));
    entries.forEach(({ kind, field, bytes }, i) => {
      if (kind !== SectionKind.RANGES) return;
      const ranges = readRanges(kernels.u8.subarray(addresses[i], addresses[i] + bytes), field, entries, corrupt);
      this.#addRanges(records[field].name, ranges, entries, of);
    });
  }

  /** Adds the ranges of a field to the parts. */
  #addRanges(name: string, ranges: PostingsRanges, entries: readonly SectionEntry[], of: SectionOwner): void {
    const field = this.#fields.get(name);
    if (!field) return;
    field.ranges = { ...ranges, first: this.#parts.length };
    const add = (kind: number, parts: readonly RangePart[]): void => {
      const section = entries[field.sections.get(kind) ?? -1];
      parts.forEach((part, i) => {
        const place = { ...part, off: section.off + part.off };
        this.#parts.push(new FilePart(this.kernels, this.#paging.fd, of, place, `range ${i} of ${partName(section, name)}`));
      });
    };
    add(SectionKind.POSTINGS, ranges.postings);
    add(SectionKind.POSITIONS, ranges.positions);
  }

  get residentBytes(): number {
    return this.#table.residentBytes(this.#paging.firstRow, this.#parts.length);
  }

  /** The image for requests that started while all sections fit: addresses never change. */
  settled(): SegmentPlaces {
    return new PagedPlaces(this, (part) => this.#table.address(this.#paging.firstRow + part, this.#parts[part]), true);
  }

  /** The image for one request, which pins what it reads. */
  pinnedBy(pins: PinnedSections): SegmentPlaces {
    return new PagedPlaces(this, (part) => pins.address(this.#paging.firstRow + part, this.#parts[part]));
  }

  idsAt(resolve: Resolve): number {
    return resolve(this.#ids);
  }

  fieldNames(): IterableIterator<string> {
    return this.#fields.keys();
  }

  field(name: string, resolve: Resolve, isSettled: boolean): FieldPlace | undefined {
    const field = this.#fields.get(name);
    return field && new PagedField(this.kernels, field, resolve, isSettled);
  }
}

/** Addresses of the sections that the directory contains, 0 for the others. */
function directoryAddresses(entries: readonly SectionEntry[], first: number): number[] {
  let next = first;
  return entries.map(({ kind, bytes }) => {
    if (!isInDirectory(kind)) return 0;
    const at = next;
    next += aligned(bytes);
    return at;
  });
}

class PagedPlaces implements SegmentPlaces {
  readonly fields: SegmentPlaces['fields'];
  readonly #image: PagedImage;
  readonly #resolve: Resolve;

  /** @param isSettled  addresses never change */
  constructor(image: PagedImage, resolve: Resolve, isSettled = false) {
    this.#image = image;
    this.#resolve = resolve;
    const known = new Map<string, FieldPlace | undefined>();
    this.fields = {
      get: (name) => {
        let place = known.get(name);
        if (place === undefined) known.set(name, (place = image.field(name, resolve, isSettled)));
        return place;
      },
      keys: () => image.fieldNames() as ReturnType<SegmentPlaces['fields']['keys']>,
    };
  }

  get bytes(): number {
    return this.#image.bytes;
  }

  get maxDoc(): number {
    return this.#image.maxDoc;
  }

  get rootDocs(): number {
    return this.#image.rootDocs;
  }

  get nested(): ReadonlyMap<string, number> {
    return this.#image.nested;
  }

  get rootDocsPtr(): number {
    return this.#image.rootDocsPtr;
  }

  get sections(): SegmentPlaces['sections'] {
    return this.#image.sections;
  }

  get residentBytes(): number {
    return this.#image.residentBytes;
  }

  get ids(): number {
    return this.#image.idsAt(this.#resolve);
  }
}
