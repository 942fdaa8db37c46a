// A segment whose sections are read from its file on first use. Its directory is always in memory, in an extent:
//     header | table of contents | section of fields | nested bitsets          each at a multiple of 64
// Other sections are loaded into a pool (section-table.ts); a section's address changes each time it is evicted and reloaded. The distance
// from a dictionary to the postings is that of the file; readers subtract it (`recordBase`) and add the address of the postings when they
// run a plan.
import { readSync } from 'node:fs';
import { crc32c as crc32cOf } from '../common/encoding/crc32.ts';
import { corruptIndexError } from '../errors/catalog.ts';
import { crc32c } from '../wasm/codec.ts';
import { IMAGE_HEADER_BYTES, IMAGE_MAGIC, IMAGE_VERSION, ImageHeader, NO_FIELD, SectionKind, TocEntry } from '../wasm/generated/buffer.ts';
import { FIELD_PATH } from '../wasm/generated/codec.ts';
import { TermsHeader } from '../wasm/generated/terms.ts';
import type { Kernels } from '../wasm/kernels.ts';
import { getU32 } from '../wasm/records.ts';
import type { ImageFile } from './merge.ts';
import type { PinnedSections, SectionSource, SectionTable } from './section-table.ts';
import {
  type FieldInfo,
  type FieldPlace,
  listSections,
  readFields,
  readToc,
  type SectionEntry,
  type SegmentPlaces,
  sectionName,
} from './segment-image.ts';

const ALIGN = 64;
const CHUNK_BYTES = 16 << 20;
/** Upper bound of the kinds of sections. */
const KINDS = 16;

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
  /** Sizes of all sections, in the order of the table of contents. */
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
  const sizes: number[] = [];
  for (let at = 0; at < tocBytes; at += TocEntry.sizeof) {
    const kind = toc.readUInt32LE(at + TocEntry.kind);
    const off = toc.readUInt32LE(at + TocEntry.off);
    const size = toc.readUInt32LE(at + TocEntry.bytes);
    const name = `section ${sectionName(kind)} at ${off}`;
    if (off % ALIGN !== 0 || off + size > tocOff) corrupt(`${name}: lies outside`);
    sizes.push(size);
    if (!isInDirectory(kind)) continue;
    const section = Buffer.alloc(size);
    readAt(fd, section, off, file);
    if (crc32cOf(section) !== toc.readUInt32LE(at + TocEntry.checksum)) corrupt(`${name}: checksum differs`);
    parts.push(section);
  }
  const image = new Uint8Array(parts.reduce((sum, part) => sum + aligned(part.length), 0));
  let at = 0;
  for (const part of parts) {
    image.set(part, at);
    at += aligned(part.length);
  }
  return { bytes: image, sizes };
}

function isInDirectory(kind: number): boolean {
  return kind === SectionKind.FIELDS || kind === SectionKind.NESTED;
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / ALIGN) * ALIGN;
}

/** Returns a section's address; loads the section if it is absent. */
type Resolve = (section: number) => number;

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
  readonly #entries: readonly SectionEntry[];
  readonly #sources: readonly SectionSource[];
  /** Sections of each field by kind. */
  readonly #fields = new Map<string, { readonly info: FieldInfo; readonly sections: Map<number, number> }>();
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
    this.#entries = readToc(kernels, ptr + IMAGE_HEADER_BYTES, count);
    const addresses = directoryAddresses(this.#entries, ptr + aligned(IMAGE_HEADER_BYTES) + aligned(count * TocEntry.sizeof));
    const fieldsAt = addresses[this.#entries.findIndex(({ kind }) => kind === SectionKind.FIELDS)];
    const records = fieldsAt ? readFields(kernels, fieldsAt, corrupt) : [];
    for (const info of records) if (!(info.flags & FIELD_PATH)) this.#fields.set(info.name, { info, sections: new Map() });
    let ids = -1;
    let rootDocsPtr = 0;
    this.#entries.forEach(({ kind, field }, i) => {
      if (kind === SectionKind.IDS) ids = i;
      else if (kind === SectionKind.NESTED && field === NO_FIELD) rootDocsPtr = addresses[i];
      else if (kind === SectionKind.NESTED) this.nested.set(records[field].name, addresses[i]);
      else if (field !== NO_FIELD) this.#fields.get(records[field].name)?.sections.set(kind, i);
    });
    if (ids < 0) corrupt('has no section of ids');
    this.rootDocsPtr = rootDocsPtr;
    this.#ids = ids;
    if (!this.#fields.get('_seq_no')?.sections.has(SectionKind.COLUMN)) corrupt('has no column [_seq_no]');
    this.sections = listSections(this.#entries, records);
    this.#sources = this.#entries.map((entry, i) => this.#sourceOf(entry, i, of));
  }

  #sourceOf({ kind, off, bytes, checksum }: SectionEntry, i: number, { file, onDamage }: SectionOwner): SectionSource {
    const { kernels } = this;
    const { field } = this.sections[i];
    const name = `section ${sectionName(kind)}${field === null ? '' : ` of [${field}]`} at ${off} in ${file}`;
    return {
      name,
      bytes,
      load: (address) => {
        try {
          readAt(this.#paging.fd, kernels.u8.subarray(address, address + bytes), off, file);
        } catch (error) {
          onDamage((error as Error).message);
          throw error;
        }
        // Wide loads at the end of a section read what follows it.
        kernels.u8.fill(0, address + bytes, address + aligned(bytes) + ALIGN);
        if (crc32c(kernels, address, bytes) === checksum) return;
        const damage = corruptIndexError(file, `segment section ${sectionName(kind)} at ${off}: checksum differs`);
        onDamage(damage.message);
        throw damage;
      },
    };
  }

  get residentBytes(): number {
    return this.#table.residentBytes(this.#paging.firstRow, this.#entries.length);
  }

  /** The image for requests that started while all sections fit: addresses never change. */
  settled(): SegmentPlaces {
    return new PagedPlaces(this, (section) => this.#table.address(this.#paging.firstRow + section, this.#sources[section]), true);
  }

  /** The image for one request, which pins what it reads. */
  pinnedBy(pins: PinnedSections): SegmentPlaces {
    return new PagedPlaces(this, (section) => pins.address(this.#paging.firstRow + section, this.#sources[section]));
  }

  idsAt(resolve: Resolve): number {
    return resolve(this.#ids);
  }

  fieldNames(): IterableIterator<string> {
    return this.#fields.keys();
  }

  field(name: string, resolve: Resolve, isSettled: boolean): FieldPlace | undefined {
    const field = this.#fields.get(name);
    return field && new PagedField(this.kernels, field.info, field.sections, resolve, isSettled);
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

class PagedField implements FieldPlace {
  readonly name: string;
  readonly flags: number;
  readonly columnKind: FieldInfo['columnKind'];
  readonly #kernels: Kernels;
  readonly #sections: ReadonlyMap<number, number>;
  readonly #resolve: Resolve;

  /** Addresses by kind of section, 0 if not known; null if they change. */
  readonly #known: Uint32Array | null;

  constructor(
    kernels: Kernels,
    { name, flags, columnKind }: FieldInfo,
    sections: ReadonlyMap<number, number>,
    resolve: Resolve,
    isSettled: boolean,
  ) {
    this.#known = isSettled ? new Uint32Array(KINDS) : null;
    this.name = name;
    this.flags = flags;
    this.columnKind = columnKind;
    this.#kernels = kernels;
    this.#sections = sections;
    this.#resolve = resolve;
  }

  get terms(): number {
    return this.#at(SectionKind.TERMS);
  }

  get recordBase(): number {
    const { terms } = this;
    return (terms + getU32(this.#kernels, terms, TermsHeader.postingsBase)) >>> 0;
  }

  get postings(): number {
    return this.#at(SectionKind.POSTINGS);
  }

  get positions(): number {
    return this.#at(SectionKind.POSITIONS);
  }

  get norms(): number {
    return this.#at(SectionKind.NORMS);
  }

  get column(): number {
    return this.#at(SectionKind.COLUMN);
  }

  get binary(): number {
    return this.#at(SectionKind.BINARY);
  }

  get graph(): number {
    return this.#at(SectionKind.VECTORS);
  }

  get hasNorms(): boolean {
    return this.#sections.has(SectionKind.NORMS);
  }

  get hasGraph(): boolean {
    return this.#sections.has(SectionKind.VECTORS);
  }

  #at(kind: number): number {
    const known = this.#known;
    if (known !== null && known[kind] !== 0) return known[kind];
    const section = this.#sections.get(kind);
    if (section === undefined) return 0;
    const address = this.#resolve(section);
    if (known !== null) known[kind] = address;
    return address;
  }
}
