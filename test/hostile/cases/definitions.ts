// Analysis components, mappings, settings and pipelines with extreme parameters: every component of analyzers by the registry.
import { CHAR_FILTERS, TOKEN_FILTERS, TOKENIZERS } from '../../../src/analysis/registry.ts';
import { extremesOf } from '../extremes.ts';
import type { HostileCase } from '../hostile-case.ts';

const TEXT = 'The quick-brown foxes, jumped over 12 lazy dogs. '.repeat(1000);
const RUN = 'aé𝄞'.repeat(20_000);
/** Values by the kind of a parameter, as its declaration names it: `max_gram: int = 2`. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  int: [2_147_483_647, 0, -1, 50_000],
  bool: [true, false],
  string: ['(a|[a-z]{0,60}){0,300}', 'a'.repeat(100_000)],
  char: ['\u{1d11e}'],
  list: [Array.from({ length: 50_000 }, (_, i) => `w${i} => x${i}`), ['a => b', 'b => a'], [RUN]],
};

interface Declared {
  readonly params?: readonly string[];
}

function* analysisCases(): Generator<HostileCase> {
  const kinds: readonly [string, ReadonlyMap<string, Declared>, (component: object) => object][] = [
    ['char_filter', CHAR_FILTERS, (component) => ({ tokenizer: 'standard', char_filter: [component] })],
    ['tokenizer', TOKENIZERS, (component) => ({ tokenizer: component })],
    ['filter', TOKEN_FILTERS, (component) => ({ tokenizer: 'standard', filter: [component] })],
  ];
  for (const [kind, entries, analyze] of kinds) {
    for (const [type, { params = [] }] of entries) {
      for (const [what, text] of Object.entries({ text: TEXT, 'one run': RUN })) {
        yield {
          family: 'analysis',
          name: `${kind} ${type} on ${what}`,
          line: 'POST /_analyze',
          body: () => ({ text, ...analyze({ type }) }),
        };
      }
      for (const declared of params) {
        const [, name, valueKind] = /^(\w+): (\w+)/.exec(declared) ?? [];
        for (const [i, value] of (VALUES[valueKind ?? ''] ?? []).entries()) {
          const body = (): object => ({ text: TEXT.slice(0, 5000), ...analyze({ type, [name]: value }) });
          yield { family: 'analysis', name: `${kind} ${type} ${name} #${i}`, line: 'POST /_analyze', body };
        }
      }
    }
  }
}

type Sample = Parameters<typeof extremesOf>[0];

const INDEX: Sample = {
  settings: {
    number_of_shards: 1,
    refresh_interval: '1s',
    max_result_window: 10_000,
    sort: { field: ['a'], order: ['asc'] },
    analysis: {
      analyzer: { a: { type: 'custom', tokenizer: 't', filter: ['f'], char_filter: ['c'] } },
      tokenizer: { t: { type: 'ngram', min_gram: 1, max_gram: 2, token_chars: ['letter'] } },
      filter: { f: { type: 'synonym', synonyms: ['a, b => c'] } },
      char_filter: { c: { type: 'mapping', mappings: ['a => b'] } },
      normalizer: { n: { type: 'custom', filter: ['lowercase'] } },
    },
  },
  mappings: {
    dynamic_templates: [{ d: { match: 'a*', match_mapping_type: 'string', mapping: { type: 'keyword' } } }],
    properties: {
      a: { type: 'keyword', ignore_above: 256 },
      o: { properties: { p: { type: 'text', analyzer: 'a', fields: { k: { type: 'keyword' } } } } },
    },
    runtime: { r: { type: 'long', script: { source: 'emit(1)' } } },
    _meta: { m: 1 },
  },
  aliases: { x: { filter: { term: { a: '1' } } } },
};

const PIPELINE: Sample = {
  pipeline: {
    processors: [
      { grok: { field: 'm', patterns: ['%{WORD:w} %{NUMBER:n}'], pattern_definitions: { P: 'a+' } } },
      { gsub: { field: 'm', pattern: 'a', replacement: 'b' } },
      { split: { field: 'm', separator: ' ' } },
      { dissect: { field: 's', pattern: '%{a} %{b}' } },
      { kv: { field: 's', field_split: ' ', value_split: '=' } },
      { foreach: { field: 'l', processor: { set: { field: 'y', value: '{{_ingest._value}}' } } } },
      { script: { source: 'ctx.z = params.p', params: { p: 1 } } },
      { set: { field: 'a.b.c', value: 1 } },
      { date: { field: 'd', formats: ['yyyy'] } },
    ],
  },
  docs: [{ _source: { m: 'word 12', s: 'k=v w=x', l: ['1', '2'], d: '2020' } }],
};

export function* definitionCases(): Generator<HostileCase> {
  yield* analysisCases();
  let number = 0;
  for (const { name, body } of extremesOf(INDEX, (text) => text)) {
    number++;
    yield { family: 'index definition', name, line: `PUT /defined-${number}`, body };
    yield { family: 'index definition', name: `deletion after ${name}`, line: `DELETE /defined-${number}` };
  }
  for (const { name, body } of extremesOf(PIPELINE, (text) => text)) {
    yield { family: 'ingest', name, line: 'POST /_ingest/pipeline/_simulate', body };
  }
}
