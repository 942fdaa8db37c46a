// Parser of `percolate`: finds the stored queries that match documents.
import { isObject, type JsonObject, tokenOf } from '../common/json/json-value.ts';
import { illegalArgumentError, validationFailedError } from '../errors/catalog.ts';
import { xContentParseError } from '../errors/search-errors.ts';
import { readBase } from './field-body.ts';
import type { PercolateQuery } from './leaf-query.ts';
import type { QueryParseContext } from './query-parser.ts';
import { readList, readText } from './read-json.ts';

const TEXTS = ['field', 'name', 'index', 'id', 'routing', 'preference'] as const;
const SOURCES = ['document', 'documents', 'id'] as const;

/** @throws ApiError x_content_parse_exception, illegal_argument_exception, action_request_validation_exception */
export function parsePercolate(body: JsonObject, context: QueryParseContext): PercolateQuery {
  const texts: Partial<Record<(typeof TEXTS)[number], string>> = {};
  let documents: readonly JsonObject[] | null = null;
  for (const [key, value] of Object.entries(body)) {
    const text = TEXTS.find((name) => name === key);
    if (text) texts[text] = readText(value, 'percolate');
    else if (key === 'document' || key === 'documents') documents = documentsOf(key, value);
    else if (key === 'document_type') readText(value, 'percolate');
    else if (key !== 'version' && key !== 'boost' && key !== '_name') throw xContentParseError(`[percolate] unknown field [${key}]`);
  }
  const { field, name, index, id, routing } = texts;
  if (field === undefined) throw illegalArgumentError('Required [field]');
  const given = SOURCES.filter((source) => body[source] !== undefined);
  if (given.length === 0) throw illegalArgumentError(`Required one of fields [${SOURCES.join(', ')}], but none were specified. `);
  if (given.length > 1) throw illegalArgumentError(`The following fields are not allowed together: [${given.join(', ')}] `);
  if (documents?.length === 0) throw validationFailedError(['index is missing', 'id is missing']);
  if (id !== undefined && index === undefined) {
    throw xContentParseError(
      'Failed to build [percolate] after last required field arrived',
      illegalArgumentError('[index] is a required argument'),
    );
  }
  const stored = documents === null ? { index: index ?? '', id: id ?? '', routing: routing ?? null } : null;
  if (stored) context.report('document_lookup');
  const base = readBase('percolate', body);
  return { kind: 'percolate', field, documents, stored, slotName: name ?? null, ...base };
}

function documentsOf(key: string, value: unknown): readonly JsonObject[] {
  const list = key === 'documents' ? readList(value) : [value];
  for (const item of list)
    if (!isObject(item)) throw xContentParseError(`[percolate] ${key} doesn't support values of type: ${tokenOf(item)}`);
  return list as readonly JsonObject[];
}
