// The contract of src/mapping with the rest: an immutable, versioned view of an index's mappings. A change makes a new snapshot.
import type { JsonObject } from '../common/json-value.ts';
import type { DocumentSink, FieldSpec } from './document-sink.ts';
import type { FieldType } from './field-type.ts';

/** JSON object as parsed from a request or a source. */

/** Fields that a document would add under dynamic mapping: to be merged and published before the document is written. */
export interface DynamicUpdate {
  /** A mappings body: `{ properties: {...} }`. */
  readonly mappings: JsonObject;
}

export type ParseOutcome =
  | { readonly kind: 'parsed' }
  /** Nothing was written to the sink; merge the update and parse again. */
  | { readonly kind: 'needsMapping'; readonly update: DynamicUpdate };

/** Names of dynamic templates by full name of the field that takes them. */
export type NamedTemplates = Readonly<Record<string, string>>;

export interface MappingSnapshot {
  /** Counts up with each change. */
  readonly version: number;
  /** Specs of all fields ever mapped in this index, in order of field number: append only. */
  readonly fields: readonly FieldSpec[];
  /** The body that `GET _mapping` shows (`{}` when empty). */
  toJson(): JsonObject;
  /** Field by full name (aliases resolved), null if unmapped. Includes `_id`, `_index`, `_routing`, `_seq_no`... where searchable. */
  field(name: string): FieldType | null;
  /** Full names of mapped leaf fields that match a pattern with `*`, objects left out, in order of mapping. */
  matchFields(pattern: string): string[];
  /** Full names of objects, nested ones among them, in order of mapping. */
  readonly objectPaths: readonly string[];
  /** Object, nested and leaf names: what `_field_caps`, exists on objects and fetch need. */
  isObject(path: string): boolean;
  isNested(path: string): boolean;
  /** Nested paths, outermost first, that enclose a field or object path. */
  nestedPathsOf(path: string): string[];
  readonly nestedPaths: readonly string[];
  /** `_source: { enabled, includes, excludes }`. */
  readonly source: { readonly enabled: boolean; readonly includes: readonly string[]; readonly excludes: readonly string[] };
  readonly routingRequired: boolean;
  /** Mapping of a leaf field by full name, as `GET _mapping/field` shows it (`defaults`: every parameter); null: there is none. */
  fieldJson(path: string, defaults: boolean): JsonObject | null;
  /**
   * Parses one source into the sink. A refused document leaves nothing behind (the caller drops what the sink holds).
   * @param typed  the source once more, with numbers written as `1.0` as DecimalLiteral (common/json-parse.ts): asked only when a document
   *   brings new fields
   * @param templates  dynamic templates that the request names for new fields
   * @throws ApiError mapper_parsing_exception and the other errors that Elasticsearch gives for a document
   */
  parseDocument(
    id: string,
    source: JsonObject,
    sink: DocumentSink,
    routing: string | null,
    typed?: () => JsonObject,
    templates?: NamedTemplates,
  ): ParseOutcome;
  /** Some field is a runtime field. */
  readonly hasRuntime: boolean;
  /** This mapping with the runtime fields of a search over it. @throws ApiError mapper_parsing_exception */
  withRuntime(runtime: JsonObject): MappingSnapshot;
  /** A new snapshot with a `_mapping` body merged in. @throws ApiError illegal_argument_exception on conflicts, limits, unknown parameters */
  merge(mappings: JsonObject, reason: 'put' | 'dynamic' | 'create'): MappingSnapshot;
}
