// Documents of indices on different nodes: several shards and segments, with ties, missing values and deletions.
import type { RestNode } from '../../../../support/rest-node.ts';

/** Indices of each node. */
export const PLACEMENT = { A: ['c'], B: ['a'], C: ['b', 'closed'] };

const WORDS = ['quick', 'brown', 'fox', 'lazy', 'dog', 'jumps', 'over'];
const TAGS = ['red', 'blue', 'green', 'white'];

function documentOf(index: string, n: number): Record<string, unknown> {
  const seed = n * 7 + index.charCodeAt(0);
  const words = (count: number, step: number) => Array.from({ length: count }, (_, i) => WORDS[(seed + i * step) % WORDS.length]).join(' ');
  return {
    title: words(2 + (seed % 4), 3),
    body: words(5, 2),
    tag: TAGS[seed % TAGS.length],
    ...(n % 5 === 0 ? {} : { n: seed % 60 }),
    ...(n % 3 === 0 ? { opt: n } : {}),
    small: seed % 6,
    price: (seed % 17) / 3,
    big: `${9007199254740990n + BigInt(seed % 9)}`,
    when: new Date(Date.UTC(2024, index.charCodeAt(0) - 97, 1 + (seed % 27))).toISOString(),
    at: { lat: 40 + (seed % 20), lon: seed % 15 },
    ip: `10.0.${seed % 3}.${seed % 200}`,
    flag: seed % 2 === 0,
    parts: [
      { name: seed % 2 === 0 ? 'wheel' : 'door', size: seed % 10 },
      { name: 'frame', size: seed % 4 },
    ],
    rank: 1 + (seed % 5),
    kept: `k${seed % 3}`,
    vec: [seed % 5, 1 + (seed % 3)],
    span: { gte: seed % 10, lte: (seed % 10) + 5 },
    [`only_${index}`]: `v${seed % 2}`,
    relation: n % 4 === 3 ? { name: 'answer', parent: `${index}${n - 1}` } : { name: 'question' },
  };
}

const PROPERTIES = {
  title: { type: 'text', fielddata: true },
  body: { type: 'text' },
  tag: { type: 'keyword' },
  n: { type: 'integer' },
  opt: { type: 'long' },
  small: { type: 'byte' },
  price: { type: 'double' },
  big: { type: 'long' },
  when: { type: 'date' },
  at: { type: 'geo_point' },
  ip: { type: 'ip' },
  flag: { type: 'boolean' },
  parts: { type: 'nested', properties: { name: { type: 'text' }, size: { type: 'integer' } } },
  rank: { type: 'rank_feature' },
  kept: { type: 'keyword', store: true },
  vec: { type: 'dense_vector', dims: 2, index: true, similarity: 'l2_norm' },
  span: { type: 'integer_range' },
  relation: { type: 'join', relations: { question: 'answer' } },
};

export async function fillApart(node: RestNode): Promise<void> {
  for (const [index, shards, count] of [
    ['a', 2, 30],
    ['b', 1, 25],
    ['c', 3, 33],
  ] as const) {
    await node.ok(`PUT /${index}`, {
      settings: { number_of_shards: shards, number_of_replicas: 0 },
      mappings: { properties: { ...PROPERTIES, [`only_${index}`]: { type: 'keyword' } } },
    });
    for (let from = 0; from < count; from += 10) {
      const lines = Array.from({ length: Math.min(10, count - from) }, (_, i) => {
        const n = from + i;
        const document = documentOf(index, n);
        const parent = (document['relation'] as { parent?: string }).parent;
        return [{ index: { _id: `${index}${n}`, routing: parent ?? (n % 4 === 2 ? `${index}${n}` : undefined) } }, document];
      });
      await node.ok(`POST /${index}/_bulk?refresh=true`, lines.flat());
    }
    await node.ok(`DELETE /${index}/_doc/${index}4?refresh=true`);
  }
  await node.ok('PUT /closed');
  await node.ok('POST /closed/_close');
  await node.ok('POST /_aliases', {
    actions: [
      { add: { index: 'a', alias: 'named', filter: { term: { tag: 'red' } } } },
      { add: { index: 'b', alias: 'named' } },
      { add: { index: 'c', alias: 'named', filter: { range: { n: { lt: 30 } } } } },
    ],
  });
}
