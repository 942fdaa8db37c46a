// The values of one field as its mapper writes them into columns: converted, null_value applied, malformed ones apart.
import { ApiError } from '../../errors/api-error.ts';
import type { DocumentSink } from '../core/document-sink.ts';
import type { DocumentContext, Mapper } from '../core/mapper.ts';
import { NULL_SINK } from '../core/null-sink.ts';

/** A value of a column: i64 and f64, bytes of ordinals and binaries, a point. */
export type ColumnValue = bigint | number | Uint8Array | { readonly lat: number; readonly lon: number };

export class ValueCapture implements DocumentContext {
  readonly id = '';
  readonly routing = null;
  readonly memberName = null;
  readonly sink: DocumentSink;
  #values: ColumnValue[] = [];
  #field: number | null = null;
  #isIgnored = false;

  constructor() {
    // A mapper writes the field's own column first; others hold the same values in another form.
    const add = (field: number, value: ColumnValue): void => {
      this.#field ??= field;
      if (field === this.#field) this.#values.push(value);
    };
    this.sink = {
      ...NULL_SINK,
      i64: (field, value) => add(field, value),
      f64: (field, value) => add(field, value),
      keyword: (field, bytes) => add(field, Uint8Array.from(bytes)),
      geo: (field, lat, lon) => add(field, { lat, lon }),
      binary: (field, bytes) => add(field, Uint8Array.from(bytes)),
    };
  }

  exists(): void {}

  ignore(): void {
    this.#isIgnored = true;
  }

  appendBinary(_field: number, bytes: Uint8Array): void {
    this.#values.push(Uint8Array.from(bytes));
  }

  blame(): void {}

  countValue(): number {
    return 1;
  }

  valuesAt(): readonly unknown[] {
    return [];
  }

  compileQuery(): never {
    throw new Error('queries have no column values');
  }

  /** @returns the column's values in the order of the source, and the values that no column has because they are malformed or too long */
  capture(mapper: Mapper, given: readonly unknown[]): { readonly values: readonly ColumnValue[]; readonly ignored: readonly unknown[] } {
    const ignored: unknown[] = [];
    this.#values = [];
    this.#field = null;
    for (const item of given) {
      const value = item === null ? mapper.nullValue : item;
      if (value === undefined) continue;
      this.#isIgnored = false;
      try {
        mapper.index(this, value);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        this.#isIgnored = true;
      }
      if (this.#isIgnored) ignored.push(item);
    }
    return { values: this.#values, ignored };
  }
}
