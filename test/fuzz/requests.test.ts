// Mutations of valid request bodies against a whole node: each is answered or refused, none causes an internal error (500), hangs or leaks memory.
// FUZZ_ROUNDS sets the number of requests; the seed of a failing one is in the message.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../support/rest-node.ts';
import { Rng } from '../support/rng.ts';
import { FAULT, mutate } from './mutations.ts';
import * as seeds from './request-seeds.ts';

type Json = seeds.Json;

const ROUNDS = Number(process.env.FUZZ_ROUNDS ?? 600);
const named = (bodies: readonly Json[], rng: Rng) => rng.pick(bodies);

/** A search with one or a few of the known parts. */
function searchBody(rng: Rng): Json {
  const metric = { m: { sum: { field: 'n' } } };
  switch (rng.int(0, 6)) {
    case 0:
    case 1:
      return { size: 3, query: named(seeds.QUERIES, rng) };
    case 2:
      return { size: 0, query: named(seeds.QUERIES, rng), aggs: { a: { ...named(seeds.AGGREGATIONS, rng), aggs: metric } } };
    case 3:
      return {
        size: 0,
        aggs: { a: named(seeds.AGGREGATIONS, rng), b: { terms: { field: 'flag' }, aggs: { c: named(seeds.AGGREGATIONS, rng) } } },
      };
    case 4: {
      const histogram = { date_histogram: { field: 'at', calendar_interval: 'year' }, aggs: { ...metric, p: named(seeds.PIPELINES, rng) } };
      return { size: 0, aggs: { h: histogram, s: named(seeds.SIBLINGS, rng) } };
    }
    case 5: {
      const options = Object.entries(seeds.OPTIONS).filter(() => rng.bool(0.3));
      return { query: named(seeds.QUERIES, rng), ...Object.fromEntries(options) };
    }
    default:
      return rng.pick([seeds.RESCORE, seeds.COLLAPSE]);
  }
}

/** Request line and body of one round. */
function request(rng: Rng): [line: string, body: unknown] {
  const donor = searchBody(rng);
  switch (rng.int(0, 13)) {
    case 0:
      return [`PUT /fuzz-new`, { settings: seeds.SETTINGS, mappings: mutate(seeds.MAPPINGS, donor, rng) }];
    case 1:
      return [`PUT /fuzz-new`, { settings: mutate(seeds.SETTINGS, donor, rng), mappings: seeds.MAPPINGS }];
    case 2:
      return [`POST /fuzz-docs/_doc/${rng.int(0, 9)}`, mutate(rng.pick(seeds.DOCUMENTS), donor, rng)];
    case 3:
      return [
        `POST /fuzz-docs/_update/${rng.int(0, 9)}`,
        mutate({ doc: { n: 1 }, upsert: { n: 2 }, detect_noop: true }, rng.pick(seeds.DOCUMENTS), rng),
      ];
    case 4:
      return [`POST /fuzz/_validate/query?explain=true`, mutate({ query: named(seeds.QUERIES, rng) }, donor, rng)];
    case 5: {
      const item = { index: { _index: 'fuzz-docs', _id: '1', routing: 'r', if_seq_no: 0, if_primary_term: 1 } };
      return ['POST /_bulk', [mutate(item, donor, rng), mutate(rng.pick(seeds.DOCUMENTS), donor, rng)]];
    }
    case 6:
      return [
        'POST /fuzz/_msearch',
        [mutate({ search_type: 'query_then_fetch', preference: 'x' }, donor, rng), mutate(searchBody(rng), donor, rng)],
      ];
    default:
      return ['POST /fuzz/_search', mutate(searchBody(rng), donor, rng)];
  }
}

let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  for (const index of ['fuzz', 'fuzz-docs']) {
    await node.ok(`PUT /${index}`, { settings: seeds.SETTINGS, mappings: seeds.MAPPINGS });
    const lines = seeds.DOCUMENTS.flatMap((document, i) => [{ index: { _id: String(i) } }, document]);
    const loaded = await node.ok(`POST /${index}/_bulk?refresh=true`, lines);
    expect(loaded.errors, JSON.stringify(loaded.items[0])).toBe(false);
  }
});
afterAll(() => node.close());

test('each request that the mutations start from is answered', async () => {
  const searches = [
    ...seeds.QUERIES.map((query) => ({ query })),
    ...seeds.AGGREGATIONS.map((a) => ({
      size: 0,
      aggs: { a: { ...a, ...('terms' in a || 'date_histogram' in a ? { aggs: { m: { sum: { field: 'n' } } } } : {}) } },
    })),
    ...seeds.PIPELINES.map((p) => ({
      aggs: { h: { date_histogram: { field: 'at', calendar_interval: 'year' }, aggs: { m: { sum: { field: 'n' } }, p } } },
    })),
    ...seeds.SIBLINGS.map((s) => ({ aggs: { h: { histogram: { field: 'n', interval: 3 }, aggs: { m: { sum: { field: 'n' } } } }, s } })),
    { ...seeds.OPTIONS, query: seeds.QUERIES[0] },
    seeds.RESCORE,
    seeds.COLLAPSE,
  ];
  for (const body of searches) {
    const { status, text, json } = await node.send('POST /fuzz/_search', body);
    expect([status, json?._shards?.failed], `${JSON.stringify(body)}: ${text.slice(0, 500)}`).toEqual([200, 0]);
  }
});

test(`${ROUNDS} mutated requests: none causes an internal error`, { timeout: 60_000 + ROUNDS * 500 }, async () => {
  const first = Number(process.env.FUZZ_SEED ?? 1);
  for (let seed = first; seed < first + ROUNDS; seed++) {
    const [line, body] = request(new Rng(seed));
    const { status, text } = await node.send(line, body);
    expect(text, `FUZZ_SEED=${seed} ${line} ${JSON.stringify(body)}`).not.toMatch(FAULT);
    // Rules of analysis components that cannot be read, and trees of aggregations that cannot be made, are 500 in Elasticsearch, too.
    if (!line.startsWith('PUT /fuzz-new') && !/"aggregation_(?:execution|initialization)_exception"/.test(text))
      expect(status, `FUZZ_SEED=${seed} ${line} ${JSON.stringify(body)}: ${text.slice(0, 1000)}`).toBeLessThan(500);
    if (line.startsWith('PUT /fuzz-new') && status === 200) await node.ok('DELETE /fuzz-new');
  }
  // The index that was only read is intact.
  expect((await node.ok('POST /fuzz/_count')).count).toBe(seeds.DOCUMENTS.length);
});
