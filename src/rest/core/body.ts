// Request bodies: decompression, formats other than JSON, the `source` parameter, streams.
import type { Transform } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import { Unpackr } from 'msgpackr';
import type { RequestMemory } from '../../api/core/request-memory.ts';
import { CborError, decodeCbor, decodeCborSequence } from '../../common/json/cbor.ts';
import { parseJsonBytes } from '../../common/json/json-parse.ts';
import { JsonSyntaxError } from '../../common/json/json-syntax-error.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { type BodyFormat, isBinary, parseMediaType } from '../../common/json/media-type.ts';
import { checkMsgpack } from '../../common/json/msgpack-check.ts';
import { decodeSmile, decodeSmileDocuments, SmileError } from '../../common/json/smile-reader.ts';
import { parseBytesToWrite } from '../../common/json/source-numbers.ts';
import { canMove, TooHeavy } from '../../common/turns/turn.ts';
import { ApiError } from '../../errors/api-error.ts';
import { contentTooLargeError, illegalArgumentError, jsonError } from '../../errors/catalog.ts';
import { BodyTooLarge, type HttpRequest } from '../../http/listener.ts';
import { isLargeBody } from './lane.ts';
import { parseYaml } from './yaml-body.ts';

/** Pieces in which bodies are decompressed: malloc returns those of 1 MB and more to the system when they are freed (bin/gannet). */
const INFLATE = { chunkSize: 1 << 20 };

/** Smaller bodies are not accounted for. */
const SMALL_BODY = 64 << 10;
/** Maximum number of bytes of a streamed body that wait for its handler. */
const STREAM_BUFFER = 8 << 20;

const unpackr = new Unpackr({ useRecords: false, int64AsType: 'auto' as 'bigint', mapsAsObjects: true });

/** Format of a body by its Content-Type. @returns null if the header is missing or the format is not supported */
export function bodyFormat(contentType: string | undefined): BodyFormat | null {
  return contentType === undefined ? null : (parseMediaType(contentType)?.format ?? null);
}

/**
 * The whole body, decompressed.
 * @param account  receives the bytes of large bodies before they are read
 * @throws ApiError 413; 429 if the memory does not suffice; 400 for corrupt compressed data; 415 for an unknown compression
 */
export async function readBody(request: HttpRequest, limit: number, account: (bytes: number) => Promise<void>): Promise<Buffer> {
  const encoding = request.header('content-encoding')?.trim().toLowerCase();
  const { body } = request;
  try {
    const isPlain = encoding === undefined || encoding === '' || encoding === 'identity';
    if (isPlain && body.length !== null) {
      if (body.length > SMALL_BODY && body.length <= limit) await account(body.length);
      return await body.bytes(limit);
    }
    const chunks: Buffer[] = [];
    let bytes = 0;
    let accounted = SMALL_BODY;
    for await (const chunk of isPlain ? body : decompressed(request, encoding)) {
      bytes += chunk.length;
      if (bytes > limit) throw contentTooLargeError(limit);
      if (bytes > accounted) {
        await account(bytes - accounted);
        accounted = bytes;
      }
      chunks.push(chunk);
    }
    return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
  } catch (error) {
    throw error instanceof BodyTooLarge ? contentTooLargeError(error.limit) : error;
  }
}

/** The body as it arrives, decompressed, with back-pressure to the sender. @throws ApiError 413, 400, 415 */
export async function* streamBody(request: HttpRequest, limit: number, memory: RequestMemory): AsyncGenerator<Buffer> {
  const { length } = request.body;
  if (length === null || length > SMALL_BODY) {
    const expected = Math.min(length ?? STREAM_BUFFER, STREAM_BUFFER);
    await memory.makeRoom(expected);
    memory.check(expected, '<http_request>');
  }
  const encoding = request.header('content-encoding')?.trim().toLowerCase();
  const isPlain = encoding === undefined || encoding === '' || encoding === 'identity';
  let bytes = 0;
  try {
    for await (const chunk of isPlain ? request.body : decompressed(request, encoding)) {
      bytes += chunk.length;
      if (bytes > limit) throw contentTooLargeError(limit);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof BodyTooLarge ? contentTooLargeError(error.limit) : error;
  }
}

async function* decompressed(request: HttpRequest, encoding: string): AsyncGenerator<Buffer> {
  const decoder =
    encoding === 'gzip' || encoding === 'x-gzip' ? createGunzip(INFLATE) : encoding === 'deflate' ? createInflate(INFLATE) : null;
  if (!decoder) throw new ApiError('media_type_header_exception', 415, `Content-Encoding [${encoding.slice(0, 40)}] is not supported`);
  const feed = async (): Promise<void> => {
    try {
      for await (const chunk of request.body) {
        if (!decoder.write(chunk)) await new Promise((resolve) => decoder.once('drain', resolve));
      }
      decoder.end();
    } catch (error) {
      decoder.destroy(error as Error);
    }
  };
  void feed();
  try {
    for await (const chunk of decoder as Transform) yield chunk as Buffer;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code.startsWith('Z_')) throw illegalArgumentError(`request body is not valid ${encoding}: ${(error as Error).message}`);
    throw error;
  }
}

/** A body as a value. @throws ApiError 400 with the position of the error */
export function parseBody(bytes: Buffer, format: BodyFormat): unknown {
  try {
    switch (format) {
      case 'yaml':
        return parseYaml(bytes);
      case 'msgpack':
        return parseMsgpack(bytes);
      case 'cbor':
        return parseCbor(bytes);
      case 'smile':
        return parseSmile(bytes);
      default:
        return parseJsonBytes(bytes);
    }
  } catch (error) {
    throw error instanceof JsonSyntaxError ? jsonError(error) : error;
  }
}

/**
 * A body of a `bytes` route as a value whose doubles keep their type, to be written again; null if there is none.
 * @throws ApiError as parseBody; TooHeavy: it is large
 */
export function parseBodyToWrite(bytes: Uint8Array | null): unknown {
  if (bytes !== null && canMove() && isLargeBody(bytes, 'json', true)) throw new TooHeavy();
  try {
    return bytes === null ? null : parseBytesToWrite(bytes);
  } catch (error) {
    throw error instanceof JsonSyntaxError ? jsonError(error) : error;
  }
}

/** A body as UTF-8 JSON, converted from other formats. */
export function bodyAsJson(bytes: Buffer, format: BodyFormat): Buffer {
  if (format === 'yaml') return Buffer.from(writeJson(parseYaml(bytes)));
  if (format === 'msgpack') return Buffer.from(writeJson(parseMsgpack(bytes)));
  if (format === 'cbor') return Buffer.from(writeJson(parseCbor(bytes)));
  if (format === 'smile') return Buffer.from(writeJson(parseSmile(bytes)));
  return bytes;
}

/** A body as NDJSON, converted from a sequence of binary values if necessary. */
export function bodyAsLines(bytes: Buffer, format: BodyFormat): Buffer {
  if (!isBinary(format)) return bytes;
  try {
    return Buffer.from(
      valuesOf(bytes, format)
        .map((value) => `${writeJson(value)}\n`)
        .join(''),
    );
  } catch (error) {
    throw illegalArgumentError(`request body is not a sequence of ${format} values: ${(error as Error).message}`);
  }
}

/** Reads a sequence of values. A byte string, which is preceded by its length, contains one value; SMILE has 0xff between documents. */
function valuesOf(bytes: Buffer, format: BodyFormat): unknown[] {
  if (format === 'smile') return decodeSmileDocuments(bytes);
  if (format === 'cbor') return decodeCborSequence(bytes);
  checkMsgpack(bytes);
  const values = (unpackr.unpackMultiple(bytes) as unknown[] | undefined) ?? [];
  return values.map((value) => {
    if (!(value instanceof Uint8Array)) return value;
    const embedded = Buffer.from(value);
    checkMsgpack(embedded);
    return unpackr.unpack(embedded);
  });
}

function parseSmile(bytes: Buffer): unknown {
  try {
    return decodeSmile(bytes);
  } catch (error) {
    if (error instanceof SmileError) throw new ApiError('x_content_parse_exception', 400, `request body is not SMILE: ${error.message}`);
    throw error;
  }
}

function parseMsgpack(bytes: Buffer): unknown {
  try {
    checkMsgpack(bytes);
    return unpackr.unpack(bytes);
  } catch (error) {
    throw new ApiError('x_content_parse_exception', 400, `request body is not msgpack: ${(error as Error).message}`);
  }
}

function parseCbor(bytes: Buffer): unknown {
  try {
    return decodeCbor(bytes);
  } catch (error) {
    if (error instanceof CborError) throw new ApiError('x_content_parse_exception', 400, `request body is not CBOR: ${error.message}`);
    throw error;
  }
}

/** The `source` parameter as the body. @throws ApiError illegal_state_exception: its type is missing or unknown */
export function sourceParameter(source: string, contentType: string | undefined): { bytes: Buffer; format: BodyFormat } {
  if (contentType === undefined)
    throw new ApiError('illegal_state_exception', 400, 'source and source_content_type parameters are required');
  const format = bodyFormat(contentType);
  if (!format) throw new ApiError('illegal_state_exception', 400, `Unknown value for source_content_type [${contentType}]`);
  return { bytes: Buffer.from(source), format };
}
