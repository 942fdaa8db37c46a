// Answers and how they are written: JSON, YAML, msgpack or text, filtered, pretty, compressed.
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import { Packr } from 'msgpackr';
import { stringify } from 'yaml';
import { encodeCbor } from '../../common/cbor.ts';
import { filterPaths, type PathFilter } from '../../common/filter-path.ts';
import { prettyJson, toPlain, writeJson } from '../../common/json-write.ts';
import type { MediaType } from '../../common/media-type.ts';

export interface ApiResponse {
  readonly status: number;
  /** JSON-like; may hold RawJson and bigint. Undefined: no body. */
  readonly body?: unknown;
  /** A body of its own kind: cat tables, hot threads. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Texts of `Warning` headers. */
  readonly warnings?: readonly string[];
}

export function ok(body: unknown, headers?: Readonly<Record<string, string>>): ApiResponse {
  return headers ? { status: 200, body, headers } : { status: 200, body };
}

export function answer(status: number, body: unknown, headers?: Readonly<Record<string, string>>): ApiResponse {
  return headers ? { status, body, headers } : { status, body };
}

/** HEAD answers: the status says it all. */
export function exists(found: boolean): ApiResponse {
  return { status: found ? 200 : 404 };
}

export interface RenderOptions {
  readonly type: MediaType;
  readonly isPretty: boolean;
  readonly filter: PathFilter | null;
}

const packr = new Packr({ useRecords: false, variableMapSize: true, int64AsType: 'bigint' });

/** The body's bytes or text in the negotiated type. */
export function renderBody(body: unknown, options: RenderOptions): string | Uint8Array {
  const value = options.filter ? filterPaths(body, options.filter) : body;
  switch (options.type.format) {
    case 'yaml':
      return `---\n${stringify(toPlain(value), { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', indentSeq: false, lineWidth: 0, aliasDuplicateObjects: false })}`;
    case 'cbor':
      return encodeCbor(toPlain(value));
    case 'msgpack':
      return packr.pack(toPlain(value));
    default: {
      const text = writeJson(value);
      return options.isPretty ? prettyJson(text) : text;
    }
  }
}

/** Up to here compressing at once costs less than a turn through the thread pool. */
const SYNC_GZIP_BYTES = 16 * 1024;
/** Speed first: an answer is sent once. */
const GZIP_LEVEL = 3;

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
