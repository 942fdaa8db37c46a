// knn as a query and as a section of a search: against vectors compared one by one.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as reference from '../../reference/vectors.ts';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';
import { Rng } from '../../support/rng.ts';

let node: RestNode;
const DOCS = 120;
const DIMS = 8;

interface Field {
  readonly type: string;
  readonly mapping: object;
  readonly measure: reference.Measure;
  readonly scoring: string;
  readonly dims: number;
  readonly make: (rng: Rng) => number[];
}

const floats = (rng: Rng): number[] => Array.from({ length: DIMS }, () => rng.int(-50, 50) / 8 + 0.01);
const unit = (rng: Rng): number[] => {
  const vector = floats(rng);
  return vector.map((item) => item / Math.hypot(...vector));
};
const bytes = (rng: Rng): number[] => Array.from({ length: DIMS }, () => rng.int(-128, 127));
const field = (name: string, similarity: string, measure: reference.Measure, make: Field['make'], element = 'float'): Field => ({
  type: name,
  mapping: { type: 'dense_vector', dims: element === 'bit' ? DIMS * 8 : DIMS, similarity, element_type: element },
  measure,
  scoring: element === 'bit' ? 'bit' : element === 'byte' && similarity === 'dot_product' ? 'byte dot_product' : similarity,
  dims: element === 'bit' ? DIMS * 8 : DIMS,
  make,
});
const FIELDS: readonly Field[] = [
  field('cosine', 'cosine', 'cosine', floats),
  field('dot', 'dot_product', 'dot', unit),
  field('l2', 'l2_norm', 'l2', floats),
  field('product', 'max_inner_product', 'dot', floats),
  field('byte_cosine', 'cosine', 'cosine', bytes, 'byte'),
  field('byte_dot', 'dot_product', 'dot', bytes, 'byte'),
  field('byte_l2', 'l2_norm', 'l2', bytes, 'byte'),
  field('bits', 'l2_norm', 'bits', bytes, 'bit'),
];

const rng = new Rng(20);
/** Documents in order of their ids; some lack vectors. */
const sources: Array<Record<string, any>> = Array.from({ length: DOCS }, (_, i) => ({
  color: ['red', 'green', 'blue'][i % 3],
  text: `word${i % 4} fox`,
  ...Object.fromEntries(FIELDS.flatMap(({ type, make }) => (rng.bool(0.15) ? [] : [[type, make(rng)]]))),
  parts: Array.from({ length: rng.int(0, 3) }, () => ({ v: floats(rng), kind: rng.pick(['a', 'b']) })),
}));
const ids = (json: any): number[] => json.hits.hits.map(({ _id }: { _id: string }) => Number(_id));
const search = (body: object, index = 'docs') => node.ok(`POST /${index}/_search`, { size: DOCS, _source: false, ...body });

beforeAll(async () => {
  node = await openRestNode();
  const properties = {
    color: { type: 'keyword' },
    parts: { type: 'nested', properties: { v: { type: 'dense_vector', dims: DIMS, similarity: 'l2_norm' }, kind: { type: 'keyword' } } },
    ...Object.fromEntries(FIELDS.map(({ type, mapping }) => [type, mapping])),
  };
  for (const [index, shards] of [
    ['docs', 1],
    ['many', 3],
  ] as const) {
    await node.ok(`PUT /${index}`, { settings: { number_of_shards: shards }, mappings: { properties } });
    // Several segments, and a document that is replaced.
    for (let from = 0; from < DOCS; from += 50) {
      const lines = sources.slice(from, from + 50).flatMap((source, i) => [{ index: { _id: String(from + i) } }, source]);
      await node.ok(`POST /${index}/_bulk?refresh=true`, lines);
    }
    await node.ok(`PUT /${index}/_doc/7?refresh=true`, sources[7]);
    await node.ok(`PUT /${index}/_doc/gone`, sources[8]);
    await node.ok(`DELETE /${index}/_doc/gone?refresh=true`);
  }
});
afterAll(() => node.close());

/** Ids of the best documents and their scores, by plain arithmetic. */
function expected({ type, measure, scoring, dims }: Field, query: number[], k: number, keep: (source: any) => boolean = () => true) {
  const vectors = sources.map((source) => (keep(source) ? (source[type] ?? null) : null));
  const best = reference.nearest(measure, query, vectors, k);
  return best.map((id) => ({ id, score: reference.score(scoring, reference.similarity(measure, query, vectors[id]), dims) }));
}

/** Scores are floats: close to those in doubles. */
function expectScores({ hits }: any, best: ReadonlyArray<{ score: number }>): void {
  expect(hits.length).toBe(best.length);
  best.forEach(({ score }, i) => {
    expect(Math.abs(hits[i]._score - score)).toBeLessThan(1e-5 * score);
  });
}

describe.each(FIELDS)('$type', (one) => {
  test.each(['docs', 'many'])('the best of %s in order of their scores', async (index) => {
    for (let round = 0; round < 5; round++) {
      const query = one.make(rng);
      const k = rng.int(1, 20);
      const knn = { field: one.type, query_vector: query, k, num_candidates: 100 };
      const best = expected(one, query, k);
      const { hits } = await search({ knn }, index);
      // Equal scores may come in any order.
      expectScores(hits, best);
      expect(hits.total.value).toBe(best.length);
      const filtered = await search({ knn: { ...knn, filter: { term: { color: 'red' } } } }, index);
      const reds = expected(one, query, k, ({ color }) => color === 'red');
      expectScores(filtered.hits, reds);
      if (index === 'docs') expect(ids(await search({ query: { knn } })).length).toBe(best.length);
    }
  });
});

const COSINE = FIELDS[0];

test('a search adds the scores of its query and of its vectors', async () => {
  const query_vector = COSINE.make(rng);
  const match = { match: { text: 'word1' } };
  const byText = new Map((await search({ query: match })).hits.hits.map((hit: any) => [Number(hit._id), hit._score]));
  const best = expected(COSINE, query_vector, 6);
  const { hits } = await search({ query: match, knn: { field: 'cosine', query_vector, k: 6, num_candidates: 100, boost: 3 } });
  const all = new Set([...byText.keys(), ...best.map(({ id }) => id)]);
  expect(hits.total.value).toBe(all.size);
  for (const { _id, _score } of hits.hits) {
    const vector = best.find(({ id }) => id === Number(_id))?.score ?? 0;
    expect(_score).toBeCloseTo(((byText.get(Number(_id)) as number | undefined) ?? 0) + 3 * vector, 4);
  }
});

test('several sections, from, aggregations, post_filter and named queries', async () => {
  const knn = [COSINE, FIELDS[2]].map(({ type, make }, i) => ({
    field: type,
    query_vector: make(rng),
    k: 4,
    num_candidates: 50,
    _name: `v${i}`,
  }));
  const { hits, aggregations } = await search({ knn, aggs: { colors: { terms: { field: 'color' } } } });
  const each = await Promise.all(knn.map(async (one) => ids(await search({ knn: one }))));
  expect(new Set(ids({ hits }))).toEqual(new Set(each.flat()));
  const counted = aggregations.colors.buckets.reduce((sum: number, { doc_count }: { doc_count: number }) => sum + doc_count, 0);
  expect(counted).toBe(hits.total.value);
  for (const hit of hits.hits) {
    expect(hit.matched_queries ?? []).toEqual(knn.filter((_, i) => each[i].includes(Number(hit._id))).map(({ _name }) => _name));
  }
  expect(ids(await search({ knn, from: 1, size: 2 }))).toEqual(ids({ hits }).slice(1, 3));
  const green = ids(await search({ knn, post_filter: { term: { color: 'green' } } }));
  expect(green).toEqual(ids({ hits }).filter((id) => sources[id].color === 'green'));
});

test('similarity is a limit: a distance for l2_norm, a cosine otherwise', async () => {
  const l2 = FIELDS[2];
  const query_vector = l2.make(rng);
  const near = expected(l2, query_vector, DOCS).filter(({ score }) => score >= 1 / (1 + 10 ** 2));
  const knn = { field: 'l2', query_vector, k: DOCS, num_candidates: DOCS, similarity: 10 };
  expect(ids(await search({ knn })).sort()).toEqual(near.map(({ id }) => id).sort());
  const cosines = expected(COSINE, query_vector, DOCS).filter(({ score }) => score >= 0.75);
  const limited = { field: 'cosine', query_vector, k: DOCS, num_candidates: DOCS, similarity: 0.5 };
  expect(ids(await search({ query: { knn: limited } })).sort()).toEqual(cosines.map(({ id }) => id).sort());
});

describe('vectors in nested documents', () => {
  const bestOf = (query: number[], keep: (source: any) => boolean = () => true) =>
    sources
      .flatMap(({ parts, ...source }, id) =>
        parts.length > 0 && keep(source)
          ? [
              {
                id,
                score: Math.max(
                  ...parts.map(({ v }: { v: number[] }) => reference.score('l2_norm', reference.similarity('l2', query, v), DIMS)),
                ),
              },
            ]
          : [],
      )
      .sort((a, b) => b.score - a.score);

  test.each(['docs', 'many'])('the roots of the best in %s, with all vectors as inner hits', async (index) => {
    const query_vector = floats(rng);
    const best = bestOf(query_vector).slice(0, 10);
    const knn = { field: 'parts.v', query_vector, k: 10, num_candidates: 50, inner_hits: { size: 5, _source: false } };
    const { hits } = await search({ knn }, index);
    expect(ids({ hits })).toEqual(best.map(({ id }) => id));
    for (const [i, hit] of hits.hits.entries()) {
      expect(hit._score).toBeCloseTo(best[i].score, 5);
      const inner = hit.inner_hits.parts.hits.hits;
      expect(inner.length).toBe(sources[Number(hit._id)].parts.length);
      expect(inner[0]._score).toBeCloseTo(best[i].score, 5);
    }
  });

  test('the filter is about the roots', async () => {
    const query_vector = floats(rng);
    const red = bestOf(query_vector, ({ color }) => color === 'red').slice(0, 5);
    const knn = { field: 'parts.v', query_vector, k: 5, num_candidates: 50, filter: { term: { color: 'red' } } };
    expect(ids(await search({ knn }))).toEqual(red.map(({ id }) => id));
    expect(ids(await search({ query: { nested: { path: 'parts', query: { knn } } } }))).toEqual(red.map(({ id }) => id));
    expect(ids(await search({ query: { knn } }))).toEqual([]);
  });
});

describe('refused', () => {
  const vector = { field: 'cosine', query_vector: Array(DIMS).fill(1) };
  test.each<[object, string]>([
    [{ knn: { ...vector, k: 3, num_candidates: 2 } }, '[num_candidates] cannot be less than [k]'],
    [{ knn: { ...vector, k: 3, num_candidates: 10_001 } }, '[num_candidates] cannot exceed [10000]'],
    [{ knn: { ...vector, k: 0, num_candidates: 10 } }, '[k] must be greater than 0'],
    [{ size: 0, knn: vector }, '[k] must be greater than 0'],
    [{ query: { knn: { ...vector, num_candidates: 0 } } }, 'failed to create query: k must be at least 1, got: 0'],
    [{ knn: { k: 3, query_vector: [1] } }, 'Required [field]'],
    [{ knn: { field: 'cosine', k: 3 } }, 'either [query_vector_builder] or [query_vector] must be provided'],
    [{ knn: { ...vector, foo: 1 } }, '[knn] unknown field [foo]'],
    [
      { knn: { field: 'cosine', query_vector: [1], k: 2 } },
      'failed to create query: The query vector has a different number of dimensions [1] than the document vectors [8].',
    ],
    [
      { knn: { field: 'color', query_vector: [1], k: 2 } },
      'failed to create query: [knn] queries are only supported on [dense_vector] fields',
    ],
    [{ knn: { field: 'none', query_vector: [1], k: 2 } }, 'failed to create query: field [none] does not exist in the mapping'],
    [{ knn: { field: 'cosine', query_vector: ['a'], k: 2 } }, '[knn] failed to parse field [query_vector]'],
  ])('%j', async (body, reason) => {
    const { status, json } = await node.send('POST /docs/_search', body);
    expect(status).toBe(400);
    expect(json.error.root_cause[0].reason).toContain(reason);
  });
});
