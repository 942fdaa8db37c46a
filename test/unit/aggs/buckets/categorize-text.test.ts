/** categorize_text: tokens, categories, and the aggregation with sub-aggregations. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Categories, categoryRegex, commonTokens, messageTokens } from '../../../../src/aggs/buckets/categories.ts';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

describe('tokens of a message', () => {
  test('are words, identifiers, URLs and paths, but not numbers and dates', () => {
    expect(
      messageTokens('Mon Jan 5 12:00:01 UTC node-3 at 10.0.0.1 (0xff3a, 9f86d081) failed: https://a.b/c?d=1 in /var/log/x.log.'),
    ).toEqual(['node-3', 'at', 'failed', 'https://a.b/c?d=1', 'in', '/var/log/x.log']);
  });
  test('are taken from the first line with letters, at most a hundred', () => {
    expect(messageTokens('---\n  first line\nsecond')).toEqual(['first', 'line']);
    expect(messageTokens('word '.repeat(200))).toHaveLength(100);
  });
  test('common tokens keep their order, and heavier ones win', () => {
    expect(commonTokens(['a', 'b', 'c', 'd'], ['b', 'x', 'd', 'a'])).toEqual(['b', 'd']);
    expect(commonTokens(['x_1', 'word'], ['word', 'x_1'])).toEqual(['word']);
  });
});

test('a message joins the category with which it has most in common', () => {
  const categories = new Categories(0.6, () => {});
  const of = (text: string) => categories.of(messageTokens(text), text.length)?.tokens.join(' ');
  expect(of('Node shutting down now')).toBe('Node shutting down now');
  expect(of('Node starting up')).toBe('Node starting up');
  expect(of('Node shutting down soon')).toBe('Node shutting down');
  expect(of('Node shutting down soon')).toBe('Node shutting down');
  expect(of('12 34')).toBeUndefined();
  expect(categories.all.map(({ longest }) => longest)).toEqual([23, 16]);
});

test('the expression of a category quotes special characters', () => {
  expect(categoryRegex(['a.b', 'c'])).toBe(String.raw`.*?a\.b.+?c.*?`);
});

describe('the aggregation', () => {
  let node: RestNode;
  const MESSAGES = [
    'Node shutting down',
    'Node 5 starting up',
    'User foo_325 logging on',
    'Node 2 shutting down',
    'Node starting up',
    'User foo_864 logged off',
    'Node shutting down',
  ];
  beforeAll(async () => {
    node = await openRestNode();
    await node.ok('PUT /logs', { mappings: { properties: { message: { type: 'text' }, n: { type: 'integer' } } } });
    for (const [n, message] of MESSAGES.entries()) await node.ok(`PUT /logs/_doc/${n}?refresh=true`, { message, n });
  });
  afterAll(() => node.close());

  const categorize = async (params: object, below: object = {}) => {
    const aggs = { c: { categorize_text: { field: 'message', ...params }, ...below } };
    return (await node.ok('POST /logs/_search?size=0', { aggs })).aggregations.c.buckets;
  };

  test('orders buckets by size, and runs sub-aggregations', async () => {
    const buckets = await categorize({}, { aggs: { last: { max: { field: 'n' } } } });
    expect(buckets[0]).toEqual({
      doc_count: 3,
      key: 'Node shutting down',
      regex: '.*?Node.+?shutting.+?down.*?',
      max_matching_length: 20,
      last: { value: 6 },
    });
    expect(buckets.map(({ key, doc_count }: any) => [key, doc_count])).toEqual([
      ['Node shutting down', 3],
      ['Node starting up', 2],
      ['User foo_325 logging on', 1],
      ['User foo_864 logged off', 1],
    ]);
    expect(await categorize({ min_doc_count: 2, size: 1 })).toHaveLength(1);
  });
  test('applies filters and the threshold to the common tokens of messages', async () => {
    const keys = async (params: object) => (await categorize(params)).map(({ key }: any) => key);
    expect(await keys({ categorization_filters: ['foo_\\d+', 'logg\\w+'], min_doc_count: 1 })).toContain('User on');
    expect(await keys({ similarity_threshold: 30 })).toContain('Node');
  });
  test('refuses invalid parameters and fields', async () => {
    const reason = async (params: object) => {
      const { status, json } = await node.send('POST /logs/_search', { aggs: { c: { categorize_text: params } } });
      return [status, json.error.root_cause[0].reason];
    };
    expect(await reason({ field: 'n' })).toEqual([400, expect.stringContaining('only works on text and keyword fields')]);
    expect(await reason({ field: 'message', similarity_threshold: 0 })).toEqual([400, expect.stringContaining('similarity_threshold')]);
    expect(await reason({ field: 'message', categorization_analyzer: 'standard' })).toEqual([
      400,
      expect.stringContaining('not supported'),
    ]);
  });
});
