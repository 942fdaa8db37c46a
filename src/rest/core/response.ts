// Responses and their rendering: JSON, YAML, CBOR, SMILE, msgpack or text, filtered, pretty-printed, compressed.
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import { Packr } from 'msgpackr';
import { stringify } from 'yaml';
import { encodeCbor } from '../../common/json/cbor.ts';
import { filterPaths, type PathFilter } from '../../common/json/filter-path.ts';
import { prettyJson, toPlain, writeJson } from '../../common/json/json-write.ts';
import type { MediaType } from '../../common/json/media-type.ts';
import { encodeSmile } from '../../common/json/smile-writer.ts';

export interface ApiResponse {
  readonly status: number;
  /** JSON-like value that may contain RawJson and bigint; undefined for no body. */
  readonly body?: unknown;
  /** A text body instead: `_cat` tables, hot threads. */
  readonly text?: string;
  /** Bytes for another thread instead. */
  readonly bytes?: Uint8Array;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Messages of `Warning` headers. */
  readonly warnings?: readonly string[];
  /** A change of users, roles or API keys for the audit log. */
  readonly audit?: { readonly action: string; readonly details: Readonly<Record<string, unknown>> };
}

export function ok(body: unknown, headers?: Readonly<Record<string, string>>): ApiResponse {
  return headers ? { status: 200, body, headers } : { status: 200, body };
}

export function answer(status: number, body: unknown, headers?: Readonly<Record<string, string>>): ApiResponse {
  return headers ? { status, body, headers } : { status, body };
}

/** The response to HEAD requests that check existence. */
export function exists(found: boolean): ApiResponse {
  return { status: found ? 200 : 404 };
}

export interface RenderOptions {
  readonly type: MediaType;
  readonly isPretty: boolean;
  readonly filter: PathFilter | null;
}

const packr = new Packr({ useRecords: false, variableMapSize: true, int64AsType: 'bigint' });

/** Renders a body in the negotiated type. */
export function renderBody(body: unknown, options: RenderOptions): string | Uint8Array {
  const value = options.filter ? filterPaths(body, options.filter) : body;
  switch (options.type.format) {
    case 'yaml':
      return `---\n${stringify(toPlain(value), { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', indentSeq: false, lineWidth: 0, aliasDuplicateObjects: false })}`;
    case 'cbor':
      return encodeCbor(toPlain(value));
    case 'smile':
      return encodeSmile(toPlain(value));
    case 'msgpack':
      return packr.pack(toPlain(value));
    default: {
      const text = writeJson(value);
      return options.isPretty ? prettyJson(text) : text;
    }
  }
}

/** Up to this size, compressing synchronously costs less than a round trip through the thread pool. */
const SYNC_GZIP_BYTES = 16 * 1024;
/** A fast level, since a response is sent only once. */
export const GZIP_LEVEL = 3;

export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  if (acceptEncoding === undefined) return false;
  for (const item of acceptEncoding.toLowerCase().split(',')) {
    const [coding, ...parameters] = item.split(';').map((part) => part.trim());
    if (
      (coding === 'gzip' || coding === 'x-gzip' || coding === '*') &&
      !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter))
    )
      return true;
  }
  return false;
}

export function compress(body: string | Uint8Array): Uint8Array | Promise<Uint8Array> {
  return body.length <= SYNC_GZIP_BYTES ? gzipSync(body, { level: GZIP_LEVEL }) : promisify(gzip)(body, { level: GZIP_LEVEL });
}
