// The interface of src/mapping to other folders: an immutable, versioned view of an index's mapping. Each change creates a new snapshot.
import type { JsonObject } from '../../common/json/json-value.ts';
import type { Dialect } from '../../compat/dialect.ts';
import type { DocumentSink, FieldSpec } from './document-sink.ts';
import type { FieldType } from './field-type.ts';

/** Fields that a document would add by dynamic mapping, to be merged and published before the document is written. */
export interface DynamicUpdate {
  /** A mappings body: `{ properties: {...} }`. */
  readonly mappings: JsonObject;
}

export type ParseOutcome =
  | { readonly kind: 'parsed' }
  /** Nothing was written to the sink; merge the update and parse again. */
  | { readonly kind: 'needsMapping'; readonly update: DynamicUpdate };

/** Names of dynamic templates by full name of the field that they map. */
export type NamedTemplates = Readonly<Record<string, string>>;

export interface MappingSnapshot {
  readonly dialect: Dialect;
  /** Increases with each change. */
  readonly version: number;
  /** Specs of all fields ever mapped in this index, by field number: append-only. */
  readonly fields: readonly FieldSpec[];
  /** The body of `GET _mapping` (`{}` if empty). */
  toJson(): JsonObject;
  /** Field by full name (aliases resolved), null if unmapped. Includes `_id`, `_index`, `_routing`, `_seq_no`... if searchable. */
  field(name: string): FieldType | null;
  /** A field of a type with its default parameters that no document has; null for an unknown type. */
  anonymousField(type: string): FieldType | null;
  /** Full names of mapped leaf fields that match a pattern with `*`, in mapping order. */
  matchFields(pattern: string): string[];
  /** Full names of the fields whose values are copied to a field (`copy_to`). */
  copiedFrom(name: string): readonly string[];
  /** Full names of objects, including nested ones, in mapping order. */
  readonly objectPaths: readonly string[];
  /** Kinds of object, nested and leaf names, for `_field_caps`, exists on objects and fetch. */
  isObject(path: string): boolean;
  isNested(path: string): boolean;
  /** Nested paths that enclose a field or object path, outermost first. */
  nestedPathsOf(path: string): string[];
  readonly nestedPaths: readonly string[];
  /** `_source: { enabled, includes, excludes }`. */
  readonly source: { readonly enabled: boolean; readonly includes: readonly string[]; readonly excludes: readonly string[] };
  /** The source that a document gets in a mapping with synthetic sources, null in others. @param source  of a document that was parsed */
  syntheticSource(source: JsonObject): JsonObject | null;
  /** The id of a document in an index of time series. @throws ApiError: the document is refused, or belongs to no series */
  seriesIdOf(source: JsonObject): string;
  readonly routingRequired: boolean;
  /** Mapping of a leaf field by full name under its own name, as `GET _mapping/field` shows it (`defaults`: all parameters); null if there is none. */
  fieldJson(path: string, defaults: boolean): JsonObject | null;
  /**
   * Parses one source into the sink. A refused document leaves no trace (the caller drops the content of the sink).
   * @param typed  parses the source again with numbers written like `1.0` as DecimalLiteral (common/json/json-parse.ts); called only if a document
   *   adds fields
   * @param templates  dynamic templates that the request names for new fields
   * @param sourceBytes  size of the source as it is stored; called only if the mapping has `_size`
   * @throws ApiError mapper_parsing_exception and the other errors of Elasticsearch for a document
   */
  parseDocument(
    id: string,
    source: JsonObject,
    sink: DocumentSink,
    routing: string | null,
    typed?: () => JsonObject,
    templates?: NamedTemplates,
    sourceBytes?: () => number,
  ): ParseOutcome;
  /** True if a field is a runtime field. */
  readonly hasRuntime: boolean;
  /** This mapping with the runtime fields of a search added. @throws ApiError mapper_parsing_exception */
  withRuntime(runtime: JsonObject): MappingSnapshot;
  /** Returns a new snapshot with a `_mapping` body merged in. @throws ApiError illegal_argument_exception: conflicts, limits, unknown parameters */
  merge(mappings: JsonObject, reason: 'put' | 'dynamic' | 'create'): MappingSnapshot;
}
