// Runs the built service once on an empty directory, so that V8's code caches (launch.cjs) exist before its first real start.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

const TIMEOUT_MS = 20_000;
/** The merger thread writes its cache after the first merge. */
const NAMES = ['service-main', 'engine', 'answering-thread', 'indexer-thread'];
const SERVICE = 'dist/service';

/** Takes about 5 s. A failure only costs start-up time. @returns the caches written */
export async function writeCodeCaches() {
  for (const file of caches()) rmSync(file);
  const data = mkdtempSync(path.join(tmpdir(), 'gannet-warm-'));
  const port = await freePort();
  const flags = [`--http.port=${port}`, `--path.data=${data}`, '--log.level=error', '--threads=2'];
  const child = spawn('bin/gannet', ['serve', ...flags], { stdio: 'ignore' });
  const exited = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
  try {
    const until = Date.now() + TIMEOUT_MS;
    while (caches().length < NAMES.length && Date.now() < until && child.pid !== undefined && child.exitCode === null) {
      await exercise(`http://127.0.0.1:${port}`).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  } finally {
    child.kill('SIGTERM');
    await exited;
    rmSync(data, { recursive: true, force: true });
  }
  return caches();
}

function caches() {
  const files = readdirSync(SERVICE).filter((file) => file.endsWith('.cache'));
  return files.filter((file) => NAMES.some((name) => file.startsWith(`${name}.`))).map((file) => `${SERVICE}/${file}`);
}

/** Runs the code of a start and of common requests. */
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
