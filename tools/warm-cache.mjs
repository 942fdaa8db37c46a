// Runs the built service once on an empty directory, so that V8's code caches (tools/launch.cjs) are there before its first real start.
//   node tools/warm-cache.mjs      a part of `npm run build`; takes some seconds; a failure only costs start-up time
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const TIMEOUT_MS = 20_000;
/** A merger's comes with the first merge. */
const NAMES = ['service-main', 'http-thread', 'indexer-thread'];
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const service = path.join(root, 'dist/service');
const cached = () => NAMES.filter((name) => readdirSync(service).some((file) => file.startsWith(`${name}.`) && file.endsWith('.cache')));

if (cached().length < NAMES.length) {
  const data = mkdtempSync(path.join(tmpdir(), 'gannet-warm-'));
  const port = await freePort();
  const flags = [`--http.port=${port}`, `--path.data=${data}`, '--log.level=error', '--threads=2'];
  const child = spawn(path.join(root, 'bin/gannet'), ['serve', ...flags], { stdio: 'ignore' });
  try {
    const until = Date.now() + TIMEOUT_MS;
    while (cached().length < NAMES.length && Date.now() < until && child.exitCode === null) {
      await exercise(`http://127.0.0.1:${port}`).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  } finally {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    if (child.exitCode === null) await ended;
    rmSync(data, { recursive: true, force: true });
  }
  process.stdout.write(`code caches: ${cached().join(', ')}\n`);
}

/** The functions of a start and of common requests. */
async function exercise(url) {
  const headers = { 'content-type': 'application/json' };
  await fetch(`${url}/warm/_doc/1?refresh=true`, {
    method: 'PUT',
    headers,
    body: '{"text":"a few words","n":1,"at":"2024-01-01T00:00:00Z"}',
  });
  const body = '{"query":{"match":{"text":"words"}},"aggs":{"n":{"stats":{"field":"n"}}}}';
  await (await fetch(`${url}/warm/_search`, { method: 'POST', headers, body })).text();
  await (await fetch(`${url}/warm/_search?q=text:few`)).text();
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
