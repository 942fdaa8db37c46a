// Generated queries, valid ones and slightly invalid ones.
import type { Rng } from '../../support/rng.ts';
import { dateOf, type Family, INDEX, TAGS, textOf, WORDS } from '../scenario.ts';

type Json = Record<string, unknown>;

const FIELDS = [
  'title',
  'body',
  'tag',
  'count',
  'big',
  'price',
  'ratio',
  'flag',
  'at',
  'ip',
  'owner.name',
  'parts.sku',
  'span',
  'missing',
  'title.raw',
];
const NUMERIC = ['count', 'big', 'price', 'ratio', 'owner.age'];

/** A value that suits a field, or occasionally one that does not. */
function valueFor(rng: Rng, field: string): unknown {
  if (rng.bool(0.05)) return rng.pick(['x', -1, true, null, 1.5, '', []]);
  if (field === 'flag') return rng.bool();
  if (field === 'at') return rng.pick([dateOf(rng), dateOf(rng).slice(0, 10), dateOf(rng).slice(0, 7)]);
  if (field === 'ip') return `10.0.${rng.int(0, 3)}.${rng.int(1, 20)}`;
  if (NUMERIC.includes(field) || field === 'span') return rng.pick([0, 1, 2.5, 3, 19.99, '7']);
  return field.startsWith('tag') ? rng.pick(TAGS) : rng.pick(WORDS);
}

function maybe(rng: Rng, options: Json, probability = 0.25): Json {
  return Object.fromEntries(Object.entries(options).filter(() => rng.bool(probability)));
}

const LEAVES: ReadonlyArray<(rng: Rng) => Json> = [
  () => ({ match_all: {} }),
  (rng) => ({ match_all: { boost: rng.pick([2, 0.5, 1.2]) } }),
  (rng) => {
    const field = rng.pick(FIELDS);
    return { term: { [field]: { value: valueFor(rng, field), ...maybe(rng, { boost: 2, case_insensitive: true }) } } };
  },
  (rng) => {
    const field = rng.pick(FIELDS);
    return { terms: { [field]: [valueFor(rng, field), valueFor(rng, field)], ...maybe(rng, { boost: 3 }) } };
  },
  (rng) => {
    const field = rng.pick(FIELDS);
    const options = {
      operator: 'and',
      minimum_should_match: rng.pick(['1', '2', '75%', '-1']),
      fuzziness: rng.pick(['AUTO', 1, 2]),
      boost: 2,
      lenient: true,
    };
    return {
      match: {
        [field]: { query: field === 'title' || field === 'body' ? textOf(rng, 3) : valueFor(rng, field), ...maybe(rng, options, 0.2) },
      },
    };
  },
  (rng) => ({
    match_phrase: { [rng.pick(['title', 'body', 'tag'])]: { query: textOf(rng, 2), ...maybe(rng, { slop: rng.int(1, 3), boost: 2 }) } },
  }),
  (rng) => ({ match_phrase_prefix: { body: `${rng.pick(WORDS)} ${rng.pick(WORDS).slice(0, 2)}` } }),
  (rng) => ({ match_bool_prefix: { body: `${rng.pick(WORDS)} ${rng.pick(WORDS).slice(0, 2)}` } }),
  (rng) => ({
    multi_match: {
      query: textOf(rng, 2),
      fields: rng.pick([['title', 'body^2'], ['title', 'tag'], ['*']]),
      ...maybe(
        rng,
        {
          type: rng.pick(['best_fields', 'most_fields', 'cross_fields', 'phrase', 'bool_prefix']),
          tie_breaker: 0.3,
          operator: 'and',
          lenient: true,
        },
        0.4,
      ),
    },
  }),
  (rng) => {
    const field = rng.pick([...NUMERIC, 'at', 'ip', 'tag', 'span']);
    const bounds = maybe(
      rng,
      { gte: valueFor(rng, field), lt: valueFor(rng, field), gt: valueFor(rng, field), lte: valueFor(rng, field) },
      0.4,
    );
    return { range: { [field]: { ...bounds, ...(rng.bool(0.1) ? { boost: 2 } : {}) } } };
  },
  (rng) => ({ exists: { field: rng.pick([...FIELDS, 'owner', 'parts', 'place', 'all', '_ignored']) } }),
  (rng) => ({
    prefix: {
      [rng.pick(['tag', 'title', 'owner.name'])]: {
        value: rng.pick(WORDS).slice(0, rng.int(1, 3)),
        ...maybe(rng, { case_insensitive: true, boost: 2 }),
      },
    },
  }),
  (rng) => ({
    wildcard: {
      [rng.pick(['tag', 'title', 'count'])]: {
        value: rng.pick(['*', 'r*', '*d', 's?a', 'b*a']),
        ...maybe(rng, { case_insensitive: true }),
      },
    },
  }),
  (rng) => ({
    regexp: {
      [rng.pick(['tag', 'title'])]: { value: rng.pick(['s.*', '[a-d].*', 're(d|st)', 's<1-3>a', '(']), ...maybe(rng, { flags: 'NONE' }) },
    },
  }),
  (rng) => ({
    fuzzy: {
      [rng.pick(['tag', 'title'])]: {
        value: rng.pick(WORDS),
        ...maybe(rng, { fuzziness: rng.int(0, 2), prefix_length: 1, transpositions: false }),
      },
    },
  }),
  (rng) => ({ ids: { values: [String(rng.int(1, 120)), String(rng.int(1, 200))] } }),
  (rng) => ({
    query_string: {
      query: rng.pick([
        textOf(rng, 2),
        `title:${rng.pick(WORDS)}`,
        `${rng.pick(WORDS)} AND ${rng.pick(WORDS)}`,
        `count:>${rng.int(0, 9)}`,
        `"${textOf(rng, 2)}"~2`,
        `-${rng.pick(WORDS)}`,
        `at:[2023-02 TO 2023-08]`,
        `${rng.pick(WORDS)}~1`,
        '(',
        `tag:(red OR blue)`,
      ]),
      ...maybe(rng, { default_field: 'body', default_operator: 'AND', lenient: true }),
    },
  }),
  (rng) => ({
    simple_query_string: {
      query: rng.pick([
        textOf(rng, 2),
        `${rng.pick(WORDS)} + ${rng.pick(WORDS)}`,
        `"${textOf(rng, 2)}"`,
        `-${rng.pick(WORDS)}`,
        `${rng.pick(WORDS).slice(0, 2)}*`,
      ]),
      ...maybe(rng, { fields: ['title', 'body'], default_operator: 'and' }, 0.5),
    },
  }),
  (rng) => ({ geo_distance: { distance: rng.pick(['500km', '3000mi', '1m']), place: { lat: rng.int(-90, 90), lon: rng.int(-180, 180) } } }),
  (rng) => ({
    geo_bounding_box: {
      place: { top_left: { lat: rng.int(0, 80), lon: rng.int(-170, 0) }, bottom_right: { lat: rng.int(-80, 0), lon: rng.int(1, 170) } },
    },
  }),
  (rng) => ({
    distance_feature: rng.bool()
      ? { field: 'at', origin: dateOf(rng), pivot: '7d' }
      : { field: 'place', origin: [rng.int(-170, 170), 10], pivot: '1000km' },
  }),
  (rng) => ({
    more_like_this: {
      fields: ['title', 'body'],
      like: rng.bool() ? textOf(rng, 4) : { _id: String(rng.int(1, 100)) },
      min_term_freq: 1,
      min_doc_freq: rng.int(1, 3),
      ...maybe(rng, { max_query_terms: 5, minimum_should_match: '20%' }),
    },
  }),
  (rng) => ({
    intervals: {
      body: rng.pick<Json>([
        { match: { query: textOf(rng, 2), ordered: true, max_gaps: rng.int(0, 5) } },
        { any_of: { intervals: [{ match: { query: rng.pick(WORDS) } }, { prefix: { prefix: 'st' } }] } },
      ]),
    },
  }),
  (rng) => ({
    span_near: {
      clauses: [{ span_term: { body: rng.pick(WORDS) } }, { span_term: { body: rng.pick(WORDS) } }],
      slop: rng.int(0, 5),
      in_order: rng.bool(),
    },
  }),
  (rng) => ({ combined_fields: { query: textOf(rng, 2), fields: ['title', 'body'], ...maybe(rng, { operator: 'and' }) } }),
];

/** A query of at most `depth` levels. */
export function queryOf(rng: Rng, depth = 2): Json {
  if (depth <= 1 || rng.bool(0.5)) return rng.pick(LEAVES)(rng);
  const inner = () => queryOf(rng, depth - 1);
  return rng.pick<() => Json>([
    () => ({
      bool: maybe(
        rng,
        { must: [inner()], should: [inner(), inner()], filter: inner(), must_not: [inner()], minimum_should_match: 1, boost: 1.5 },
        0.5,
      ),
    }),
    () => ({ constant_score: { filter: inner(), ...maybe(rng, { boost: 2 }) } }),
    () => ({ dis_max: { queries: [inner(), inner()], ...maybe(rng, { tie_breaker: 0.5 }) } }),
    () => ({ boosting: { positive: inner(), negative: inner(), negative_boost: 0.5 } }),
    () => ({
      nested: {
        path: 'parts',
        query: rng.pick<Json>([{ term: { 'parts.sku': rng.pick(WORDS) } }, { range: { 'parts.n': { gte: rng.int(0, 5) } } }]),
        score_mode: rng.pick(['avg', 'sum', 'min', 'max', 'none']),
      },
    }),
    () => ({
      function_score: {
        query: inner(),
        ...rng.pick<Json>([
          { field_value_factor: { field: 'count', missing: 1, modifier: rng.pick(['none', 'sqrt', 'square', 'log2p']), factor: 2 } },
          { weight: 3 },
          { gauss: { at: { origin: dateOf(rng), scale: '30d' } } },
          { linear: { count: { origin: 5, scale: 3 } } },
        ]),
        ...maybe(rng, { boost_mode: rng.pick(['sum', 'replace', 'max', 'avg']), max_boost: 5, min_score: 0.5 }),
      },
    }),
  ])();
}

/** Changes a body slightly, so that it is mostly refused. */
export function broken(rng: Rng, body: Json): Json {
  const copy = structuredClone(body);
  const places: Array<{ at: Json; key: string }> = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === 'object' && value !== null)
      for (const [key, item] of Object.entries(value)) {
        places.push({ at: value as Json, key });
        visit(item);
      }
  };
  visit(copy);
  const { at, key } = rng.pick(places);
  const value = at[key];
  rng.pick([
    () => {
      delete at[key];
      at[`${key}x`] = value;
    },
    () => {
      at[key] = rng.pick<unknown>([null, 'text', -1, true, [], {}, [value]]);
    },
    () => {
      at.unknown = 1;
    },
  ])();
  return copy;
}

export const queries: Family = (rng) => [{ line: `POST /${INDEX}/_search`, body: { query: queryOf(rng, 3), _source: false, size: 20 } }];
export const brokenQueries: Family = (rng) => [{ line: `POST /${INDEX}/_search`, body: broken(rng, { query: queryOf(rng, 2) }) }];
export const validateAndCount: Family = (rng) => {
  const body = { query: queryOf(rng, 2) };
  return [
    { line: `POST /${INDEX}/_count`, body },
    { line: `POST /${INDEX}/_validate/query`, body },
    { line: `POST /${INDEX}/_explain/${rng.int(1, 120)}`, body },
  ];
};
