// An index several times larger than memory.limit: generated, opened and searched by the real service, against the same service with enough memory.
//   npm run bench:scale [-- --docs 2000000] [--limit 200mb] [--roomy 8gb] [--requests 20000] [--rounds 3] [--clients 4] [--data FOLDER] [--only index]
// Corpus: documents.ts, about 500 bytes of segments each; 20,000,000 with a limit of 2gb is the full size (10 GB of segments, 30 GB of log: 45 minutes
// on two cores). The index is written under --limit and kept in --data, by default .cache/bench/scale-DOCS, for the next run.
// Each round starts the service with either limit, measures the time from the start of the process to the first response to a search, sends every
// search once, whose response must be the same under both limits, and then the log of searches (requests.ts), whose throughput and CPU time are
// printed. Responses are not cached (request_cache=false). Output: a table, and JSON with commit and machine.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ServiceClient } from '../../src/cli/service-client.ts';
import { startService, type TestService } from '../../test/support/service.ts';
import { CACHE_FOLDER } from '../data/corpus.ts';
import { machine } from '../query/rivals.ts';
import { Documents, INDEX, INDEX_BODY } from './documents.ts';
import { queryLog, type SearchRequest, searchRequests } from './requests.ts';

const { values: args } = parseArgs({
  options: {
    docs: { type: 'string', default: '4000000' },
    limit: { type: 'string', default: '400mb' },
    roomy: { type: 'string', default: '8gb' },
    requests: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '4' },
    data: { type: 'string' },
    only: { type: 'string' },
  },
});
const DOCS = Number(args.docs);
const ROUNDS = Number(args.rounds);
const CLIENTS = Number(args.clients);
const BULK_DOCS = 1000;
/** A bulk that is refused for about twice this time fails. */
const MAX_PAUSE_MS = 25_600;
const DIFFERENT_REQUESTS = 2000;
const folder = args.data ?? path.join(CACHE_FOLDER, `scale-${DOCS}`);
/** Exists when the index is complete. */
const marker = path.join(folder, 'complete.json');
const documents = new Documents();
const requests = searchRequests(documents, DOCS, DIFFERENT_REQUESTS);
const log = queryLog(DIFFERENT_REQUESTS, Number(args.requests));

interface Round {
  readonly limit: string;
  readonly openMs: number;
  /** Processor time of the service until the first response. */
  readonly openCpuMs: number;
  readonly requestsPerSecond: number;
  /** Processor time of the service per request of the log. */
  readonly cpuMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly peakMb: number;
  readonly loaded: number;
  readonly evicted: number;
  readonly waited: number;
}

let refusals = 0;

if (!isComplete()) await writeIndex();
if (args.only !== 'index') await compare();

function isComplete(): boolean {
  try {
    return JSON.parse(readFileSync(marker, 'utf8')).docs === DOCS;
  } catch {
    return false;
  }
}

/** Sends requests in turn from all clients. */
async function eachOf<T>(items: readonly T[], action: (item: T, i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const run = async (): Promise<void> => {
    while (next < items.length) await action(items[next], next++);
  };
  await Promise.all(Array.from({ length: CLIENTS }, run));
}

async function writeIndex(): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const service = await startService([`--memory.limit=${args.limit}`], folder);
  const client = new ServiceClient(service.url, null, CLIENTS);
  try {
    await client.call('PUT', `/${INDEX}`, INDEX_BODY);
    const started = performance.now();
    const seconds = (): number => (performance.now() - started) / 1000;
    const starts = Array.from({ length: Math.ceil(DOCS / BULK_DOCS) }, (_, i) => i * BULK_DOCS);
    await eachOf(starts, async (start, i) => {
      await sendBulk(client, documents.bulk(start, Math.min(BULK_DOCS, DOCS - start)));
      if (i % 100 === 99) process.stderr.write(`${start + BULK_DOCS} documents, ${Math.round((start + BULK_DOCS) / seconds())}/s\n`);
    });
    await client.call('POST', `/${INDEX}/_refresh`);
    await client.call('POST', `/${INDEX}/_flush`);
    const { count } = await client.call<{ count: number }>('GET', `/${INDEX}/_count`);
    if (count !== DOCS) throw new Error(`${count} documents instead of ${DOCS}`);
    process.stderr.write(`${DOCS} documents in ${seconds().toFixed(0)} s, ${refusals} bulks sent again, peak ${peakMb(service)} MB\n`);
    await mergesEnded(client);
    await service.stop({ keepData: true });
    writeFileSync(marker, JSON.stringify({ docs: DOCS, limit: args.limit }));
  } finally {
    client.close();
    await service.stop({ keepData: true });
  }
}

/** A bulk that memory.limit refuses for the moment is sent again, as clients do. The refused bulk has left nothing behind. */
async function sendBulk(client: ServiceClient, body: string): Promise<void> {
  for (let pauseMs = 100; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
    const { status, text } = await client.send('POST', `/${INDEX}/_bulk?filter_path=errors,items.*.error`, body, 'application/x-ndjson');
    if (status === 200 && text.startsWith('{"errors":false')) return;
    if (status !== 429 || pauseMs === MAX_PAUSE_MS) throw new Error(`_bulk: ${status} ${text.slice(0, 1000)}`);
    refusals++;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Waits until the segments have not changed for two seconds. */
async function mergesEnded(client: ServiceClient): Promise<void> {
  for (let before = '', same = 0; same < 10; ) {
    const names = await segments(client);
    same = names === before ? same + 1 : 0;
    before = names;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function segments(client: ServiceClient): Promise<string> {
  const { text } = await client.send('GET', `/_cat/segments/${INDEX}?h=segment,docs.count,size&bytes=b`);
  return text;
}

async function compare(): Promise<void> {
  const rounds: Round[] = [];
  const expected: string[] = [];
  for (let round = 0; round < ROUNDS; round++)
    for (const limit of [args.roomy, args.limit]) {
      rounds.push(await runRound(limit, expected));
      process.stderr.write(`${JSON.stringify(rounds.at(-1))}\n`);
    }
  const best = (limit: string, value: (round: Round) => number): number =>
    Math.min(...rounds.filter((round) => round.limit === limit).map(value));
  const columns = ['openMs', 'openCpuMs', 'cpuMs', 'p50Ms', 'p99Ms', 'peakMb', 'loaded', 'evicted', 'waited'] as const;
  const lines = [`| memory.limit | requests/s | ${columns.join(' | ')} |`, `|---|${'--:|'.repeat(columns.length + 1)}`];
  for (const limit of [args.roomy, args.limit]) {
    const cells = [
      -best(limit, ({ requestsPerSecond }) => -requestsPerSecond),
      ...columns.map((column) => best(limit, (round) => round[column])),
    ];
    lines.push(`| ${[limit, ...cells.map((value) => Number(value.toPrecision(3)))].join(' | ')} |`);
  }
  process.stdout.write(
    `${DIFFERENT_REQUESTS} searches have the same responses under both limits. Best of ${ROUNDS} rounds:\n\n${lines.join('\n')}\n`,
  );
  process.stdout.write(`\n${machine()}\n${JSON.stringify({ docs: DOCS, rounds })}\n`);
}

/** @param expected  responses of each search, filled by the first round */
async function runRound(limit: string, expected: string[]): Promise<Round> {
  const started = performance.now();
  const service = await startService([`--memory.limit=${limit}`], folder);
  const client = new ServiceClient(service.url, null, CLIENTS);
  try {
    const first = await search(client, requests[0]);
    const openMs = performance.now() - started;
    const openCpuMs = cpuMs(service);
    if (expected.length > 0 && first !== expected[1]) throw new Error(`the first response differs: ${first.slice(0, 500)}`);
    const isFirst = expected.length === 0;
    const names = await segments(client);
    if (isFirst) expected.push(names);
    else if (names !== expected[0]) throw new Error(`the segments have changed:\n${expected[0]}\n${names}`);
    await eachOf(requests, async (request, i) => {
      const text = await search(client, request);
      if (isFirst) expected[i + 1] = text;
      else if (text !== expected[i + 1]) throw new Error(`${request.body}\n${expected[i + 1].slice(0, 2000)}\n${text.slice(0, 2000)}`);
    });
    const before = await memory(client);
    const cpuBefore = cpuMs(service);
    const times: number[] = [];
    const logStarted = performance.now();
    await eachOf(log, async (at) => {
      const sent = performance.now();
      await search(client, requests[at]);
      times.push(performance.now() - sent);
    });
    const seconds = (performance.now() - logStarted) / 1000;
    const after = await memory(client);
    times.sort((a, b) => a - b);
    return {
      limit,
      openMs,
      openCpuMs,
      requestsPerSecond: log.length / seconds,
      cpuMs: (cpuMs(service) - cpuBefore) / log.length,
      p50Ms: times[Math.floor(times.length / 2)],
      p99Ms: times[Math.floor(times.length * 0.99)],
      peakMb: peakMb(service),
      loaded: after.loaded.count - before.loaded.count,
      evicted: after.evicted.count - before.evicted.count,
      waited: after.waited.count - before.waited.count,
    };
  } finally {
    client.close();
    await service.stop({ keepData: true });
  }
}

/** @returns the response without the time it took @throws Error it is not a complete response */
async function search(client: ServiceClient, { body }: SearchRequest): Promise<string> {
  const { status, text } = await client.send('POST', `/${INDEX}/_search?request_cache=false`, body);
  if (status !== 200 || text.includes('"timed_out":true') || !text.includes('"failed":0'))
    throw new Error(`${body}\n${status} ${text.slice(0, 2000)}`);
  return text.replace(/"took":\d+,/, '');
}

interface Memory {
  readonly loaded: { readonly count: number };
  readonly evicted: { readonly count: number };
  readonly waited: { readonly count: number };
}

async function memory(client: ServiceClient): Promise<Memory> {
  const { nodes } = await client.call<{ nodes: Record<string, { segment_memory: Memory }> }>('GET', '/_nodes/stats/segment_memory');
  return Object.values(nodes)[0].segment_memory;
}

/** Processor time of the service's process, in ms. Linux counts in hundredths of a second. */
function cpuMs(service: TestService): number {
  const fields = readFileSync(`/proc/${service.servicePid()}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The most memory that the service's process has used; pages of files that it has mapped count, too. */
function peakMb(service: TestService): number {
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${service.servicePid()}/status`, 'utf8'))?.[1]) / 1024);
}
