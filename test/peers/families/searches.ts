// Generated options of searches: sorts, pages, fields, highlights, collapse, scrolls, points in time.
import type { Rng } from '../../support/rng.ts';
import { dateOf, type Family, INDEX, OTHER, textOf, WORDS } from '../scenario.ts';
import { broken, queryOf } from './queries.ts';

type Json = Record<string, unknown>;

const SORTABLE = ['count', 'big', 'price', 'ratio', 'flag', 'at', 'exact', 'ip', 'tag', 'owner.age', 'title', 'missing', '_score', '_doc'];

function sortKey(rng: Rng): unknown {
  const field = rng.pick(SORTABLE);
  if (rng.bool(0.1))
    return {
      _geo_distance: { place: [rng.int(-170, 170), rng.int(-80, 80)], unit: rng.pick(['km', 'm']), order: rng.pick(['asc', 'desc']) },
    };
  if (rng.bool(0.1)) return { 'parts.n': { order: 'asc', mode: rng.pick(['min', 'max', 'sum', 'avg']), nested: { path: 'parts' } } };
  if (field.startsWith('_') || rng.bool(0.3)) return field;
  const options: Json = { order: rng.pick(['asc', 'desc']) };
  if (rng.bool(0.3)) options.missing = rng.pick<unknown>(['_first', '_last', 1]);
  if (rng.bool(0.2)) options.mode = rng.pick(['min', 'max', 'sum', 'avg', 'median']);
  if (rng.bool(0.2)) options.unmapped_type = rng.pick(['long', 'double', 'keyword', 'date']);
  if (rng.bool(0.1)) options.format = rng.pick(['yyyy-MM-dd', 'epoch_millis']);
  if (rng.bool(0.1)) options.numeric_type = rng.pick(['long', 'double', 'date', 'date_nanos']);
  return { [field]: options };
}

export const sorts: Family = (rng) => {
  const body: Json = {
    query: queryOf(rng, 1),
    sort: [sortKey(rng), ...(rng.bool(0.4) ? [sortKey(rng)] : []), { 'title.raw': 'asc' }, '_doc'],
    _source: false,
    size: rng.int(1, 30),
  };
  if (rng.bool(0.2)) body.track_scores = true;
  if (rng.bool(0.2)) body.from = rng.int(0, 20);
  return [{ line: `POST /${INDEX}/_search`, body }];
};

export const pages: Family = (rng) => {
  const options: Json = {
    track_total_hits: rng.pick<unknown>([true, false, 5, 1000, -1]),
    terminate_after: rng.int(0, 10),
    min_score: rng.pick([0.1, 1, 5]),
    from: rng.int(-1, 200),
    size: rng.int(-1, 50),
    post_filter: queryOf(rng, 1),
    version: true,
    seq_no_primary_term: true,
    explain: rng.bool(0.2),
    indices_boost: [{ [INDEX]: 2 }],
    search_after: [rng.int(0, 9)],
    profile: false,
  };
  const body = Object.fromEntries(Object.entries(options).filter(() => rng.bool(0.2)));
  return [
    {
      line: `POST /${rng.pick([INDEX, `${INDEX},${OTHER}`, 'p-*', 'p-alias'])}/_search`,
      body: { query: queryOf(rng, 1), _source: false, ...body },
    },
  ];
};

export const fetches: Family = (rng) => {
  const names = [
    'title',
    'body',
    'tag',
    'count',
    'big',
    'price',
    'ratio',
    'flag',
    'at',
    'exact',
    'ip',
    'place',
    'owner.*',
    'parts.*',
    'span',
    'all',
    'from',
    '*',
    'missing',
    'title.raw',
  ];
  const options: Json = {
    fields: [rng.pick(names), rng.pick(names), { field: 'at', format: rng.pick(['yyyy', 'epoch_millis', 'strict_date']) }],
    docvalue_fields: [
      rng.pick(['tag', 'count', 'big', 'price', 'ratio', 'flag', 'at', 'exact', 'ip', 'title', 'place']),
      { field: 'count', format: '#.0' },
    ],
    stored_fields: rng.pick<unknown>(['_none_', ['title'], '_source']),
    _source: rng.pick<unknown>([false, 'ti*', ['count', 'owner.*'], { includes: ['o*'], excludes: ['*.age'] }]),
    highlight: {
      fields: { [rng.pick(['title', 'body', '*'])]: {} },
      ...(rng.bool(0.3)
        ? { type: rng.pick(['plain', 'unified']), number_of_fragments: rng.int(0, 2), fragment_size: rng.int(10, 80) }
        : {}),
    },
    collapse: {
      field: rng.pick(['owner.name', 'owner.age', 'from', 'title']),
      ...(rng.bool(0.3) ? { inner_hits: { name: 'i', size: 1, _source: false } } : {}),
    },
    rescore: {
      window_size: 10,
      query: { rescore_query: { match: { body: rng.pick(WORDS) } }, query_weight: 0.5, score_mode: rng.pick(['total', 'max', 'multiply']) },
    },
  };
  const body = Object.fromEntries(Object.entries(options).filter(() => rng.bool(0.35)));
  return [{ line: `POST /${INDEX}/_search`, body: { query: { match: { body: textOf(rng, 2) } }, size: 5, ...body } }];
};

export const brokenSearches: Family = (rng) => {
  const [{ line, body }] = rng.pick([sorts, pages, fetches])(rng);
  return [{ line, body: broken(rng, body as Json) }];
};

export const otherSearches: Family = (rng) =>
  rng.pick<Family>([
    () => [
      {
        line: `GET /${INDEX}/_search?q=${rng.pick(['tag:red', 'storm', 'count:3', 'missing:1', '%28'])}&size=3&_source=false&sort=${rng.pick(['count', 'at:desc', '_score', 'missing'])}`,
      },
    ],
    () => [
      {
        line: 'POST /_msearch',
        body: [
          { index: INDEX },
          { query: queryOf(rng, 1), size: 1, _source: false },
          { index: 'missing' },
          { query: { match_all: {} } },
          {},
          { size: 0, query: broken(rng, queryOf(rng, 1)) },
        ],
      },
    ],
    () => [
      { line: `GET /${INDEX}/_search?rest_total_hits_as_int=true&size=0` },
      { line: `GET /${INDEX}/_search?typed_keys=true&size=0`, body: { aggs: { a: { max: { field: 'count' } } } } },
    ],
    () => [
      {
        line: `GET /${rng.pick([INDEX, 'p-*', 'missing', 'missing*', '-p-main', 'p-main,missing'])}/_search?size=0&ignore_unavailable=${rng.bool()}&allow_no_indices=${rng.bool()}`,
      },
    ],
    () => [
      {
        line: `GET /${INDEX}/_field_caps?fields=${rng.pick(['*', 'title', 'parts*', 'missing', 'count,price'])}&include_unmapped=${rng.bool()}`,
      },
      { line: `GET /p-*/_field_caps?fields=count,price,tag` },
    ],
    () => [
      {
        line: `POST /${INDEX}/_search`,
        body: {
          suggest: {
            s: {
              text: rng.pick(['strom', 'quik fox', 'alpah']),
              term: { field: 'body', ...(rng.bool() ? { suggest_mode: rng.pick(['always', 'popular', 'missing']) } : {}) },
            },
          },
        },
      },
    ],
    () => [
      { line: `GET /${INDEX}/_termvectors/${rng.int(1, 20)}?fields=title,body&term_statistics=${rng.bool()}&positions=${rng.bool()}` },
    ],
    () => [
      {
        line: `POST /${INDEX}/_search?scroll=1m`,
        body: { size: rng.int(0, 60), query: queryOf(rng, 1), sort: ['_doc'], _source: false, ...(rng.bool(0.2) ? { from: 1 } : {}) },
      },
    ],
    () => [
      {
        line: `POST /${INDEX}/_search`,
        body: {
          query: { range: { at: { gte: dateOf(rng), time_zone: rng.pick(['+02:00', 'Europe/Berlin', 'Nowhere']) } } },
          size: 2,
          _source: false,
        },
      },
    ],
    () => [
      { line: 'POST /_search/scroll', body: { scroll: '1m', scroll_id: rng.pick(['abc', '', 'DXF1ZXJ5']) } },
      { line: 'DELETE /_search/scroll', body: { scroll_id: ['abc'] } },
    ],
    () => [
      {
        line: `POST /${INDEX}/_analyze`,
        body: {
          text: textOf(rng),
          ...rng.pick<Json>([
            { analyzer: 'standard' },
            { field: 'title' },
            { tokenizer: 'standard', filter: ['lowercase'] },
            { analyzer: 'nope' },
            { analyzer: 'keyword' },
          ]),
        },
      },
    ],
  ])(rng);
