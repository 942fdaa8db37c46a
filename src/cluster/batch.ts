// Batches of a shard's operations as messages. A batch that is larger than a message is split into parts, and counts once its last part is stored.
//   ├ version u8 ┬ 0 u8 ┬ part u16 ┬ parts u16 ┬ bytes of the batch ┤     little-endian; the bytes of all parts together are MessagePack
import { Packr } from 'msgpackr';
import type { LogEntry } from '../store/store.ts';
import type { LogMessage } from './log-subject.ts';

/** To be increased when nodes of the previous version cannot read the messages. */
export const LOG_VERSION = 2;
const HEADER_BYTES = 6;
const MAX_PARTS = 0xffff;

const packr = new Packr({ int64AsType: 'number', useRecords: false });

/** Operations that a primary made durable together. A batch without entries only starts a primary term. */
export interface Batch {
  readonly primaryTerm: number;
  readonly entries: readonly LogEntry[];
}

/** A message of a newer version than this node can read. */
export class UnknownVersionError extends Error {
  constructor(version: number) {
    super(
      `the cluster's log has messages of version ${version}, this node reads version ${LOG_VERSION}: install the version of the other nodes`,
    );
    this.name = 'UnknownVersionError';
  }
}

/** @param maxBytes  size limit of a message @returns the data of the messages, in order */
export function encodeBatch({ primaryTerm, entries }: Batch, maxBytes: number): Uint8Array[] {
  const rows = entries.map(({ seqNo, op, id, version, primaryTerm: term, routing, source }) => [
    seqNo,
    op,
    id,
    version,
    term,
    routing,
    source,
  ]);
  const bytes = packr.pack([primaryTerm, rows]);
  const room = maxBytes - HEADER_BYTES;
  const count = Math.ceil(bytes.length / room);
  if (count > MAX_PARTS) throw new RangeError(`a batch of ${bytes.length} bytes has too many parts`);
  return Array.from({ length: count }, (_, part) => {
    const chunk = bytes.subarray(part * room, (part + 1) * room);
    const data = Buffer.allocUnsafe(HEADER_BYTES + chunk.length);
    data[0] = LOG_VERSION;
    data[1] = 0;
    data.writeUInt16LE(part, 2);
    data.writeUInt16LE(count, 4);
    data.set(chunk, HEADER_BYTES);
    return data;
  });
}

/** The id of a part of a batch. */
export function partId(batch: string, part: number): string {
  return `${batch}.${part}`;
}

type Row = [seqNo: number, op: number, id: string, version: number, primaryTerm: number, routing: string | null, source: Uint8Array | null];

/** Joins the parts of batches. The result depends on the messages alone, so every node reads the same batches from a log. */
export class BatchAssembler {
  #batch = '';
  #parts: Buffer[] = [];

  /** Forgets the parts of an incomplete batch. */
  reset(): void {
    this.#batch = '';
    this.#parts = [];
  }

  /** @returns the batch that the message completes; null if it completes none @throws UnknownVersionError */
  add({ id, data }: LogMessage): Batch | null {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    if (bytes[0] !== LOG_VERSION) throw new UnknownVersionError(bytes[0]);
    const part = bytes.readUInt16LE(2);
    const batch = id.slice(0, id.lastIndexOf('.'));
    if (part === 0) {
      this.#batch = batch;
      this.#parts = [];
    } else if (batch !== this.#batch || part !== this.#parts.length) {
      // Remaining parts of a batch whose primary was replaced while publishing.
      this.reset();
      return null;
    }
    this.#parts.push(bytes.subarray(HEADER_BYTES));
    if (this.#parts.length < bytes.readUInt16LE(4)) return null;
    const [primaryTerm, rows] = packr.unpack(Buffer.concat(this.#parts)) as [number, Row[]];
    this.reset();
    const entries = rows.map(([seqNo, op, docId, version, term, routing, source]) => ({
      seqNo,
      op,
      id: docId,
      version,
      primaryTerm: term,
      routing,
      source,
    }));
    return { primaryTerm, entries };
  }
}
