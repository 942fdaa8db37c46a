// Every construct of scripts in a loop that makes something grow, and templates.
import { type HostileCase, search } from '../hostile-case.ts';

/** Statements that double `s`, `l` or `m`, or do much at once. */
const STEPS: Readonly<Record<string, string>> = {
  'string concatenation': 's += s',
  'string replace': "s = s.replace('x', 'xxxxxxxx')",
  'string replaceAll': "s = s.replaceAll('x', 'xxxxxxxx')",
  'string join': 's = String.join(s, [s, s])',
  'string format': "s = String.format('%s%s', s, s)",
  'string toUpperCase': 's = s + s.toUpperCase()',
  'string split': "l.addAll(s.splitOnToken('')); s += s",
  'string substring': 's = s.substring(0) + s',
  StringBuilder: 'StringBuilder b = new StringBuilder(s); b.append(b); s = b.toString()',
  'list add': 'l.add(l.size())',
  'list addAll': 'l.addAll(l)',
  'list of itself': 'l.add(l)',
  'list insertion': 'l.add(0, 1)',
  'list sort': 'l.addAll(l); l.sort((a, b) -> a <=> b)',
  'list stream': 'l = l.stream().map(x -> x).collect(Collectors.toList()); l.addAll(l)',
  'list contains': "l.addAll(l); l.contains('y')",
  'list literal': 'l = [l, l, l, l]; l.hashCode()',
  'map put': 'm.put(m.size(), l)',
  'map putAll': 'm.put(m.toString(), m.size())',
  'map literal': "m = ['a': m, 'b': m]; m.hashCode()",
  'map keys': 'l.addAll(m.keySet()); m.put(l.size(), 1); l.addAll(l)',
  array: 'int[] a = new int[1000000]; l.add(a)',
  'regex find': 's += s; def q = /(x+x+)+y/.matcher(s); q.find()',
  'text of a list': 'l.add(l.toString())',
  'equality of lists': 'l = [l, l]; def k = [l, l]; l.equals(k)',
  'nested loops': 'for (int i = 0; i < 1000000; i++) { for (int j = 0; j < 1000000; j++) { n++ } }',
  'big numbers': 'n = n * 31 + 7; s += n',
  exceptions: 'try { throw new Exception(s) } catch (Exception e) { s += e.getMessage() }',
};

/** Places where scripts run: search bodies with a script in them. */
const PLACES: Readonly<Record<string, (source: string) => object>> = {
  script_fields: (source) => ({ size: 2, script_fields: { x: { script: { source } } } }),
  script_score: (source) => ({ query: { script_score: { query: { match_all: {} }, script: { source } } } }),
  sort: (source) => ({ sort: { _script: { type: 'string', script: { source } } } }),
  scripted_metric: (source) => ({
    size: 0,
    aggs: {
      a: { scripted_metric: { init_script: 'state.x = 1', map_script: source, combine_script: 'return 1', reduce_script: 'return 1' } },
    },
  }),
};

export function* scriptCases(): Generator<HostileCase> {
  for (const [what, step] of Object.entries(STEPS)) {
    const source = `String s = 'xxxx'; def l = ['x']; def m = [:]; long n = 0; for (int r = 0; r < 100000; r++) { ${step} } return s.length()`;
    for (const [place, body] of Object.entries(PLACES)) yield search('script', `${place}: ${what}`, body(source));
  }
  yield search('script', 'long source', () => ({ script_fields: { x: { script: { source: `return 1${' + 1'.repeat(200_000)}` } } } }));
  yield search('script', 'deep source', () => ({
    script_fields: { x: { script: { source: `return ${'('.repeat(100_000)}1${')'.repeat(100_000)}` } } },
  }));
  yield search('script', 'many scripts', () => ({
    query: {
      bool: { should: Array.from({ length: 1000 }, (_, i) => ({ script: { script: { source: `return doc['n'].value > ${i}` } } })) },
    },
  }));
  yield {
    family: 'script',
    name: 'update script',
    line: 'POST /scratch/_update/1',
    body: {
      scripted_upsert: true,
      upsert: {},
      script: { source: "ctx._source.s = 'xxxx'; for (int i = 0; i < 100; i++) { ctx._source.s += ctx._source.s }" },
    },
  };
  yield {
    family: 'script',
    name: 'ingest script',
    line: 'POST /_ingest/pipeline/_simulate',
    body: {
      pipeline: { processors: [{ script: { source: 'ctx.l = [1]; while (true) { ctx.l.addAll(ctx.l) }' } }] },
      docs: [{ _source: {} }],
    },
  };
  for (const [name, source] of Object.entries({
    'nested sections': `${'{{#a}}'.repeat(1000)}x${'{{/a}}'.repeat(1000)}`,
    'loops in loops': '{{#a}}{{#a}}{{#a}}{{#a}}{{#a}}{{#a}}x{{/a}}{{/a}}{{/a}}{{/a}}{{/a}}{{/a}}',
  })) {
    const body = { source, params: { a: Array.from({ length: 100 }, () => ({ x: 1 })) } };
    yield { family: 'script', name: `template: ${name}`, line: 'POST /_render/template', body };
  }
}
