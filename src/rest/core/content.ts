// Content of requests and responses: the type of the response, and the body of the request in the form that its API declares.
import type { RequestMemory } from '../../api/core/request-memory.ts';
import {
  isBinary,
  JSON_TYPE,
  type MediaType,
  mediaTypeOfFormat,
  negotiate,
  parseMediaType,
  TEXT_TYPE,
} from '../../common/json/media-type.ts';
import { oneChunk } from '../../common/one-chunk.ts';
import { TooHeavy } from '../../common/turns/turn.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { bodyAsJson, bodyAsLines, bodyFormat, parseBody, readBody, sourceParameter, streamBody } from './body.ts';
import type { Exchange } from './exchange.ts';
import { isLargeBody } from './lane.ts';
import type { Route } from './router.ts';

const SLOW_LOG_BODY_CHARS = 2000;

export interface Content {
  readonly body: unknown;
  readonly bytes: Buffer | null;
  readonly stream: AsyncIterable<Buffer> | null;
}

export interface ContentOptions {
  /** Largest body of an API without a limit of its own. */
  readonly maxBytes: number;
  /** Accounts for the bytes of the body. */
  readonly memory: RequestMemory;
  /** True if the slow log shows bodies. */
  readonly wantsText: boolean;
  readonly hasLanes: boolean;
}

/** An unsupported Content-Type. `error` of its response is a string, as in Elasticsearch. */
export class ContentTypeRefused extends Error {
  readonly #given: string | undefined;

  constructor(contentType: string | undefined) {
    super(`Content-Type header [${(contentType ?? '').slice(0, 100)}] is not supported`);
    this.#given = contentType;
  }

  /** True if the header is not a media type at all. */
  get isMalformed(): boolean {
    return this.#given !== undefined && !/^[^\s/;]+\/[^\s/;]+\s*(;|$)/.test(this.#given.trim());
  }

  asBadRequest(): ApiError {
    const given = this.#given ?? '';
    const reason = given === '' ? 'Header [Content-Type] cannot be empty.' : `invalid media-type [${given.slice(0, 100)}]`;
    const causedBy = illegalArgumentError(reason);
    return new ApiError('media_type_header_exception', 400, 'Invalid media-type value on headers [Content-Type]', { causedBy });
  }
}

/** Type of the response: by `format`, otherwise Accept, otherwise the type of the request, otherwise JSON (text for tables). @throws ApiError 406 */
export function negotiateType(exchange: Exchange, route: Route, format: string | undefined): void {
  const { http } = exchange;
  const contentType = http.header('content-type');
  const sent = contentType === undefined || http.body.length === 0 ? null : parseMediaType(contentType);
  const preferred = route.api.isText ? TEXT_TYPE : (sent ?? JSON_TYPE);
  const accept = http.header('accept');
  let type: MediaType | null = preferred;
  if (format !== undefined && format !== '') {
    // An unknown format is ignored, as by Elasticsearch.
    type = mediaTypeOfFormat(format) ?? preferred;
  } else if (accept !== undefined && accept !== '' && accept !== '*/*') {
    type = negotiate(accept, preferred);
    if (!type) {
      exchange.type = JSON_TYPE;
      throw new ApiError('media_type_header_exception', 406, `Accept header [${accept.slice(0, 100)}] is not supported`);
    }
  }
  if (type.format === 'text' && !route.api.isText) type = sent ?? JSON_TYPE;
  exchange.type = type;
}

/** Reads the body in the form that its API declares. @throws ApiError, ContentTypeRefused; TooHeavy: to be repeated in a lane */
export async function readContent(
  exchange: Exchange,
  route: Route,
  query: Readonly<Record<string, string>>,
  { maxBytes, memory, wantsText, hasLanes }: ContentOptions,
): Promise<Content> {
  const { http } = exchange;
  const none = { body: undefined, bytes: null, stream: null };
  const kind = route.api.body ?? 'none';
  // Parts of streamed requests carry what they need of the body.
  if (kind === 'ignored' || (kind === 'stream!' && exchange.part !== null)) return none;
  const limit = Math.min(maxBytes, route.api.maxBodyBytes ?? Infinity);
  const contentType = http.header('content-type');
  let bytes: Buffer | null = null;
  let format = bodyFormat(contentType);
  const account = async (read: number): Promise<void> => {
    await memory.makeRoom(read);
    memory.reserve(read, '<http_request>', exchange.reservedBytes);
    exchange.reservedBytes += read;
  };

  if (http.body.length !== 0) {
    if (kind === 'none') {
      if ((await readBody(http, limit, account)).length > 0)
        throw illegalArgumentError(`request [${http.method} ${http.path}] does not support having a body`);
      return none;
    }
    if (format === null && !(http.body.length === null && contentType === undefined)) throw new ContentTypeRefused(contentType);
    if (kind === 'stream!' && !isBinary(format)) return { ...none, stream: streamBody(http, limit, memory) };
    bytes = await readBody(http, limit, account);
    if (bytes.length > 0 && format === null) throw new ContentTypeRefused(contentType);
  } else if (kind === 'none') {
    return none;
  }
  if ((bytes === null || bytes.length === 0) && query.source !== undefined)
    ({ bytes, format } = sourceParameter(query.source, query.source_content_type));
  if (bytes === null || bytes.length === 0 || format === null) {
    if (kind.endsWith('!')) throw new ApiError('parse_exception', 400, 'request body is required');
    return none;
  }
  if (wantsText) exchange.bodyText = bytes.toString('utf8', 0, SLOW_LOG_BODY_CHARS);
  exchange.bytes = bytes;
  // JSON documents are not parsed here, but by their indexer.
  const isParsed = kind !== 'bytes!' || format !== 'json';
  if (hasLanes && kind !== 'stream!' && isLargeBody(bytes, format, isParsed)) throw new TooHeavy();
  if (kind.startsWith('json')) return { ...none, body: parseBody(bytes, format) };
  if (kind.startsWith('bytes')) return { ...none, bytes: bodyAsJson(bytes, format) };
  const lines = bodyAsLines(bytes, format);
  return kind === 'stream!' ? { ...none, stream: oneChunk(lines) } : { ...none, bytes: lines };
}
