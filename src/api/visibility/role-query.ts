// Queries of roles (document level security): renders their templates with the caller's properties, and checks their contents.
import { BoundedMap } from '../../common/bounded-map.ts';
import { parseJson } from '../../common/json/json-parse.ts';
import { isObject, type JsonObject } from '../../common/json/json-value.ts';
import { writeJson } from '../../common/json/json-write.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { parseQuery } from '../../query/parse-query.ts';
import type { Query } from '../../query/query.ts';
import { checkTemplate, renderTemplate } from '../../scripting/mustache.ts';
import type { Identity } from '../../security/identity.ts';
import type { Restriction } from '../../security/permissions.ts';
import type { RoleDescriptor } from '../../security/role.ts';
import type { EngineContext } from '../core/context.ts';
import { storedScript } from '../core/stored-script.ts';

const parsed = new BoundedMap<string, Query>(500);

/**
 * The filter of a restriction as one query, and as text that identifies it; null if there is none. @throws ApiError the query or template
 * is invalid
 */
export function documentFilter(ctx: EngineContext, identity: Identity, { queries }: Restriction): { text: string; query: Query } | null {
  if (queries.length === 0) return null;
  const rendered = queries.map((alternatives) => alternatives.map((text) => renderQuery(ctx, identity, text)));
  const text = writeJson(rendered);
  let query = parsed.get(text);
  if (!query) {
    query = parseQuery({
      bool: {
        filter: rendered.map((alternatives) => ({ bool: { should: alternatives.map((one) => parseJson(one)), minimum_should_match: 1 } })),
      },
    } as JsonObject);
    parsed.set(text, query);
  }
  return { text, query };
}

/** The query as JSON: unchanged, or rendered from a template with `_user`. */
function renderQuery(ctx: EngineContext, identity: Identity, text: string): string {
  const template = templateOf(parseJson(text));
  if (template === null) return text;
  const { username, fullName, email, roles, metadata } = identity;
  const user = { username, full_name: fullName, email, roles, metadata };
  return renderTemplate(sourceOf(ctx, template), { ...(isObject(template.params) ? template.params : {}), _user: user });
}

function templateOf(query: unknown): JsonObject | null {
  return isObject(query) && isObject(query.template) && Object.keys(query).length === 1 ? query.template : null;
}

/** @throws ApiError illegal_argument_exception: no source and no stored script of this id */
function sourceOf(ctx: EngineContext, { source, id }: JsonObject): string {
  if (source !== undefined) return typeof source === 'string' ? source : writeJson(source);
  const script = id === undefined ? null : storedScript(ctx, String(id));
  if (script === null) throw illegalArgumentError(`the template of a role query has no source: [${String(id)}]`);
  return script.source;
}

/** Queries that read other documents or other shards than the one they filter. */
const REFUSED: Readonly<Record<string, string>> = {
  terms_lookup: "terms query with terms lookup isn't supported as part of a role query",
  has_child: "has_child query isn't supported as part of a role query",
  has_parent: "has_parent query isn't supported as part of a role query",
  parent_id: "parent_id query isn't supported as part of a role query",
  percolate: "percolate query isn't supported as part of a role query",
};

/** Checks the queries of a role when it is stored. @throws ApiError parse_exception (400) */
export function checkRoleQueries(role: RoleDescriptor): void {
  for (const { query, names } of role.indices) {
    if (query === null) continue;
    try {
      const json = parseJson(query);
      const template = templateOf(json);
      if (template === null) checkRoleQuery(parseQuery(json as JsonObject));
      else if (typeof template.source === 'string') checkTemplate(template.source);
    } catch (error) {
      if (!(error instanceof ApiError) && !(error instanceof SyntaxError) && !(error instanceof Error)) throw error;
      const cause = error instanceof ApiError ? error : illegalArgumentError((error as Error).message);
      throw new ApiError(
        'parse_exception',
        400,
        `failed to parse field 'query' for indices [${names.join(',')}]: ${cause.reason ?? cause.type}`,
        {
          causedBy: cause,
        },
      );
    }
  }
}

/** @throws ApiError illegal_argument_exception: the query looks beyond the documents that it filters */
export function checkRoleQuery(query: unknown): void {
  if (Array.isArray(query)) for (const item of query) checkRoleQuery(item);
  if (!isObject(query)) return;
  const { kind } = query;
  if (typeof kind === 'string' && Object.hasOwn(REFUSED, kind)) throw illegalArgumentError(REFUSED[kind]);
  if (kind === 'geo_shape' && query.indexed !== null)
    throw illegalArgumentError("geoshape query referring to indexed shapes isn't supported as part of a role query");
  if (kind === 'more_like_this') throw illegalArgumentError("more_like_this query isn't supported as part of a role query");
  for (const value of Object.values(query)) checkRoleQuery(value);
}
