// Encodes the output of the document parser, so that a document enters the open buffer in one call and a rejected document leaves no trace.
//   block: ├ documents u32 ┬ document ┬ document ┬ ··· ┤              nested children before their parent, the root last
//   document: ├ bytes u32 (of the rest) │ path bytes u16 │ path │ values ··· ┤   path: UTF-8 name of the nested path, empty for the root
//   value: ├ head u32: op | field << 4 │ payload ┤
//     text, term, keyword, binary: length u32, bytes │ i64, f64, geo: 8 bytes │ feature: freq u32, length u32, bytes
// Little-endian, unaligned. Read by assembly/buffer/document.ts.
import { encodeLatitude, encodeLongitude } from '../common/encoding/geo-encoding.ts';
import type { DocumentSink } from '../mapping/core/document-sink.ts';
import { ValueOp } from '../wasm/generated/buffer.ts';

/** A growable byte array, which holds one open document. */
class Bytes {
  buffer = Buffer.allocUnsafe(4096);
  length = 0;

  /** Makes room for `bytes` more bytes. */
  ensure(bytes: number): void {
    if (this.length + bytes <= this.buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.length + bytes));
    this.buffer.copy(grown, 0, 0, this.length);
    this.buffer = grown;
  }

  u32(value: number): void {
    this.length = this.buffer.writeUInt32LE(value >>> 0, this.length);
  }

  append(bytes: Uint8Array): void {
    this.ensure(bytes.length);
    this.buffer.set(bytes, this.length);
    this.length += bytes.length;
  }
}

export class DocumentEncoder implements DocumentSink {
  /** Open documents, outermost first; kept between blocks to reuse their buffers. */
  readonly #open: Bytes[] = [];
  #depth = 0;
  readonly #block = new Bytes();
  #documents = 0;

  readonly #prepareText: (field: number, value: string) => Uint8Array | null;

  /** @param prepareText bytes that a field's analysis chain reads instead of the text's UTF-8; null: the text itself */
  constructor(prepareText: (field: number, value: string) => Uint8Array | null) {
    this.#prepareText = prepareText;
    this.reset();
  }

  /** Drops all encoded documents. */
  reset(): void {
    this.#depth = 0;
    this.#documents = 0;
    this.#block.length = 4;
  }

  /** Documents in the block, including the root. */
  get documentCount(): number {
    return this.#documents;
  }

  /** The finished block: a view that is valid until the next call of `begin` or `reset`. @throws Error a document is still open */
  finish(): Uint8Array {
    if (this.#depth !== 0 || this.#documents === 0) throw new Error('the document block is not closed');
    this.#block.buffer.writeUInt32LE(this.#documents, 0);
    return this.#block.buffer.subarray(0, this.#block.length);
  }

  begin(path: string | null): void {
    if (this.#depth === this.#open.length) this.#open.push(new Bytes());
    const document = this.#open[this.#depth++];
    document.length = 6;
    if (path !== null) {
      document.ensure(path.length * 3);
      document.length += document.buffer.write(path, 6);
    }
    document.buffer.writeUInt16LE(document.length - 6, 4);
  }

  end(): void {
    const document = this.#open[--this.#depth];
    document.buffer.writeUInt32LE(document.length - 4, 0);
    this.#block.append(document.buffer.subarray(0, document.length));
    this.#documents++;
  }

  text(field: number, value: string): void {
    const prepared = this.#prepareText(field, value);
    if (prepared !== null) {
      this.#bytes(ValueOp.TEXT, field, prepared);
      return;
    }
    const document = this.#head(ValueOp.TEXT, field, 4 + value.length * 3);
    const at = document.length;
    const bytes = document.buffer.write(value, at + 4);
    document.buffer.writeUInt32LE(bytes, at);
    document.length = at + 4 + bytes;
  }

  term(field: number, bytes: Uint8Array): void {
    this.#bytes(ValueOp.TERM, field, bytes);
  }

  keyword(field: number, bytes: Uint8Array): void {
    this.#bytes(ValueOp.KEYWORD, field, bytes);
  }

  binary(field: number, bytes: Uint8Array): void {
    this.#bytes(ValueOp.BINARY, field, bytes);
  }

  i64(field: number, value: bigint | number): void {
    const document = this.#head(ValueOp.I64, field, 8);
    if (typeof value === 'number') {
      const high = Math.floor(value / 2 ** 32);
      document.u32(value - high * 2 ** 32);
      document.u32(high);
    } else document.length = document.buffer.writeBigInt64LE(value, document.length);
  }

  f64(field: number, value: number): void {
    const document = this.#head(ValueOp.F64, field, 8);
    document.length = document.buffer.writeDoubleLE(value, document.length);
  }

  geo(field: number, lat: number, lon: number): void {
    const document = this.#head(ValueOp.GEO, field, 8);
    document.u32(encodeLongitude(lon) + 2 ** 31);
    document.u32(encodeLatitude(lat));
  }

  feature(field: number, bytes: Uint8Array, freq: number): void {
    const document = this.#head(ValueOp.FEATURE, field, 8 + bytes.length);
    document.u32(freq);
    document.u32(bytes.length);
    document.append(bytes);
  }

  #bytes(op: number, field: number, bytes: Uint8Array): void {
    const document = this.#head(op, field, 4 + bytes.length);
    document.u32(bytes.length);
    document.append(bytes);
  }

  /** Starts a value of the innermost open document and makes room for its payload. */
  #head(op: number, field: number, payloadBytes: number): Bytes {
    const document = this.#open[this.#depth - 1];
    document.ensure(4 + payloadBytes);
    document.u32(op | (field << 4));
    return document;
  }
}
