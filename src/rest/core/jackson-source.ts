// Syntax errors of JSON as Elasticsearch 8 words them: with the beginning of the body, a line and a column instead of an offset in bytes.
import { type JsonPlace, readJsonTokens } from '../../common/json/json-tokens.ts';
import { ApiError } from '../../errors/api-error.ts';

const OFFSET = /Source: REDACTED \([^)]*\); byte offset: #(\d+|UNKNOWN)/g;
const PREFIX = /^\[\d+:\d+\] /;
/** Bytes of the body that an error shows. */
const SHOWN_BYTES = 500;
const MAX_TOKENS = 20_000;
const END_TYPE = 'json_e_o_f_exception';

/** @returns the error itself unless it is a syntax error of the body */
export function withSource(error: ApiError, body: Buffer): ApiError {
  const cause = error.causedBy;
  if (error.type !== 'x_content_parse_exception' || cause === null || !/^json_(?:parse|e_o_f)_exception$/.test(cause.type)) return error;
  const offset = [...(cause.reason ?? '').matchAll(OFFSET)].at(-1)?.[1];
  if (offset === undefined || offset === 'UNKNOWN') return error;
  const message = (cause.reason ?? '').replace(/double-quote to start property name|separate property name and/, (text) =>
    text.replace('property', 'field'),
  );
  const at = placeOf(body, Math.min(body.length, Number(offset) + charactersRead(message)));
  const reason = message.replaceAll(OFFSET, (_text, of: string) => sourceText(body, of === 'UNKNOWN' ? innermostOpen(body) : at));
  const inner = new ApiError(cause.type, cause.status, reason);
  if (cause.type === END_TYPE)
    return new ApiError('x_content_e_o_f_exception', error.status, `com.fasterxml.jackson.core.io.JsonEOFException: ${reason}`, {
      causedBy: inner,
    });
  const prefix = PREFIX.test(error.reason ?? '') ? `[${at.line}:${at.col}] ` : '';
  return new ApiError(error.type, error.status, prefix + reason, { causedBy: inner });
}

/** Bytes that the parser had read beyond the place of an error when it reported it. */
function charactersRead(message: string): number {
  if (message.startsWith('Unexpected character')) return 1;
  const word = /^Unrecognized token '([^']*)'/.exec(message);
  return word ? Buffer.byteLength(word[1]) + 1 : 0;
}

function placeOf(body: Buffer, offset: number): JsonPlace {
  const before = body.subarray(0, offset);
  let line = 1;
  for (const byte of before) if (byte === 10) line++;
  return { line, col: offset - before.lastIndexOf(10) };
}

/** The bracket that the end of the body leaves open. */
function innermostOpen(body: Buffer): JsonPlace {
  const tokens = readJsonTokens(body.toString('utf8'), MAX_TOKENS) ?? [];
  const open = tokens.findLast(({ kind, at, end }) => kind.startsWith('START_') && end === at);
  return open?.at ?? { line: 1, col: 1 };
}

function sourceText(body: Buffer, { line, col }: JsonPlace): string {
  const shown = body.toString('utf8', 0, SHOWN_BYTES);
  const rest = body.length > SHOWN_BYTES ? `[truncated ${body.length - SHOWN_BYTES} bytes]` : '';
  return `Source: (byte[])"${shown}"${rest}; line: ${line}, column: ${col}`;
}
