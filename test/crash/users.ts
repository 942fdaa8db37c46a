// Kills the service with SIGKILL while users, roles and API keys change, and checks after each restart that every acknowledged change is there.
//   npm run test:crash:users [-- --rounds 100] [--seed 1] [--port 18998]
// Each thing is changed by one connection at a time, so that its states have an order: after a crash it has the acknowledged one, or that of the
// change that was not answered. Prints a line per round and ends with `N passed, N failed`; exit code 1 if a round failed.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Rng } from '../support/rng.ts';
import { untilAnswering } from '../support/service.ts';

const { values: args } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    port: { type: 'string', default: '18998' },
  },
});
const ROUNDS = Number(args.rounds);
const URL_BASE = `http://127.0.0.1:${args.port}`;
const CONNECTIONS = 3;
const THINGS = 20;
const data = mkdtempSync(path.join(tmpdir(), 'gannet-crash-users-'));
const rng = new Rng(Number(args.seed));
const ROOT = `Basic ${Buffer.from('root:rootpassword').toString('base64')}`;
/** A hash of "password", so that a change costs no hashing. */
const HASH = `scrypt:1024:8:1:${Buffer.alloc(16).toString('base64')}:${Buffer.alloc(32).toString('base64')}`;

/** The acknowledged state of a user or role as text, and the one of a change without an answer; null = absent. */
interface Expected {
  acknowledged: string | null;
  pending: string | null | undefined;
}
const expected = new Map<string, Expected>();
/** Credentials of acknowledged API keys, and whether they are valid; undefined after a change without an answer. */
const keys = new Map<string, { encoded: string; isValid: boolean | undefined }>();
let counter = 0;

async function call(method: string, target: string, body?: unknown, authorization = ROOT): Promise<{ status: number; json: any }> {
  const headers = { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
  const answer = await fetch(URL_BASE + target, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const text = await answer.text();
  return { status: answer.status, json: text === '' ? null : JSON.parse(text) };
}

function start(): ChildProcess {
  const flags = ['serve', `--http.port=${args.port}`, `--path.data=${data}`, '--log.level=error'];
  return spawn(path.resolve(import.meta.dirname, '../../bin/gannet'), flags, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Changes users, roles and keys of its own until the connection breaks. */
async function change(connection: number, isStopped: () => boolean): Promise<void> {
  while (!isStopped()) {
    try {
      if (rng.int(0, 3) === 0) await changeKey(connection);
      else await changeThing(connection);
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('answered')) throw error;
      return;
    }
  }
}

async function changeThing(connection: number): Promise<void> {
  const kind = rng.pick(['user', 'role']);
  const target = `/_security/${kind}/c${connection}-${rng.int(0, THINGS)}`;
  const entry = expected.get(target) ?? { acknowledged: null, pending: undefined };
  expected.set(target, entry);
  const isRemoval = rng.int(0, 4) === 0;
  const state = String(counter++);
  entry.pending = isRemoval ? null : state;
  const body = kind === 'user' ? { password_hash: HASH, roles: [], metadata: { state } } : { cluster: ['monitor'], metadata: { state } };
  const { status } = isRemoval ? await call('DELETE', target) : await call('PUT', target, body);
  if (status !== 200 && !(isRemoval && status === 404)) throw new Error(`answered ${status}: ${target}`);
  entry.acknowledged = entry.pending;
  entry.pending = undefined;
}

async function changeKey(connection: number): Promise<void> {
  const own = [...keys].filter(([id, key]) => key.isValid && id.charCodeAt(0) % CONNECTIONS === connection);
  if (own.length < 5 || rng.int(0, 2) === 0) {
    const { status, json } = await call('POST', '/_security/api_key', { name: `key ${counter++}` });
    if (status !== 200) throw new Error(`answered ${status}: create API key`);
    keys.set(json.id, { encoded: json.encoded, isValid: true });
    return;
  }
  const [id, key] = rng.pick(own);
  key.isValid = undefined;
  const { status, json } = await call('DELETE', '/_security/api_key', { ids: [id] });
  if (status !== 200 || json.invalidated_api_keys[0] !== id) throw new Error(`answered ${status}: ${JSON.stringify(json)}`);
  key.isValid = false;
}

async function verify(): Promise<string[]> {
  const problems: string[] = [];
  for (const kind of ['user', 'role']) {
    const { json } = await call('GET', `/_security/${kind}`);
    for (const [target, entry] of expected) {
      if (!target.startsWith(`/_security/${kind}/`)) continue;
      const found: string | null = json[target.slice(target.lastIndexOf('/') + 1)]?.metadata.state ?? null;
      if (found !== entry.acknowledged && found !== entry.pending) problems.push(`${target}: ${found} instead of ${entry.acknowledged}`);
      entry.acknowledged = found;
      entry.pending = undefined;
    }
  }
  for (const [id, key] of keys) {
    const { status } = await call('GET', '/_security/_authenticate', undefined, `ApiKey ${key.encoded}`);
    if (key.isValid !== undefined && (status === 200) !== key.isValid) problems.push(`API key ${id}: ${status}`);
    key.isValid = status === 200;
    if (!key.isValid) keys.delete(id);
  }
  return problems;
}

let service = start();
process.on('exit', () => service.kill('SIGKILL'));
await untilAnswering(URL_BASE);
await call('PUT', '/_security/user/root', { password: 'rootpassword', roles: ['superuser'] });
let failed = 0;
for (let round = 1; round <= ROUNDS; round++) {
  let isStopped = false;
  const before = counter;
  const changes = Array.from({ length: CONNECTIONS }, (_, connection) => change(connection, () => isStopped));
  // The first change waits until the password of root is checked.
  while (counter < before + 2 * CONNECTIONS) await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, rng.int(0, 500)));
  const pid = Number(readFileSync(path.join(data, 'node.lock'), 'utf8').split(' ')[0]);
  // Parent and service, so that the parent does not give up after many quick deaths.
  service.kill('SIGKILL');
  process.kill(pid, 'SIGKILL');
  const results = await Promise.allSettled(changes);
  isStopped = true;
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
  service = start();
  await untilAnswering(URL_BASE);
  const problems = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
  problems.push(...(await verify()));
  if (problems.length > 0) failed++;
  console.log(`round ${round}: ${counter - before} changes, ${problems.length === 0 ? 'ok' : problems.slice(0, 5).join('; ')}`);
}
const ended = new Promise((resolve) => service.once('exit', resolve));
service.kill('SIGTERM');
await ended;
rmSync(data, { recursive: true, force: true });
console.log(`${ROUNDS - failed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
