// Similarities other than BM25: scores as Elasticsearch 7.10 and 8.15 compute them, top hits, explanations, refusals.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

const WEIGHT = 'double idf = Math.log((field.docCount + 1.0) / (term.docFreq + 1.0)) + 1.0; return query.boost * idf';
const TEXTS = [
  'the quick brown fox jumps over the lazy dog',
  'quick quick fox',
  'brown dog and the brown bear',
  'lazy lazy lazy dog sleeps all day long in the sun',
  'fox',
  'a quick story about the quick fox that was quick to run',
];
const queriesOf = (field: string) => [
  { term: { [field]: 'quick' } },
  { match: { [field]: { query: 'quick fox', boost: 2 } } },
  { match_phrase: { [field]: { query: 'fox quick', slop: 6 } } },
  { match_phrase: { [field]: 'quick brown fox' } },
];

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
});
afterAll(() => node.close());

async function index(name: string, similarity: unknown, texts: readonly string[]): Promise<void> {
  await node.ok(`PUT /${name}`, {
    settings: { 'index.similarity': { own: similarity } },
    mappings: {
      properties: { t: { type: 'text', similarity: 'own' }, n: { type: 'nested', properties: { t: { type: 'text', similarity: 'own' } } } },
    },
  });
  const lines = texts.flatMap((t, i) => [{ index: { _id: String(i) } }, { t, n: [{ t }] }]);
  await node.ok(`POST /${name}/_bulk?refresh=true`, lines);
}

async function scoresOf(name: string, query: unknown): Promise<Record<string, number>> {
  const { hits } = await node.ok(`POST /${name}/_search`, { query });
  return Object.fromEntries(hits.hits.map((hit: { _id: string; _score: number }) => [hit._id, hit._score]));
}

test.each([
  [
    { type: 'DFR', basic_model: 'g', after_effect: 'b', normalization: 'no' },
    [
      { '5': 2.582604, '1': 2.4337566, '0': 2.1360617 },
      { '5': 7.827576, '1': 7.5298815, '0': 6.9344916, '4': 2.6623683 },
      { '5': 3.1521282, '1': 2.6794524, '0': 2.5218935 },
      { '0': 5.3778973 },
    ],
  ],
  [
    { type: 'DFR', basic_model: 'if', after_effect: 'l', normalization: 'h1', 'normalization.h1.c': '2' },
    [
      { '1': 0.95240444, '5': 0.82012606, '0': 0.6418378 },
      { '1': 4.1343284, '5': 3.0980148, '0': 2.9315815, '4': 2.526789 },
      { '1': 1.4657907, '5': 1.0535371, '0': 0.6742637 },
      { '0': 2.4305506 },
    ],
  ],
  [
    { type: 'DFR', basic_model: 'in', after_effect: 'b', normalization: 'h2' },
    [
      { '1': 1.5529659, '5': 1.3308564, '0': 0.9071486 },
      { '1': 4.076812, '5': 3.2716024, '0': 2.5081897, '4': 1.1473739 },
      { '1': 1.0138482, '5': 0.8474675, '0': 0.47516602 },
      { '0': 2.377014 },
    ],
  ],
  [
    { type: 'DFR', basic_model: 'ine', after_effect: 'l', normalization: 'h3' },
    [
      { '1': 0.635618, '5': 0.6356006, '0': 0.63554543 },
      { '1': 3.1645496, '5': 3.164291, '0': 3.1642551, '4': 1.8933635 },
      { '1': 1.5821422, '5': 1.5820239, '0': 1.5820186 },
      { '0': 2.7752256 },
    ],
  ],
  [
    { type: 'DFR', basic_model: 'g', after_effect: 'l', normalization: 'z' },
    [
      { '1': 1.2650267, '5': 1.2631482, '0': 1.0512054 },
      { '1': 4.892491, '5': 4.6531696, '0': 4.2781906, '4': 2.5415437 },
      { '5': 1.8969094, '1': 1.77246, '0': 1.5442321 },
      { '0': 3.2605815 },
    ],
  ],
  [
    { type: 'DFI', independence_measure: 'standardized' },
    [
      { '1': 1.661323, '5': 0.8063266, '0': 0.0 },
      { '1': 5.466856, '4': 3.6892362, '5': 1.6126533, '0': 0.0 },
      { '0': 0.0, '1': 0.0, '5': 0.0 },
      { '0': 0.23623544 },
    ],
  ],
  [
    { type: 'DFI', independence_measure: 'saturated' },
    [
      { '1': 2.0339472, '5': 0.61890984, '0': 0.0 },
      { '1': 7.1066427, '4': 6.2086735, '5': 1.2378197, '0': 0.0 },
      { '0': 0.0, '1': 0.0, '5': 0.0 },
      { '0': 0.25633976 },
    ],
  ],
  [
    { type: 'DFI', independence_measure: 'chisquared' },
    [
      { '1': 2.5055983, '5': 0.64212966, '0': 0.0 },
      { '1': 7.306466, '4': 5.8958106, '5': 1.2842593, '0': 0.0 },
      { '0': 0.0, '1': 0.0, '5': 0.0 },
      { '0': 0.04495884 },
    ],
  ],
  [
    { type: 'IB', distribution: 'll', lambda: 'ttf', normalization: 'h2' },
    [
      { '1': 1.4982674, '5': 1.0949037, '0': 0.6043569 },
      { '1': 5.4626765, '5': 3.5029304, '4': 3.2973173, '0': 2.7508783 },
      { '1': 1.0504339, '5': 0.8476798, '0': 0.44361767 },
      { '0': 2.2726007 },
    ],
  ],
  [
    { type: 'IB', distribution: 'spl', lambda: 'df', normalization: 'h3' },
    [
      { '1': 5.1790953, '5': 5.1755033, '0': 5.1641426 },
      { '1': 19.801369, '5': 19.77209, '0': 19.756706, '4': 9.448123 },
      { '1': 9.881018, '5': 9.864955, '0': 9.864716 },
      { '0': 14.651314 },
    ],
  ],
  [
    { type: 'IB', distribution: 'spl', lambda: 'ttf', normalization: 'h1' },
    [
      { '1': 1.734601, '5': 1.0116009, '0': 0.5753641 },
      { '1': 6.121255, '4': 4.4625745, '5': 3.0718935, '0': 2.4551044 },
      { '1': 1.2275522, '5': 0.7063828, '0': 0.3841582 },
      { '0': 1.9342219 },
    ],
  ],
  [
    { type: 'LMDirichlet', mu: '10' },
    [
      { '1': 0.5389965, '5': 0.25635222, '0': 0.0 },
      { '1': 1.7944175, '4': 1.0505326, '5': 0.51270443, '0': 0.0 },
      { '0': 0.0, '1': 0.0, '5': 0.0 },
      { '0': 0.088107266 },
    ],
  ],
  [
    { type: 'LMJelinekMercer' },
    [
      { '1': 3.6338196, '5': 2.696074, '0': 1.9661129 },
      { '1': 13.844442, '5': 9.408576, '4': 8.723648, '0': 8.455751 },
      { '1': 4.2278757, '5': 3.0717008, '0': 2.0778778 },
      { '0': 6.691729 },
    ],
  ],
  [
    { type: 'LMJelinekMercer', lambda: '0.7' },
    [
      { '1': 1.0134546, '5': 0.50571054, '0': 0.2565915 },
      { '1': 3.6296306, '4': 3.0890367, '5': 1.5471087, '0': 1.1996869 },
      { '1': 0.59984344, '5': 0.32278514, '0': 0.16805127 },
      { '0': 1.0132138 },
    ],
  ],
  [
    {
      type: 'scripted',
      weight_script: { source: WEIGHT },
      script: { source: 'return weight * Math.sqrt(doc.freq) / Math.sqrt(doc.length)' },
    },
    [
      { '1': 1.2734209, '5': 0.77980787, '0': 0.51987195 },
      { '1': 4.090067, '4': 2.6729445, '5': 2.3312283, '0': 1.9307253 },
      { '1': 0.96536267, '5': 0.6826145, '0': 0.48268133 },
      { '0': 1.5811286 },
    ],
  ],
])('%o scores terms, disjunctions and phrases as Elasticsearch does', async (similarity, expected) => {
  await index('scores', similarity, TEXTS);
  const found = [];
  for (const query of queriesOf('t')) found.push(await scoresOf('scores', query));
  expect(found).toEqual(expected);
  const nested = await scoresOf('scores', { nested: { path: 'n', query: queriesOf('n.t')[0] } });
  expect(nested).toEqual(expected[0]);
  await node.ok('DELETE /scores');
});

test('the best hits are those of all hits, with further clauses and after a restart', async () => {
  const texts = Array.from(
    { length: 600 },
    (_, i) => `${'red '.repeat((i * 7) % 5)}${'blue '.repeat((i * 3) % 4)}${'x '.repeat(i % 23)}tail`,
  );
  await index('many', { type: 'DFR', basic_model: 'in', after_effect: 'l', normalization: 'h2' }, texts);
  const query = { bool: { should: [{ match: { t: 'red blue' } }], filter: [{ match: { t: 'tail' } }] } };
  const idsOf = async (size: number) =>
    (await node.ok('POST /many/_search', { query, size })).hits.hits.map(({ _id }: { _id: string }) => _id);
  const all = await idsOf(600);
  expect(await idsOf(10)).toEqual(all.slice(0, 10));
  await node.restart();
  expect(await idsOf(25)).toEqual(all.slice(0, 25));
});

test('explains a score, and the sum of the terms of a phrase', async () => {
  await index('explained', { type: 'DFR', basic_model: 'ine', after_effect: 'b', normalization: 'h1' }, TEXTS);
  const explain = (query: unknown) => node.ok('GET /explained/_explain/1', { query });
  const { explanation } = await explain({ term: { t: 'quick' } });
  const [score] = explanation.details;
  expect(score.description).toBe(
    'score(DFRSimilarity, freq=2.0), computed as boost * basicModel.score(stats, tfn) * afterEffect.score(stats, tfn) from:',
  );
  expect(score.value).toBe(explanation.value);
  expect(score.details.map(({ description }: { description: string }) => description)).toEqual([
    'NormalizationH1, computed as tf * c * (avgfl / fl) from:',
    'BasicModelIne, computed as tfn * log2((N + 1) / (ne + 0.5)) from:',
    'AfterEffectB, computed as (F + 1) / (n * (tfn + 1)) from:',
  ]);
  const phrase = (await explain({ match_phrase: { t: 'quick fox' } })).explanation;
  expect(phrase.details[0].description).toBe('sum of:');
  expect(phrase.details[0].details).toHaveLength(2);
  await node.ok('DELETE /explained');
});

test.each([
  ['return -1', 'Similarities should not return negative scores:'],
  ['return 1 / doc.freq', 'Similarity scores should not decrease when term frequency increases:'],
  ['return doc.length', 'Similarity scores should not increase when norm increases:'],
  ['return foo(', 'compile error'],
])('refuses an index whose similarity has the script %s', async (source, reason) => {
  const body = { settings: { 'index.similarity': { own: { type: 'scripted', script: { source } } } } };
  const { status, json } = await node.send('PUT /refused', body);
  expect(status).toBe(400);
  expect(json.error.reason.split('\n')[0]).toBe(reason);
});

test('one parameter of a similarity can be changed while the index is closed', async () => {
  await index('closed', { type: 'LMDirichlet', mu: '10' }, TEXTS);
  const before = await scoresOf('closed', { term: { t: 'fox' } });
  await node.ok('POST /closed/_close');
  await node.ok('PUT /closed/_settings', { 'index.similarity.own.mu': '2000' });
  await node.ok('POST /closed/_open');
  expect(await scoresOf('closed', { term: { t: 'fox' } })).not.toEqual(before);
});
