// Writes the values of a document into a sink according to the compiled mapping. One parser per mapping; its state is that of one document.

import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { getOwn } from '../../common/json/own-property.ts';
import type { Dialect } from '../../compat/dialect.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, mapperParsingError } from '../../errors/catalog.ts';
import type { DocumentSink } from '../core/document-sink.ts';
import type { DocumentContext, Mapper } from '../core/mapper.ts';
import { NULL_SINK } from '../core/null-sink.ts';
import { instantText } from '../core/time-bounds.ts';
import type { CompiledField, CompiledMapping, CompiledObject } from '../definition/compiled-mapping.ts';
import { scratchUtf8, utf8 } from '../values/utf8.ts';
import { checkedName, preview, refuseMetadata, refuseStrict } from './refused-names.ts';
import { isIdOfSeries, SeriesSink } from './series.ts';

const IGNORED = utf8('_ignored');
const ROUTING = utf8('_routing');
/** Maximum nesting of lists, more than any mapping needs. */
const MAX_LIST_DEPTH = 100;
/** Families whose values are never objects, but for those of one type. */
const SCALAR_FAMILIES: ReadonlySet<string> = new Set(['numeric', 'date', 'boolean', 'ip']);
const TAKES_OBJECTS = 'aggregate_metric_double';

export interface ParseOptions {
  /** Fields that are not mapped because the mapping is full. */
  readonly ignored?: readonly string[];
  /** Bytes of the source as it is stored. */
  readonly sourceBytes?: () => number;
}

/** State of an open document: the root, or a nested child. */
interface Frame {
  readonly nestedPath: string | null;
  binaries: Map<number, Uint8Array[]> | null;
  counts: Map<number, number> | null;
  /** copy_to values for fields of this document that come from documents inside it. */
  copies: Array<{ target: CompiledField; value: unknown }> | null;
}

function newFrame(nestedPath: string | null): Frame {
  return { nestedPath, binaries: null, counts: null, copies: null };
}

/** @throws ApiError mapper_parsing_exception: not exactly one time */
function checkTimestamp(source: JsonObject, field: string): void {
  const values = [getOwn(source, field) ?? []].flat();
  if (values.length === 1 && values[0] !== null) return;
  const problem = values.length > 1 ? 'encountered multiple values' : 'is missing';
  throw mapperParsingError('failed to parse', illegalArgumentError(`data stream timestamp field [${field}] ${problem}`));
}

export class DocumentParser implements DocumentContext {
  readonly #mapping: CompiledMapping;
  readonly #maxNestedDocs: number;
  readonly #dialect: Dialect;
  readonly #wrapsDocumentErrors: boolean;
  /** The field with the time that documents of a data stream need; null if the mapping belongs to none. */
  readonly #timestamp: string | null;
  readonly compileQuery: DocumentContext['compileQuery'];
  readonly #frames: Frame[] = [];
  sink!: DocumentSink;
  id = '';
  #source: JsonObject = {};
  routing: string | null = null;
  #ignored: Set<string> | null = null;
  /** Set while a document of time series is parsed. */
  #series: SeriesSink | null = null;
  #tsid = '';
  #nestedDocs = 0;
  #listDepth = 0;
  /** Whether the value being written is an item of a list. */
  #isInList = false;
  /** Field and value being written, for error messages. */
  #field: Mapper | null = null;
  #value: unknown = null;

  /** @param compileQuery  compiles the queries of percolator fields */
  constructor(
    mapping: CompiledMapping,
    maxNestedDocs: number,
    timestamp: string | null,
    dialect: Dialect,
    compileQuery: DocumentContext['compileQuery'],
  ) {
    this.#timestamp = timestamp;
    this.#mapping = mapping;
    this.compileQuery = compileQuery;
    this.#dialect = dialect;
    this.#wrapsDocumentErrors = dialect.wrapsDocumentErrors;
    this.#maxNestedDocs = maxNestedDocs;
  }

  /**
   * @throws ApiError mapper_parsing_exception, strict_dynamic_mapping_exception, illegal_argument_exception
   */
  parse(
    id: string,
    source: JsonObject,
    sink: DocumentSink,
    routing: string | null,
    { ignored = NONE, sourceBytes }: ParseOptions = {},
  ): void {
    this.#series = this.#mapping.series === null ? null : new SeriesSink(this.#mapping.series, sink);
    this.sink = this.#series ?? sink;
    this.#source = source;
    this.id = id;
    this.routing = routing;
    this.#ignored = null;
    this.#nestedDocs = 0;
    this.#listDepth = 0;
    this.#isInList = false;
    this.#field = null;
    this.#frames.length = 0;
    try {
      this.#begin(null);
      if (this.#mapping.root.enabled) this.#object(this.#mapping.root, source, true);
      if (this.#timestamp !== null) checkTimestamp(source, this.#timestamp);
      if (this.#series !== null) this.#tsid = this.#writeSeries(this.#series);
      for (const path of ignored) this.ignore(path);
      for (const constant of this.#mapping.constants) constant.indexConstant(this);
      if (this.#mapping.size) this.#write(this.#mapping.size, sourceBytes?.() ?? Buffer.byteLength(writeJson(source)));
      this.#writeMetadata();
      this.#end();
    } catch (error) {
      throw this.#refusal(error);
    }
  }

  /** Finds the series and the time of a document by parsing it on trial. @throws ApiError as `parse` */
  seriesOf(source: JsonObject): { readonly tsid: string; readonly timestamp: number } {
    this.parse('', source, NULL_SINK, null);
    return { tsid: this.#tsid, timestamp: this.#series?.timestamp ?? 0 };
  }

  /** @throws ApiError mapper_parsing_exception: the time is not one that the index accepts */
  #writeSeries(series: SeriesSink): string {
    const { timestamp } = series;
    const bounds = this.#mapping.series?.bounds;
    if (timestamp !== null && bounds !== undefined && (timestamp < bounds.start || timestamp >= bounds.end)) {
      const limit = timestamp < bounds.start ? `larger than ${instantText(bounds.start)}` : `smaller than ${instantText(bounds.end)}`;
      const reason = `time series index @timestamp value [${instantText(timestamp)}] must be ${limit}`;
      throw mapperParsingError('failed to parse', illegalArgumentError(reason));
    }
    const tsid = series.write();
    if (this.id !== '' && timestamp !== null && !isIdOfSeries(this.id, tsid, timestamp))
      throw mapperParsingError(
        'failed to parse',
        illegalArgumentError(`_id [${this.id}] is not that of the series and the time of the document`),
      );
    return tsid;
  }

  // ------------------------------------------------------------------------------------------------------- context

  exists(path: Uint8Array): void {
    this.sink.term(this.#mapping.internal.fieldNames, path);
  }

  ignore(path: string): void {
    (this.#ignored ??= new Set()).add(path);
  }

  appendBinary(field: number, bytes: Uint8Array): void {
    const frame = this.#frames[this.#frames.length - 1];
    frame.binaries ??= new Map();
    const parts = frame.binaries.get(field);
    if (parts) parts.push(bytes);
    else frame.binaries.set(field, [bytes]);
  }

  countValue(field: number): number {
    const frame = this.#frames[this.#frames.length - 1];
    frame.counts ??= new Map();
    const count = (frame.counts.get(field) ?? 0) + 1;
    frame.counts.set(field, count);
    return count;
  }

  blame(value: unknown): void {
    this.#value = value;
  }

  get memberName(): string | null {
    return this.#isInList ? null : (this.#field?.fieldType.name.split('.').at(-1) ?? null);
  }

  valuesAt(path: string): readonly unknown[] {
    return sourceValues(this.#source, path);
  }

  // ----------------------------------------------------------------------------------------------------- documents

  #begin(nestedPath: string | null): void {
    this.sink.begin(nestedPath);
    this.#frames.push(newFrame(nestedPath));
  }

  #end(): void {
    const frame = this.#frames[this.#frames.length - 1];
    for (const { target, value } of frame.copies ?? []) this.#singleValue(target, value);
    for (const [field, parts] of frame.binaries ?? []) this.sink.binary(field, parts.length === 1 ? parts[0] : Buffer.concat(parts));
    this.#frames.pop();
    this.sink.end();
  }

  #writeMetadata(): void {
    const { ignored, routing } = this.#mapping.internal;
    if (this.#ignored !== null) {
      for (const path of this.#ignored) this.sink.keyword(ignored, utf8(path));
      this.exists(IGNORED);
    }
    if (this.routing !== null) {
      this.sink.term(routing, scratchUtf8(this.routing));
      this.exists(ROUTING);
    }
  }

  #object(object: CompiledObject, value: JsonObject, isRoot: boolean): void {
    if (!object.hasObjects) {
      this.#dotted(object, '', value, isRoot);
      return;
    }
    for (const key in value) {
      const child = object.children.get(key);
      if (child === undefined) this.#unknown(object, key, value[key], isRoot);
      else if (child.kind === 'field') this.#fieldValue(child, value[key]);
      else if (child.kind === 'object') this.#objectValue(child, value[key], key);
      else if (value[key] !== null) this.#refuseAlias(child.path);
    }
  }

  /** Members of an object without objects: those of objects in the source get dotted names. */
  #dotted(object: CompiledObject, prefix: string, value: JsonObject, isRoot: boolean): void {
    for (const key in value) {
      const name = prefix + key;
      const child = object.children.get(name);
      if (child?.kind === 'field') this.#fieldValue(child, value[key]);
      else if (child?.kind === 'alias') {
        if (value[key] !== null) this.#refuseAlias(child.path);
      } else {
        if (isRoot && prefix === '') refuseMetadata(key, value[key], this.id);
        refuseStrict(object, name, value[key], this.#dialect);
        // Objects are only examined if their members may be mapped, as in Elasticsearch.
        if (object.dynamic !== 'false') this.#dottedValue(object, name, value[key]);
      }
    }
  }

  #dottedValue(object: CompiledObject, name: string, value: unknown): void {
    if (Array.isArray(value)) {
      this.#enterList();
      for (const item of value) this.#dottedValue(object, name, item);
      this.#listDepth--;
    } else if (isObject(value)) this.#dotted(object, `${name}.`, value, false);
  }

  #refuseAlias(path: string): never {
    const reason = `Cannot write to a field alias [${path}].`;
    if (this.#dialect.documentError === 'document_parsing_exception') throw mapperParsingError(reason);
    throw mapperParsingError('failed to parse', illegalArgumentError(reason));
  }

  #objectValue(object: CompiledObject, value: unknown, key: string | null): void {
    if (value === null || !object.enabled) return;
    if (Array.isArray(value)) {
      this.#enterList();
      for (const item of value) this.#objectValue(object, item, null);
      this.#listDepth--;
      return;
    }
    if (typeof value !== 'object') {
      throw mapperParsingError(`object mapping for [${object.path}] tried to parse field [${key}] as object, but found a concrete value`);
    }
    if (!object.isNested) {
      this.#object(object, value as JsonObject, false);
      return;
    }
    if (++this.#nestedDocs > this.#maxNestedDocs) {
      throw mapperParsingError(
        `The number of nested documents has exceeded the allowed limit of [${this.#maxNestedDocs}]. This limit can be set by changing the [index.mapping.nested_objects.limit] index level setting.`,
      );
    }
    // Values that children copy to their parent are values of the parent's document.
    if (object.includeInParent || (object.includeInRoot && this.#frames.length === 1)) this.#object(object, value as JsonObject, false);
    this.#begin(object.path);
    this.#object(object, value as JsonObject, false);
    this.#end();
  }

  #enterList(): void {
    if (++this.#listDepth > MAX_LIST_DEPTH)
      throw mapperParsingError('failed to parse', illegalArgumentError(`lists are nested deeper than [${MAX_LIST_DEPTH}]`));
  }

  /** A name that is not a direct member of the object: dotted, a metadata field, or unmapped (dynamic mapping has already added what it may). */
  #unknown(object: CompiledObject, key: string, value: unknown, isRoot: boolean): void {
    if (isRoot) refuseMetadata(key, value, this.id);
    const name = checkedName(key, this.#dialect);
    if (name !== key) {
      this.#object(object, { [name]: value }, isRoot);
      return;
    }
    const dot = key.indexOf('.');
    if (dot > 0) {
      const child = object.children.get(key.slice(0, dot));
      if (child?.kind === 'object') {
        if (child.enabled && value !== null) this.#objectValue(child, { [key.slice(dot + 1)]: value }, key);
        return;
      }
      if (child?.kind === 'field') {
        throw mapperParsingError(
          'failed to parse',
          illegalArgumentError(
            `Could not dynamically add mapping for field [${key}]. Existing mapping for [${child.path}] must be of type object but found [${child.mapper.fieldType.typeName}].`,
          ),
        );
      }
    }
    refuseStrict(object, dot > 0 ? key.slice(0, dot) : key, value, this.#dialect);
  }

  // -------------------------------------------------------------------------------------------------------- values

  #fieldValue(field: CompiledField, value: unknown): void {
    const { mapper } = field;
    if (Array.isArray(value) && !mapper.takesArrays) {
      this.#enterList();
      this.#isInList = true;
      for (let i = 0; i < value.length; i++) this.#fieldValue(field, value[i]);
      this.#isInList = false;
      this.#listDepth--;
    } else this.#singleValue(field, value);
  }

  /** Writes one value to a field, its multi-fields and its copy_to targets. */
  #singleValue(field: CompiledField, value: unknown): void {
    this.#write(field.mapper, value);
    const { multiFields, copyTo } = field;
    for (let i = 0; i < multiFields.length; i++) this.#write(multiFields[i], value);
    for (let i = 0; i < copyTo.length; i++) if (value !== null) this.#copy(copyTo[i], value);
  }

  #write(mapper: Mapper, value: unknown): void {
    if (value === null) {
      if (mapper.nullValue === undefined) return;
      value = mapper.nullValue;
    }
    this.#field = mapper;
    this.#value = value;
    if (mapper.ignoreMalformed) this.#writeLenient(mapper, value);
    else mapper.index(this, value);
    this.#field = null;
  }

  #writeLenient(mapper: Mapper, value: unknown): void {
    try {
      mapper.index(this, value);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { name, family, typeName } = mapper.fieldType;
      const isScalar = SCALAR_FAMILIES.has(family) && typeName !== TAKES_OBJECTS;
      if (isObject(value) && isScalar && this.#dialect.refusesMalformedObjects) throw error;
      this.ignore(name);
    }
  }

  /** Copied values go to the document that contains the target: this one or one around it. */
  #copy(path: string, value: unknown): void {
    const target = this.#mapping.byPath.get(path);
    if (!target) return;
    const { nestedPath } = target.mapper.fieldType;
    const current = this.#frames[this.#frames.length - 1];
    if (current.nestedPath === nestedPath) {
      this.#write(target.mapper, value);
      for (const multi of target.multiFields) this.#write(multi, value);
      return;
    }
    for (let i = this.#frames.length - 2; i >= 0; i--) {
      const frame = this.#frames[i];
      if (frame.nestedPath !== nestedPath) continue;
      frame.copies ??= [];
      frame.copies.push({ target, value });
      return;
    }
  }

  #refusal(error: unknown): unknown {
    const field = this.#field;
    if (!(error instanceof ApiError) || field === null) return error;
    if (!this.#wrapsDocumentErrors && error.reason?.startsWith('Document contains at least one immense term')) return error;
    const { name, typeName } = field.fieldType;
    if (field.refusal === 'document') return mapperParsingError('failed to parse', error);
    if (field.refusal === 'field') return mapperParsingError(`failed to parse field [${name}] of type [${typeName}]`, error);
    return mapperParsingError(
      `failed to parse field [${name}] of type [${typeName}] in ${this.#documentName()}. Preview of field's value: '${preview(this.#value)}'`,
      error,
    );
  }

  #documentName(): string {
    if (this.#series === null) return `document with id '${this.id}'`;
    const { timestamp } = this.#series;
    return `a time series document${timestamp === null ? '' : ` at [${new Date(timestamp).toISOString()}]`}`;
  }
}

/** The values at a dotted path, whose names may themselves contain dots. */
function sourceValues(value: unknown, path: string): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => sourceValues(item, path));
  if (!isObject(value)) return [];
  const found: unknown[] = [];
  for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
    const inner = getOwn(value, path.slice(0, dot));
    if (inner !== undefined) found.push(...sourceValues(inner, path.slice(dot + 1)));
  }
  const own = getOwn(value, path);
  if (own !== undefined) found.push(...(Array.isArray(own) ? own : [own]));
  return found;
}

const NONE: readonly string[] = [];
