// An index whose segments do not fit into memory.limit: sections are loaded when a request needs them and evicted for others. Answers are those of a
// node with enough memory, and a damaged byte is found when its section is loaded.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../support/rest-node.ts';
import { Rng } from '../support/rng.ts';

const SEGMENTS = 6;
const DOCS = 1500;
/** Pools have a share of this. The index is several times as large. */
const SMALL = { 'memory.limit': '4mb', 'memory.whole_segment_size': '0b' };

const PROPERTIES = {
  title: { type: 'text' },
  body: { type: 'text', term_vector: 'no' },
  tag: { type: 'keyword' },
  n: { type: 'long' },
  price: { type: 'double' },
  at: { type: 'date' },
  place: { type: 'geo_point' },
  parts: { type: 'nested', properties: { name: { type: 'keyword' }, size: { type: 'integer' } } },
  vector: { type: 'dense_vector', dims: 4, index: true, similarity: 'l2_norm' },
};

let roomy: RestNode;
let small: RestNode;
let copy: string;

function documentOf(rng: Rng, words: readonly string[], i: number): object {
  const text = (count: number): string => Array.from({ length: count }, () => words[rng.skewed(words.length - 1)]).join(' ');
  return {
    title: text(4),
    body: text(60),
    tag: [`t${rng.int(0, 300)}`, `u${i}`],
    n: rng.int(0, 1_000_000),
    price: rng.int(0, 10_000) / 7,
    at: 1.6e12 + rng.int(0, 1e10),
    place: { lat: rng.int(-80, 80), lon: rng.int(-170, 170) },
    parts: Array.from({ length: rng.int(0, 2) }, () => ({ name: `p${rng.int(0, 20)}`, size: rng.int(0, 9) })),
    ...(i % 4 === 0 ? { vector: Array.from({ length: 4 }, () => rng.int(-9, 9) + 0.5) } : {}),
  };
}

beforeAll(async () => {
  roomy = await openRestNode();
  const rng = new Rng(7);
  const words = Array.from({ length: 4000 }, () => rng.word(9));
  await roomy.ok('PUT /big', {
    settings: { refresh_interval: -1, 'merge.policy.segments_per_tier': 50 },
    mappings: { properties: PROPERTIES },
  });
  for (let segment = 0; segment < SEGMENTS; segment++) {
    const lines = Array.from({ length: DOCS }, (_, i) => [
      { index: { _id: `${segment}-${i}` } },
      documentOf(rng, words, segment * DOCS + i),
    ]).flat();
    await roomy.ok('POST /big/_bulk', lines);
    await roomy.ok('POST /big/_flush');
  }
  for (let i = 0; i < 50; i++) await roomy.ok(`DELETE /big/_doc/${i % SEGMENTS}-${i * 7}`);
  await roomy.ok('POST /big/_flush');
  // The second start also gives both nodes the same segments in the same order.
  await roomy.restart();
  copy = mkdtempSync(path.join(os.tmpdir(), 'gannet-paged-'));
  cpSync(roomy.folder, copy, { recursive: true, filter: (name) => !name.endsWith('.lock') });
  small = await openRestNode(SMALL, copy);
});

afterAll(async () => {
  await roomy.close();
  await small.close();
});

const word = (rng: Rng): string => rng.word(2);

function requests(rng: Rng): object[] {
  const text = `${word(rng)} ${word(rng)} ${word(rng)}`;
  const field = rng.pick(['title', 'body']);
  return [
    { query: { match: { [field]: text } }, track_total_hits: true },
    { query: { match: { [field]: { query: text, operator: 'and' } } } },
    { query: { match_phrase: { body: { query: `${word(rng)} ${word(rng)}`, slop: rng.int(0, 3) } } }, track_total_hits: true },
    {
      query: {
        bool: { must: { match: { body: word(rng) } }, must_not: { match: { title: word(rng) } }, filter: { range: { n: { gte: 5e5 } } } },
      },
    },
    { query: { prefix: { tag: `t${rng.int(0, 9)}` } }, sort: [{ n: 'desc' }], docvalue_fields: ['at', 'price', 'tag'] },
    { query: { wildcard: { body: `${word(rng)}*` } }, size: 3 },
    { query: { fuzzy: { title: { value: rng.word(4), fuzziness: 2 } } } },
    { query: { terms: { tag: [`t${rng.int(0, 300)}`, `u${rng.int(0, 9000)}`] } }, sort: ['at'] },
    { query: { nested: { path: 'parts', query: { term: { 'parts.name': `p${rng.int(0, 20)}` } }, inner_hits: {} } } },
    {
      query: { geo_distance: { distance: '2000km', place: { lat: rng.int(-60, 60), lon: rng.int(-170, 170) } } },
      sort: [{ price: 'asc' }],
    },
    { knn: { field: 'vector', query_vector: [1, rng.int(-5, 5), 0, 2], k: 5, num_candidates: 50 } },
    { query: { exists: { field: rng.pick(['body', 'place', 'tag', 'vector']) } }, size: 0, track_total_hits: true },
    { query: { ids: { values: [`0-${rng.int(0, 1499)}`, `3-${rng.int(0, 1499)}`] } } },
    { query: { match: { body: word(rng) } }, highlight: { fields: { body: {} } }, fields: ['n', 'tag'] },
    { size: 0, aggs: { tags: { terms: { field: 'tag', size: 5 }, aggs: { price: { avg: { field: 'price' } } } } } },
    {
      size: 0,
      aggs: { months: { date_histogram: { field: 'at', calendar_interval: 'month' } }, distinct: { cardinality: { field: 'tag' } } },
    },
    { size: 0, aggs: { parts: { nested: { path: 'parts' }, aggs: { size: { stats: { field: 'parts.size' } } } } } },
    { query: { function_score: { query: { match: { body: word(rng) } }, field_value_factor: { field: 'price' } } } },
  ];
}

const answerOf = async (node: RestNode, line: string, body?: object) => {
  const { status, json } = await node.send(line, body);
  if (json && typeof json === 'object') delete json.took;
  return { status, json };
};

/** Sends the requests of a seed to both nodes. */
async function compare(seed: number): Promise<void> {
  for (const body of requests(new Rng(seed))) {
    const expected = await answerOf(roomy, 'POST /big/_search?request_cache=false', body);
    expect(expected.status, JSON.stringify(expected)).toBe(200);
    expect(await answerOf(small, 'POST /big/_search?request_cache=false', body), JSON.stringify(body)).toEqual(expected);
  }
}

test('random requests get the responses of a node with enough memory', async () => {
  for (let seed = 0; seed < 6; seed++) await compare(seed);
  const memory = await memoryOf(small);
  expect(memory.resident_in_bytes).toBeLessThan(memory.limit_in_bytes * 1.1);
  expect(memory.loaded.count).toBeGreaterThan(memory.evicted.count);
  expect(memory.evicted.count).toBeGreaterThan(30);
  expect((await memoryOf(roomy)).loaded.count).toBe(0);
});

test('profile shows what the query phase has loaded and evicted, and what it found in memory', async () => {
  const profiled = async (node: RestNode, body: object) =>
    (await node.ok('POST /big/_search?request_cache=false', { ...body, profile: true })).profile.shards[0].segment_memory;
  const before = await memoryOf(small);
  const shown = { loaded: 0, evicted: 0 };
  // The first requests find room without evicting anything.
  for (const body of [31, 32, 33].flatMap((seed) => requests(new Rng(seed)))) {
    const { resident_in_bytes: resident, loaded, evicted, waited } = await profiled(small, body);
    expect(resident).toBeLessThan(before.limit_in_bytes * 1.1);
    expect(loaded.size_in_bytes).toBeGreaterThanOrEqual(loaded.count);
    expect(waited).toEqual({ count: 0, time_in_millis: 0 });
    shown.loaded += loaded.count;
    shown.evicted += evicted.count;
  }
  // The fetch phase loads sections, too.
  const after = await memoryOf(small);
  expect(shown.loaded).toBeGreaterThan(10);
  expect(shown.loaded).toBeLessThanOrEqual(after.loaded.count - before.loaded.count);
  expect(shown.evicted).toBeGreaterThan(0);
  expect(shown.evicted).toBeLessThanOrEqual(after.evicted.count - before.evicted.count);
  const [match] = requests(new Rng(31));
  await profiled(small, match);
  const again = await profiled(small, match);
  expect(again.loaded).toEqual({ count: 0, size_in_bytes: 0 });
  expect(again.resident_in_bytes).toBeGreaterThan(0);
  expect(await profiled(roomy, match)).toBeUndefined();
});

test('documents are found, updated and deleted by id, also at the same time as searches', async () => {
  const rng = new Rng(3);
  const tasks = Array.from({ length: 40 }, async () => {
    const id = `${rng.int(0, SEGMENTS - 1)}-${400 + rng.int(0, 1000)}`;
    const body = requests(rng)[rng.int(0, 17)];
    for (const node of [roomy, small]) {
      const found = await node.send(`GET /big/_doc/${id}`);
      expect([200, 404]).toContain(found.status);
      await node.ok('POST /big/_search', body);
    }
    expect((await small.send(`GET /big/_doc/${id}`)).json._source).toEqual((await roomy.send(`GET /big/_doc/${id}`)).json._source);
  });
  await Promise.all(tasks);
  for (const node of [roomy, small]) {
    await node.ok('POST /big/_update/2-10', { doc: { title: 'changed entirely' } });
    await node.ok('DELETE /big/_doc/3-10');
    await node.ok('POST /big/_refresh');
  }
  const changed = { query: { match: { title: 'entirely' } } };
  expect((await answerOf(small, 'POST /big/_search', changed)).json.hits.hits).toEqual(
    (await answerOf(roomy, 'POST /big/_search', changed)).json.hits.hits,
  );
  expect((await answerOf(small, 'GET /big/_count')).json.count).toBe((await answerOf(roomy, 'GET /big/_count')).json.count);
});

test('a scroll and a point in time keep their segments while these are merged into files', async () => {
  const pit = (await small.ok('POST /big/_pit?keep_alive=1m')).id;
  const page = { size: 500, query: { match_all: {} }, sort: ['n'], _source: false };
  const before = (await small.ok('POST /_search', { ...page, pit: { id: pit } })).hits.hits;
  const { _scroll_id: scroll } = await small.ok('POST /big/_search?scroll=1m', { size: 500, sort: ['_doc'], _source: false });
  for (const node of [roomy, small]) await node.ok('POST /big/_forcemerge?max_num_segments=5');
  expect(await segmentCount(small)).toBe(5);
  expect((await small.ok('POST /_search', { ...page, pit: { id: pit } })).hits.hits).toEqual(before);
  const seen = new Set<string>();
  for (let more = true; more; ) {
    const { hits } = (await small.ok('POST /_search/scroll', { scroll: '1m', scroll_id: scroll })).hits;
    for (const { _id } of hits) seen.add(_id);
    more = hits.length > 0;
  }
  expect(seen.size).toBeGreaterThan(SEGMENTS * DOCS - 700);
  await small.ok('DELETE /_pit', { id: pit });
});

const memoryOf = async (node: RestNode) => {
  const [{ segment_memory }] = Object.values((await node.ok('GET /_nodes/stats/segment_memory')).nodes) as any[];
  return segment_memory;
};

/** Bytes of the index in memory. */
const residentBytes = async (node: RestNode): Promise<number> => {
  const rows = await node.ok('GET /_cat/segments/big?format=json&h=size.memory');
  return rows.reduce((sum: number, row: Record<string, string>) => sum + Number(row['size.memory']), 0);
};

const segmentCount = async (node: RestNode): Promise<number> => (await node.ok('GET /big/_stats')).indices.big.primaries.segments.count;

test('segments written while memory is scarce are freed once they are on disk', async () => {
  const words = Array.from({ length: 2000 }, () => new Rng(5).word(9));
  for (let batch = 0; batch < 5; batch++) {
    const rng = new Rng(100 + batch);
    const lines = Array.from({ length: DOCS }, (_, i) => [{ index: { _id: `new-${batch}-${i}` } }, documentOf(rng, words, i)]).flat();
    for (const node of [roomy, small]) await node.ok('POST /big/_bulk?refresh=true', lines);
    // Writes go on when the segments before are on disk.
    for (let left = 600; ; left--) {
      await small.ok('POST /big/_flush');
      if ((await residentBytes(small)) < 4 << 20) break;
      expect(left).toBeGreaterThan(0);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  for (const node of [roomy, small]) await node.ok('POST /big/_forcemerge?max_num_segments=4');
  expect(await segmentCount(small)).toBe(4);
  await compare(20);
  expect(await residentBytes(small)).toBeLessThan(4 << 20);
});

test('a damaged byte of a section is found when the section is loaded', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gannet-paged-'));
  cpSync(roomy.folder, folder, { recursive: true, filter: (name) => !name.endsWith('.lock') });
  const [file] = (readdirSync(folder, { recursive: true }) as string[]).filter((name) => name.endsWith('.seg'));
  const image = readFileSync(path.join(folder, file));
  // Entries of the table of contents: kind, field, offset. Postings are of kind 3.
  const toc = image.readUInt32LE(20);
  for (let at = toc; at < toc + image.readUInt32LE(16) * 32; at += 32)
    if (image.readUInt32LE(at) === 3) image[image.readUInt32LE(at + 8) + (image.readUInt32LE(at + 12) >>> 1)] ^= 1;
  writeFileSync(path.join(folder, file), image);
  const node = await openRestNode(SMALL, folder);
  try {
    expect((await node.ok('GET /big/_search', { query: { range: { n: { gte: 0 } } }, size: 1 })).hits.hits).toHaveLength(1);
    const { status, json } = await node.send('GET /big/_search', { query: { match: { body: 'a b c' } } });
    expect([status, JSON.stringify(json)]).toEqual([500, expect.stringContaining('checksum differs')]);
    expect(JSON.stringify(json)).toContain('corrupt_index_exception');
  } finally {
    await node.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
