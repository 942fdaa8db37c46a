// The two sides of a field: a Mapper writes the values of documents, a FieldType serves queries. One file per type family in types/.
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import type { Dialect } from '../../compat/dialect.ts';
import type { DocumentSink, FieldSpec } from './document-sink.ts';
import type { FieldType } from './field-type.ts';
import type { MappingAnalysis } from './mapping-analysis.ts';
import type { Param } from './params.ts';
import type { StoredQuery } from './stored-query.ts';

/** Operations of a mapper on the document being parsed. */
export interface DocumentContext {
  readonly sink: DocumentSink;
  readonly id: string;
  readonly routing: string | null;
  /** Records that a field exists in the open document, for fields whose columns and norms do not show it. */
  exists(path: Uint8Array): void;
  /** Records in `_ignored` that a value of the field was dropped. */
  ignore(path: string): void;
  /** Collects bytes of a binary column, which are joined at the end of the open document. */
  appendBinary(field: number, bytes: Uint8Array): void;
  /** Counts the values of a field in the open document, from 1. */
  countValue(field: number): number;
  /** The values at a path of the document's source, lists flattened by one level; from the root also inside nested documents. */
  valuesAt(path: string): readonly unknown[];
  /** Names the part of the field's value that errors show. */
  blame(value: unknown): void;
  /** The last part of the field's name; null if the value is an item of a list. */
  readonly memberName: string | null;
  /** Compiles the query of a percolator field. @throws ApiError: it is not valid */
  compileQuery(query: unknown): StoredQuery;
}

export interface Mapper {
  readonly fieldType: FieldType;
  /** Arrays (or objects) are values instead of lists of values (or subfields). */
  readonly takesArrays: boolean;
  /** Value written for an explicit null; undefined to skip nulls. */
  readonly nullValue: unknown;
  /** Invalid values are dropped and named in `_ignored`. */
  readonly ignoreMalformed: boolean;
  /** Form of the error around that of a value: with a preview of the value, without it, or that of the whole document. */
  readonly refusal: 'value' | 'field' | 'document';
  /** Writes one value other than null. @throws ApiError: the reason why it is refused */
  index(context: DocumentContext, value: unknown): void;
  /** The field's mapping with what its first value adds (the dimensions of a vector), null if nothing. */
  complete?(value: unknown): MutableJsonObject | null;
}

/** A field of the mapping while its Mapper is created. */
export interface FieldDefinition {
  readonly name: string;
  readonly path: string;
  readonly type: string;
  readonly nestedPath: string | null;
  readonly analysis: MappingAnalysis;
  readonly dialect: Dialect;
  /** `index.*` settings, flat. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Explicit parameters. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Explicit parameter or its default. */
  get<T>(param: string): T;
  /** Registers a spec. @returns its field number */
  field(spec: FieldSpec): number;
  /** Adds an internal field below this one (`name._index_prefix`). */
  addSubField(name: string, fieldType: FieldType): void;
}

export interface MapperType {
  readonly params: Readonly<Record<string, Param>>;
  /** Mandatory parameters, checked in this order. */
  readonly required?: readonly string[];
  /** Checks that concern several parameters. @throws ApiError */
  validate?(definition: { name: string; path: string; given: Readonly<Record<string, unknown>>; analysis: MappingAnalysis }): void;
  /** Checks the parameters together and adds those that the mapping shows although they were not given. @throws ApiError */
  complete?(given: Readonly<Record<string, unknown>>, analysis: MappingAnalysis): Readonly<Record<string, unknown>>;
  /** False: not allowed as a multi-field. True by default. */
  readonly isMultiField?: boolean;
  /** True: the field has neither multi-fields nor `copy_to`. */
  readonly isLeaf?: boolean;
  create(definition: FieldDefinition): Mapper;
}
