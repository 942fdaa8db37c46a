// The series of a document in an index of time series: its dimensions, the identity derived from them, and the id of the document, which is
// derived from its series and its time.
//   _id = base64url ├ hash of the routing fields u32 ┬ first half of the series u64 ┬ time ms u64 ┤     20 bytes, big-endian
//   _tsid = base64url of the first 128 bits of the SHA-256 of the dimensions as JSON, names ascending
// Elasticsearch builds both alike from other hashes; clients treat them as opaque.
import { createHash } from 'node:crypto';
import { isObject, type JsonObject, tokenOf } from '../../common/json/json-value.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { setOwn } from '../../common/json/own-property.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { DocumentSink } from '../core/document-sink.ts';
import type { SeriesFields } from '../core/time-bounds.ts';
import { matchesWildcard } from '../definition/dynamic-templates.ts';
import { utf8 } from '../values/utf8.ts';

const TSID_BYTES = 16;
const ID_BYTES = 20;
/** Longest term, which holds the dimensions of a series. */
const MAX_DIMENSION_BYTES = 32_766;
const NANOS_PER_MS = 1_000_000n;
const decoder = new TextDecoder();

/** Passes a document on and keeps the values of its dimensions and its time. */
export class SeriesSink implements DocumentSink {
  readonly #fields: SeriesFields;
  readonly #sink: DocumentSink;
  readonly #values = new Map<string, unknown>();
  /** Milliseconds; null until the time was read. */
  timestamp: number | null = null;

  constructor(fields: SeriesFields, sink: DocumentSink) {
    this.#fields = fields;
    this.#sink = sink;
  }

  begin(path: string | null): void {
    this.#sink.begin(path);
  }
  end(): void {
    this.#sink.end();
  }
  text(field: number, value: string): void {
    this.#sink.text(field, value);
  }
  term(field: number, bytes: Uint8Array): void {
    this.#sink.term(field, bytes);
  }
  i64(field: number, value: bigint | number): void {
    this.#number(field, value);
    if (field === this.#fields.timestamp) this.timestamp = this.#fields.isNanos ? Number(BigInt(value) / NANOS_PER_MS) : Number(value);
    this.#sink.i64(field, value);
  }
  f64(field: number, value: number): void {
    this.#number(field, value);
    this.#sink.f64(field, value);
  }
  keyword(field: number, bytes: Uint8Array): void {
    const dimension = this.#fields.dimensions.get(field);
    if (dimension?.keys) this.#keyed(dimension.keys, decoder.decode(bytes));
    else if (dimension) this.#add(dimension.name, dimension.format.formatBytes(Uint8Array.from(bytes)));
    this.#sink.keyword(field, bytes);
  }
  geo(field: number, lat: number, lon: number): void {
    this.#sink.geo(field, lat, lon);
  }
  binary(field: number, bytes: Uint8Array): void {
    this.#sink.binary(field, bytes);
  }
  feature(field: number, bytes: Uint8Array, freq: number): void {
    this.#sink.feature(field, bytes, freq);
  }

  #number(field: number, value: bigint | number): void {
    const dimension = this.#fields.dimensions.get(field);
    if (dimension) this.#add(dimension.name, dimension.format.format(dimension.isI64 ? BigInt(value) : value));
  }

  #keyed(keys: ReadonlyMap<string, string>, term: string): void {
    const end = term.indexOf('\0');
    const name = keys.get(term.slice(0, end));
    if (name !== undefined) this.#add(name, term.slice(end + 1));
  }

  #add(name: string, value: unknown): void {
    if (this.#values.has(name)) throw illegalArgumentError(`Dimension field [${name}] cannot be a multi-valued field.`);
    this.#values.set(name, value);
  }

  /** Writes the series of the document. @returns its identity @throws ApiError illegal_argument_exception: its dimensions are too long */
  write(): string {
    const json: Record<string, unknown> = {};
    for (const name of [...this.#values.keys()].sort()) setOwn(json, name, this.#values.get(name));
    const dimensions = utf8(writeJson(json));
    if (dimensions.length > MAX_DIMENSION_BYTES)
      throw illegalArgumentError(
        `the dimensions of a document must have at most [${MAX_DIMENSION_BYTES}] bytes, got [${dimensions.length}]`,
      );
    const tsid = createHash('sha256').update(dimensions).digest().subarray(0, TSID_BYTES).toString('base64url');
    this.#sink.keyword(this.#fields.tsid, utf8(tsid));
    this.#sink.keyword(this.#fields.shownDimensions, dimensions);
    return tsid;
  }
}

/** The id of a document. @param routingHash  u32 @param timestamp  ms */
export function seriesId(routingHash: number, tsid: string, timestamp: number): string {
  const bytes = Buffer.alloc(ID_BYTES);
  bytes.writeUInt32BE(routingHash, 0);
  Buffer.from(tsid, 'base64url').copy(bytes, 4, 0, 8);
  bytes.writeBigInt64BE(BigInt(timestamp), 12);
  return bytes.toString('base64url');
}

/** Whether an id is that of a series and a time, whatever its hash of the routing fields is: that depends on how values are written. */
export function isIdOfSeries(id: string, tsid: string, timestamp: number): boolean {
  const expected = Buffer.from(seriesId(0, tsid, timestamp), 'base64url').subarray(4);
  return Buffer.from(id, 'base64url').subarray(4).equals(expected);
}

/**
 * Hash of the fields that decide the shard of a document.
 * @throws ApiError illegal_argument_exception: there are none, or a value is neither a string nor a number
 */
export function routingHashOf(source: JsonObject, patterns: readonly string[]): number {
  const found: string[] = [];
  collectRouting(source, '', patterns, false, found);
  if (found.length === 0) throw routingError("source didn't contain any routing fields");
  return createHash('sha256').update(found.sort().join('\n')).digest().readUInt32BE(0);
}

function collectRouting(object: JsonObject, prefix: string, patterns: readonly string[], isInside: boolean, found: string[]): void {
  for (const [key, value] of Object.entries(object)) {
    if (value === null) continue;
    const path = prefix + key;
    const matches = isInside || patterns.some((pattern) => matchesWildcard(pattern, path));
    if (isObject(value)) collectRouting(value, `${path}.`, patterns, matches, found);
    else if (Array.isArray(value)) {
      if (matches || patterns.some((pattern) => mayMatchBelow(pattern, path))) throw notRoutableError('START_ARRAY');
    } else if (matches) {
      if (typeof value === 'boolean') throw notRoutableError(tokenOf(value));
      found.push(`${path}\0${String(value)}`);
    }
  }
}

/** Whether a pattern may match the name of something inside `path`. */
function mayMatchBelow(pattern: string, path: string): boolean {
  const parts = pattern.split('.');
  const names = path.split('.');
  return parts.length > names.length && names.every((name, i) => matchesWildcard(parts[i], name));
}

function routingError(reason: string): Error {
  return illegalArgumentError(`Error extracting routing: ${reason}`);
}

function notRoutableError(token: string): Error {
  return routingError(`Routing values must be strings but found [${token}]`);
}
