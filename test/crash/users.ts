// Kills the service with SIGKILL while users, roles and API keys change, and checks after each restart that every acknowledged change persisted.
//   npm run test:crash:users [-- --rounds 100] [--seed 1] [--port 18998]
// Each of them is changed by one connection at a time, so that its states have an order: after a crash it has the acknowledged one, or that of the
// change that was not answered. Prints a line per round and ends with `N passed, N failed`; exit code 1 if a round failed.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Rng } from '../support/rng.ts';
import { untilAnswering } from '../support/service.ts';
import type { Call } from './side-loads.ts';
import { UserLoad } from './user-load.ts';

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
const data = mkdtempSync(path.join(tmpdir(), 'gannet-crash-users-'));
const rng = new Rng(Number(args.seed));
const ROOT = `Basic ${Buffer.from('root:rootpassword').toString('base64')}`;
const call: Call = async (method, target, body, type = 'application/json', authorization = ROOT) => {
  const headers = { authorization, ...(body === undefined ? {} : { 'content-type': type }) };
  const answer = await fetch(URL_BASE + target, { method, headers, body });
  const text = await answer.text();
  return { status: answer.status, json: text === '' ? null : JSON.parse(text) };
};

function start(): ChildProcess {
  const flags = ['serve', `--http.port=${args.port}`, `--path.data=${data}`, '--log.level=error'];
  return spawn(path.resolve(import.meta.dirname, '../../bin/gannet'), flags, { stdio: ['ignore', 'ignore', 'inherit'] });
}

const loads = Array.from({ length: CONNECTIONS }, (_, connection) => new UserLoad(call, rng, `c${connection}`));
const answered = (): number => loads.reduce((sum, load) => sum + load.answered, 0);

let service = start();
process.on('exit', () => service.kill('SIGKILL'));
await untilAnswering(URL_BASE);
await call('PUT', '/_security/user/root', JSON.stringify({ password: 'rootpassword', roles: ['superuser'] }));
let failed = 0;
for (let round = 1; round <= ROUNDS; round++) {
  let isStopped = false;
  const before = answered();
  const settled = Promise.allSettled(loads.map((load) => load.run(() => isStopped)));
  // The first change waits until the password of root is checked.
  while (answered() < before + 2 * CONNECTIONS) await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, rng.int(0, 500)));
  const pid = Number(readFileSync(path.join(data, 'node.lock'), 'utf8').split(' ')[0]);
  // Parent and service, so that the parent does not give up after many quick deaths.
  service.kill('SIGKILL');
  process.kill(pid, 'SIGKILL');
  const results = await settled;
  isStopped = true;
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
  service = start();
  await untilAnswering(URL_BASE);
  const problems = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
  for (const load of loads) problems.push(...(await load.verify()));
  if (problems.length > 0) failed++;
  console.log(`round ${round}: ${answered() - before} changes, ${problems.length === 0 ? 'ok' : problems.slice(0, 5).join('; ')}`);
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
