// Every query of the service with extreme sizes, depths and counts.
import { QUERY_NAMES } from '../../../src/query/parse-query.ts';
import { extremesOf } from '../extremes.ts';
import { type HostileCase, search } from '../hostile-case.ts';

type Sample = Parameters<typeof extremesOf>[0];

const ALL = { match_all: {} };
const SPAN = { span_term: { text: 'w1' } };
const SCRIPT = { source: "doc['n'].value * params.f", params: { f: 2 } };
const RANGE = { gte: 1, lte: 10 };

/** A valid body of each query that consists of more than a field and a value. */
const SAMPLES: Readonly<Record<string, Sample>> = {
  match_all: {},
  match_none: {},
  terms: { tag: ['t1', 't2'] },
  terms_set: { tag: { terms: ['t1', 't2'], minimum_should_match_script: SCRIPT } },
  range: { n: RANGE },
  exists: { field: 'n' },
  ids: { values: ['1', '2'] },
  prefix: { code: { value: 'a', rewrite: 'scoring_boolean' } },
  wildcard: { code: { value: 'a*b?c', rewrite: 'top_terms_10' } },
  regexp: { code: { value: 'a.*[0-9]{3}', flags: 'ALL', max_determinized_states: 10000 } },
  fuzzy: { code: { value: 'abcdefgh', fuzziness: 2, prefix_length: 1, max_expansions: 50 } },
  match: { text: { query: 'w1 w2', minimum_should_match: 1, fuzziness: 'AUTO', max_expansions: 50, prefix_length: 0 } },
  match_phrase: { text: { query: 'w1 w2', slop: 5 } },
  match_phrase_prefix: { text: { query: 'w1 w', slop: 5, max_expansions: 50 } },
  match_bool_prefix: { text: { query: 'w1 w', fuzziness: 'AUTO' } },
  multi_match: { query: 'w1 w2', fields: ['text', 'tag^2'], type: 'best_fields', tie_breaker: 0.3, slop: 2 },
  query_string: { query: 'w1 AND (w2 OR w3~2) AND code:/a.*/', fields: ['text', 'code'], phrase_slop: 2, fuzzy_max_expansions: 50 },
  simple_query_string: { query: 'w1 + (w2 | w3~2) -w4*', fields: ['text', 'tag'], minimum_should_match: '50%' },
  bool: { must: [ALL], filter: [{ term: { tag: 't1' } }], should: [{ match: { text: 'w1' } }], must_not: [{ term: { n: 3 } }] },
  boosting: { positive: ALL, negative: { term: { tag: 't1' } }, negative_boost: 0.5 },
  constant_score: { filter: { term: { tag: 't1' } }, boost: 2 },
  dis_max: { queries: [{ term: { tag: 't1' } }, { match: { text: 'w1' } }], tie_breaker: 0.5 },
  nested: { path: 'parts', query: { term: { 'parts.name': 'p1' } }, score_mode: 'avg', inner_hits: { size: 3 } },
  function_score: {
    query: ALL,
    functions: [{ filter: { term: { tag: 't1' } }, weight: 2 }, { gauss: { n: { origin: 5, scale: 10, decay: 0.5 } } }],
    max_boost: 10,
  },
  geo_distance: { distance: '100km', place: { lat: 10, lon: 10 } },
  geo_bounding_box: { place: { top_left: { lat: 20, lon: 0 }, bottom_right: { lat: 0, lon: 20 } } },
  geo_polygon: {
    place: {
      points: [
        [0, 0],
        [10, 0],
        [10, 10],
      ],
    },
  },
  geo_shape: {
    shape: {
      shape: {
        type: 'polygon',
        coordinates: [
          [
            [0, 0],
            [10, 0],
            [10, 10],
            [0, 0],
          ],
        ],
      },
      relation: 'intersects',
    },
  },
  script: { script: { source: "doc['n'].value > params.x", params: { x: 5 } } },
  script_score: { query: ALL, script: SCRIPT, min_score: 1 },
  rank_feature: { field: 'importance', saturation: { pivot: 8 } },
  distance_feature: { field: 'day', origin: 'now', pivot: '7d' },
  span_near: { clauses: [SPAN, { span_term: { text: 'w2' } }], slop: 5, in_order: false },
  span_or: { clauses: [SPAN, { span_term: { text: 'w2' } }] },
  span_not: { include: SPAN, exclude: { span_term: { text: 'w2' } }, pre: 1, post: 1 },
  span_first: { match: SPAN, end: 3 },
  span_multi: { match: { prefix: { text: 'w1' } } },
  span_containing: { little: SPAN, big: { span_near: { clauses: [SPAN, SPAN], slop: 5 } } },
  span_within: { little: SPAN, big: { span_near: { clauses: [SPAN, SPAN], slop: 5 } } },
  field_masking_span: { query: SPAN, field: 'text' },
  span_field_masking: { query: SPAN, field: 'text' },
  has_child: { type: 'answer', query: ALL, min_children: 1, max_children: 10, inner_hits: { size: 3 } },
  has_parent: { parent_type: 'question', query: ALL, inner_hits: { size: 3 } },
  parent_id: { type: 'answer', id: '1' },
  intervals: {
    text: { all_of: { intervals: [{ match: { query: 'w1 w2', max_gaps: 3 } }, { wildcard: { pattern: 'w*' } }], max_gaps: 5 } },
  },
  more_like_this: { fields: ['text'], like: ['w1 w2', { _index: 'hostile', _id: '1' }], max_query_terms: 25, min_term_freq: 1 },
  wrapper: { query: Buffer.from(JSON.stringify(ALL)).toString('base64') },
};

/** The body of a query without a sample: most take a field and a value. */
const BY_FIELD: Sample = { text: { value: 'w1' } };

/** Constructs that contain queries, for depth and breadth: the text of a query with `inner` inside. */
const NESTING: Readonly<Record<string, (inner: string) => string>> = {
  bool: (inner) => `{"bool":{"must":[${inner}]}}`,
  constant_score: (inner) => `{"constant_score":{"filter":${inner}}}`,
  dis_max: (inner) => `{"dis_max":{"queries":[${inner}]}}`,
  boosting: (inner) =>
    `{"boosting":{"positive":${inner},"negative":${inner.length > 2000 ? '{"match_all":{}}' : inner},"negative_boost":0.5}}`,
  nested: (inner) => `{"nested":{"path":"parts","query":${inner}}}`,
  function_score: (inner) => `{"function_score":{"query":${inner}}}`,
  span_near: (inner) => `{"span_near":{"clauses":[${inner.replace('match_all', 'span_first')}],"slop":3}}`,
};

export function* queryCases(): Generator<HostileCase> {
  for (const name of QUERY_NAMES) {
    const wrap = (text: string): string => `{"query":{${JSON.stringify(name)}:${text}},"size":2}`;
    for (const { name: what, body } of extremesOf(SAMPLES[name] ?? BY_FIELD, wrap)) yield search('query', `${name} ${what}`, body);
  }
  for (const [name, nest] of Object.entries(NESTING)) {
    for (const depth of [29, 100, 400]) {
      const deep = (): string => {
        let text = '{"match_all":{}}';
        for (let i = 0; i < depth; i++) text = nest(text);
        return `{"query":${text}}`;
      };
      yield search('query', `${name} at depth ${depth}`, deep);
    }
  }
}
