// Requests of single APIs and features: percolation, vectors, ranks, data streams, lifecycles, asynchronous searches, processors, suggestions.
import { DIMENSIONS } from '../dataset.ts';
import { type HostileCase, search } from '../hostile-case.ts';

const ALL = { match_all: {} };
const GREEDY = '(k|[a-z0-9]{0,60}){0,300}';
const ENDLESS = 'while (true) { }';

const repeat = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const special = (family: string, name: string, body: HostileCase['body']): HostileCase => ({
  family,
  name,
  line: 'POST /special/_search',
  body,
});
const vector = (dimensions: number): number[] => repeat(dimensions, (i) => Math.sin(i));

export function* featureCases(): Generator<HostileCase> {
  yield* percolateCases();
  yield* vectorCases();
  yield* rankCases();
  yield* streamCases();
  yield* asyncCases();
  yield* processorCases();
  yield* suggestionCases();
}

function* percolateCases(): Generator<HostileCase> {
  const family = 'percolate';
  const percolate = (parts: object): object => ({ query: { percolate: { field: 'query', ...parts } } });
  yield special(family, '10^5 documents', () => percolate({ documents: repeat(100_000, (i) => ({ text: `w${i}`, n: i })) }));
  yield special(family, 'a document of 10^6 words', () => percolate({ document: { text: repeat(1_000_000, (i) => `w${i}`).join(' ') } }));
  yield special(family, 'a document of 10^5 fields', () =>
    percolate({ document: Object.fromEntries(repeat(100_000, (i) => [`f${i}`, i])) }),
  );
  yield special(
    family,
    'a deep document',
    () => `{"query":{"percolate":{"field":"query","document":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}}}`,
  );
  yield special(family, '1000 percolations', () => ({
    query: {
      bool: {
        should: repeat(1000, (i) => percolate({ document: { text: `w${i}`, n: i } })).map((each) => (each as { query: object }).query),
      },
    },
  }));
  const store = (name: string, query: () => object): HostileCase => ({
    family,
    name: `store ${name}`,
    line: 'PUT /special/_doc/stored',
    body: () => ({ query: query() }),
  });
  yield store('10^5 clauses', () => ({ bool: { should: repeat(100_000, (i) => ({ term: { n: i } })) } }));
  yield store('deep', () => repeat(900, (i) => i).reduce<object>((query) => ({ bool: { must: [query] } }), ALL));
  yield store('a regexp', () => ({ regexp: { text: GREEDY } }));
  yield store('a script', () => ({ script: { script: `${ENDLESS} return true` } }));
  yield special(family, 'stored regexps and scripts', percolate({ documents: repeat(50, (i) => ({ text: 'k'.repeat(60), n: i })) }));
}

function* vectorCases(): Generator<HostileCase> {
  const family = 'vectors';
  const knn = (parts: object): object => ({
    knn: { field: 'vector', query_vector: vector(DIMENSIONS), k: 10, num_candidates: 100, ...parts },
  });
  yield special(family, 'num_candidates 10^4', knn({ k: 10_000, num_candidates: 10_000 }));
  yield special(family, 'num_candidates 10^9', knn({ k: 1_000_000_000, num_candidates: 1_000_000_000 }));
  yield special(family, '10^6 dimensions', () => knn({ query_vector: vector(1_000_000) }));
  yield special(family, 'vector of nulls', () => knn({ query_vector: repeat(DIMENSIONS, () => null) }));
  yield special(family, 'vector of 10^300', () => knn({ query_vector: repeat(DIMENSIONS, () => 1e300) }));
  yield special(family, '1000 knn sections', () => ({ knn: repeat(1000, () => (knn({ k: 100 }) as { knn: object }).knn) }));
  yield special(family, 'filter by regexp', knn({ filter: { regexp: { text: GREEDY } } }));
  yield special(family, 'filter of 10^5 clauses', () => knn({ filter: repeat(100_000, (i) => ({ term: { n: i } })) }));
  yield {
    family,
    name: 'map 10^6 dimensions',
    line: 'PUT /vectors-large',
    body: { mappings: { properties: { v: { type: 'dense_vector', dims: 1_000_000 } } } },
  };
  yield {
    family,
    name: 'map 4096 dimensions',
    line: 'PUT /vectors-4096',
    body: { mappings: { properties: { v: { type: 'dense_vector', dims: 4096, index: true, similarity: 'l2_norm' } } } },
  };
  yield {
    family,
    name: 'index 1000 of 4096 dimensions',
    line: 'POST /vectors-4096/_bulk?refresh=true',
    body: () => repeat(1000, (i) => `{"index":{}}\n${JSON.stringify({ v: vector(4096).map((x) => x + i) })}\n`).join(''),
  };
  yield {
    family,
    name: 'search 4096 dimensions',
    line: 'POST /vectors-4096/_search',
    body: () => ({ knn: { field: 'v', query_vector: vector(4096), k: 1000, num_candidates: 10_000 } }),
  };
  yield { family, name: 'delete 4096 dimensions', line: 'DELETE /vectors-4096' };
  yield search('sampler', 'probability 10^-300', {
    size: 0,
    aggs: { a: { random_sampler: { probability: 1e-300 }, aggs: { b: { sum: { field: 'n' } } } } },
  });
  yield search('sampler', 'nested', () => ({
    size: 0,
    aggs: repeat(100, (i) => i).reduce<object>((aggs) => ({ a: { random_sampler: { probability: 0.5 }, aggs } }), {
      b: { sum: { field: 'n' } },
    }),
  }));
  yield search('sampler', 'sampler of 10^9', {
    size: 0,
    aggs: { a: { diversified_sampler: { shard_size: 1e9, field: 'tag', max_docs_per_value: 1e9 } } },
  });
}

function* rankCases(): Generator<HostileCase> {
  const family = 'ranks';
  const standard = (query: object): object => ({ standard: { query } });
  const rrf = (parts: object): object => ({
    retriever: { rrf: { retrievers: [standard(ALL), standard({ match: { text: 'w1' } })], ...parts } },
  });
  yield search(family, 'rrf window of 10^9', rrf({ rank_window_size: 1e9 }));
  yield search(family, 'rrf window of 10^4', { ...rrf({ rank_window_size: 10_000 }), size: 10_000 });
  yield search(family, 'rrf of 10^4 retrievers', () => rrf({ retrievers: repeat(10_000, () => standard(ALL)) }));
  yield search(family, 'deep rrf', () => ({
    retriever: repeat(400, (i) => i).reduce<object>((inner) => ({ rrf: { retrievers: [inner, standard(ALL)] } }), standard(ALL)),
  }));
  yield search(family, 'rrf of regexps', rrf({ retrievers: repeat(5, () => standard({ regexp: { code: GREEDY } })) }));
  const fields = repeat(1000, (i) => `f${i}^${i + 1}`);
  yield search(family, 'combined_fields of 1000 fields', { query: { combined_fields: { query: 'w1 w2', fields } } });
  yield search(family, 'combined_fields of 10^5 words', () => ({
    query: { combined_fields: { query: repeat(100_000, (i) => `w${i}`).join(' '), fields: ['text'] } },
  }));
  const evaluate = (name: string, body: () => object): HostileCase => ({
    family,
    name: `rank_eval ${name}`,
    line: 'POST /hostile/_rank_eval',
    body,
  });
  const ratings = (count: number): object[] => repeat(count, (i) => ({ _index: 'hostile', _id: String(i), rating: 1 }));
  yield evaluate('10^5 ratings', () => ({
    requests: [{ id: 'a', request: { query: ALL }, ratings: ratings(100_000) }],
    metric: { dcg: { k: 10_000 } },
  }));
  yield evaluate('10^4 requests', () => ({
    requests: repeat(10_000, (i) => ({ id: String(i), request: { query: ALL }, ratings: ratings(1) })),
    metric: { expected_reciprocal_rank: { maximum_relevance: 3 } },
  }));
  yield evaluate('k of 10^9', () => ({
    requests: [{ id: 'a', request: { query: ALL }, ratings: ratings(1) }],
    metric: { precision: { k: 1e9 } },
  }));
  const enumerate = (name: string, body: object): HostileCase => ({ family: 'terms_enum', name, line: 'POST /hostile/_terms_enum', body });
  yield enumerate('size of 10^9', { field: 'code', size: 1e9 });
  yield enumerate('all', { field: 'code', size: 10_000, string: '' });
  yield enumerate('long string', { field: 'code', string: 'x'.repeat(1_000_000), case_insensitive: true });
  yield enumerate('filter by regexp', { field: 'code', index_filter: { regexp: { code: GREEDY } } });
  yield enumerate('timeout', { field: 'code', size: 10_000, timeout: '1ms' });
}

function* streamCases(): Generator<HostileCase> {
  const family = 'streams';
  const bulk = (name: string, line: string, item: (i: number) => string): HostileCase => ({
    family,
    name,
    line,
    body: () => repeat(20_000, item).join(''),
  });
  const document = '{"@timestamp":"2024-01-01T00:00:00Z"}';
  yield bulk('20,000 new streams', 'POST /_bulk', (i) => `{"create":{"_index":"stream-${i}"}}\n${document}\n`);
  yield bulk('20,000 new indices', 'POST /_bulk', (i) => `{"index":{"_index":"many-${i}"}}\n{"n":${i}}\n`);
  yield bulk('20,000 refused names', 'POST /_bulk', (i) => `{"index":{"_index":"BAD ${i}"}}\n{"n":${i}}\n`);
  yield bulk('20,000 without a time', 'POST /stream-a/_bulk', (i) => `{"create":{}}\n{"n":${i}}\n`);
  yield {
    family,
    name: '10^4 names',
    line: 'POST /_data_stream/_modify',
    body: () => ({ actions: repeat(10_000, (i) => ({ add_backing_index: { data_stream: 'stream-a', index: `i${i}` } })) }),
  };
  yield { family, name: 'list all', line: 'GET /_data_stream/*' };
  yield { family, name: 'delete streams', line: 'DELETE /_data_stream/stream-*' };
  yield { family, name: 'delete indices', line: 'DELETE /many-*' };
  const policy = (name: string, body: () => object): HostileCase => ({ family: 'lifecycle', name, line: 'PUT /_ilm/policy/p', body });
  yield policy('metadata of 10 MB', () => ({ policy: { _meta: { a: 'x'.repeat(10_000_000) }, phases: {} } }));
  yield policy('10^5 phases', () => ({ policy: { phases: Object.fromEntries(repeat(100_000, (i) => [`p${i}`, { actions: {} }])) } }));
  yield policy('10^5 actions', () => ({
    policy: { phases: { hot: { actions: Object.fromEntries(repeat(100_000, (i) => [`a${i}`, {}])) } } },
  }));
  yield policy('ages', () => ({ policy: { phases: { hot: { min_age: '99999999999999999d', actions: {} } } } }));
  yield policy('shrink to 10^9', () => ({ policy: { phases: { warm: { actions: { shrink: { number_of_shards: 1e9 } } } } } }));
  yield { family: 'lifecycle', name: 'explain', line: 'GET /*/_ilm/explain' };
}

function* asyncCases(): Generator<HostileCase> {
  const family = 'async search';
  const start = (name: string, query: string, body: object): HostileCase => ({
    family,
    name,
    line: `POST /hostile/_async_search?${query}`,
    body,
  });
  const regexp = { query: { regexp: { code: GREEDY } } };
  yield start('regexp', 'wait_for_completion_timeout=100ms', regexp);
  yield { ...start('300 at once', 'wait_for_completion_timeout=1ms&keep_on_completion=true', regexp), copies: 300 };
  yield start('endless script', 'wait_for_completion_timeout=1ms', { query: { script: { script: `${ENDLESS} return true` } } });
  yield start('kept for ever', 'keep_on_completion=true&keep_alive=99999999d', { query: ALL, size: 1000 });
  yield start('waits for ever', 'wait_for_completion_timeout=99999999d', regexp);
  yield { family, name: 'forged id', line: `GET /_async_search/${'A'.repeat(100_000)}` };
}

function* processorCases(): Generator<HostileCase> {
  const simulate = (name: string, processors: object[], source: () => object): HostileCase => ({
    family: 'processors',
    name,
    line: 'POST /_ingest/pipeline/_simulate',
    body: () => ({ pipeline: { processors }, docs: [{ _source: source() }] }),
  });
  const script = (source: string): object => ({ script: { source } });
  yield simulate('endless script', [script(ENDLESS)], () => ({}));
  yield simulate('growing script', [script("ctx.a = 'x'; while (true) { ctx.a += ctx.a }")], () => ({}));
  yield simulate('script that nests', [script('Map m = new HashMap(); m.m = m; ctx.m = m')], () => ({}));
  const list = (): object => ({ list: repeat(100_000, (i) => `v${i}`) });
  yield simulate(
    'foreach script',
    [{ foreach: { field: 'list', processor: script('for (int i = 0; i < 100000; i++) { ctx.x = i }') } }],
    list,
  );
  yield simulate(
    'foreach of foreach',
    [{ foreach: { field: 'list', processor: { foreach: { field: 'list', processor: { uppercase: { field: '_ingest._value' } } } } } }],
    list,
  );
  yield simulate('foreach append', [{ foreach: { field: 'list', processor: { append: { field: 'list2', value: ['{{list}}'] } } } }], list);
  yield simulate(
    'append to itself',
    repeat(60, () => ({ append: { field: 'a', value: ['{{a}}', '{{a}}'] } })),
    () => ({ a: 'x' }),
  );
  yield simulate(
    'set doubles',
    repeat(60, () => ({ set: { field: 'a', value: '{{a}}{{a}}' } })),
    () => ({ a: 'x' }),
  );
  yield simulate(
    'grok',
    [{ grok: { field: 'm', patterns: ['%{A}'], pattern_definitions: { A: '(%{B}|%{B}%{B})*', B: '(a*)*b?' } } }],
    () => ({ m: `${'a'.repeat(100_000)}!` }),
  );
  yield simulate('grok that recurs', [{ grok: { field: 'm', patterns: ['%{A}'], pattern_definitions: { A: '%{B}', B: '%{A}' } } }], () => ({
    m: 'a',
  }));
  yield simulate('kv', [{ kv: { field: 'm', field_split: '(&|&&)*', value_split: '=*' } }], () => ({ m: 'a=1&'.repeat(200_000) }));
  yield simulate('kv of 10^5 fields', [{ kv: { field: 'm', field_split: '&', value_split: '=' } }], () => ({
    m: repeat(100_000, (i) => `k${i}=1`).join('&'),
  }));
  yield simulate('dissect', [{ dissect: { field: 'm', pattern: repeat(5000, (i) => `%{k${i}}`).join(' ') } }], () => ({
    m: 'a '.repeat(500_000),
  }));
  yield simulate('gsub', [{ gsub: { field: 'm', pattern: '', replacement: 'y'.repeat(1000) } }], () => ({ m: 'x'.repeat(200_000) }));
  yield simulate('split', [{ split: { field: 'm', separator: '' } }], () => ({ m: 'x'.repeat(2_000_000) }));
  yield simulate('json', [{ json: { field: 'm', add_to_root: true } }], () => ({ m: '{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000) }));
  yield simulate('csv', [{ csv: { field: 'm', target_fields: ['a'], quote: '"' } }], () => ({ m: '"a'.repeat(500_000) }));
  yield simulate('dot_expander', [{ dot_expander: { field: '*' } }], () => ({ ['a.'.repeat(20_000) + 'b']: 1 }));
  yield simulate('user_agent', [{ user_agent: { field: 'm' } }], () => ({ m: 'Mozilla/5.0 ('.repeat(100_000) }));
  yield simulate('date formats', [{ date: { field: 'm', formats: repeat(1000, (i) => `yyyy-MM-dd'${i}'`) } }], () => ({
    m: '2'.repeat(100_000),
  }));
  yield simulate('html_strip', [{ html_strip: { field: 'm' } }], () => ({ m: '<a <!--'.repeat(300_000) }));
  yield simulate('pipeline', [{ pipeline: { name: 'none' } }], () => ({}));
}

function* suggestionCases(): Generator<HostileCase> {
  const family = 'suggestions';
  const completion = (contexts: object, prefix = 'w'): object => ({
    suggest: { s: { prefix, completion: { field: 'suggest', size: 10, contexts } } },
  });
  yield special(family, '10^5 categories', () => completion({ kind: repeat(100_000, (i) => `k${i}`) }));
  yield special(
    family,
    'precision 12',
    completion({
      place: repeat(1000, (i) => ({ context: { lat: i % 80, lon: i % 170 }, precision: 12, neighbours: repeat(12, (n) => n + 1) })),
    }),
  );
  yield special(family, 'size of 10^9', {
    suggest: { s: { prefix: 'w', completion: { field: 'suggest', size: 1e9, contexts: { kind: 'k1' } } } },
  });
  yield special(family, 'fuzzy long prefix', {
    suggest: { s: { prefix: 'ab'.repeat(5000), completion: { field: 'suggest', fuzzy: { fuzziness: 2 }, contexts: { kind: 'k1' } } } },
  });
  const phrase = (parts: object, text = 'w1 w2 w3'): object => ({
    suggest: { s: { text, phrase: { field: 'text', max_errors: 5, size: 10, ...parts } } },
  });
  const generators = (parts: object): object => ({ direct_generator: [{ field: 'text', suggest_mode: 'always', ...parts }] });
  yield search(family, 'phrase of 10^4 words', () => phrase(generators({}), repeat(10_000, (i) => `w${i}`).join(' ')));
  yield search(
    family,
    'phrase with collate',
    phrase({
      ...generators({ size: 1000 }),
      collate: { query: { source: { match: { text: '{{suggestion}}' } } }, prune: true },
      size: 10_000,
    }),
  );
  yield search(
    family,
    'phrase with collate by regexp',
    phrase({ ...generators({ size: 100 }), collate: { query: { source: { regexp: { code: GREEDY } } } }, size: 1000 }),
  );
  yield search(
    family,
    'phrase with collate template',
    phrase({
      ...generators({ size: 100 }),
      collate: { query: { source: `${'{{#a}}'.repeat(5000)}x${'{{/a}}'.repeat(5000)}` }, params: { a: true } },
    }),
  );
  yield search(family, '1000 generators', () =>
    phrase({
      direct_generator: repeat(1000, () => ({ field: 'text', suggest_mode: 'always', size: 1000, min_word_length: 1, prefix_length: 0 })),
    }),
  );
  yield search(family, 'shard_size of 10^9', phrase({ ...generators({ size: 1e9 }), shard_size: 1e9, gram_size: 100, confidence: 0 }));
}
