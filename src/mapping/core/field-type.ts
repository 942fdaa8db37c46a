// Search-time interface of a mapped field. Planners, aggregations, sorting and fetching use nothing else.
import type { FieldSpec } from './document-sink.ts';
import type { Bm25 } from './similarity.ts';
import type { SimilarityModel } from './similarity-model.ts';

/** Renders raw column values as JSON values and as key_as_string; parses values and keys from requests. */
export interface ValueFormat {
  /** Name of the format as the API shows it: `raw`, a date pattern, `ip`, `boolean`... */
  readonly name: string;
  /** JSON value of a raw i64/f64/geo value for docvalue_fields; sort values use `sortValue`. */
  format(raw: bigint | number): unknown;
  /** JSON value of ordinal bytes. */
  formatBytes(bytes: Uint8Array): unknown;
  /** String form of a double in bucket keys (`key_as_string`), null if the format has none (plain numbers and keywords). */
  keyAsString(value: number | bigint): string | null;
  /** Double of a string in this format (bounds of ranges, extended bounds, missing). `roundUp` for upper bounds of date math. @throws ApiError */
  parse(text: string, roundUp: boolean, nowMs: number, timeZone?: string): number | bigint;
}

/** Properties of documents that are fields without a column. */
export type MetadataValue = 'id' | 'seqNo' | 'version';

/** Definition of a runtime field, or of a metadata field whose values are computed like those of one. */
export interface RuntimeDefinition {
  /** `{ source, lang, params }`; null to read the source's values under the field's name. */
  readonly script: Readonly<Record<string, unknown>> | null;
  /** Name under which the script of a composite emits the values; null for fields with a script of their own. */
  readonly part: string | null;
  /** A document whose script fails has no value. */
  readonly ignoresErrors: boolean;
  /** Documents of another index that `fields` shows in place of the values; null for other types. */
  readonly lookup: RuntimeLookup | null;
  /** The property that a metadata field has as its value; null for runtime fields. */
  readonly metadata: MetadataValue | null;
}

/** A `lookup` runtime field: the first document of `targetIndex` whose `targetField` has a value of `inputField`. */
export interface RuntimeLookup {
  readonly targetIndex: string;
  readonly inputField: string;
  readonly targetField: string;
  /** `{ field, format }`. */
  readonly fetchFields: ReadonlyArray<Readonly<Record<string, unknown>>>;
}

export interface FieldType {
  /** Set for runtime fields: `spec` describes their values, but segments do not store them. Null for mapped fields. */
  readonly runtime: RuntimeDefinition | null;
  /** Full name; for an alias, that of the target. */
  readonly name: string;
  /** Mapping type: `keyword`, `scaled_float`... */
  readonly typeName: string;
  /** Type family, for messages and checks in queries and aggregations. */
  readonly family:
    | 'text'
    | 'keyword'
    | 'numeric'
    | 'date'
    | 'boolean'
    | 'ip'
    | 'geo_point'
    | 'shape'
    | 'lookup'
    | 'range'
    | 'histogram'
    | 'object'
    | 'nested'
    | 'binary'
    | 'other';
  readonly spec: FieldSpec;
  /** The internal field that aggregations read in place of this one: the milliseconds of date_nanos. Null: they read the field itself. */
  readonly aggregated: FieldType | null;
  /** Names of the only aggregations that read the field; null: those of its family. */
  readonly aggregations: ReadonlySet<string> | null;
  /** Columns of figures that were computed before they were indexed, by metric (`min`, `value_count`); null for other fields. */
  readonly figures: ReadonlyMap<string, FieldType> | null;
  /** Parameters of the mapping, needed for exists, `index: false`, similarity, etc. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly isSearchable: boolean;
  /** True if sorting and aggregations may use doc values (or fielddata). A column may exist without (numeric fields are searched by columns). */
  readonly isAggregatable: boolean;
  /** Innermost nested path that contains the field, or null. */
  readonly nestedPath: string | null;
  /** Names of the query-time analyzers (text); null for exact fields. */
  readonly searchAnalyzer: string | null;
  readonly searchQuoteAnalyzer: string | null;
  /** Type of the similarity: `BM25`, `boolean`, `LegacyBM25`, `DFR`... */
  readonly similarity: string;
  /** Parameters of the similarity, unless it is `boolean`. */
  readonly bm25: Bm25;
  /** The similarity if it is none of these three; null otherwise. */
  readonly model: SimilarityModel | null;
  /** The double of the API is the raw column value times `scale`; see AggColumn. */
  readonly scale: number;
  readonly unsigned: boolean;
  /** Subfield of a flat object: its terms in `spec` start with these bytes, which `format` removes. Null for other fields. */
  readonly keyPrefix: Uint8Array | null;
  /**
   * Exact term for a query value, with the normalizer applied. Numeric fields have raw column values instead (`exactValue`).
   * @throws ApiError illegal_argument_exception, number_format_exception, ... with Elasticsearch's message; the query builder wraps it
   */
  termBytes(value: unknown): Uint8Array;
  /**
   * Raw column value that equals a query value, null if there cannot be one (3.5 on an integer, out of range). A term query on a date or on an
   * address block (`10.0.0.0/8`) is a range: `rangeBounds` with from = to. @throws as termBytes
   */
  exactValue(value: unknown): bigint | number | null;
  /**
   * Raw bounds of a range, both inclusive (null: open); `empty` if nothing can match. Bytes for fields with ordinals (keyword, ip).
   * Handles date math, rounding, formats, time zones, `scaled_float`, fractions on integers.
   */
  rangeBounds(range: RangeSpec): RangeBounds;
  /** The format named in a request, or the field's own. @throws ApiError for an unknown or unsuitable format */
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
