// Filters of aliases as `_search_shards` shows them: in the full form, with defaults written out, as servers write the query that they parsed.
import { jsonDouble } from '../../common/json/json-float.ts';
import { isObject, type JsonObject, type MutableJsonObject } from '../../common/json/json-value.ts';
import type { Dialect } from '../../compat/dialect.ts';

type Show = (body: JsonObject, dialect: Dialect) => MutableJsonObject;

/** The query in its full form. Types that are not in the table stay as they were given. */
export function fullQuery(query: unknown, dialect: Dialect): unknown {
  if (!isObject(query)) return query;
  const [type] = Object.keys(query);
  const body = query[type];
  if (!Object.hasOwn(SHOWN, type) || !isObject(body)) return query;
  return { [type]: SHOWN[type](body, dialect) };
}

function boostOf(body: JsonObject): MutableJsonObject {
  return { boost: jsonDouble(Number(body.boost ?? 1)) };
}

/** Elasticsearch 8 leaves defaults out of queries that it parses by themselves. */
function rareBoost(body: JsonObject, dialect: Dialect): MutableJsonObject {
  return dialect.writesShortQueries && Number(body.boost ?? 1) === 1 ? {} : boostOf(body);
}

function nameOf(body: JsonObject): MutableJsonObject {
  return body._name === undefined ? {} : { _name: body._name };
}

/** A query on one field: `{ field: value }` or `{ field: { key: value, ... } }`. */
function onField(key: string, show: (options: JsonObject, dialect: Dialect) => MutableJsonObject): Show {
  return (body, dialect) => {
    const [field] = Object.keys(body);
    const given = body[field];
    const options: JsonObject = isObject(given) ? given : { [key]: given };
    return { [field]: { ...show(options, dialect), ...nameOf(options) } };
  };
}

function listOf(value: unknown, dialect: Dialect): unknown[] {
  return [value].flat().map((query) => fullQuery(query, dialect));
}

const CLAUSES = ['must', 'filter', 'must_not', 'should'] as const;

const SHOWN: Readonly<Record<string, Show>> = {
  match_all: (body) => ({ ...boostOf(body), ...nameOf(body) }),
  term: onField('value', (body, dialect) => ({
    value: body.value,
    ...(body.case_insensitive === undefined ? {} : { case_insensitive: body.case_insensitive }),
    ...rareBoost(body, dialect),
  })),
  terms: ({ boost, _name, ...fields }) => ({ ...fields, ...boostOf({ boost }), ...(_name === undefined ? {} : { _name }) }),
  prefix: onField('value', (body) => ({ ...withoutBoost(body), ...boostOf(body) })),
  wildcard: onField('wildcard', ({ value, wildcard, ...rest }) => ({
    wildcard: wildcard ?? value,
    ...withoutBoost(rest),
    ...boostOf(rest),
  })),
  range: onField('gte', showRange),
  exists: (body) => ({ field: body.field, ...boostOf(body), ...nameOf(body) }),
  ids: (body) => ({ values: [body.values ?? []].flat(), ...boostOf(body), ...nameOf(body) }),
  match: onField('query', (body, dialect) =>
    dialect.writesShortQueries
      ? { ...withoutBoost(body), ...rareBoost(body, dialect) }
      : {
          query: body.query,
          operator: String(body.operator ?? 'OR').toUpperCase(),
          prefix_length: 0,
          max_expansions: 50,
          fuzzy_transpositions: true,
          lenient: false,
          zero_terms_query: 'NONE',
          auto_generate_synonyms_phrase_query: true,
          ...withoutBoost({ ...body, operator: undefined }),
          ...boostOf(body),
        },
  ),
  constant_score: (body, dialect) => ({ filter: fullQuery(body.filter, dialect), ...boostOf(body), ...nameOf(body) }),
  nested: (body, dialect) => ({
    query: fullQuery(body.query, dialect),
    path: body.path,
    ignore_unmapped: body.ignore_unmapped ?? false,
    score_mode: body.score_mode ?? 'avg',
    ...boostOf(body),
    ...nameOf(body),
  }),
  bool: (body, dialect) => ({
    ...Object.fromEntries(CLAUSES.flatMap((clause) => (body[clause] === undefined ? [] : [[clause, listOf(body[clause], dialect)]]))),
    ...(dialect.writesShortQueries ? {} : { adjust_pure_negative: body.adjust_pure_negative ?? true }),
    ...(body.minimum_should_match === undefined ? {} : { minimum_should_match: String(body.minimum_should_match) }),
    ...boostOf(body),
    ...nameOf(body),
  }),
};

function withoutBoost(body: JsonObject): MutableJsonObject {
  return Object.fromEntries(Object.entries(body).filter(([key, value]) => key !== 'boost' && key !== '_name' && value !== undefined));
}

function showRange(body: JsonObject, dialect: Dialect): MutableJsonObject {
  const rest = withoutBoost(body);
  if (dialect.writesShortQueries) return { ...rest, ...boostOf(body) };
  const { gte, gt, lte, lt, from, to, include_lower: lower, include_upper: upper, ...others } = rest;
  return {
    from: gte ?? gt ?? from ?? null,
    to: lte ?? lt ?? to ?? null,
    include_lower: lower ?? gt === undefined,
    include_upper: upper ?? lt === undefined,
    ...others,
    ...boostOf(body),
  };
}
