// Graphs over vectors during the lifetime of an index: built by merges, extended by later ones, read again after a restart.
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as reference from '../../reference/vectors.ts';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';
import { Rng } from '../../support/rng.ts';

const DIMS = 16;
let node: RestNode;
const rng = new Rng(3);
/** By id; null: deleted. */
const vectors: Array<number[] | null> = [];

beforeAll(async () => {
  node = await openRestNode();
  const properties = {
    v: { type: 'dense_vector', dims: DIMS, similarity: 'l2_norm', index_options: { type: 'int8_hnsw', m: 12 } },
    w: { type: 'dense_vector', dims: DIMS, similarity: 'l2_norm', index_options: { type: 'hnsw' } },
    flat: { type: 'dense_vector', dims: DIMS, similarity: 'l2_norm', index_options: { type: 'flat' } },
    group: { type: 'integer' },
  };
  await node.ok('PUT /docs', { settings: { 'index.refresh_interval': '-1' }, mappings: { properties } });
});
afterAll(() => node.close());

async function add(count: number): Promise<void> {
  const lines: object[] = [];
  for (let i = 0; i < count; i++) {
    const centre = rng.int(0, 20);
    const v = Array.from({ length: DIMS }, (_, dim) => ((centre * 37 + dim * 11) % 50) + rng.int(-400, 400) / 100);
    lines.push({ index: { _id: String(vectors.length) } }, { v, w: v, flat: v, group: vectors.length % 5 });
    vectors.push(v);
  }
  await node.ok('POST /docs/_bulk?refresh=true', lines);
}

/** Share of the ten best that searches find, and that every hit is one of the documents that may be found. */
async function recall(field: string, group: number | null): Promise<number> {
  let found = 0;
  for (let round = 0; round < 10; round++) {
    const query_vector = Array.from(
      vectors.find((vector, id) => vector !== null && id >= round * 97) ?? [],
      (item) => item + rng.int(-9, 9) / 10,
    );
    const filter = group === null ? [] : [{ term: { group } }];
    const body = { knn: { field, query_vector, k: 10, num_candidates: 60, filter }, size: 10, _source: false };
    const { hits } = (await node.ok('POST /docs/_search', body)).hits;
    const allowed = vectors.map((vector, id) => (group === null || id % 5 === group ? vector : null));
    const best = reference.nearest('l2', query_vector, allowed, 10);
    for (const { _id, _score } of hits) {
      const vector = allowed[Number(_id)];
      expect(vector).not.toBeNull();
      // Scores are those of the vectors, not of their codes.
      expect(_score).toBeCloseTo(reference.score('l2_norm', reference.similarity('l2', query_vector, vector ?? []), DIMS), 4);
    }
    found += best.filter((id) => hits.some(({ _id }: { _id: string }) => _id === String(id))).length;
  }
  return found / 100;
}

async function checkAll(): Promise<void> {
  expect(await recall('flat', null)).toBe(1);
  for (const field of ['v', 'w']) {
    expect(await recall(field, null)).toBeGreaterThan(0.9);
    expect(await recall(field, 2)).toBeGreaterThan(0.9);
  }
}

/** Fields with a graph in the index's only segment. */
function graphs(): string[] {
  const state = node.engine.index('docs');
  if (!state) throw new Error('the index is gone');
  const shard = node.engine.acquire(state, 0);
  try {
    expect(shard.segments.length).toBe(1);
    return ['v', 'w', 'flat'].filter((field) => shard.segments[0].hasVectorGraph(field));
  } finally {
    shard.release();
  }
}

test('merges build graphs, extend them and drop deleted documents from them', async () => {
  for (let i = 0; i < 3; i++) await add(500);
  await node.ok('POST /docs/_forcemerge?max_num_segments=1');
  expect(graphs()).toEqual(['v', 'w']);
  await checkAll();

  const gone = vectors.map((_, id) => id).filter((id) => id % 7 === 0);
  await node.ok(
    'POST /docs/_bulk?refresh=true',
    gone.map((id) => ({ delete: { _id: String(id) } })),
  );
  for (const id of gone) vectors[id] = null;
  await checkAll();

  await add(300);
  await checkAll();
  await node.ok('POST /docs/_forcemerge?max_num_segments=1');
  expect(graphs()).toEqual(['v', 'w']);
  await checkAll();
});

test('graphs are read from disk', async () => {
  await node.ok('POST /docs/_flush');
  await node.restart();
  expect(graphs()).toEqual(['v', 'w']);
  await checkAll();
});
