// Fields of type version and murmur3.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeVersion, encodeVersion } from '../../../../src/mapping/values/version-encoding.ts';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';
import { forSeeds, type Rng } from '../../../support/rng.ts';

/** Ascending by Semantic Versioning; strings that are not versions come last. */
const ORDERED = [
  '0.9.10',
  '1.0.0-1',
  '1.0.0-2',
  '1.0.0-10',
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.beta',
  '1.0.0-alphabet',
  '1.0.0-beta.2',
  '1.0.0-beta.11',
  '1.0.0-rc.1',
  '1.0.0',
  '1.0.0+build.5',
  '1.0.1',
  '1.2',
  '1.2.0',
  '1.10.0',
  '2.0.0-SNAPSHOT',
  '2.0.0',
  '10.0.0',
  '1.0.0.alpha',
  'not a version',
];

const randomVersion = (rng: Rng): string => {
  const number = (): string => String(rng.pick([0, 1, 9, 10, 11, 123456789012]));
  const identifier = (): string => rng.pick([number(), 'alpha', 'a-b', 'Z9', '-', '01']);
  const list = (make: () => string): string => Array.from({ length: rng.int(1, 4) }, make).join('.');
  return `${list(number)}${rng.pick(['', `-${list(identifier)}`])}${rng.pick(['', `+${list(identifier)}`])}`;
};

test('the order of bytes is that of versions', () => {
  const encoded = ORDERED.map((text) => Buffer.from(encodeVersion(text)));
  for (let i = 1; i < encoded.length; i++) expect(Buffer.compare(encoded[i - 1], encoded[i]), `${ORDERED[i - 1]} ${ORDERED[i]}`).toBe(-1);
});

test('versions are read back as they were written', () =>
  forSeeds(500, (rng) => {
    const text = rng.pick([randomVersion(rng), `${randomVersion(rng)}..`, '', 'ä', '1.', `1.${'9'.repeat(rng.int(120, 130))}`]);
    expect(decodeVersion(encodeVersion(text))).toBe(text);
  }));

describe('fields', () => {
  let node: RestNode;

  beforeAll(async () => {
    node = await openRestNode();
    const title = { type: 'keyword', fields: { hash: { type: 'murmur3' } } };
    await node.ok('PUT /v', { mappings: { properties: { v: { type: 'version' }, title } } });
    const lines = [...ORDERED].reverse().flatMap((v, i) => [{ index: { _id: v } }, { v, title: `t${i % 5}` }]);
    await node.ok('POST /v/_bulk?refresh=true', lines);
  });

  afterAll(() => node.close());

  const idsOf = async (query: object, more: object = {}) =>
    (await node.ok('POST /v/_search', { query, size: 50, ...more })).hits.hits.map((hit: any) => hit._id);

  test('sort by version, and show versions as sort values and fields', async () => {
    const { hits } = await node.ok('POST /v/_search', { sort: ['v'], size: 50, docvalue_fields: ['v'], fields: ['v'] });
    expect(hits.hits.map((hit: any) => hit._id)).toEqual(ORDERED);
    expect(hits.hits.map((hit: any) => hit.sort[0])).toEqual(ORDERED);
    expect(hits.hits[3].fields.v).toEqual(['1.0.0-10']);
    const { hits: after } = await node.ok('POST /v/_search', { sort: ['v'], size: 1, search_after: ['1.0.0'] });
    expect(after.hits[0]._id).toBe('1.0.0+build.5');
  });

  test.each([
    [{ term: { v: '1.2' } }, ['1.2']],
    [{ terms: { v: ['10.0.0', 'not a version'] } }, ['10.0.0', 'not a version']],
    [{ range: { v: { gt: '1.0.0', lt: '2.0.0-SNAPSHOT' } } }, ['1.0.0+build.5', '1.0.1', '1.10.0', '1.2', '1.2.0']],
    [{ prefix: { v: '1.0.0-b' } }, ['1.0.0-beta.11', '1.0.0-beta.2']],
    [{ wildcard: { v: '*.?.0' } }, ['10.0.0', '2.0.0', '1.0.0', '1.2.0'].sort()],
    [{ regexp: { v: '[0-9]+\\.[0-9]+' } }, ['1.2']],
    [{ fuzzy: { v: { value: '10.0.1', fuzziness: 1 } } }, ['1.0.1', '10.0.0']],
    [{ match: { v: '0.9.10' } }, ['0.9.10']],
    [{ term: { v: { value: '2.0.0-snapshot', case_insensitive: true } } }, ['2.0.0-SNAPSHOT']],
    [{ query_string: { query: 'v:[1.2 TO 1.10.0]' } }, ['1.10.0', '1.2', '1.2.0']],
  ])('%j', async (query, ids) => {
    expect((await idsOf(query)).sort()).toEqual(ids);
  });

  test('aggregations and scripts see versions', async () => {
    const aggs = {
      all: { terms: { field: 'v', size: 3, order: { _key: 'desc' } } },
      paged: { composite: { sources: [{ v: { terms: { field: 'v' } } }], size: 2, after: { v: '1.0.0-rc.1' } } },
      count: { cardinality: { field: 'v' } },
    };
    const { aggregations } = await node.ok('POST /v/_search', { size: 0, aggs });
    expect(aggregations.all.buckets.map(({ key }: any) => key)).toEqual(['not a version', '1.0.0.alpha', '10.0.0']);
    expect(aggregations.paged.buckets.map(({ key }: any) => key.v)).toEqual(['1.0.0', '1.0.0+build.5']);
    expect(aggregations.count.value).toBe(ORDERED.length);
    const script = "doc['v'].value == '1.2'";
    expect(await idsOf({ script: { script } })).toEqual(['1.2']);
  });

  test('order and values survive a restart and a merge', async () => {
    await node.ok('POST /v/_forcemerge?max_num_segments=1');
    await node.restart();
    expect(await idsOf({ match_all: {} }, { sort: [{ v: 'desc' }] })).toEqual([...ORDERED].reverse());
  });

  test('hashes of strings are counted, but not searched', async () => {
    const { aggregations } = await node.ok('POST /v/_search', { size: 0, aggs: { n: { cardinality: { field: 'title.hash' } } } });
    expect(aggregations.n.value).toBe(5);
    expect((await node.send('POST /v/_search', { query: { term: { 'title.hash': 1 } } })).status).toBe(400);
  });
});
