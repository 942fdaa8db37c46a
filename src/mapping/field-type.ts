// What a mapped field answers at search time. Planners, aggregations, sort and fetch ask only this.
import type { FieldSpec } from './document-sink.ts';
import type { Bm25 } from './similarity.ts';

/** Renders raw column values as the field's JSON value and as key_as_string; parses values and keys given by users. */
export interface ValueFormat {
  /** Name of the format as the API shows it: `raw`, a date pattern, `ip`, `boolean`... */
  readonly name: string;
  /** JSON value of a raw i64/f64/geo value (docvalue_fields, sort values use `sortValue`). */
  format(raw: bigint | number): unknown;
  /** JSON value of ordinal bytes. */
  formatBytes(bytes: Uint8Array): unknown;
  /** Text of a double in bucket keys (`key_as_string`), null when the format has none (plain numbers and keywords). */
  keyAsString(value: number | bigint): string | null;
  /** Double of a text in this format (date strings of ranges, extended bounds, missing). `roundUp` for upper ends of date math. @throws ApiError */
  parse(text: string, roundUp: boolean, nowMs: number, timeZone?: string): number | bigint;
}

/** What computes a runtime field. */
export interface RuntimeDefinition {
  /** `{ source, lang, params }`; null: the source's values under the field's name. */
  readonly script: Readonly<Record<string, unknown>> | null;
}

export interface FieldType {
  /** Of runtime fields: `spec` tells how their values look, but segments do not have them. Null for mapped fields. */
  readonly runtime: RuntimeDefinition | null;
  /** Full name; of an alias the target's. */
  readonly name: string;
  /** Mapping type: `keyword`, `scaled_float`... */
  readonly typeName: string;
  /** Type family for messages and checks of queries and aggregations. */
  readonly family:
    | 'text'
    | 'keyword'
    | 'numeric'
    | 'date'
    | 'boolean'
    | 'ip'
    | 'geo_point'
    | 'range'
    | 'object'
    | 'nested'
    | 'binary'
    | 'other';
  readonly spec: FieldSpec;
  /** The mapping's own parameters, for exists, `index: false`, similarity, etc. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly isSearchable: boolean;
  /** Doc values (or fielddata) that sort and aggregations may use. A column may exist without (numeric fields are searched by columns). */
  readonly isAggregatable: boolean;
  /** Innermost nested path that holds the field, or null. */
  readonly nestedPath: string | null;
  /** Names of analyzers for queries (text); null for exact fields. */
  readonly searchAnalyzer: string | null;
  readonly searchQuoteAnalyzer: string | null;
  /** Name: `BM25`, `boolean`, `LegacyBM25`. */
  readonly similarity: string;
  /** Parameters of the similarity, unless it is `boolean`. */
  readonly bm25: Bm25;
  /** Raw column value times scale is the double of the API; see AggColumn. */
  readonly scale: number;
  readonly unsigned: boolean;
  /** Sub-field of a flat object: its terms in `spec` begin with these bytes, and `format` takes them off. Null elsewhere. */
  readonly keyPrefix: Uint8Array | null;
  /**
   * Exact terms for a query value, normalizer applied. Numeric fields give raw column values instead (`exactValue`).
   * @throws ApiError illegal_argument_exception / number_format_exception / ... with Elasticsearch's text, wrapped by the query builder
   */
  termBytes(value: unknown): Uint8Array;
  /**
   * Raw column value that equals a query value, or null if none can (3.5 on an integer, out of range). A term query on a date, or on an
   * address block (`10.0.0.0/8`), is a range: `rangeBounds` with from = to. @throws like termBytes
   */
  exactValue(value: unknown): bigint | number | null;
  /**
   * Raw bounds of a range, both included after translation (null: open); `empty` if nothing can match.
   * For ordinals fields (keyword, ip) bytes. Handles date math, rounding, formats, time zones, `scaled_float`, integer fractions.
   */
  rangeBounds(range: RangeSpec): RangeBounds;
  /** The format named in a request or the field's own. @throws ApiError for an unknown or unfit format */
  format(format: string | null, timeZone: string | null): ValueFormat;
}

export interface RangeSpec {
  readonly from: unknown;
  readonly to: unknown;
  readonly includeFrom: boolean;
  readonly includeTo: boolean;
  readonly format: string | null;
  readonly timeZone: string | null;
  readonly nowMs: number;
}

export type RangeBounds =
  | { readonly kind: 'i64'; readonly min: bigint; readonly max: bigint; readonly empty: boolean }
  | { readonly kind: 'f64'; readonly min: number; readonly max: number; readonly empty: boolean }
  | {
      readonly kind: 'bytes';
      readonly from: Uint8Array | null;
      readonly to: Uint8Array | null;
      readonly includeFrom: boolean;
      readonly includeTo: boolean;
      readonly empty: boolean;
    };
