// Cached answers equal those of fresh searches: repeated requests by two users over several workers, while documents, aliases, mappings, settings,
// scripts and whole indices change.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashPassword } from '../../src/security/password-hash.ts';
import { forSeedsAsync, type Rng } from '../support/rng.ts';
import { startService, type TestService } from '../support/service.ts';

const ROUNDS = 20;
const REQUESTS_A_ROUND = 5;
const NAMES = ['open', 'secret'] as const;
const WORDS = ['red', 'green', 'blue', 'grey', 'white'];

let service: TestService;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'gannet-users-'));
  const hash = await hashPassword('pw');
  const config = {
    security: {
      users: { root: { password_hash: hash, roles: ['superuser'] }, ann: { password_hash: hash, roles: ['reader'] } },
      roles: { reader: { cluster: [], indices: [{ names: ['open*'], privileges: ['read'] }] } },
    },
  };
  writeFileSync(path.join(folder, 'gannet.yml'), JSON.stringify(config));
  service = await startService(['--threads=3', `--config=${path.join(folder, 'gannet.yml')}`]);
});

afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

/** A request on a new connection: the kernel gives it to any of the workers. */
function as(user: string, method: string, target: string, body?: unknown, password = 'pw') {
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  return service.request(method, target, body, { authorization, connection: 'close' });
}

async function ok(method: string, target: string, body?: unknown): Promise<void> {
  const { status, body: answer } = await as('root', method, target, body);
  if (status >= 300) throw new Error(`${method} ${target}: ${status} ${JSON.stringify(answer)}`);
}

async function createIndex(name: string): Promise<void> {
  await ok('PUT', `/${name}`, {
    settings: { number_of_replicas: 0, refresh_interval: '-1' },
    mappings: { properties: { word: { type: 'keyword' }, text: { type: 'text' }, n: { type: 'long' }, at: { type: 'date' } } },
  });
}

const document = (rng: Rng) => ({
  word: rng.pick(WORDS),
  text: `${rng.pick(WORDS)} ${rng.pick(WORDS)}`,
  n: rng.int(0, 20),
  at: rng.int(0, 1e12),
});

/** Changes between requests. All workers see a change once it is answered. */
const CHANGES: ReadonlyArray<(rng: Rng, name: string) => Promise<void>> = [
  (rng, name) => ok('PUT', `/${name}/_doc/${rng.int(0, 30)}?refresh=true`, document(rng)),
  (rng, name) => ok('POST', `/${name}/_bulk?refresh=true`, `{"index":{}}\n${JSON.stringify(document(rng))}\n`),
  (rng, name) => ok('POST', `/${name}/_delete_by_query?refresh=true`, { query: { term: { word: rng.pick(WORDS) } } }),
  (rng, name) => ok('POST', `/${name}/_update_by_query?refresh=true`, { script: { source: `ctx._source.n = ${rng.int(0, 20)}` } }),
  (_, name) => ok('POST', `/${name}/_forcemerge?max_num_segments=1`),
  (rng, name) =>
    ok('POST', '/_aliases', { actions: [{ add: { index: name, alias: 'open-alias', filter: { term: { word: rng.pick(WORDS) } } } }] }),
  (_, name) => ok('POST', '/_aliases', { actions: [{ add: { index: name, alias: 'open-alias' } }] }),
  (_, name) => ok('POST', '/_aliases', { actions: [{ remove: { index: name, alias: 'open-alias', must_exist: false } }] }).catch(() => {}),
  (rng, name) => ok('PUT', `/${name}/_mapping`, { properties: { [`new${rng.int(0, 9)}`]: { type: 'keyword' } } }),
  (rng, name) => ok('PUT', `/${name}/_mapping`, { runtime: { made: { type: 'long', script: { source: `emit(${rng.int(0, 9)})` } } } }),
  (rng, name) => ok('PUT', `/${name}/_settings`, { index: { max_result_window: rng.pick([4, 10_000]) } }),
  (rng, name) => ok('PUT', `/${name}/_settings`, { index: { query: { default_field: [rng.pick(['text', 'word'])] } } }),
  (rng) => ok('PUT', '/_scripts/twice', { script: { lang: 'painless', source: `doc['n'].value * ${rng.int(2, 5)}` } }),
  (rng) => ok('PUT', '/_cluster/settings', { transient: { 'search.max_buckets': rng.pick([2, null]) } }),
  (rng) => ok('PUT', '/_cluster/settings', { transient: { 'search.allow_expensive_queries': rng.pick([false, null]) } }),
  async (_, name) => {
    await ok('POST', `/${name}/_close`);
    await ok('POST', `/${name}/_open`);
  },
  async (rng, name) => {
    await ok('DELETE', `/${name}`);
    await createIndex(name);
    await ok('PUT', `/${name}/_doc/1?refresh=true`, document(rng));
  },
];

/** Paths and bodies that are requested repeatedly. */
const SEARCHES: ReadonlyArray<readonly [target: string, body?: unknown]> = [
  ['/open/_search', { query: { match: { text: 'red blue' } } }],
  ['/secret/_search', { query: { match: { text: 'red blue' } } }],
  ['/_search', { query: { match: { text: 'red blue' } }, sort: ['_score', 'n', '_index', '_doc'] }],
  ['/_all/_search', { size: 0, aggs: { words: { terms: { field: 'word' }, aggs: { n: { avg: { field: 'n' } } } } } }],
  ['/open*/_search', { query: { query_string: { query: 'red OR gr*' } } }],
  ['/open-alias/_search', { size: 3, sort: [{ n: 'desc' }, '_doc'] }],
  ['/open,open-alias/_search', { size: 3, sort: [{ n: 'desc' }, '_doc'] }],
  ['/open/_search?ignore_unavailable=true&preference=x', { query: { wildcard: { word: '*e*' } } }],
  ['/open/_search?q=red&sort=n,_doc&size=3'],
  ['/open/_search?q=at:%3Cnow'],
  ['/open/_search?routing=a', { query: { ids: { values: ['1', '2', '3'] } } }],
  ['/open/_search', { query: { range: { made: { gte: 4 } } } }],
  ['/open/_search', { size: 5, query: { script_score: { query: { match_all: {} }, script: { id: 'twice' } } } }],
  ['/open/_search', { query: { terms: { word: { index: 'open', id: '1', path: 'word' } } } }],
  ['/open/_search', { query: { terms: { word: { index: 'secret', id: '1', path: 'word' } } } }],
  ['/open/_search', { query: { more_like_this: { fields: ['text'], like: [{ _id: '1' }], min_term_freq: 1, min_doc_freq: 1 } } }],
  ['/open/_search?typed_keys=true', { size: 0, aggs: { n: { histogram: { field: 'n', interval: 5 } }, m: { max: { field: 'n' } } } }],
  ['/open/_search?rest_total_hits_as_int=true', { track_total_hits: true, collapse: { field: 'word' }, sort: ['n', '_doc'] }],
  ['/open/_search?filter_path=hits.hits._id,hits.total', { query: { bool: { filter: { exists: { field: 'n' } } } } }],
  ['/open/_search?pretty', { query: { match_phrase: { text: 'red blue' } }, highlight: { fields: { text: {} } } }],
];

/** An answer without the time that it took. */
function shown({ status, body }: { status: number; body: any }): unknown {
  if (typeof body !== 'object' || body === null) return { status, body };
  const { took: _, ...rest } = body;
  return { status, body: rest };
}

test('cached responses equal those of searches without the cache', async () => {
  for (const name of NAMES) await createIndex(name);
  await ok('PUT', '/_scripts/twice', { script: { lang: 'painless', source: "doc['n'].value * 2" } });
  await forSeedsAsync(1, async (rng) => {
    for (const name of NAMES) for (let i = 0; i < 30; i++) await CHANGES[0](rng, name);
    for (let round = 0; round < ROUNDS; round++) {
      await rng.pick(CHANGES)(rng, rng.pick(NAMES));
      for (let i = 0; i < REQUESTS_A_ROUND; i++) {
        const [target, body] = rng.pick(SEARCHES);
        const fresh = `${target}${target.includes('?') ? '&' : '?'}request_cache=false`;
        for (const user of ['root', 'ann', 'root', 'ann']) {
          const expected = shown(await as(user, 'POST', fresh, body));
          expect(shown(await as(user, 'POST', target, body)), `${round}: ${user} ${target} ${JSON.stringify(body)}`).toEqual(expected);
        }
      }
    }
  });
});

test('rights are checked before a cached response is returned', async () => {
  await ok('PUT', '/secret/_doc/1?refresh=true', { word: 'red' });
  for (let i = 0; i < 12; i++) {
    expect((await as('root', 'POST', '/secret/_search', { size: 1 })).status).toBe(200);
    expect((await as('ann', 'POST', '/secret/_search', { size: 1 })).status).toBe(403);
    expect((await as('root', 'POST', '/secret/_search', { size: 1 }, 'wrong')).status).toBe(401);
    expect((await service.request('POST', '/secret/_search', { size: 1 }, { connection: 'close' })).status).toBe(401);
  }
});

const AS_ROOT = { authorization: `Basic ${Buffer.from('root:pw').toString('base64')}`, 'content-type': 'application/json' };

async function hitsOf(target: string, body?: string): Promise<any> {
  const { status, body: answer } = await service.request('POST', target, body, { ...AS_ROOT, connection: 'close' });
  expect(status).toBe(200);
  return answer.hits;
}

const untilAfter = (timeMs: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, timeMs - Date.now()) + 20));

test('searches that depend on the time are not cached', async () => {
  await createIndex('soon');
  const due = Date.now() + 3000;
  await ok('PUT', '/soon/_doc/1?refresh=true', { at: due });
  const searches = [
    ['/soon/_search?q=at:%5Bnow+TO+*%5D'],
    ['/soon/_search', '{"query":{"range":{"at":{"gte":"n\\u006fw"}}}}'],
    ['/soon/_search', '{"query":{"query_string":{"query":"at:[\\nnow TO *]"}}}'],
    ['/soon/_search', '{"query":{"range":{"at":{"gte":"now"}}}}'],
  ] as const;
  // Often enough for every worker to have seen each text before.
  for (let i = 0; i < 10; i++) for (const [target, body] of searches) await hitsOf(target, body);
  await untilAfter(due);
  for (const [target, body] of searches) expect((await hitsOf(target, body)).total.value, `${target} ${body}`).toBe(0);
});

test('scores that depend on the time or on chance are not cached', async () => {
  await createIndex('scored');
  await ok('PUT', '/scored/_doc/1?refresh=true', { at: Date.now() + 60_000 });
  for (const body of [
    '{"query":{"function_score":{"linear":{"at":{"scale":"10m"}}}}}',
    '{"query":{"function_score":{"random_score":{}}}}',
    '{"query":{"match_all":{}},"rescore":{"window_size":5,"query":{"rescore_query":{"function_score":{"random_score":{"field":"at"}}}}}}',
  ]) {
    const scores = new Set<number>();
    for (let i = 0; i < 6; i++) {
      scores.add((await hitsOf('/scored/_search', body)).hits[0]._score);
      await untilAfter(Date.now());
    }
    expect(scores.size, body).toBe(6);
  }
  const seeded = '{"query":{"function_score":{"random_score":{"seed":7,"field":"_seq_no"}}}}';
  const first = (await hitsOf('/scored/_search', seeded)).max_score;
  for (let i = 0; i < 6; i++) expect((await hitsOf('/scored/_search', seeded)).max_score).toBe(first);
});

test('a scroll sorted by random scores returns every document once', async () => {
  await createIndex('shuffled');
  await ok('POST', '/shuffled/_bulk?refresh=true', Array.from({ length: 40 }, (_, n) => `{"index":{}}\n{"n":${n}}\n`).join(''));
  const seen: number[] = [];
  const body = '{"size":7,"query":{"function_score":{"random_score":{}}}}';
  let page = (await service.request('POST', '/shuffled/_search?scroll=1m', body, { ...AS_ROOT, connection: 'close' })).body;
  while (page.hits.hits.length > 0) {
    seen.push(...page.hits.hits.map((hit: any) => hit._source.n));
    page = (await as('root', 'POST', '/_search/scroll', { scroll: '1m', scroll_id: page._scroll_id })).body;
  }
  expect(seen.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n));
});
