// The contexts that scripts run in: their variables and results, as Elasticsearch's script contexts of the same names.
import type { ScriptContext } from './script-context.ts';

const DOCUMENT = { params: 'Map', doc: 'Map' } as const;
const STATES = { params: 'Map', states: 'List' } as const;
const STATE = { params: 'Map', state: 'Map' } as const;

const SIMILARITY_STATISTICS = {
  query: 'org.elasticsearch.index.similarity.ScriptedSimilarity.Query',
  field: 'org.elasticsearch.index.similarity.ScriptedSimilarity.Field',
  term: 'org.elasticsearch.index.similarity.ScriptedSimilarity.Term',
} as const;

/** Contexts with a document. */
export const DOC_CONTEXTS = {
  aggs: { returns: 'def', variables: { ...DOCUMENT, _score: 'double', _value: 'def' } },
  aggs_map: { returns: 'void', variables: { ...DOCUMENT, state: 'Map', _score: 'double' } },
  field: { returns: 'def', variables: DOCUMENT },
  filter: { returns: 'boolean', variables: DOCUMENT },
  number_sort: { returns: 'double', variables: { ...DOCUMENT, _score: 'double' } },
  runtime: { returns: 'void', variables: DOCUMENT },
  score: { returns: 'double', variables: { ...DOCUMENT, _score: 'double' } },
  string_sort: { returns: 'String', variables: { ...DOCUMENT, _score: 'double' } },
  terms_set: { returns: 'Number', variables: DOCUMENT },
} as const satisfies Readonly<Record<string, ScriptContext>>;

export type DocContextName = keyof typeof DOC_CONTEXTS;

/** Contexts without one. */
export const CONTEXTS = {
  aggregation_selector: { returns: 'boolean', variables: { params: 'Map' } },
  aggs_combine: { returns: 'def', variables: STATE },
  aggs_init: { returns: 'void', variables: STATE },
  aggs_reduce: { returns: 'def', variables: STATES },
  analysis: { returns: 'boolean', variables: { token: 'org.elasticsearch.analysis.common.AnalysisPredicateScript.Token' } },
  bucket_aggregation: { returns: 'Number', variables: { params: 'Map' } },
  ingest: { returns: 'void', variables: { params: 'Map', ctx: 'Map' } },
  painless_test: { returns: 'def', variables: { params: 'Map' } },
  processor_conditional: { returns: 'boolean', variables: { params: 'Map', ctx: 'Map' } },
  script_heuristic: { returns: 'double', variables: { params: 'Map' } },
  similarity: {
    returns: 'double',
    variables: {
      params: 'Map',
      weight: 'double',
      ...SIMILARITY_STATISTICS,
      doc: 'org.elasticsearch.index.similarity.ScriptedSimilarity.Doc',
    },
  },
  similarity_weight: { returns: 'double', variables: { params: 'Map', ...SIMILARITY_STATISTICS } },
  update: { returns: 'void', variables: { params: 'Map', ctx: 'Map' } },
} as const satisfies Readonly<Record<string, ScriptContext>>;
