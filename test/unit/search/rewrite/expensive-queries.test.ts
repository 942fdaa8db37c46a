// search.allow_expensive_queries: which queries it rejects, and with which error.

import { describe, expect, test } from 'vitest';
import type { EngineContext } from '../../../../src/api/core/context.ts';
import { allowsExpensive } from '../../../../src/api/core/search-shard.ts';
import { dialectOf } from '../../../../src/compat/dialect.ts';
import { createMapping } from '../../../../src/mapping/create-mapping.ts';
import { parseQuery } from '../../../../src/query/parse-query.ts';
import type { QueryAnalysis } from '../../../../src/search/index-query/query-analysis.ts';
import { rewriteQuery } from '../../../../src/search/rewrite/rewrite.ts';
import { DEFAULT_LIMITS } from '../../../../src/search/shard/limits.ts';
import type { RewriteContext } from '../../../../src/search/shard/rewrite-context.ts';
import { simpleAnalysis } from '../../../support/simple-analysis.ts';

const properties = {
  word: { type: 'keyword' },
  text: { type: 'text' },
  prefixed: { type: 'text', index_prefixes: { min_chars: 2, max_chars: 4 } },
  n: { type: 'integer' },
  part: { type: 'nested' },
};

function contextOf(allowExpensive: boolean): RewriteContext {
  return {
    index: 'a',
    shard: 0,
    requestSize: 10,
    mapping: createMapping({ properties }, simpleAnalysis, {}),
    analysis: { normalize: (_analyzer: string, text: string) => text } as unknown as QueryAnalysis,
    limits: { ...DEFAULT_LIMITS, allowExpensive },
    nowMs: 0,
    nestedPath: null,
    dialect: dialectOf('elasticsearch', ''),
    storedScript: () => null,
    record: () => null,
  };
}

const EXPENSIVE: Array<[unknown, string]> = [
  [{ wildcard: { word: 'a*' } }, '[wildcard] queries'],
  [{ regexp: { word: 'a.*' } }, '[regexp] queries'],
  [{ fuzzy: { text: 'abc' } }, '[fuzzy] queries'],
  [{ prefix: { text: 'ab' } }, '[prefix] queries'],
  [{ prefix: { prefixed: 'abcde' } }, '[prefix] queries'],
  [{ range: { word: { gte: 'a' } } }, '[range] queries on [text] or [keyword] fields'],
  [{ range: { text: { gte: 'a' } } }, '[range] queries on [text] or [keyword] fields'],
  [{ nested: { path: 'part', query: { match_all: {} } } }, '[joining] queries'],
  [{ script: { script: 'true' } }, '[script] queries'],
  [{ script_score: { query: { match_all: {} }, script: { source: '1' } } }, '[script score] queries'],
  [{ bool: { filter: { prefix: { word: 'ab' } } } }, '[prefix] queries'],
];

test.each(EXPENSIVE)('%j is refused only when the setting is false', (query, what) => {
  const parsed = parseQuery(query);
  expect(() => rewriteQuery(parsed, contextOf(true))).not.toThrow();
  expect(() => rewriteQuery(parsed, contextOf(false))).toThrow(
    expect.objectContaining({
      type: 'query_shard_exception',
      status: 400,
      reason: expect.stringContaining(`${what} cannot be executed when 'search.allow_expensive_queries' is set to false.`),
    }),
  );
});

test.each([[{ prefix: { prefixed: 'ab' } }], [{ range: { n: { gte: 1 } } }], [{ term: { word: 'a' } }], [{ exists: { field: 'word' } }]])(
  '%j is always allowed',
  (query) => {
    expect(() => rewriteQuery(parseQuery(query), contextOf(false))).not.toThrow();
  },
);

describe('search.allow_expensive_queries', () => {
  const of = (transient: object, persistent: object) =>
    allowsExpensive({ cluster: { settings: { transient, persistent } } } as EngineContext);
  const key = 'search.allow_expensive_queries';
  test('is true by default, and a transient value overrides a persistent one', () => {
    expect(of({}, {})).toBe(true);
    expect(of({}, { [key]: 'false' })).toBe(false);
    expect(of({ [key]: 'true' }, { [key]: 'false' })).toBe(true);
  });
});
