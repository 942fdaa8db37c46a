// One record of the operation log, which is also the stored document.
//   ├ crc32 u32 ┬ op u8 ┬ 0 u8 ┬ idBytes u16 ┬ routingBytes u16 (65535: none) ┬ 0 u16 ┬ version f64 ┬ primaryTerm u32 ┬ id ┬ routing ┬ source ┤
// Little-endian; the checksum covers everything after it and the key, so that a record that LMDB returns for another key is detected.

import { crc32 } from '../common/encoding/crc32.ts';
import { ApiError } from '../errors/api-error.ts';

export const OP_INDEX = 1;
export const OP_DELETE = 2;
/** A seqNo whose operation was refused after it had been logged: replay skips it. */
export const OP_NOOP = 3;

const HEADER_BYTES = 24;
const NO_ROUTING = 0xffff;
const MAX_ROUTING_BYTES = 0xfffe;
const NO_BYTES = new Uint8Array(0);

export interface LogRecord {
  readonly op: number;
  readonly id: string;
  readonly version: number;
  readonly primaryTerm: number;
  readonly routing: string | null;
  /** A view of the given bytes. */
  readonly source: Uint8Array;
}

/** @returns the record's bytes, newly allocated */
export function encodeRecord(key: Uint8Array, record: Omit<LogRecord, 'source'> & { source: Uint8Array | null }): Buffer {
  const source = record.source ?? NO_BYTES;
  const idBytes = Buffer.byteLength(record.id);
  const routingBytes = record.routing === null ? 0 : Buffer.byteLength(record.routing);
  if (routingBytes > MAX_ROUTING_BYTES)
    throw new ApiError('illegal_argument_exception', 400, `routing is longer than ${MAX_ROUTING_BYTES} bytes`);
  const bytes = Buffer.allocUnsafeSlow(HEADER_BYTES + idBytes + routingBytes + source.length);
  bytes[4] = record.op;
  bytes[5] = 0;
  bytes.writeUInt16LE(idBytes, 6);
  bytes.writeUInt16LE(record.routing === null ? NO_ROUTING : routingBytes, 8);
  bytes.writeUInt16LE(0, 10);
  bytes.writeDoubleLE(record.version, 12);
  bytes.writeUInt32LE(record.primaryTerm, 20);
  bytes.write(record.id, HEADER_BYTES);
  if (record.routing !== null) bytes.write(record.routing, HEADER_BYTES + idBytes);
  bytes.set(source, HEADER_BYTES + idBytes + routingBytes);
  bytes.writeUInt32LE(checksum(key, bytes), 0);
  return bytes;
}

/** @throws ApiError translog_corrupted_exception, naming the operation */
export function checkRecord(key: Uint8Array, bytes: Buffer, where: () => string): void {
  if (bytes.length >= HEADER_BYTES && bytes.readUInt32LE(0) === checksum(key, bytes)) return;
  throw new ApiError('translog_corrupted_exception', 500, `checksum of the operation log record does not match: ${where()}`);
}

/** @throws ApiError translog_corrupted_exception, naming the operation */
export function decodeRecord(key: Uint8Array, bytes: Buffer, where: () => string): LogRecord {
  checkRecord(key, bytes, where);
  const idBytes = bytes.readUInt16LE(6);
  const routing = bytes.readUInt16LE(8);
  const routingBytes = routing === NO_ROUTING ? 0 : routing;
  const sourceStart = HEADER_BYTES + idBytes + routingBytes;
  return {
    op: bytes[4],
    id: bytes.toString('utf8', HEADER_BYTES, HEADER_BYTES + idBytes),
    version: bytes.readDoubleLE(12),
    primaryTerm: bytes.readUInt32LE(20),
    routing: routing === NO_ROUTING ? null : bytes.toString('utf8', HEADER_BYTES + idBytes, sourceStart),
    // The explicit end is needed: lmdb returns a long buffer whose `length` property it sets, and newer Node versions ignore that property.
    source: bytes.subarray(sourceStart, bytes.length),
  };
}

/** The bytes of a record under another key. */
export function rekeyRecord(key: Uint8Array, record: Uint8Array): Buffer {
  const bytes = Buffer.from(record);
  bytes.writeUInt32LE(checksum(key, bytes), 0);
  return bytes;
}

function checksum(key: Uint8Array, bytes: Buffer): number {
  return crc32(bytes, crc32(key), 4);
}
