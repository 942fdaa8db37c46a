// Kills the real service with SIGKILL at random moments under load, and checks after each restart that nothing acknowledged was lost.
//   npm run test:crash [-- --rounds 50] [--seed 1] [--port 18999] [--check]
// Per round: bulks of index, create, update and delete operations run on several connections; after a random time the service process, or
// the whole pair of parent and service, is killed. When it answers again:
//   - every document whose last acknowledged operation wrote it exists with that content, or with that of a later operation that was sent
//     but not answered; every document acknowledged as deleted is absent, unless a later unanswered operation wrote it;
//   - nothing that was refused exists; search, count and get by id agree;
//   - aliases, mappings, index settings, templates, pipelines and stored scripts are as last acknowledged, or as a later request without an answer
//     would have left them (test/crash/side-loads.ts); so are users, roles and API keys (test/crash/user-load.ts);
//   - acknowledged snapshots exist, interrupted ones are complete or absent, and one that is restored has the documents that did not change while
//     it was made (test/crash/snapshot-load.ts).
// Meanwhile the index is force merged, refreshed and flushed. By the seed, merges reorder documents, and segments are paged. With --check, `gannet check` reads the directory of every fourth round.
// Prints a line per round and ends with `N passed, N failed`; exit code 1 if a round failed.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Rng } from '../support/rng.ts';
import { type Call, MaintenanceLoad, MetadataLoad, type SideLoad } from './side-loads.ts';
import { SnapshotLoad } from './snapshot-load.ts';
import { UserLoad } from './user-load.ts';

const { values: args } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
    port: { type: 'string', default: '18999' },
    check: { type: 'boolean', default: false },
  },
});
const ROUNDS = Number(args.rounds);
const PORT = Number(args.port);
const SEED = Number(args.seed);
/** By the seed, so that several runs cover all combinations. */
const IS_REORDERED = SEED % 2 === 1;
const IS_PAGED = SEED % 4 > 1;
const DOCUMENTS = 5000;
const CONNECTIONS = 3;
const BULK_OPERATIONS = 200;
const START_TIMEOUT_MS = 120_000;
const root = path.resolve(import.meta.dirname, '../..');
const data = mkdtempSync(path.join(tmpdir(), 'gannet-crash-'));
const repo = mkdtempSync(path.join(tmpdir(), 'gannet-crash-repo-'));
const ROOT = `Basic ${Buffer.from('root:rootpassword').toString('base64')}`;
const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
const rng = new Rng(SEED);

/** Possible states of a document after a crash: the acknowledged one, and those of operations sent after it without an answer. null = absent. */
interface Expected {
  acknowledged: string | null;
  pending: (string | null)[];
  /** Operations sent so far. */
  changes: number;
}
const expected = new Map<string, Expected>();
let counter = 0;

const call: Call = async (method, url, body, type = 'application/json', authorization = ROOT) => {
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        host: '127.0.0.1',
        port: PORT,
        method,
        path: url,
        agent,
        headers: { authorization, ...(body === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) }) },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk) => chunks.push(chunk));
        answer.on('end', () => {
          try {
            resolve({ status: answer.statusCode ?? 0, json: JSON.parse(Buffer.concat(chunks).toString()) });
          } catch (error) {
            reject(error);
          }
        });
        answer.on('error', reject);
        answer.on('aborted', () => reject(new Error('aborted')));
      },
    );
    request.on('error', reject);
    request.end(body);
  });
};

let parent: ChildProcess = startService();

function startService(): ChildProcess {
  const flags = ['serve', `--http.port=${PORT}`, `--path.data=${data}`, `--path.repo=${repo}`, '--log.level=error'];
  if (IS_PAGED) flags.push('--memory.whole_segment_size=16kb');
  return spawn(path.join(root, 'bin/gannet'), flags, { stdio: ['ignore', 'ignore', 'inherit'] });
}

async function untilReady(): Promise<number> {
  const started = performance.now();
  for (;;) {
    try {
      const { status, json } = await call('GET', '/_cluster/health');
      if (status === 200 && json.status !== 'red') return performance.now() - started;
    } catch {
      // Not listening yet.
    }
    if (performance.now() - started > START_TIMEOUT_MS) throw new Error('the service does not answer');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Documents all of whose operations were answered. */
function settledDocuments(): Map<string, { text: string | null; changes: number }> {
  const settled = new Map<string, { text: string | null; changes: number }>();
  for (const [id, { acknowledged, pending, changes }] of expected)
    if (pending.length === 0) settled.set(id, { text: acknowledged, changes });
  return settled;
}

const snapshots = new SnapshotLoad(call, rng, settledDocuments);
/** Loads that change data other than documents. */
const loadsBesides: readonly SideLoad[] = [
  new MetadataLoad(call, rng),
  new MaintenanceLoad(call, rng),
  snapshots,
  new UserLoad(call, rng, 'user'),
];

/** Sends bulks until the connection breaks. Each connection has ids of its own, so that the order of operations on an id is known. */
async function load(connection: number, stopped: () => boolean): Promise<void> {
  while (!stopped()) {
    const lines: string[] = [];
    const effects: Array<{ id: string; after: string | null; kind: string }> = [];
    const view = new Map<string, string | null>();
    for (let i = 0; i < BULK_OPERATIONS; i++) {
      const id = `${connection}-${rng.int(0, DOCUMENTS)}`;
      if (view.has(id)) continue; // one operation per id and bulk keeps the expected states simple
      const text = `value ${counter++} ${'x'.repeat(rng.int(0, 200))}`;
      const kind = rng.pick(['index', 'index', 'index', 'create', 'update', 'delete', 'bad']);
      view.set(id, text);
      if (kind === 'delete') {
        lines.push(JSON.stringify({ delete: { _id: id } }));
        effects.push({ id, after: null, kind });
      } else if (kind === 'update') {
        lines.push(JSON.stringify({ update: { _id: id } }), JSON.stringify({ doc: { text, n: counter }, doc_as_upsert: true }));
        effects.push({ id, after: text, kind });
      } else if (kind === 'bad') {
        lines.push(JSON.stringify({ index: { _id: `bad-${id}` } }), JSON.stringify({ n: 'not a number', text }));
        effects.push({ id: `bad-${id}`, after: text, kind });
      } else {
        lines.push(JSON.stringify({ [kind]: { _id: id } }), JSON.stringify({ text, n: counter }));
        effects.push({ id, after: text, kind });
      }
    }
    for (const { id, after, kind } of effects) {
      if (kind === 'bad') continue;
      const entry = expected.get(id) ?? { acknowledged: null, pending: [], changes: 0 };
      entry.changes++;
      entry.pending.push(after);
      expected.set(id, entry);
    }
    let answer: Awaited<ReturnType<typeof call>>;
    try {
      answer = await call('POST', '/crash/_bulk', `${lines.join('\n')}\n`, 'application/x-ndjson');
    } catch {
      return;
    }
    if (answer.status !== 200) throw new Error(`bulk answered ${answer.status}: ${JSON.stringify(answer.json).slice(0, 300)}`);
    answer.json.items.forEach((item: Record<string, any>, i: number) => {
      const { id, after, kind } = effects[i];
      const { status } = Object.values(item)[0];
      if (kind === 'bad') {
        if (status !== 400) throw new Error(`a bad document was answered with ${status}`);
        return;
      }
      const entry = expected.get(id) as Expected;
      if (status < 300 || (kind === 'delete' && status === 404)) entry.acknowledged = after;
      else if (status !== 409) throw new Error(`${kind} ${id} was answered with ${status}: ${JSON.stringify(item)}`);
      entry.pending = [];
    });
  }
}

async function verify(): Promise<string[]> {
  const problems: string[] = [];
  const ids = [...expected.keys()];
  let present = 0;
  for (let at = 0; at < ids.length; at += 1000) {
    const part = ids.slice(at, at + 1000);
    const { json } = await call('POST', '/crash/_mget', JSON.stringify({ ids: part }));
    json.docs.forEach((doc: any, i: number) => {
      const entry = expected.get(part[i]) as Expected;
      const found = doc.found ? doc._source.text : null;
      if (found !== null) present++;
      if (found !== entry.acknowledged && !entry.pending.includes(found)) {
        problems.push(`${part[i]}: ${JSON.stringify(found)?.slice(0, 60)} instead of ${JSON.stringify(entry.acknowledged)?.slice(0, 60)}`);
      }
      entry.acknowledged = found; // the state found now is the expected one of the next round
      entry.pending = [];
    });
  }
  await call('POST', '/crash/_refresh');
  const { json: counted } = await call('GET', '/crash/_count');
  if (counted.count !== present) problems.push(`_count says ${counted.count}, get by id finds ${present}`);
  const { json: bad } = await call(
    'POST',
    '/crash/_search',
    JSON.stringify({ size: 0, track_total_hits: true, query: { prefix: { _id: 'bad-' } } }),
  ).catch(() => ({ json: null }) as any);
  if (bad?.hits && bad.hits.total.value !== 0) problems.push(`${bad.hits.total.value} refused documents are searchable`);
  const { json: all } = await call('POST', '/crash/_search', JSON.stringify({ size: 0, aggs: { s: { stats: { field: 'n' } } } }));
  if (all.aggregations.s.count !== present) problems.push(`stats counts ${all.aggregations.s.count} values of ${present} documents`);
  return problems;
}

async function kill(): Promise<void> {
  const pid = Number(readFileSync(path.join(data, 'node.lock'), 'utf8').split(' ')[0]);
  const both = rng.int(0, 3) === 0;
  if (both) parent.kill('SIGKILL');
  process.kill(pid, 'SIGKILL');
  if (!both) return;
  // The process holds its port until it has ended; a new one starts in less time than the old one's memory takes to be freed.
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
  parent = startService();
}

/** Kills everything, reads the files with `gannet check`, and starts again. */
async function checkFiles(): Promise<string[]> {
  const pid = Number(readFileSync(path.join(data, 'node.lock'), 'utf8').split(' ')[0]);
  parent.kill('SIGKILL');
  process.kill(pid, 'SIGKILL');
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
  const { status, stdout } = spawnSync(process.execPath, [path.join(root, 'bin/gannet.js'), 'check', `--path.data=${data}`], {
    encoding: 'utf8',
  });
  parent = startService();
  await untilReady();
  return status === 0 ? [] : [`gannet check: exit code ${status}: ${stdout.slice(0, 500)}`];
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

// Nothing is left over, however this ends.
process.on('exit', () => parent.kill('SIGKILL'));
let failed = 0;
await untilReady();
await call('PUT', '/_security/user/root', JSON.stringify({ password: 'rootpassword', roles: ['superuser'] }));
await call(
  'PUT',
  '/crash',
  JSON.stringify({
    settings: { number_of_shards: 2, 'index.merge.reorder': IS_REORDERED },
    mappings: { properties: { text: { type: 'text' }, n: { type: 'long' } } },
  }),
);
await snapshots.prepare();
for (let round = 1; round <= ROUNDS; round++) {
  let stopped = false;
  const loads = Array.from({ length: CONNECTIONS }, (_, connection) => load(connection, () => stopped));
  for (const side of loadsBesides) loads.push(side.run(() => stopped));
  const settled = Promise.allSettled(loads);
  // The parent gives up after five deaths right after a start: every fourth service lives longer than that.
  await new Promise((resolve) => setTimeout(resolve, round % 4 === 0 ? 2100 : rng.int(50, 1500)));
  stopped = rng.int(0, 4) === 0; // now and then between two bulks
  const killed = kill();
  stopped = true;
  const results = await settled;
  await killed;
  const restartMs = await untilReady();
  const problems = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
  problems.push(...(await verify()));
  for (const side of loadsBesides) problems.push(...(await side.verify()));
  if (args.check && round % 4 === 0) problems.push(...(await checkFiles()));
  if (problems.length > 0) failed++;
  console.log(
    `round ${round}: ${expected.size} ids, back after ${Math.round(restartMs)} ms, ${problems.length === 0 ? 'ok' : problems.slice(0, 5).join('; ')}`,
  );
}
const ended = new Promise((resolve) => parent.once('exit', resolve));
parent.kill('SIGTERM');
await ended;
agent.destroy();
rmSync(data, { recursive: true, force: true });
rmSync(repo, { recursive: true, force: true });
console.log(`${ROUNDS - failed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
