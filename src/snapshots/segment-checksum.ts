// Checksums of a segment image (docs/internals/segment-format.md), verified while its file is copied: a damaged file must not get into a snapshot. The
// one in the header covers the table of contents, which has those of all sections, so it identifies the image.
import type { FileHandle } from 'node:fs/promises';
import { crc32c } from '../common/encoding/crc32.ts';
import { corruptIndexError } from '../errors/catalog.ts';

const HEADER_BYTES = 64;
const MAGIC = 0x47534e47;
const BYTES_AT = 8;
const SECTIONS_AT = 16;
const TOC_AT = 20;
const CHECKSUM_AT = 32;
const TOC_ENTRY_BYTES = 32;

interface Section {
  readonly start: number;
  readonly end: number;
  readonly checksum: number;
}

export interface SegmentChecksums {
  /** The one in the header. */
  readonly checksum: number;
  /** In the order of their offsets. */
  readonly sections: readonly Section[];
}

/** @throws ApiError corrupt_index_exception: the file is not a segment of this size, or its header or table of contents is damaged */
export async function readChecksums(handle: FileHandle, bytes: number, file: string): Promise<SegmentChecksums> {
  const header = Buffer.alloc(HEADER_BYTES);
  const { bytesRead } = await handle.read(header, 0, HEADER_BYTES, 0);
  const { size } = await handle.stat();
  const tocAt = header.readUInt32LE(TOC_AT);
  const tocBytes = header.readUInt32LE(SECTIONS_AT) * TOC_ENTRY_BYTES;
  const isSegment = bytesRead === HEADER_BYTES && header.readUInt32LE(0) === MAGIC && header.readUInt32LE(BYTES_AT) === bytes;
  if (!isSegment || size !== bytes || tocAt + tocBytes > bytes) throw corruptIndexError(file, `not a segment of ${bytes} bytes`);
  const toc = Buffer.alloc(tocBytes);
  await handle.read(toc, 0, tocBytes, tocAt);
  const checksum = header.readUInt32LE(CHECKSUM_AT);
  header.writeUInt32LE(0, CHECKSUM_AT);
  if (crc32c(toc, crc32c(header)) !== checksum) throw corruptIndexError(file, 'checksum of the header does not match');
  const sections: Section[] = [];
  for (let at = 0; at < tocBytes; at += TOC_ENTRY_BYTES) {
    const start = toc.readUInt32LE(at + 8);
    sections.push({ start, end: start + toc.readUInt32LE(at + 12), checksum: toc.readUInt32LE(at + 16) });
  }
  return { checksum, sections: sections.sort((a, b) => a.start - b.start) };
}

/** Passes the parts of an image on. @throws ApiError corrupt_index_exception, after the section that is damaged */
export async function* verifiedParts(
  parts: AsyncIterable<Uint8Array>,
  { sections }: SegmentChecksums,
  file: string,
): AsyncGenerator<Uint8Array> {
  let next = 0;
  let crc = 0;
  let offset = 0;
  for await (const part of parts) {
    for (; next < sections.length; next++) {
      const { start, end, checksum } = sections[next];
      const from = Math.max(0, start - offset);
      if (from < part.length) crc = crc32c(part.subarray(from, Math.max(from, Math.min(part.length, end - offset))), crc);
      if (end > offset + part.length) break;
      if (crc !== checksum) throw corruptIndexError(file, `checksum of the section at ${start} does not match`);
      crc = 0;
    }
    offset += part.length;
    yield part;
  }
}
