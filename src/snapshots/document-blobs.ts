// Blobs of documents: records of a shard's operation log in the order of their seqNos.
//   ├ seqNo u48 ┬ bytes u32 ┬ record (src/store/log-record.ts) ┤ ...      little-endian
const HEADER_BYTES = 10;

export interface RawRecord {
  readonly seqNo: number;
  readonly record: Uint8Array;
}

const PIECE_BYTES = 1 << 20;
/** Records at the end of a blob by which its log is recognised later. */
const TAIL_RECORDS = 32;

/** Collects the bytes of a blob in pieces of a megabyte: a write of each record on its own would take most of the time. */
export class DocumentsBlobBuilder {
  readonly #done: Uint8Array[] = [];
  #piece = Buffer.allocUnsafe(PIECE_BYTES);
  #used = 0;
  #doneBytes = 0;
  #records = 0;
  /** seqNo and checksum of the last records, in a ring. */
  readonly #tail = new Float64Array(2 * TAIL_RECORDS);

  get bytes(): number {
    return this.#doneBytes + this.#used;
  }

  get records(): number {
    return this.#records;
  }

  /** seqNo and checksum of the last records, the last one first. */
  get tail(): Array<[seqNo: number, checksum: number]> {
    const found: Array<[number, number]> = [];
    for (let i = this.#records - 1; i >= Math.max(0, this.#records - TAIL_RECORDS); i--) {
      const at = 2 * (i % TAIL_RECORDS);
      found.push([this.#tail[at], this.#tail[at + 1]]);
    }
    return found;
  }

  /** Copies the record. */
  add({ seqNo, record }: RawRecord): void {
    const bytes = HEADER_BYTES + record.length;
    if (this.#used + bytes > this.#piece.length) this.#next(bytes);
    this.#piece.writeUIntLE(seqNo, this.#used, 6);
    this.#piece.writeUInt32LE(record.length, this.#used + 6);
    this.#piece.set(record, this.#used + HEADER_BYTES);
    this.#used += bytes;
    const at = 2 * (this.#records++ % TAIL_RECORDS);
    this.#tail[at] = seqNo;
    this.#tail[at + 1] = checksumOf(record);
  }

  #next(bytes: number): void {
    if (this.#used > 0) this.#done.push(this.#piece.subarray(0, this.#used));
    this.#doneBytes += this.#used;
    this.#piece = Buffer.allocUnsafe(Math.max(PIECE_BYTES, bytes));
    this.#used = 0;
  }

  /** The pieces so far. The builder must not be used any longer. */
  end(): readonly Uint8Array[] {
    return this.#used === 0 ? this.#done : [...this.#done, this.#piece.subarray(0, this.#used)];
  }
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
