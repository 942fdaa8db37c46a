// A full disk refuses writes and loses nothing: the service on a small tmpfs, filled until it refuses, given room again, killed, restarted, and
// started while the disk is full.
//   npm run test:full-disk      needs root on Linux (mount); says so and ends with code 0 elsewhere
// Ends with `N passed, N failed`.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const PORT = 18998;
const url = `http://127.0.0.1:${PORT}`;
const root = path.resolve(import.meta.dirname, '../..');
const data = mkdtempSync(path.join(tmpdir(), 'gannet-full-'));
try {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', data], { stdio: 'ignore' });
} catch {
  console.log('skipped: a small disk cannot be mounted here');
  process.exit(0);
}

async function call(method: string, target: string, body?: string): Promise<{ status: number; json: any }> {
  const answer = await fetch(url + target, { method, body, headers: body ? { 'content-type': 'application/x-ndjson' } : {} });
  return { status: answer.status, json: await answer.json() };
}

async function untilReady(): Promise<void> {
  for (let i = 0; i < 1000; i++) {
    if (await call('GET', '/').catch(() => null)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('the service does not answer');
}

let passed = 0;
let failed = 0;
function check(name: string, isTrue: boolean, detail: unknown): void {
  if (isTrue) passed++;
  else failed++;
  console.log(`${isTrue ? 'ok    ' : 'FAILED'} ${name}: ${JSON.stringify(detail)?.slice(0, 200)}`);
}

function startService(): ChildProcess {
  return spawn(path.join(root, 'bin/gannet'), ['serve', `--http.port=${PORT}`, `--path.data=${data}`, '--log.level=error'], {
    stdio: 'ignore',
  });
}

function servicePid(): number {
  return Number(readFileSync(path.join(data, 'node.lock'), 'utf8').split(' ')[0]);
}

/** Kills the service and its parent process. */
function kill(): void {
  const pid = servicePid();
  service.kill('SIGKILL');
  process.kill(pid, 'SIGKILL');
}

/** Fills the disk to the last byte. */
function fill(): void {
  const file = openSync(path.join(data, 'filler'), 'w');
  for (const bytes of [1 << 20, 4096, 512, 1]) {
    try {
      while (writeSync(file, Buffer.alloc(bytes)) > 0);
    } catch {
      // Full, for pieces of this size.
    }
  }
  closeSync(file);
}

let service = startService();
try {
  await untilReady();
  let acknowledged = 0;
  let refusal: any = null;
  for (let batch = 0; batch < 100 && refusal === null; batch++) {
    const lines = Array.from(
      { length: 200 },
      (_, i) => `{"index":{"_id":"${batch * 200 + i}"}}\n{"n":${i},"text":"${'x'.repeat(2000)}"}\n`,
    );
    const { json } = await call('POST', '/full/_bulk', lines.join(''));
    const items = (json.items ?? []).map((item: any) => item.index);
    acknowledged += items.filter((item: any) => item.status === 201).length;
    refusal = items.find((item: any) => item.status !== 201) ?? (json.error ? json : null);
  }
  check('writes are refused, with the reason', refusal?.status === 429 && /no space left/.test(JSON.stringify(refusal)), refusal);
  await call('POST', '/full/_refresh');
  check('what was acknowledged is searchable', (await call('GET', '/full/_count')).json.count === acknowledged, acknowledged);
  execFileSync('mount', ['-o', 'remount,size=64m', data]);
  check('with room again, writes go on', (await call('PUT', '/full/_doc/more?refresh=true', '{"n":1}')).status === 201, null);
  process.kill(servicePid(), 'SIGKILL');
  await new Promise((resolve) => setTimeout(resolve, 200));
  await untilReady();
  const { json } = await call('GET', '/full/_count');
  check('after a kill everything is there', json.count === acknowledged + 1, json);

  // The disk is filled by another program and the service starts on it, after a kill of both its processes.
  kill();
  fill();
  service = startService();
  await untilReady();
  check('a start on a full disk answers searches', (await call('GET', '/full/_count')).json.count === acknowledged + 1, null);
  let more = 0;
  let refused: any = null;
  for (let i = 0; i < 200 && refused === null; i++) {
    const { status, json: answer } = await call('POST', '/full/_doc', `{"text":"${'y'.repeat(200_000)}"}`);
    if (status === 201) more++;
    else refused = answer;
  }
  check('its writes are refused with the reason', refused?.error.type === 'cluster_block_exception' && refused.status === 429, refused);
  rmSync(path.join(data, 'filler'));
  check('with room again, writes go on', (await call('PUT', '/full/_doc/last?refresh=true', '{"n":1}')).status === 201, null);
  const { json: end } = await call('GET', '/full/_count');
  check('and nothing that was acknowledged is missing', end.count === acknowledged + 2 + more, end);
} finally {
  const ended = new Promise((resolve) => service.once('exit', resolve));
  service.kill('SIGTERM');
  await ended;
  execFileSync('umount', [data]);
  rmdirSync(data);
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
