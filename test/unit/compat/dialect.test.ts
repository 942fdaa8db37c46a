// Each row of the table of differences, in every column: the answer of a node that speaks like that server.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DIFFERENCES, type Dialect, dialectOf } from '../../../src/compat/dialect.ts';
import { loadSettings } from '../../../src/config/load-settings.ts';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

const SERVERS = [
  { 'compat.flavor': 'elasticsearch', 'compat.version': '7.10.2' },
  { 'compat.flavor': 'elasticsearch', 'compat.version': '7.17.5' },
  { 'compat.flavor': 'elasticsearch', 'compat.version': '8.15.0' },
  { 'compat.flavor': 'elasticsearch', 'compat.version': '9.1.0' },
  { 'compat.flavor': 'opensearch', 'compat.version': '3.8.0' },
] as const;

/** What a node shows of a difference. */
type Probe = (node: RestNode, dialect: Dialect) => Promise<void>;

const PROBES: Readonly<Record<keyof typeof DIFFERENCES, Probe>> = {
  async scoresWithFactor(node, dialect) {
    const { hits } = await node.ok('POST /docs/_search', { query: { match: { text: 'fox' } } });
    expect(hits.max_score).toBe(dialect.scoresWithFactor ? 0.2876821 : 0.13076457);
  },
  async scoresKeywords(node, dialect) {
    const { hits } = await node.ok('POST /docs/_search', { query: { term: { word: 'a' } } });
    expect(hits.max_score === 1).toBe(!dialect.scoresKeywords);
  },
  async namesValuesAboveLimit(node, dialect) {
    const { hits } = await node.ok('POST /docs/_search', { query: { exists: { field: 'short' } } });
    expect(hits.total.value).toBe(0);
    const { hits: ignored } = await node.ok('POST /docs/_search', { query: { exists: { field: '_ignored' } } });
    expect(ignored.total.value).toBe(dialect.namesValuesAboveLimit ? 1 : 0);
  },
  async wrapsDocumentErrors(node, dialect) {
    const { json } = await node.send('PUT /docs/_doc/2', { word: 'x'.repeat(40_000) });
    expect(json.error.type).toBe(dialect.wrapsDocumentErrors ? dialect.documentError : 'illegal_argument_exception');
  },
  async documentError(node, dialect) {
    const { status, json } = await node.send('PUT /docs/_doc/2', { number: 'x' });
    expect([status, json.error.type]).toEqual([400, dialect.documentError]);
  },
};

describe.each(SERVERS)('%j', (settings) => {
  const dialect = dialectOf(settings['compat.flavor'], settings['compat.version']);
  let node: RestNode;
  beforeAll(async () => {
    node = await openRestNode(settings);
    const properties = {
      text: { type: 'text' },
      word: { type: 'keyword' },
      number: { type: 'long' },
      short: { type: 'keyword', ignore_above: 2 },
    };
    await node.ok('PUT /docs', { mappings: { properties } });
    await node.ok('PUT /docs/_doc/1?refresh=true', { text: 'fox', word: 'a', number: 1, short: 'long' });
  });
  afterAll(() => node.close());

  test.each(Object.entries(PROBES))('%s', async (_name, probe) => probe(node, dialect));
});

test('whole doubles and floats of responses have a fraction, whole longs have none', async () => {
  const node = await openRestNode();
  try {
    await node.ok('PUT /docs/_doc/1?refresh=true', { long: 9223372036854775807n.toString() });
    await node.ok('PUT /docs/_mapping', { properties: { double: { type: 'double' }, big: { type: 'long' } } });
    await node.ok('PUT /docs/_doc/1?refresh=true', '{"double":3,"big":9223372036854775807}');
    const { text } = await node.send('POST /docs/_search', {
      sort: ['double', 'big'],
      track_scores: true,
      fields: ['double', 'big'],
      aggs: {
        max: { max: { field: 'double' } },
        terms: { terms: { field: 'double' } },
        percent: { percentiles: { field: 'double', percents: [50] } },
      },
    });
    expect(text).toContain('"max_score":1.0');
    expect(text).toContain('"_score":1.0');
    expect(text).toContain('"fields":{"double":[3.0],"big":[9223372036854775807]}');
    expect(text).toContain('"sort":[3.0,9223372036854775807]');
    expect(text).toContain('"max":{"value":3.0}');
    expect(text).toContain('{"key":3.0,"doc_count":1}');
    expect(text).toContain('"values":{"50.0":3.0}');
  } finally {
    await node.close();
  }
});

test('refuses a version that the flavour does not have', () => {
  const load = (flags: Record<string, string>) => () => loadSettings({ flags, file: null });
  expect(load({ 'compat.version': '3.8.0' })).toThrow('must be 7.x, 8.x or 9.x if compat.flavor is elasticsearch, not [3.8.0]');
  expect(load({ 'compat.flavor': 'opensearch', 'compat.version': '8.15.0' })).toThrow('must be 3.x if compat.flavor is opensearch');
  expect(load({ 'compat.flavor': 'opensearch' })()['compat.version']).toBe('');
  expect(dialectOf('opensearch', '').version).toBe('3.8.0');
});
