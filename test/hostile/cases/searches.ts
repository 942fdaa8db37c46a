// The parts of a search body besides queries and aggregations with extreme sizes, depths and counts.
import { extremesOf } from '../extremes.ts';
import { type HostileCase, search } from '../hostile-case.ts';

type Sample = Parameters<typeof extremesOf>[0];

const SCRIPT = { script: { source: "doc['n'].value" } };

const PARTS: Readonly<Record<string, Sample>> = {
  from: 0,
  size: 10,
  sort: [{ n: 'asc' }, { _script: { type: 'number', ...SCRIPT } }],
  search_after: [1],
  _source: ['n', 'parts.*'],
  fields: ['n', { field: 'day', format: 'yyyy' }],
  docvalue_fields: ['n', { field: 'day', format: 'yyyy' }],
  stored_fields: ['n'],
  script_fields: { x: SCRIPT },
  runtime_mappings: { r: { type: 'long', script: { source: "emit(doc['n'].value)" } } },
  collapse: { field: 'tag', inner_hits: [{ name: 'i', size: 3, sort: [{ n: 'asc' }] }], max_concurrent_group_searches: 2 },
  rescore: [{ window_size: 50, query: { rescore_query: { match: { text: 'w1' } }, query_weight: 0.5 } }],
  highlight: {
    fields: { text: { type: 'unified', fragment_size: 20, number_of_fragments: 3 } },
    pre_tags: ['<b>'],
    max_analyzed_offset: 1000,
  },
  suggest: { s: { text: 'w1 w2', term: { field: 'text', size: 5, max_edits: 2, prefix_length: 1, max_inspections: 5 } } },
  post_filter: { term: { tag: 't1' } },
  indices_boost: [{ hostile: 2 }],
  slice: { id: 0, max: 5 },
  min_score: 0.5,
  terminate_after: 10,
  timeout: '1s',
  track_total_hits: 100,
  stats: ['a'],
  ext: { a: 1 },
  pit: { id: 'AAAA', keep_alive: '1m' },
};

export function* searchCases(): Generator<HostileCase> {
  for (const [key, sample] of Object.entries(PARTS)) {
    const wrap = (text: string): string => `{"query":{"match":{"text":"w1"}},${JSON.stringify(key)}:${text}}`;
    for (const { name, body } of extremesOf(sample, wrap)) yield search('search body', `${key} ${name}`, body);
  }
}
