// The two sides of a field: the Mapper writes a document's values, its FieldType answers queries. One file per type family in types/.
import type { DocumentSink, FieldSpec } from './document-sink.ts';
import type { FieldType } from './field-type.ts';
import type { MappingAnalysis } from './mapping-analysis.ts';
import type { Param } from './params.ts';

/** What a mapper may do with the document that is being parsed. */
export interface DocumentContext {
  readonly sink: DocumentSink;
  readonly id: string;
  readonly routing: string | null;
  /** Records that a field exists in the open document, where neither column nor norms tell it. */
  exists(path: Uint8Array): void;
  /** Records in `_ignored` that a value of the field was left out. */
  ignore(path: string): void;
  /** Collects bytes of a binary column: they are joined when the open document ends. */
  appendBinary(field: number, bytes: Uint8Array): void;
  /** Counts a field's values in the open document, from 1. */
  countValue(field: number): number;
}

export interface Mapper {
  readonly fieldType: FieldType;
  /** Arrays, or objects, are values and not lists of values or sub-fields. */
  readonly takesArrays: boolean;
  /** Value that stands for an explicit null; undefined: nulls are left out. */
  readonly nullValue: unknown;
  /** Wrong values are left out and named in `_ignored`. */
  readonly ignoreMalformed: boolean;
  /** Text of the refusal around a value's error: with the value's preview, without, or that of the whole document. */
  readonly refusal: 'value' | 'field' | 'document';
  /** Writes one value that is not null. @throws ApiError: the cause of the refusal */
  index(context: DocumentContext, value: unknown): void;
}

/** A field of the mapping while it is made into a Mapper. */
export interface FieldDefinition {
  readonly name: string;
  readonly path: string;
  readonly type: string;
  readonly nestedPath: string | null;
  readonly analysis: MappingAnalysis;
  /** `index.*` settings, flat. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Parameters given. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Parameter or its default. */
  get<T>(param: string): T;
  /** Registers a spec. @returns its field number */
  field(spec: FieldSpec): number;
  /** Adds a field below this one (`name._index_prefix`). */
  addSubField(name: string, fieldType: FieldType): void;
}

export interface MapperType {
  readonly params: Readonly<Record<string, Param>>;
  /** Parameters that must be given, checked in this order. */
  readonly required?: readonly string[];
  /** Checks that need several parameters. @throws ApiError */
  validate?(definition: { name: string; path: string; given: Readonly<Record<string, unknown>>; analysis: MappingAnalysis }): void;
  create(definition: FieldDefinition): Mapper;
}
