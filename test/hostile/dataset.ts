// The indices of the hostile test: `hostile` has a field of each kind, `special` vectors, stored queries and suggestions with contexts; `canary` is
// searched by the canary, `scratch` may be written to, and `stream-*` are data streams.
import { Rng } from '../support/rng.ts';
import type { TestService } from '../support/service.ts';

export const DOCUMENTS = 20_000;
const BATCH = 5000;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

export const PROPERTIES = {
  code: { type: 'keyword' },
  tag: { type: 'keyword' },
  text: { type: 'text', fielddata: true, term_vector: 'with_positions_offsets', fields: { raw: { type: 'keyword', ignore_above: 256 } } },
  n: { type: 'integer' },
  big: { type: 'long' },
  d: { type: 'double' },
  flag: { type: 'boolean' },
  day: { type: 'date' },
  address: { type: 'ip' },
  place: { type: 'geo_point' },
  shape: { type: 'geo_shape' },
  span: { type: 'integer_range' },
  importance: { type: 'rank_feature' },
  suggest: { type: 'completion' },
  parts: { type: 'nested', properties: { name: { type: 'keyword' }, count: { type: 'integer' } } },
  relation: { type: 'join', relations: { question: 'answer' } },
};

export const DIMENSIONS = 64;

const SPECIAL_PROPERTIES = {
  query: { type: 'percolator' },
  text: { type: 'text' },
  n: { type: 'integer' },
  vector: { type: 'dense_vector', dims: DIMENSIONS, index: true, similarity: 'cosine' },
  suggest: {
    type: 'completion',
    contexts: [
      { name: 'kind', type: 'category' },
      { name: 'place', type: 'geo', precision: 5 },
    ],
  },
};
const STREAM_TEMPLATE = { index_patterns: ['stream-*'], data_stream: {}, template: { settings: { number_of_shards: 1 } } };

/** Creates and fills the indices. */
export async function fillIndices(service: TestService, documents = DOCUMENTS): Promise<void> {
  const must = async (method: string, target: string, body?: unknown): Promise<void> => {
    const { status, body: answer } = await service.request(method, target, body);
    if (status >= 300 || answer.errors) throw new Error(`${method} ${target}: ${status} ${JSON.stringify(answer).slice(0, 500)}`);
  };
  await must('PUT', '/hostile', { settings: { number_of_shards: 1 }, mappings: { properties: PROPERTIES } });
  await must('PUT', '/canary', { mappings: { properties: { text: { type: 'text' } } } });
  await must('PUT', '/scratch', {});
  await must('PUT', '/special', { mappings: { properties: SPECIAL_PROPERTIES } });
  await must('PUT', '/_index_template/streams', STREAM_TEMPLATE);
  const rng = new Rng(14);
  for (let first = 0; first < documents; first += BATCH) {
    const last = Math.min(documents, first + BATCH);
    await must(
      'POST',
      '/hostile/_bulk',
      lines(first, last, (i) => document(rng, i)),
    );
  }
  await must(
    'POST',
    '/canary/_bulk',
    lines(0, 1000, (i) => ({ text: `w${i % 13} w${i % 7} w${i}` })),
  );
  await must(
    'POST',
    '/special/_bulk',
    lines(0, documents / 10, (i) => special(rng, i)),
  );
  await must('POST', '/_refresh');
}

function lines(first: number, last: number, make: (i: number) => object): string {
  let text = '';
  for (let i = first; i < last; i++) text += `{"index":{"_id":"${i}"}}\n${JSON.stringify(make(i))}\n`;
  return text;
}

function special(rng: Rng, i: number): object {
  return {
    query: { bool: { should: [{ match: { text: `w${i % 50}` } }, { range: { n: { gte: i } } }] } },
    text: `w${i % 13} w${i % 7}`,
    n: i,
    vector: Array.from({ length: DIMENSIONS }, () => rng.float() - 0.5),
    suggest: { input: `word ${i}`, contexts: { kind: `k${i % 5}`, place: { lat: i % 80, lon: i % 170 } } },
  };
}

function document(rng: Rng, i: number): object {
  const word = (length: number): string => Array.from({ length }, () => rng.pick([...LETTERS])).join('');
  const [lat, lon] = [rng.float() * 160 - 80, rng.float() * 340 - 170];
  return {
    code: word(rng.int(8, 60)),
    tag: `t${i % 100}`,
    text: Array.from({ length: 12 }, () => `w${rng.skewed(5000)}`).join(' '),
    n: i,
    big: i * 1_000_003,
    d: rng.float() * 1e6,
    flag: rng.bool(),
    day: 1_600_000_000_000 + i * 3_600_000,
    address: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`,
    place: { lat, lon },
    shape: { type: 'point', coordinates: [lon, lat] },
    span: { gte: i, lte: i + 10 },
    importance: 1 + (i % 50),
    suggest: word(10),
    parts: [
      { name: `p${i % 20}`, count: i % 5 },
      { name: `p${i % 7}`, count: i % 3 },
    ],
    relation: i % 10 === 0 ? 'question' : undefined,
  };
}
