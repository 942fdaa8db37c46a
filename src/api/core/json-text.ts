// Request bodies that reach an operation as JSON text: searches keep the text, which is the key of their caches.
import { parseJson } from '../../common/json/json-parse.ts';
import { JsonSyntaxError } from '../../common/json/json-syntax-error.ts';
import { jsonError } from '../../errors/catalog.ts';

/** The parsed value; undefined for a blank text. @throws ApiError json_parse_exception and the other JSON errors */
export function parseJsonText(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw jsonError(error);
    throw error;
  }
}
