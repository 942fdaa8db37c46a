// One round of the test of clusters: clients work on an index of their own while faults happen; when all is well again, the histories and the copies are checked.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestCluster } from '../support/cluster.ts';
import { Rng } from '../support/rng.ts';
import { ask, History, type Load, readDocument, readIndex, runEntries, runMetadata, runSearcher, runWriter } from './clients.ts';
import { documentStep, indexStep } from './document-model.ts';
import { chooseFault } from './faults.ts';
import { isLinearizable, type Operation, type Step } from './linearizable.ts';

const WRITERS = 3;
const SEARCHERS = 2;
const COPY_SIZE = 10_000;
/** Copies that are allocated move to other nodes while a node is lost. */
const INDEX_SETTINGS = { number_of_shards: 2, 'unassigned.node_left.delayed_timeout': '1s' };

export interface RoundOptions {
  readonly faults: number;
  /** Longest duration of a fault. */
  readonly maxFaultMs: number;
}

export interface RoundReport {
  readonly problems: readonly string[];
  readonly faults: readonly string[];
  readonly history: History;
}

export async function runRound(cluster: TestCluster, seed: number, { faults, maxFaultMs }: RoundOptions): Promise<RoundReport> {
  const rng = new Rng(seed);
  const { nodes } = cluster;
  const history = new History(`round-${seed}`);
  await cluster.until(async () => isCreated(await ask(nodes[0], 'PUT', `/${history.index}`, { settings: INDEX_SETTINGS })));
  let isOver = false;
  let refreshed: ReadonlySet<string> = new Set();
  const load = (): Load => ({ history, nodes, rng: new Rng(rng.u32()), isOver: () => isOver });
  const clients = [
    ...Array.from({ length: WRITERS }, () => runWriter(load())),
    ...Array.from({ length: SEARCHERS }, () => runSearcher(load(), () => refreshed)),
    runMetadata(load()),
    runMetadata(load()),
    runEntries(load(), (ids) => {
      refreshed = ids;
    }),
  ];
  const names: string[] = [];
  try {
    for (let n = 0; n < faults; n++) names.push(await runFault(cluster, rng, maxFaultMs));
  } finally {
    isOver = true;
    await Promise.all(clients);
  }
  await settle(cluster, history.index);
  await readEverything(cluster, history);
  const problems = [...history.problems, ...(await compareCopies(cluster, history)), ...checkHistories(history)];
  await cluster.until(async () => isGone(await ask(nodes[0], 'DELETE', `/${history.index}*`)));
  return { problems, faults: names, history };
}

function isCreated(outcome: Awaited<ReturnType<typeof ask>>): boolean {
  return typeof outcome === 'object' && (outcome.status === 200 || outcome.body.error?.type === 'resource_already_exists_exception');
}

function isGone(outcome: Awaited<ReturnType<typeof ask>>): boolean {
  return typeof outcome === 'object' && (outcome.status === 200 || outcome.status === 404);
}

async function runFault(cluster: TestCluster, rng: Rng, maxFaultMs: number): Promise<string> {
  const fault = chooseFault(cluster, rng);
  const [beforeMs, duringMs] = [rng.int(100, 1000), rng.int(300, maxFaultMs)];
  await sleep(beforeMs);
  await fault.begin();
  try {
    await sleep(duringMs);
  } finally {
    await fault.end();
  }
  return `${fault.name} ${duringMs} ms`;
}

/** Waits until every node sees all nodes and refreshes what was written. */
async function settle(cluster: TestCluster, index: string): Promise<void> {
  const { nodes } = cluster;
  await cluster.nats.start();
  for (const node of nodes) {
    await cluster.until(async () => (await node.ok('GET', '/_cluster/health')).number_of_nodes === nodes.length);
    await cluster.until(async () => (await node.request('POST', `/${index}/_refresh`)).status === 200);
  }
}

/** Adds to the history what every node answers in the end. A node that was out of touch may refuse for a while. */
async function readEverything(cluster: TestCluster, history: History): Promise<void> {
  for (const node of cluster.nodes) {
    for (const id of history.documents.keys()) await cluster.until(async () => (await readDocument(id, history, node)) !== undefined);
    for (const name of history.indices.keys()) await cluster.until(() => readIndex(name, history, node));
  }
}

/** The copies of all nodes have the same documents, which are those that were acknowledged and perhaps those of unknown fate. */
async function compareCopies(cluster: TestCluster, { index, entries }: History): Promise<string[]> {
  const { nodes } = cluster;
  const problems: string[] = [];
  const checksums = new Map<string, string>();
  for (const node of nodes) {
    const body = { size: COPY_SIZE, seq_no_primary_term: true, version: true };
    let hits: any;
    await cluster.until(async () => {
      const found = await node.ok('POST', `/${index}/_search?preference=_local`, body);
      ({ hits } = found);
      return found._shards.failed === 0;
    });
    const documents: string[] = hits.hits.map((hit: Record<string, unknown>) =>
      JSON.stringify([hit._id, hit._seq_no, hit._primary_term, hit._version, hit._source]),
    );
    checksums.set(node.name, createHash('sha256').update(documents.sort().join('\n')).digest('hex').slice(0, 12));
    const found = new Set<string>(hits.hits.map(({ _id }: { _id: string }) => _id));
    for (const [id, fate] of entries) {
      if (fate === 'acknowledged' && !found.has(id)) problems.push(`${node.name} lacks the acknowledged document ${id}`);
      if (fate === 'refused' && found.has(id)) problems.push(`${node.name} has the refused document ${id}`);
    }
  }
  if (new Set(checksums.values()).size > 1) problems.push(`copies differ: ${[...checksums].map((entry) => entry.join(' ')).join(', ')}`);
  return problems;
}

function checkHistories({ documents, indices, writes }: History): string[] {
  const problems = [...check(documents, documentStep), ...check(indices, indexStep)];
  const places = new Map<string, string>();
  for (const [value, { id, seqNo }] of writes) {
    const place = `${id} ${seqNo}`;
    if (places.has(place)) problems.push(`${id}: ${value} and ${places.get(place)} have the same sequence number ${seqNo}`);
    places.set(place, value);
  }
  return problems;
}

function check<State extends string | null, Action>(
  histories: ReadonlyMap<string, readonly Operation<Action>[]>,
  step: Step<State, Action>,
): string[] {
  const problems: string[] = [];
  for (const [key, history] of histories)
    if (!isLinearizable(history, null as State, step)) problems.push(`${key}: not linearizable\n${render(history)}`);
  return problems;
}

function render(history: readonly Operation<unknown>[]): string {
  return [...history]
    .sort((a, b) => a.callMs - b.callMs)
    .map(({ action, callMs, returnMs }) => `  ${callMs.toFixed(1)} to ${returnMs.toFixed(1)}: ${JSON.stringify(action)}`)
    .join('\n');
}
