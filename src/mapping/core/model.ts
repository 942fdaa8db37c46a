// Mappings as a tree of immutable nodes: the validated content of a mappings body, before fields are compiled from it.
import type { JsonObject } from '../../common/json/json-value.ts';

/** `synthetic`: sources are rebuilt from the indexed values, in the order of doc values. */
export type SourceMode = 'stored' | 'synthetic' | 'disabled';

export type Dynamic = 'true' | 'false' | 'strict' | 'strict_allow_templates' | 'runtime';

export interface FieldNode {
  readonly kind: 'field';
  readonly name: string;
  readonly path: string;
  readonly type: string;
  /** Explicit parameters, in canonical form. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly copyTo: readonly string[];
  readonly fields: ReadonlyMap<string, FieldNode>;
}

export interface AliasNode {
  readonly kind: 'alias';
  readonly name: string;
  readonly path: string;
  readonly target: string;
}

export interface ObjectNode {
  readonly kind: 'object';
  readonly name: string;
  readonly path: string;
  readonly isNested: boolean;
  /** null if not specified: inherited from the parent. */
  readonly dynamic: Dynamic | null;
  readonly enabled: boolean | null;
  /** false: fields of this object have dotted names instead of objects around them. null if not specified. */
  readonly subobjects: boolean | null;
  readonly includeInParent: boolean;
  readonly includeInRoot: boolean;
  /** Synthetic sources have lists of this object as they were sent. null if not specified. */
  readonly keepsLists: boolean | null;
  readonly properties: ReadonlyMap<string, MappingNode>;
}

export type MappingNode = FieldNode | AliasNode | ObjectNode;

export interface DynamicTemplate {
  readonly name: string;
  /** As specified. */
  readonly body: JsonObject;
}

/** A field whose values are computed at search time. */
export interface RuntimeNode {
  readonly type: string;
  /** As specified; null to read the values of the source under the field's name. */
  readonly script: JsonObject | null;
  /** Parameters as the API shows them: `meta`, `on_script_error`, `format` of dates, all of a lookup. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Fields that the script of a composite emits, by the names that it emits them under; null for other types. */
  readonly parts: ReadonlyMap<string, RuntimeNode> | null;
}

export interface RootMapping {
  readonly object: ObjectNode;
  readonly dynamicTemplates: readonly DynamicTemplate[] | null;
  readonly dynamicDateFormats: readonly string[] | null;
  readonly dateDetection: boolean | null;
  readonly numericDetection: boolean | null;
  readonly meta: JsonObject | null;
  /** Explicit parameters: mode, enabled, includes, excludes. */
  readonly source: Readonly<{ mode?: SourceMode; enabled?: boolean; includes?: readonly string[]; excludes?: readonly string[] }> | null;
  readonly routing: Readonly<{ required?: boolean }> | null;
  /** Other metadata fields with parameters (`_size`, `_field_names`...). */
  readonly otherMeta: Readonly<Record<string, JsonObject>>;
  /** By full name; null in an update removes the field. */
  readonly runtime: ReadonlyMap<string, RuntimeNode | null>;
}

export const EMPTY_OBJECT: ObjectNode = {
  kind: 'object',
  name: '_doc',
  path: '',
  isNested: false,
  dynamic: null,
  enabled: null,
  subobjects: null,
  includeInParent: false,
  includeInRoot: false,
  keepsLists: null,
  properties: new Map(),
};

export const EMPTY_MAPPING: RootMapping = {
  object: EMPTY_OBJECT,
  dynamicTemplates: null,
  dynamicDateFormats: null,
  dateDetection: null,
  numericDetection: null,
  meta: null,
  source: null,
  routing: null,
  otherMeta: {},
  runtime: new Map(),
};

/** Metadata fields: no mapping may define them, and no document may contain them. */
export const METADATA_FIELDS: ReadonlySet<string> = new Set([
  '_id',
  '_index',
  '_source',
  '_routing',
  '_field_names',
  '_ignored',
  '_seq_no',
  '_primary_term',
  '_version',
  '_nested_path',
  '_type',
  '_uid',
  '_doc_count',
  '_size',
]);
