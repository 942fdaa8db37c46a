// Renders large responses in slices, with turns of the event loop between them, so that a thread with a listener answers others in the meantime.
// The bytes are those of renderBody, except that YAML is written in flow style (as JSON, which is YAML) and CBOR with indefinite lengths, as
// Elasticsearch writes it.
import { once } from 'node:events';
import { createGzip } from 'node:zlib';
import { Packr } from 'msgpackr';
import { encodeCbor } from '../../common/json/cbor.ts';
import { filterSteps } from '../../common/json/filter-path.ts';
import { JsonPrinter, toPlain, writeJson } from '../../common/json/json-write.ts';
import { RawJson } from '../../common/json/raw-json.ts';
import { encodeSmileName, encodeSmilePart, SMILE_HEADER } from '../../common/json/smile-writer.ts';
import { Breath } from '../../common/turns/breath.ts';
import type { SlicedWork } from '../../common/turns/sliced-work.ts';
import { runInSlices } from '../../common/turns/slices.ts';
import type { HttpHeaders, HttpReply } from '../../http/listener.ts';
import { GZIP_LEVEL, type RenderOptions } from './response.ts';

/** Values of this size are rendered at once: about a millisecond. */
const LEAF_NODES = 2000;
/** Responses above this size are rendered in slices: about 10 ms. */
const LARGE_NODES = 40_000;
/** Number of characters of a string that take as long as a node, and of text that is inserted unchanged. */
const CHARS_PER_NODE = 64;
const RAW_CHARS_PER_NODE = 1024;
/** Characters of a string that are rendered at once. */
const TEXT_CHARS = 64 << 10;
const PIECE_BYTES = 256 << 10;

/** True if rendering the value takes long enough to be done in slices. */
export function isLargeValue(value: unknown): boolean {
  return nodesLeft(value, LARGE_NODES) < 0;
}

/** `nodes` minus those of the value; negative as soon as the budget is exceeded. */
function nodesLeft(value: unknown, nodes: number): number {
  if (typeof value === 'string') return nodes - 1 - Math.floor(value.length / CHARS_PER_NODE);
  if (typeof value !== 'object' || value === null) return nodes - 1;
  if (value instanceof RawJson) return nodes - 1 - Math.floor(value.text.length / RAW_CHARS_PER_NODE);
  let left = nodes - 1;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && left >= 0; i++) left = nodesLeft(value[i], left);
    return left;
  }
  for (const key in value) {
    if (left < 0) return left;
    left = nodesLeft((value as Record<string, unknown>)[key], left);
  }
  return left;
}

const isLeaf = (value: unknown): boolean => nodesLeft(value, LEAF_NODES) >= 0;

/** The body in the negotiated type, in pieces. */
export async function renderInSlices(body: unknown, { type, isPretty, filter }: RenderOptions): Promise<Buffer[]> {
  const value = filter ? await runInSlices(filterSteps(body, filter)) : body;
  switch (type.format) {
    case 'yaml':
      return runInSlices(collect(textPieces(value, false), '---\n', '\n'));
    case 'cbor':
      return runInSlices(collect(binaryPieces(value, CBOR)));
    case 'smile':
      return runInSlices(collect(smilePieces(value)));
    case 'msgpack':
      return runInSlices(collect(binaryPieces(value, MSGPACK)));
    default:
      return runInSlices(collect(textPieces(value, isPretty), '', isPretty ? '\n' : ''));
  }
}

export function bytesOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

export async function compressPieces(pieces: readonly Buffer[]): Promise<Buffer[]> {
  const gzip = createGzip({ level: GZIP_LEVEL });
  const compressed: Buffer[] = [];
  gzip.on('data', (chunk: Buffer) => compressed.push(chunk));
  const ended = once(gzip, 'end');
  for (const piece of pieces) if (!gzip.write(piece)) await once(gzip, 'drain');
  gzip.end();
  await ended;
  return compressed;
}

/** Sends a body as the client takes it, with turns of the event loop between its pieces. */
export async function sendInPieces(reply: HttpReply, status: number, headers: HttpHeaders, pieces: readonly Uint8Array[]): Promise<void> {
  if (reply.aborted) return;
  const stream = reply.stream(status, headers, bytesOf(pieces));
  const breath = new Breath();
  for (const piece of pieces) {
    for (let start = 0; start < piece.length; start += PIECE_BYTES) {
      if (!stream.write(piece.subarray(start, start + PIECE_BYTES))) await stream.drained();
      await breath.take();
    }
  }
  stream.end();
}

/** Joins pieces into larger ones. */
function* collect(pieces: Iterable<string | Uint8Array>, before = '', after = ''): SlicedWork<Buffer[]> {
  const whole: Buffer[] = [];
  let parts: Uint8Array[] = [Buffer.from(before)];
  let bytes = 0;
  for (const piece of pieces) {
    const part = typeof piece === 'string' ? Buffer.from(piece) : piece;
    parts.push(part);
    bytes += part.length;
    if (bytes >= PIECE_BYTES) {
      whole.push(Buffer.concat(parts));
      parts = [];
      bytes = 0;
    }
    yield;
  }
  parts.push(Buffer.from(after));
  whole.push(Buffer.concat(parts));
  return whole;
}

function* textPieces(value: unknown, isPretty: boolean): Generator<string> {
  const printer = isPretty ? new JsonPrinter() : null;
  for (const piece of jsonPieces(value)) yield printer ? printer.push(piece) : piece;
}

/** The text of `writeJson` in pieces. */
function* jsonPieces(value: unknown): Generator<string> {
  if (isLeaf(value)) yield writeJson(value);
  else if (value instanceof RawJson) yield* slicesOf(value.text);
  else if (typeof value === 'string') {
    yield '"';
    for (const slice of slicesOf(value)) yield JSON.stringify(slice).slice(1, -1);
    yield '"';
  } else if (Array.isArray(value)) {
    let before = '[';
    for (const item of value) {
      yield before;
      yield* jsonPieces(item);
      before = ',';
    }
    yield ']';
  } else yield* memberPieces(value as object);
}

function* memberPieces(object: object): Generator<string> {
  let before = '{';
  for (const key in object) {
    const member = (object as Record<string, unknown>)[key];
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(key)}:`;
    yield* jsonPieces(member);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

/** Parts of a text that do not divide surrogate pairs. */
function* slicesOf(text: string): Generator<string> {
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = Math.min(text.length, start + TEXT_CHARS);
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end++;
    yield text.slice(start, end);
  }
}

/** A binary format whose lists and maps can be written part by part. */
interface BinaryFormat {
  encode(plain: unknown): Uint8Array;
  /** Encodes the name of a member. */
  name(name: string): Uint8Array;
  openList(items: number): Uint8Array;
  openMap(members: number): Uint8Array;
  readonly close: Uint8Array;
  /** Set if lists end differently from maps. */
  readonly closeList?: Uint8Array;
}

const SMILE: BinaryFormat = {
  encode: encodeSmilePart,
  name: encodeSmileName,
  openList: () => Buffer.of(0xf8),
  openMap: () => Buffer.of(0xfa),
  close: Buffer.of(0xfb),
  closeList: Buffer.of(0xf9),
};

const CBOR: BinaryFormat = {
  encode: encodeCbor,
  name: encodeCbor,
  openList: () => Buffer.of(0x9f),
  openMap: () => Buffer.of(0xbf),
  close: Buffer.of(0xff),
};

const packr = new Packr({ useRecords: false, variableMapSize: true, int64AsType: 'bigint' });

const MSGPACK: BinaryFormat = {
  encode: (plain) => Buffer.from(packr.pack(plain)),
  name: (name) => Buffer.from(packr.pack(name)),
  openList: (items) => head32(0xdd, items),
  openMap: (members) => head32(0xdf, members),
  close: Buffer.alloc(0),
};

function head32(type: number, count: number): Buffer {
  const head = Buffer.alloc(5);
  head[0] = type;
  head.writeUInt32BE(count, 1);
  return head;
}

function* binaryPieces(value: unknown, format: BinaryFormat): Generator<Uint8Array> {
  if (typeof value !== 'object' || value === null || value instanceof RawJson || isLeaf(value)) {
    yield format.encode(toPlain(value));
    return;
  }
  if (Array.isArray(value)) {
    yield format.openList(value.length);
    for (const item of value) yield* binaryPieces(item, format);
  } else {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    yield format.openMap(members.length);
    for (const [key, member] of members) {
      yield format.name(key);
      yield* binaryPieces(member, format);
    }
  }
  yield Array.isArray(value) ? (format.closeList ?? format.close) : format.close;
}

function* smilePieces(value: unknown): Generator<Uint8Array> {
  yield SMILE_HEADER;
  yield* binaryPieces(value, SMILE);
}
