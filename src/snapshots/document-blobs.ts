// Blobs of documents: records of a shard's operation log in the order of their seqNos.
//   ├ seqNo u48 ┬ bytes u32 ┬ record (src/store/log-record.ts) ┤ ...      little-endian
const HEADER_BYTES = 10;

export interface RawRecord {
  readonly seqNo: number;
  readonly record: Uint8Array;
}

/** The bytes of one record in a blob, as two parts. */
export function encodeEntry({ seqNo, record }: RawRecord): [Buffer, Uint8Array] {
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUIntLE(seqNo, 0, 6);
  header.writeUInt32LE(record.length, 6);
  return [header, record];
}

/** The records of a blob as views of it. @throws RangeError the blob is malformed */
export function* decodeEntries(blob: Buffer): Generator<RawRecord> {
  for (let at = 0; at < blob.length; ) {
    if (at + HEADER_BYTES > blob.length) throw new RangeError('truncated header');
    const seqNo = blob.readUIntLE(at, 6);
    const end = at + HEADER_BYTES + blob.readUInt32LE(at + 6);
    if (end > blob.length) throw new RangeError('truncated record');
    yield { seqNo, record: blob.subarray(at + HEADER_BYTES, end) };
    at = end;
  }
}

/** The record's own checksum, its first word. */
export function checksumOf(record: Uint8Array): number {
  return (record[0] | (record[1] << 8) | (record[2] << 16) | (record[3] << 24)) >>> 0;
}
