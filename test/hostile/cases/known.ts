// Requests that once harmed a service.
import { gzipSync } from 'node:zlib';
import { type HostileCase, search } from '../hostile-case.ts';

const GREEDY = '(k|[a-z0-9]{0,60}){0,300}';
const ALL = { match_all: {} };

function times(count: number, text: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => text(i)).join();
}

function scripted(scripts: Record<string, string>): object {
  return { size: 0, aggs: { a: { scripted_metric: { combine_script: 'return 1', reduce_script: 'return 1', ...scripts } } } };
}

/** Nested terms that request a bucket for every pair of values. */
const EVERY_PAIR = {
  size: 0,
  aggs: {
    a: {
      terms: { field: 'code', size: 1_000_000, min_doc_count: 0 },
      aggs: { b: { terms: { field: 'code', size: 1_000_000, min_doc_count: 0 } } },
    },
  },
};

export function* knownCases(): Generator<HostileCase> {
  for (const timeout of [undefined, 500]) {
    const suffix = timeout === undefined ? '' : ' with a timeout';
    yield search('regexp', `regexp${suffix}`, { query: { regexp: { code: GREEDY } } }, timeout);
    yield search('regexp', `query_string${suffix}`, { query: { query_string: { query: `code:/${GREEDY}/` } } }, timeout);
    yield search('regexp', `include of terms${suffix}`, { size: 0, aggs: { a: { terms: { field: 'code', include: GREEDY } } } }, timeout);
    yield search('regexp', `intervals${suffix}`, { query: { intervals: { text: { regexp: { pattern: GREEDY } } } } }, timeout);
    yield search('regexp', `intersections${suffix}`, { query: { regexp: { code: '~(.*a.{0,40}b.*)&~(.*c.{0,40}d.*)&.{5,90}' } } }, timeout);
    yield search('regexp', `fuzzy${suffix}`, { query: { fuzzy: { code: { value: 'ab'.repeat(30), fuzziness: 2 } } } }, timeout);
    yield search('regexp', `completion${suffix}`, { suggest: { s: { regex: GREEDY, completion: { field: 'suggest' } } } }, timeout);
    yield search('regexp', `wildcard${suffix}`, { query: { wildcard: { code: '*a*b*c*d*e*f*g*h*i*j*?' } } }, timeout);
  }
  yield { ...search('regexp', 'six at once', { query: { regexp: { code: GREEDY } } }), copies: 6 };
  const analyze = (analyzer: object, text: string): object => ({ text, ...analyzer });
  const evil = `${'a'.repeat(50_000)}!`;
  yield {
    family: 'regexp',
    name: 'pattern tokenizer',
    line: 'POST /_analyze',
    body: analyze({ tokenizer: { type: 'pattern', pattern: '(a+)+$' } }, evil),
  };
  yield {
    family: 'regexp',
    name: 'simple_pattern tokenizer',
    line: 'POST /_analyze',
    body: analyze({ tokenizer: { type: 'simple_pattern', pattern: GREEDY } }, evil),
  };
  yield {
    family: 'regexp',
    name: 'pattern_replace char filter',
    line: 'POST /_analyze',
    body: analyze({ tokenizer: 'keyword', char_filter: [{ type: 'pattern_replace', pattern: '(a*)*b', replacement: '$1$1' }] }, evil),
  };
  yield {
    family: 'regexp',
    name: 'grok',
    line: 'POST /_ingest/pipeline/_simulate',
    body: {
      pipeline: { processors: [{ grok: { field: 'm', patterns: ['(a|aa|[a-z]{0,500}){0,500}%{NUMBER:n}'] } }] },
      docs: [{ _source: { m: evil } }],
    },
  };

  yield search('buckets', 'auto_date_histogram of 10^9', { size: 0, aggs: { a: { auto_date_histogram: { field: 'day', buckets: 1e9 } } } });
  yield search('buckets', 'terms of every pair', EVERY_PAIR);
  yield search('buckets', 'histogram of 10^-9', { size: 0, aggs: { a: { histogram: { field: 'n', interval: 1e-9 } } } });
  yield search('buckets', 'date_histogram bounds', {
    size: 0,
    aggs: { a: { date_histogram: { field: 'day', fixed_interval: '1ms', extended_bounds: { min: 0, max: 1e15 } } } },
  });
  yield search('buckets', 'composite of 10^9', {
    size: 0,
    aggs: { a: { composite: { size: 1e9, sources: [{ a: { terms: { field: 'code' } } }] } } },
  });
  yield search(
    'buckets',
    '100,000 filters',
    () => `{"size":0,"aggs":{"a":{"filters":{"filters":[${times(100_000, (i) => `{"term":{"n":${i}}}`)}]}}}}`,
  );
  yield search(
    'buckets',
    '100,000 ranges',
    () => `{"size":0,"aggs":{"a":{"range":{"field":"n","ranges":[${times(100_000, (i) => `{"from":${i}}`)}]}}}}`,
  );
  yield search('buckets', '100,000 aggregations', () => `{"size":0,"aggs":{${times(100_000, (i) => `"a${i}":{"sum":{"field":"n"}}`)}}}`);

  yield search('clauses', '10^6 ids', () => `{"query":{"ids":{"values":[${times(1_000_000, (i) => `"${i}"`)}]}}}`);
  yield search('clauses', '10^6 should', () => `{"query":{"bool":{"should":[${times(1_000_000, (i) => `{"term":{"n":${i}}}`)}]}}}`);
  yield search('clauses', '10^6 terms', () => `{"query":{"terms":{"n":[${times(1_000_000, String)}]}}}`);
  yield {
    ...search('clauses', '4.6 M clauses in gzip', () =>
      gzipSync(`{"query":{"bool":{"should":[${times(4_600_000, () => '{"match_all":{}}')}]}}}`),
    ),
    headers: { 'content-encoding': 'gzip' },
  };
  yield search('clauses', 'collapse with inner hits', {
    collapse: { field: 'tag', inner_hits: Array.from({ length: 20 }, (_, i) => ({ name: `h${i}`, size: 10_000 })) },
    size: 1000,
  });
  yield search('clauses', 'nested shoulds', () => {
    const inner = `{"bool":{"should":[${times(1000, (i) => `{"term":{"n":${i}}}`)}]}}`;
    return `{"query":{"bool":{"should":[${times(1000, () => inner)}]}}}`;
  });

  const script = (source: string): object => ({ size: 3, query: ALL, script_fields: { x: { script: { source } } } });
  yield search('script', 'state of lists', scripted({ map_script: 'for (int i = 0; i < 100000; i++) { state.put(i, [1, 2, 3]) }' }));
  yield search('script', 'state of strings', scripted({ init_script: "state.s = 'x'", map_script: 'state.s = state.s + state.s' }));
  yield search('script', 'state of the reduction', scripted({ reduce_script: 'def l = []; while (true) { l.add([1]) }' }));
  yield search(
    'script',
    'growing string',
    script("String s = 'x'; for (int i = 0; i < 40; i++) { s = s.replace('x', 'xxxxxxxxxx') } return s"),
  );
  yield search('script', 'growing list', script('def l = [1]; while (true) { l.addAll(l) }'));
  yield search('script', 'list within itself', script('def l = []; l.add(l); return l.hashCode()'));
  yield search('script', 'list equal to itself', script('def a = []; a.add(a); def b = []; b.add(b); return a.equals(b)'));
  yield search('script', 'list within itself as text', script("def l = []; l.add(l); return '' + l"));
  yield search('script', 'endless loop', script('while (true) { }'), 500);
  yield search('script', 'recursion', script('int f(int n) { return f(n) + f(n) } return f(1)'));
  yield search('script', 'map within itself', script("def m = [:]; m.put('m', m); return m"));

  yield* byQueryCases();

  const write = (name: string, body: () => string | Buffer, headers?: Record<string, string>): HostileCase => ({
    family: 'body',
    name,
    line: 'POST /scratch/_doc',
    body,
    ...(headers ? { headers } : {}),
  });
  const yaml = { 'content-type': 'application/yaml' };
  const cbor = { 'content-type': 'application/cbor' };
  yield { family: 'body', name: 'YAML brackets', line: 'POST /hostile/_search', headers: yaml, body: () => '['.repeat(200_000) };
  yield {
    family: 'body',
    name: 'YAML keys',
    line: 'POST /hostile/_search',
    headers: yaml,
    body: () => Array.from({ length: 200_000 }, (_, i) => `k${i}: 1`).join('\n'),
  };
  yield { family: 'body', name: 'YAML aliases', line: 'POST /hostile/_search', headers: yaml, body: () => yamlBomb() };
  yield { family: 'body', name: 'YAML list', line: 'POST /hostile/_search', headers: yaml, body: () => '- 1\n'.repeat(1_000_000) };
  yield { family: 'body', name: 'CBOR depth', line: 'POST /hostile/_search', headers: cbor, body: () => Buffer.alloc(1_000_000, 0x81) };
  yield {
    family: 'body',
    name: 'CBOR length',
    line: 'POST /hostile/_search',
    headers: cbor,
    body: Buffer.from('9bffffffffffffffff', 'hex'),
  };
  yield {
    family: 'body',
    name: 'CBOR nulls',
    line: 'POST /hostile/_search',
    headers: cbor,
    body: () => Buffer.concat([Buffer.from('9a01000000', 'hex'), Buffer.alloc(1 << 24, 0xf6)]),
  };
  yield write('100,000 fields', () => `{${times(100_000, (i) => `"f${i}":1`)}}`);
  yield write('100,000 fields in objects', () => `{${times(1000, (i) => `"o${i}":{${times(100, (j) => `"f${j}":1`)}}`)}}`);
  yield write('long number', () => `{"n":${'9'.repeat(1_000_000)}}`);
  yield write('long fraction', () => `{"n":0.${'9'.repeat(1_000_000)}}`);
  yield write('brackets', () => '['.repeat(1_000_000));
  yield write('many duplicates', () => `{${times(500_000, () => '"a":1')}}`);
  yield write('long keys', () => `{${times(100, (i) => `"${'k'.repeat(100_000)}${i}":1`)}}`);
  yield write('dots', () => `{"${'a.'.repeat(50_000)}a":1}`);
  yield write('escapes', () => `{"s":"${'\\u0041'.repeat(1_000_000)}"}`);
  yield write('slashes and quotes', () => `{"s":"${'\\\\'.repeat(2_000_000)}`);
  yield write('open strings', () => '"\\'.repeat(1_000_000));
  yield { family: 'body', name: 'bulk of tiny lines', line: 'POST /scratch/_bulk', body: () => '{"index":{}}\n{}\n'.repeat(300_000) };
  yield { family: 'body', name: 'msearch of many', line: 'POST /hostile/_msearch', body: () => '{}\n{"size":0}\n'.repeat(10_000) };
  yield {
    family: 'body',
    name: 'gzip bomb',
    line: 'POST /hostile/_search',
    headers: { 'content-encoding': 'gzip' },
    body: () => gzipSync(Buffer.alloc(300 << 20, ' ')),
  };
}

/** Operations on every document, and APIs whose searches start after a message to another thread. */
function* byQueryCases(): Generator<HostileCase> {
  const family = 'by query';
  const endless = { source: 'while (true) { }' };
  const slow = { source: 'double s = 0; for (int i = 0; i < 100000; i++) { s += i % 7 } ctx._source.s = s' };
  const regexp = { regexp: { code: GREEDY } };
  const update = (name: string, body: object): HostileCase => ({
    family,
    name,
    line: 'POST /hostile/_update_by_query?conflicts=proceed',
    body,
  });
  yield update('update: endless script', { script: endless });
  yield update('update: slow script', { script: slow, max_docs: 300 });
  yield update('update: growing source', { script: { source: "ctx._source.s = 'x'; while (true) { ctx._source.s += ctx._source.s }" } });
  yield update('update: regexp', { query: regexp, script: { source: "ctx.op = 'noop'" } });
  yield {
    family,
    name: 'delete: regexp',
    line: 'POST /hostile/_delete_by_query?max_docs=1',
    body: { query: { bool: { must: [regexp], must_not: ALL } } },
  };
  yield {
    family,
    name: 'reindex: endless script',
    line: 'POST /_reindex',
    body: { source: { index: 'hostile' }, dest: { index: 'scratch' }, script: endless },
  };
  const scored = (source: string): object => ({ script_score: { query: ALL, script: { source } } });
  yield { family, name: 'explain: endless script', line: 'POST /hostile/_explain/1', body: { query: scored('while (true) { } return 1') } };
  yield { family, name: 'explain: regexp', line: 'POST /hostile/_explain/1', body: { query: regexp } };
  yield { family, name: 'validate: regexp', line: 'POST /hostile/_validate/query?rewrite=true', body: { query: regexp } };
  yield {
    family,
    name: 'rank_eval: many regexps',
    line: 'POST /hostile/_rank_eval',
    body: {
      requests: Array.from({ length: 500 }, (_, i) => ({ id: String(i), request: { query: regexp }, ratings: [] })),
      metric: { precision: {} },
    },
  };
  yield {
    family,
    name: 'termvectors: long text',
    line: 'POST /hostile/_termvectors',
    body: () => ({ doc: { text: times(60_000, (i) => `w${i} `) }, term_statistics: true }),
  };
  yield {
    family,
    name: 'mtermvectors: many',
    line: 'POST /hostile/_mtermvectors',
    body: () => ({ docs: Array.from({ length: 2000 }, () => ({ doc: { text: 'a b c '.repeat(30) }, term_statistics: true })) }),
  };
}

/** Nine levels of aliases, each nine times the one before. */
function yamlBomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let i = 1; i < 10; i++) lines.push(`a${i}: &a${i} [${times(9, () => `*a${i - 1}`)}]`);
  return lines.join('\n');
}
