// Sources as JSON: parsed for the document parser, serialized after an update.
import { parseJsonBytes, parseJsonTyped } from '../common/json/json-parse.ts';
import { JsonSyntaxError } from '../common/json/json-syntax-error.ts';
import type { JsonObject } from '../common/json/json-value.ts';
import { writeJson } from '../common/json/json-write.ts';
import { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError, jsonError, mapperParsingError } from '../errors/catalog.ts';

/** @throws ApiError mapper_parsing_exception: not one JSON object */
export function parseSource(bytes: Uint8Array): JsonObject {
  let json: unknown;
  try {
    json = parseJsonBytes(bytes);
  } catch (error) {
    if (error instanceof JsonSyntaxError)
      throw mapperParsingError('failed to parse', error.kind === 'trailing' ? extraDataError(error) : jsonError(error));
    throw error;
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw mapperParsingError(
      'failed to parse',
      new ApiError(
        'not_x_content_exception',
        400,
        'Compressor detection can only be called on some xcontent bytes or compressed xcontent bytes',
      ),
    );
  }
  return json as JsonObject;
}

function extraDataError({ message }: JsonSyntaxError): ApiError {
  const token = /\[(\w+)\]/.exec(message)?.[1] ?? 'unknown';
  return illegalArgumentError(`Malformed content, found extra data after parsing: ${token}`);
}

/** Parses a valid source again so that numbers written like `1.0` become DecimalLiteral, which dynamic mapping maps to floats. */
export function parseTypedSource(bytes: Uint8Array): JsonObject {
  return parseJsonTyped(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')) as JsonObject;
}

/** Parses the body of an update request. @throws ApiError x_content_parse_exception and JSON syntax errors */
export function parseUpdateSource(bytes: Uint8Array): unknown {
  try {
    return parseJsonBytes(bytes);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw jsonError(error);
    throw error;
  }
}

export function stringifySource(json: JsonObject): string {
  return writeJson(json);
}
