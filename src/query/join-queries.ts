// Parsers of the queries on a join field: has_child, has_parent, parent_id.

import { isObject, type JsonObject, tokenOf } from '../common/json/json-value.ts';
import { illegalArgumentError, parsingError } from '../errors/catalog.ts';
import { checkKeys, readBase } from './field-body.ts';
import type { JoinScoreMode, Query } from './query.ts';
import type { QueryParseContext, QueryParser } from './query-parser.ts';
import { readBoolean, readInt, readText } from './read-json.ts';

const SCORE_MODES: readonly string[] = ['none', 'avg', 'sum', 'min', 'max'];
const NO_LIMIT = 2 ** 31 - 1;

function innerHitsOf(value: unknown, where: string): JsonObject | null {
  if (value === undefined) return null;
  if (!isObject(value)) throw parsingError(`[${where}] inner_hits expects an object, but found [${tokenOf(value)}]`);
  return value;
}

function flag(body: JsonObject, key: string, where: string): boolean {
  return body[key] === undefined ? false : readBoolean(body[key], where);
}

function queryIn(body: JsonObject, where: string, context: QueryParseContext): Query {
  if (body['query'] === undefined) throw illegalArgumentError(`[${where}] requires 'query' field`);
  return context.inner(body['query']);
}

const hasChild: QueryParser = (body, context) => {
  const name = 'has_child';
  checkKeys(name, body, new Set(['type', 'query', 'score_mode', 'min_children', 'max_children', 'ignore_unmapped', 'inner_hits']));
  if (body['type'] === undefined) throw illegalArgumentError("[has_child] requires 'type' field");
  const query = queryIn(body, name, context);
  const mode = body['score_mode'] === undefined ? 'none' : readText(body['score_mode'], name);
  if (!SCORE_MODES.includes(mode)) throw illegalArgumentError(`No score mode for child query [${mode}] found`);
  const minChildren = body['min_children'] === undefined ? 1 : readInt(body['min_children'], name);
  const maxChildren = body['max_children'] === undefined ? NO_LIMIT : readInt(body['max_children'], name);
  if (minChildren < 0) throw illegalArgumentError("[has_child] requires non-negative 'min_children' field");
  if (maxChildren < 0) throw illegalArgumentError("[has_child] requires non-negative 'max_children' field");
  if (maxChildren < minChildren) throw illegalArgumentError("[has_child] 'max_children' is less than 'min_children'");
  return {
    kind: name,
    type: readText(body['type'], name),
    query,
    scoreMode: mode as JoinScoreMode,
    minChildren,
    maxChildren,
    ignoreUnmapped: flag(body, 'ignore_unmapped', name),
    innerHits: innerHitsOf(body['inner_hits'], name),
    ...readBase(name, body),
  };
};

const hasParent: QueryParser = (body, context) => {
  const name = 'has_parent';
  checkKeys(name, body, new Set(['parent_type', 'query', 'score', 'ignore_unmapped', 'inner_hits']));
  if (body['parent_type'] === undefined) throw illegalArgumentError("[has_parent] requires 'parent_type' field");
  return {
    kind: name,
    type: readText(body['parent_type'], name),
    query: queryIn(body, name, context),
    scoreMode: flag(body, 'score', name) ? 'max' : 'none',
    minChildren: 1,
    maxChildren: NO_LIMIT,
    ignoreUnmapped: flag(body, 'ignore_unmapped', name),
    innerHits: innerHitsOf(body['inner_hits'], name),
    ...readBase(name, body),
  };
};

const parentId: QueryParser = (body) => {
  const name = 'parent_id';
  checkKeys(name, body, new Set(['type', 'id', 'ignore_unmapped']));
  for (const key of ['type', 'id']) if (body[key] === undefined) throw illegalArgumentError(`[parent_id] requires '${key}' field`);
  return {
    kind: name,
    type: readText(body['type'], name),
    id: readText(body['id'], name),
    ignoreUnmapped: flag(body, 'ignore_unmapped', name),
    ...readBase(name, body),
  };
};

export const JOIN_PARSERS: Readonly<Record<string, QueryParser>> = { has_child: hasChild, has_parent: hasParent, parent_id: parentId };
