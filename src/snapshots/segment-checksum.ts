// The checksum in a segment's header, which identifies the image: it covers the table of contents, which has the checksum of each section
// (docs/internals/segment-format.md).
import type { FileHandle } from 'node:fs/promises';
import { ApiError } from '../errors/api-error.ts';

const HEADER_BYTES = 64;
const MAGIC = 0x47534e47;
const BYTES_AT = 8;
const CHECKSUM_AT = 32;

/** @throws ApiError corrupt_index_exception: the file is not a segment of this size */
export async function readSegmentChecksum(handle: FileHandle, bytes: number, file: string): Promise<number> {
  const header = Buffer.alloc(HEADER_BYTES);
  const { bytesRead } = await handle.read(header, 0, HEADER_BYTES, 0);
  const { size } = await handle.stat();
  if (bytesRead < HEADER_BYTES || size !== bytes || header.readUInt32LE(0) !== MAGIC || header.readUInt32LE(BYTES_AT) !== bytes)
    throw new ApiError('corrupt_index_exception', 500, `not a segment of ${bytes} bytes (resource=${file})`);
  return header.readUInt32LE(CHECKSUM_AT);
}
