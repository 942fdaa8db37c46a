// sparse_vector and weighted_tokens: sums of products of weights.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';
import { Rng } from '../../support/rng.ts';

let node: RestNode;
const rng = new Rng(9);
// Sums of powers of two: the nine bits that an index keeps of a weight are all of it.
const weight = (): number => 2 ** rng.int(-3, 3) * 1.5;
const TOKENS = [...'abcdefgh'];
const sources: Array<Record<string, number>> = Array.from({ length: 60 }, () =>
  Object.fromEntries(TOKENS.filter((_, i) => rng.bool(0.7 / (i + 1))).map((token) => [token, weight()])),
);

beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /docs', { mappings: { properties: { s: { type: 'sparse_vector' }, text: { type: 'text' } } } });
  for (let from = 0; from < sources.length; from += 25) {
    const lines = sources.slice(from, from + 25).flatMap((s, i) => [{ index: { _id: String(from + i) } }, { s }]);
    await node.ok('POST /docs/_bulk?refresh=true', lines);
  }
});
afterAll(() => node.close());

async function scores(query: object): Promise<Map<number, number>> {
  const { hits } = await node.ok('POST /docs/_search', { query, size: 100 });
  return new Map(hits.hits.map(({ _id, _score }: { _id: string; _score: number }) => [Number(_id), _score]));
}

function expected(query: Record<string, number>): Map<number, number> {
  const found = new Map<number, number>();
  sources.forEach((source, id) => {
    const shared = Object.keys(query).filter((token) => token in source);
    if (shared.length > 0)
      found.set(
        id,
        shared.reduce((sum, token) => sum + query[token] * source[token], 0),
      );
  });
  return found;
}

function expectSame(found: Map<number, number>, wanted: Map<number, number>): void {
  expect([...found.keys()].sort()).toEqual([...wanted.keys()].sort());
  for (const [id, score] of wanted) expect(found.get(id)).toBeCloseTo(score, 3);
}

test('documents with any token are scored by the products of weights', async () => {
  for (let round = 0; round < 5; round++) {
    const query_vector = Object.fromEntries(TOKENS.filter(() => rng.bool(0.5)).map((token) => [token, weight()]));
    if (Object.keys(query_vector).length === 0) continue;
    expectSame(await scores({ sparse_vector: { field: 's', query_vector } }), expected(query_vector));
    expectSame(await scores({ weighted_tokens: { s: { tokens: query_vector } } }), expected(query_vector));
    const doubled = new Map([...expected(query_vector)].map(([id, score]) => [id, 2 * score]));
    expectSame(await scores({ sparse_vector: { field: 's', query_vector, boost: 2 } }), doubled);
  }
});

test('pruning leaves out tokens that are frequent and light, or keeps only those', async () => {
  const query_vector = { a: 0.5, b: 8, h: 0.5 };
  const pruning_config = { tokens_freq_ratio_threshold: 2, tokens_weight_threshold: 0.4 };
  expectSame(await scores({ sparse_vector: { field: 's', query_vector, prune: true, pruning_config } }), expected({ b: 8, h: 0.5 }));
  const inverted = { ...pruning_config, only_score_pruned_tokens: true };
  expectSame(await scores({ sparse_vector: { field: 's', query_vector, prune: true, pruning_config: inverted } }), expected({ a: 0.5 }));
});

test.each<[object, string]>([
  [{ sparse_vector: { field: 's' } }, '[sparse_vector] requires one of [query_vector] or [inference_id]'],
  [
    { sparse_vector: { field: 's', inference_id: 'x', query: 'y' } },
    '[sparse_vector] does not support [inference_id]: there are no inference services',
  ],
  [{ sparse_vector: { field: 's', query_vector: { a: -1 } } }, 'weight of token [a] must be non-negative'],
  [{ sparse_vector: { field: 'text', query_vector: { a: 1 } } }, 'field [text] must be type [sparse_vector] but is type [text]'],
  [{ weighted_tokens: { s: {} } }, "[weighted_tokens] requires 'tokens' to be specified"],
])('refuses %j', async (query, reason) => {
  const { status, json } = await node.send('POST /docs/_search', { query });
  expect(status).toBe(400);
  expect(json.error.root_cause[0].reason).toContain(reason);
});
