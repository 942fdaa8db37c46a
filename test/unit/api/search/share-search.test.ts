// A search that several threads share finds what one thread finds, to the bit, whatever the helpers do.
import { createHash } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { count, helpCount } from '../../../../src/api/search/count.ts';
import { helpSearch } from '../../../../src/api/search/help-search.ts';
import { helpMultiSearch, type MultiSearchCall, multiSearch } from '../../../../src/api/search/multi-search.ts';
import { search } from '../../../../src/api/search/search.ts';
import type { AskHelpers } from '../../../../src/api/search/share-search.ts';
import { type PartOutcome, SegmentClaims } from '../../../../src/search/run/shared-segments.ts';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';
import { Rng } from '../../../support/rng.ts';

/** More than two spans of the executor: the merged segment has two ranges. */
const MERGED = 270_000;
const BATCH = 30_000;

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode({ 'compat.flavor': 'opensearch' });
  await node.ok('PUT /docs', {
    settings: { refresh_interval: -1, number_of_shards: 1 },
    mappings: { properties: { n: { type: 'long' }, d: { type: 'double' }, t: { type: 'text' }, k: { type: 'keyword' } } },
  });
  const rng = new Rng(7);
  // Most documents are small: they only make the segment large.
  const bulk = async (documents: number, isLarge: boolean) => {
    const lines: string[] = [];
    for (let i = 0; i < documents; i++) {
      const n = rng.int(0, 999_999);
      const other = isLarge || i % 16 === 0 ? `,"k":"k${n % 37}","d":${n / 7},"t":"${n % 3 === 0 ? 'common' : 'other'} w${n % 101}"` : '';
      lines.push('{"index":{}}', `{"n":${n}${other}}`);
    }
    expect(await node.ok('POST /docs/_bulk?refresh=true', `${lines.join('\n')}\n`)).toMatchObject({ errors: false });
  };
  for (let done = 0; done < MERGED; done += BATCH) await bulk(BATCH, false);
  await node.ok('POST /docs/_forcemerge?max_num_segments=1');
  for (const documents of [900, 40, 7]) await bulk(documents, true);
}, 180_000);

afterAll(() => node.close());

const call = (body: object, askHelpers?: AskHelpers) => ({
  indices: { expressions: ['docs'] },
  parameters: { requestCache: false },
  body: JSON.stringify(body),
  askHelpers,
});

async function answerTo(body: object, askHelpers?: AskHelpers): Promise<string> {
  const { took: _, ...answer } = await search(node.engine, call(body, askHelpers));
  // A digest, so that a failure does not print megabytes.
  return createHash('sha256').update(JSON.stringify(answer)).digest('hex');
}

/** A helper in this thread. @param seen  receives what it found. @param keep  whether what it found in a part arrives */
function helper(body: object, seen: PartOutcome[], keep: () => boolean = () => true): AskHelpers {
  return async (shared) => {
    const bytes = await helpSearch(node.engine, call(body), shared);
    const outcomes = (deserialize(bytes) as PartOutcome[]).filter(keep);
    seen.push(...outcomes);
    return [serialize(outcomes)];
  };
}

const STATS = { a: { terms: { field: 'k', size: 50 }, aggs: { s: { stats: { field: 'n' } }, m: { max: { field: 'd' } } } } };
const BODIES: Readonly<Record<string, object>> = {
  'counts and sums of integers': { size: 0, track_total_hits: true, aggs: STATS },
  'sums of fractions': {
    size: 0,
    aggs: { a: { histogram: { field: 'n', interval: 50_000 }, aggs: { d: { extended_stats: { field: 'd' } } } } },
  },
  'below a query': { size: 5, query: { match: { t: 'common' } }, aggs: STATS },
  'a large page by score': { size: 3000, _source: false, query: { match: { t: 'common w5 w7' } } },
  'a large page by field': { size: 3000, _source: false, query: { match: { t: 'w5 w7' } }, sort: [{ k: 'desc' }, { n: 'asc' }] },
  'a total': {
    size: 0,
    track_total_hits: true,
    query: { bool: { must: [{ match: { t: 'common' } }], must_not: [{ match: { t: 'w3' } }] } },
  },
  'a capped total': { size: 1, track_total_hits: 500, query: { match: { t: 'other' } } },
  'distinct values, filters and top hits': {
    size: 0,
    aggs: {
      c: { cardinality: { field: 'n' } },
      f: {
        filters: { filters: { a: { match: { t: 'w5' } } } },
        aggs: { t: { top_hits: { size: 2, sort: [{ n: 'desc' }], _source: false } } },
      },
      g: { global: {}, aggs: { p: { percentiles: { field: 'd' } } } },
    },
  },
  'a script over documents': { size: 0, query: { match: { t: 'w5' } }, aggs: { s: { sum: { script: { source: "doc['n'].value % 3" } } } } },
};

describe.each(Object.entries(BODIES))('%s', (_, body) => {
  test('are the same with a helper', async () => {
    const expected = await answerTo(body);
    const seen: PartOutcome[] = [];
    expect(await answerTo(body, helper(body, seen))).toBe(expected);
    if (!JSON.stringify(body).includes('script')) expect(seen.length).toBeGreaterThan(0);
  });

  test('are the same with helpers that fail, or end without what they claimed', async () => {
    const expected = await answerTo(body);
    const rng = new Rng(11);
    const failing: AskHelpers = async (shared) => {
      const claims = new SegmentClaims(shared);
      for (const part of claims.partsOf(0)) if (rng.int(0, 1) === 0) claims.claim(part);
      throw new Error('ended');
    };
    expect(await answerTo(body, failing)).toBe(expected);
    expect(
      await answerTo(
        body,
        helper(body, [], () => rng.int(0, 1) === 0),
      ),
    ).toBe(expected);
  });
});

test('a count is the same with a helper, and not shared if its query refers to documents', async () => {
  const query = { bool: { must: [{ match: { t: 'common' } }], must_not: [{ match: { t: 'w3' } }] } };
  const expected = await count(node.engine, call({ query }));
  let found = 0;
  const help: AskHelpers = async (shared) => {
    const bytes = await helpCount(node.engine, call({ query }), shared);
    for (const { hits } of deserialize(bytes) as PartOutcome[]) found += hits.total;
    return [bytes];
  };
  expect(await count(node.engine, call({ query }, help))).toEqual(expected);
  expect(found).toBeGreaterThan(0);
  const refusing: AskHelpers = () => Promise.reject(new Error('must not be asked'));
  await count(node.engine, call({ query: { terms: { k: { index: 'docs', id: 'none', path: 'k' } } } }, refusing));
});

test('each search of a multi search has helpers of its own', async () => {
  const bodies = [BODIES['below a query'], BODIES['a total']].map((body) => JSON.stringify(body));
  const multi = {
    indices: { expressions: ['docs'] },
    items: bodies.map((body) => ({ header: '{"request_cache":false}', body })),
    parameters: {},
  };
  const responses = async (askHelpers?: MultiSearchCall['askHelpers']) => {
    const { responses: list } = (await multiSearch(node.engine, { ...multi, askHelpers })) as { responses: Array<{ took: number }> };
    return list.map((response) => ({ ...response, took: 0 }));
  };
  const expected = await responses();
  const helped = new Map<number, number>();
  const answers = await responses(async (part) => {
    const bytes = await helpMultiSearch(node.engine, multi, part);
    helped.set(part['item'] as number, (deserialize(bytes) as PartOutcome[]).length);
    return [bytes];
  });
  expect(answers).toEqual(expected);
  expect([...helped.keys()]).toEqual([0, 1]);
  expect([...helped.values()].every((parts) => parts > 0)).toBe(true);
});

test('a large segment is searched by ranges of documents unless that would change sums', async () => {
  const rangesOf = async (body: object): Promise<readonly number[]> => {
    let ranges: readonly number[] = [];
    await answerTo(body, async ({ shards: [shard] }) => {
      ({ ranges } = shard);
      return [];
    });
    return ranges;
  };
  expect(await rangesOf({ size: 0, aggs: STATS })).toEqual([2, 1, 1, 1]);
  expect(await rangesOf({ query: { match: { t: 'common' } } })).toEqual([2, 1, 1, 1]);
  expect(await rangesOf({ size: 0, aggs: { a: { avg: { field: 'd' } } } })).toEqual([1, 1, 1, 1]);
  expect(await rangesOf({ size: 0, aggs: { a: { percentiles: { field: 'n' } } } })).toEqual([1, 1, 1, 1]);
  expect(await rangesOf({ query: { wildcard: { k: '*7' } } })).toEqual([1, 1, 1, 1]);
});

test('nothing is shared where parts depend on each other', async () => {
  const refusing: AskHelpers = () => Promise.reject(new Error('must not be asked'));
  for (const body of [
    { terminate_after: 5 },
    { profile: true },
    { collapse: { field: 'k' } },
    { suggest: { s: { text: 'x', term: { field: 't' } } } },
  ])
    await answerTo(body, refusing);
});

test('a helper whose snapshot is another one finds nothing', async () => {
  const seen: PartOutcome[] = [];
  const body = { size: 0, aggs: STATS };
  const late: AskHelpers = (shared) =>
    helper(body, seen)({ ...shared, shards: shared.shards.map((shard) => ({ ...shard, generation: -1 })) });
  expect(await answerTo(body, late)).toBe(await answerTo(body));
  expect(seen).toEqual([]);
});
