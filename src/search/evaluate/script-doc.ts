// A document of a segment for scripts: field values from columns, the source from the operation log.

import { decodeGeoPoint } from '../../common/encoding/geo-encoding.ts';
import { decodeVector, type VectorFormat } from '../../common/encoding/vector-format.ts';
import { parseJsonBytes } from '../../common/json/json-parse.ts';
import { checkWork } from '../../common/turns/turn.ts';
import type { FieldType, MetadataValue } from '../../mapping/core/field-type.ts';
import { noFielddataError } from '../../mapping/core/fielddata-errors.ts';
import type { MappingSnapshot } from '../../mapping/core/mapping-snapshot.ts';
import { vectorFormatOf } from '../../mapping/types/dense-vector.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import type { DocMap, DocScript, ScriptInput } from '../../scripting/doc-script.ts';
import { ScriptFault } from '../../scripting/java/faults.ts';
import { Double, type ScriptMap, type Value } from '../../scripting/java/values.ts';
import { type DocValues, docValues, GeoPoint, geoPoints, VectorValues } from '../../scripting/library/documents/doc-values.ts';
import { type FieldKind, type ScriptField, scriptField } from '../../scripting/library/documents/field-values.ts';
import { zonedDateTime } from '../../scripting/library/time/zoned-time.ts';
import { doubleOf } from '../../scripting/numeric-value.ts';
import { toScript } from '../../scripting/update-script.ts';
import type { ShardDocument } from '../shard/search-shard.ts';
import { convertSource, runtimeValues, type SourceDocument } from './runtime-field.ts';
import { distanceMeters } from './score-math.ts';
import { fieldValuesIn, stringsIn } from './source-values.ts';

/** The shard of the documents, their mapping, and access to their sources. */
export interface ScriptReader {
  readonly index: string;
  readonly shard: number;
  readonly mapping: MappingSnapshot;
  record(seqNo: number): ShardDocument | null;
}

/** Runs a script for a document. @throws ApiError script_exception */
export function runDocScript(script: DocScript, reader: ScriptReader, segment: SegmentReader, docId: number, input?: ScriptInput): Value {
  checkWork();
  return script.run(new SegmentDocument(reader, segment, docId), input);
}

export class SegmentDocument implements SourceDocument, DocMap {
  readonly doc = this;
  readonly #reader: ScriptReader;
  readonly #segment: SegmentReader;
  readonly #docId: number;

  get docId(): number {
    return this.#docId;
  }

  /** The shard that contains the document. */
  get place(): { readonly index: string; readonly shard: number } {
    return this.#reader;
  }

  constructor(reader: ScriptReader, segment: SegmentReader, docId: number) {
    this.#reader = reader;
    this.#segment = segment;
    this.#docId = docId;
  }

  has(field: string): boolean {
    return this.#reader.mapping.field(field) !== null;
  }

  values(field: string): DocValues {
    const type = this.#reader.mapping.field(field);
    if (!type) throw new ScriptFault('illegal_argument_exception', `No field found for [${field}] in mapping`);
    return this.fieldValues(type);
  }

  field(name: string): ScriptField {
    const type = this.#reader.mapping.field(name);
    if (!type) return NO_FIELD(name);
    const values = isColumn(type) ? this.fieldValues(type) : sourceStrings(this.#reader.mapping, name, this.json());
    return scriptField(name, fieldKind(type), values);
  }

  source(): ScriptMap {
    return toScript(this.json()) as ScriptMap;
  }

  json(): unknown {
    const record = this.#reader.record(this.#segment.seqNo(this.#docId));
    return record?.source ? parseJsonBytes(record.source) : {};
  }

  metadata(name: MetadataValue): Value {
    if (name === 'id') return this.#segment.idOf(this.#docId);
    const seqNo = this.#segment.seqNo(this.#docId);
    return BigInt(name === 'seqNo' ? seqNo : (this.#reader.record(seqNo)?.version ?? 1));
  }

  /** Values of a field in their script form. @throws ScriptFault scripts cannot read the field */
  fieldValues(type: FieldType): DocValues {
    if (!type.runtime) return columnValues(type, this.#segment, this.#docId);
    const values = runtimeValues(type, this);
    return type.family === 'geo_point' ? geoPoints(values.map(pointOf), distanceMeters) : docValues(kindOf(type), values);
  }
}

/** A document that is not indexed: its values are read from its source. */
export class UnindexedDocument implements SourceDocument, DocMap {
  readonly doc = this;
  readonly #mapping: MappingSnapshot;
  readonly #source: unknown;

  /** @param source  parsed JSON */
  constructor(mapping: MappingSnapshot, source: unknown) {
    this.#mapping = mapping;
    this.#source = source;
  }

  has(field: string): boolean {
    return this.#mapping.field(field) !== null;
  }

  values(field: string): DocValues {
    const type = this.#mapping.field(field);
    if (!type) throw new ScriptFault('illegal_argument_exception', `No field found for [${field}] in mapping`);
    if (!type.runtime) checkReadable(type);
    const values = type.runtime ? runtimeValues(type, this) : convertSource(type, fieldValuesIn(this.#mapping, field, this.#source));
    return type.family === 'geo_point' ? geoPoints(values.map(pointOf), distanceMeters) : docValues(kindOf(type), values);
  }

  field(name: string): ScriptField {
    const type = this.#mapping.field(name);
    if (!type) return NO_FIELD(name);
    const values = isColumn(type) ? this.values(name) : sourceStrings(this.#mapping, name, this.#source);
    return scriptField(name, fieldKind(type), values);
  }

  source(): ScriptMap {
    return toScript(this.#source) as ScriptMap;
  }

  json(): unknown {
    return this.#source;
  }

  metadata(): null {
    return null;
  }
}

const decoder = new TextDecoder();

const NO_FIELD = (name: string): ScriptField => scriptField(name, 'none', docValues('strings', []));

/** False for text: `field()` reads it from the source. */
const isColumn = (type: FieldType): boolean => type.runtime !== null || type.isAggregatable || vectorFormatOf(type) !== null;

function sourceStrings(mapping: MappingSnapshot, name: string, source: unknown): DocValues {
  return docValues('strings', [...new Set(stringsIn(mapping, name, source))].sort());
}

function fieldKind(type: FieldType): FieldKind {
  if (vectorFormatOf(type) !== null) return 'vector';
  return type.family === 'geo_point' ? 'points' : kindOf(type);
}

/** @throws ScriptFault: scripts cannot read fields of this type */
function checkReadable(type: FieldType): void {
  if (type.family === 'histogram')
    throw new ScriptFault('unsupported_operation_exception', `The [${type.typeName}] field does not support scripts`);
  if (type.family === 'text' || !type.isAggregatable)
    throw new ScriptFault('illegal_argument_exception', noFielddataError(type).reason ?? '');
}

function columnValues(type: FieldType, segment: SegmentReader, docId: number): DocValues {
  const format = vectorFormatOf(type);
  if (format !== null) return vectorValues(format, segment.binary(type.spec.name, docId));
  const reader = readerOf(type, segment);
  const { name } = type.spec;
  const raw = reader.isPresent ? segment.values(name, docId) : NONE;
  if (type.family === 'geo_point') {
    const points = raw.map((value) => decodeGeoPoint(BigInt(value)));
    return geoPoints(
      points.map(({ lat, lon }) => new GeoPoint(lat, lon)),
      distanceMeters,
    );
  }
  return reader.values.show(raw, reader.read);
}

function vectorValues({ element }: VectorFormat, bytes: Uint8Array | null): VectorValues {
  const values = new VectorValues();
  if (bytes === null) return values;
  const { vector, magnitude } = decodeVector(element, bytes);
  values.push(null); // a document with a vector has one value
  values.vector = vector;
  values.magnitude = magnitude;
  values.isBits = element === 'bit';
  return values;
}

/** How the values of a column are read. */
interface ColumnReader {
  readonly isPresent: boolean;
  /** Values of the document that was read last. */
  readonly values: DocValues;
  readonly read: (raw: bigint | number) => Value;
}

const NONE: ReadonlyArray<bigint | number> = [];
const readers = new WeakMap<SegmentReader, Map<FieldType, ColumnReader>>();

/** @throws ScriptFault: scripts cannot read the field */
function readerOf(type: FieldType, segment: SegmentReader): ColumnReader {
  let known = readers.get(segment);
  if (!known) readers.set(segment, (known = new Map()));
  let reader = known.get(type);
  if (!reader) {
    checkReadable(type);
    reader = { isPresent: segment.column(type.spec.name) !== null, values: docValues(kindOf(type), []), read: valueReader(type, segment) };
    known.set(type, reader);
  }
  return reader;
}

function valueReader(type: FieldType, segment: SegmentReader): (raw: bigint | number) => Value {
  switch (type.family) {
    case 'date': {
      const perMs = type.typeName === 'date_nanos' ? 1e6 : 1;
      return (raw) => zonedDateTime(Number(raw) / perMs);
    }
    case 'boolean':
      return (raw) => Number(raw) !== 0;
    case 'numeric':
      if (type.unsigned) return (raw) => BigInt(raw) + (1n << 63n);
      if (type.spec.column === 'f64' || type.scale !== 1) return (raw) => new Double(Number(raw) * type.scale);
      return (raw) => BigInt(raw);
    case 'ip':
      return formatted(type, segment);
    default:
      if (type.typeName === 'version') return formatted(type, segment);
      return (raw) => decoder.decode(segment.termOf(type.spec.name, Number(raw)));
  }
}

/** Reads terms that encode other strings. */
function formatted(type: FieldType, segment: SegmentReader): (raw: bigint | number) => Value {
  const format = type.format(null, null);
  return (raw) => format.formatBytes(segment.termOf(type.spec.name, Number(raw)));
}

/** The kind of values that scripts see. */
function kindOf(type: FieldType): 'longs' | 'doubles' | 'strings' | 'booleans' | 'dates' | 'ips' {
  switch (type.family) {
    case 'date':
      return 'dates';
    case 'boolean':
      return 'booleans';
    case 'numeric':
      return !type.unsigned && (type.spec.column === 'f64' || type.scale !== 1) ? 'doubles' : 'longs';
    case 'ip':
      return 'ips';
    default:
      return 'strings';
  }
}

function pointOf(value: Value): GeoPoint {
  const [lat, lon] = (value as Value[]).map((part) => doubleOf(part) ?? 0);
  return new GeoPoint(lat, lon);
}
