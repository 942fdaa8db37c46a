// A document sink that records its input in readable form: one list of `[op, field, value]` per document, children before their parent.
import type { DocumentSink, FieldSpec } from '../../src/mapping/core/document-sink.ts';

export interface RecordedDocument {
  readonly path: string | null;
  readonly values: Array<readonly [op: string, field: string, value: unknown]>;
}

const decoder = new TextDecoder();

export class RecordingSink implements DocumentSink {
  readonly documents: RecordedDocument[] = [];
  readonly #open: RecordedDocument[] = [];
  readonly #fields: () => readonly FieldSpec[];

  constructor(fields: () => readonly FieldSpec[]) {
    this.#fields = fields;
  }

  #add(op: string, field: number, value: unknown): void {
    this.#open[this.#open.length - 1].values.push([op, this.#fields()[field].name, value]);
  }

  begin(path: string | null): void {
    this.#open.push({ path, values: [] });
  }
  end(): void {
    this.documents.push(this.#open.pop()!);
  }
  text(field: number, value: string): void {
    this.#add('text', field, value);
  }
  term(field: number, bytes: Uint8Array): void {
    this.#add('term', field, decoder.decode(bytes));
  }
  i64(field: number, value: bigint | number): void {
    this.#add('i64', field, BigInt(value));
  }
  f64(field: number, value: number): void {
    this.#add('f64', field, value);
  }
  keyword(field: number, bytes: Uint8Array): void {
    this.#add('keyword', field, bytes.length === 16 && bytes[0] === 0 ? [...bytes] : decoder.decode(bytes));
  }
  geo(field: number, lat: number, lon: number): void {
    this.#add('geo', field, [lat, lon]);
  }
  binary(field: number, bytes: Uint8Array): void {
    this.#add('binary', field, [...bytes]);
  }
  feature(field: number, bytes: Uint8Array, freq: number): void {
    this.#add('feature', field, [decoder.decode(bytes), freq]);
  }
}
