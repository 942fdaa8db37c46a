// Parser of `pinned`: documents that come before the matches of another query. Source: the query's page in Elasticsearch's documentation.
import { isObject, type JsonObject, tokenOf } from '../../common/json/json-value.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { xContentParseError } from '../../errors/search-errors.ts';
import { readBase } from '../field-body.ts';
import type { PinnedDocument, Query } from '../query.ts';
import type { QueryParseContext } from '../query-parser.ts';
import { readText } from '../read-json.ts';

const MAX_PINNED = 100;

/** @throws ApiError x_content_parse_exception, illegal_argument_exception */
export function parsePinned(body: JsonObject, context: QueryParseContext): Query {
  let organic: Query | null = null;
  let ids: PinnedDocument[] | null = null;
  let docs: PinnedDocument[] | null = null;
  for (const [key, value] of Object.entries(body)) {
    if (key === 'organic') organic = context.inner(value);
    else if (key === 'ids') ids = listOf(key, value).map((id) => ({ index: null, id: readText(id, 'pinned') }));
    else if (key === 'docs') docs = listOf(key, value).map(documentOf);
    else if (key !== 'boost' && key !== '_name') throw xContentParseError(`[pinned] unknown field [${key}]`);
  }
  if (organic === null) throw illegalArgumentError('Required [organic]');
  if (ids !== null && docs !== null) throw illegalArgumentError('[pinned] query: [ids] and [docs] cannot be used together');
  const documents = ids ?? docs;
  if (documents === null) throw illegalArgumentError('Required one of fields [ids, docs], but none were specified. ');
  if (documents.length > MAX_PINNED) {
    throw illegalArgumentError(`[pinned] Max of ${MAX_PINNED} ids exceeded: ${documents.length} provided.`);
  }
  return { kind: 'pinned', documents, organic, ...readBase('pinned', body) };
}

function listOf(key: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw xContentParseError(`[pinned] ${key} doesn't support values of type: ${tokenOf(value)}`);
  return value;
}

function documentOf(value: unknown): PinnedDocument {
  if (!isObject(value)) throw xContentParseError(`[pinned] docs doesn't support values of type: ${tokenOf(value)}`);
  let id: string | null = null;
  let index: string | null = null;
  for (const [key, part] of Object.entries(value)) {
    if (key === '_id') id = readText(part, 'pinned');
    else if (key === '_index') index = part === null ? null : readText(part, 'pinned');
    else throw xContentParseError(`[specified_document] unknown field [${key}]`);
  }
  if (id === null) throw illegalArgumentError('Required [_id]');
  return { index, id };
}
