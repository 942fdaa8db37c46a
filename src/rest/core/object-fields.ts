// Bodies with a few declared fields, refused with the errors of Elasticsearch's object parsers. The place in the body is added when the error is sent.
import { isObject, type JsonObject, tokenOf } from '../../common/json/json-value.ts';
import { notNumberError } from '../../errors/catalog.ts';
import { xContentParseError } from '../../errors/search-errors.ts';
import type { ApiRequest } from './request.ts';

/** `int` accepts texts and drops fractions, as Elasticsearch does. */
type FieldKind = 'string' | 'int' | 'boolean';

interface Values {
  readonly string: string;
  readonly int: number;
  readonly boolean: boolean;
}

/** The body as an object; empty if there is none. @param parser  its name in errors. @throws ApiError x_content_parse_exception */
export function parsedBody({ body }: ApiRequest, parser: string): JsonObject {
  if (body === undefined) return {};
  if (!isObject(body)) throw xContentParseError(`[1:1] [${parser}] Expected START_OBJECT but was: ${tokenOf(body)}`);
  return body;
}

/** The fields of the body that it has. @throws ApiError x_content_parse_exception: an unknown field, a value of another kind */
export function parsedFields<T extends Readonly<Record<string, FieldKind>>>(
  request: ApiRequest,
  parser: string,
  kinds: T,
): { [Name in keyof T]?: Values[T[Name]] } {
  const fields: { [name: string]: unknown } = {};
  for (const [name, value] of Object.entries(parsedBody(request, parser))) {
    if (!Object.hasOwn(kinds, name)) throw xContentParseError(`[${parser}] unknown field [${name}]`);
    const read = fieldValue(kinds[name], value);
    if (read === undefined) throw xContentParseError(`[${parser}] ${name} doesn't support values of type: ${tokenOf(value)}`);
    if (typeof read === 'number' && Number.isNaN(read))
      throw xContentParseError(`[${parser}] failed to parse field [${name}]`, notNumberError(String(value)));
    fields[name] = read;
  }
  // Each name was looked up in `kinds`, and its value is of that kind.
  return fields as { [Name in keyof T]?: Values[T[Name]] };
}

/** undefined for a value of another kind, NaN for a text that is not an integer. */
function fieldValue(kind: FieldKind, value: unknown): string | number | boolean | undefined {
  if (kind === 'int' && typeof value === 'string') return /^[+-]?\d+$/.test(value) ? Number(value) : Number.NaN;
  if (kind === 'int') return typeof value === 'number' ? Math.trunc(value) : undefined;
  return typeof value === kind ? (value as string | boolean) : undefined;
}
