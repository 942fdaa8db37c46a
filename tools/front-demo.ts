// Starts the engine and the front with examples/front/search.conf, and shows searches through the front: caching, limits, log, metrics.
//   npm run demo:front          ports 9200 (engine), 8080 (search box), 8081 (metrics); everything in a temporary folder
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const folder = mkdtempSync(path.join(tmpdir(), 'gannet-demo-'));
const children: ChildProcess[] = [];
const say = (text: string) => process.stdout.write(`${text}\n`);

function start(args: string[]): ChildProcess {
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  children.push(child);
  child.on('exit', (code) => code && fail(`${path.basename(args[0])} exited with status ${code}: is its port taken?`));
  return child;
}

/** Runs curl, and shows the command and its output. */
function curl(...args: string[]): string {
  say(`\n$ curl ${args.map((a) => (/[\s{"?&*]/.test(a) ? `'${a}'` : a)).join(' ')}`);
  const out = execFileSync('curl', ['-s', '-m', '10', ...args], { encoding: 'utf8' });
  say(out.length > 1200 ? `${out.slice(0, 1200)}...` : out.trimEnd());
  return out;
}

/** Stops the demo: output of another server on one of its ports must not be shown as ours. */
function fail(reason: string): never {
  process.stderr.write(`demo: ${reason}\n`);
  for (const child of children) child.kill('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
  process.exit(1);
}

async function ready(url: string): Promise<void> {
  for (let n = 0; n < 200; n++) {
    try {
      await fetch(url);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error(`${url} does not respond`);
}

try {
  start([path.join(root, 'bin/gannet.js'), 'serve', '--http.port=9200', `--path.data=${path.join(folder, 'data')}`]);
  await ready('http://127.0.0.1:9200/');
  start([
    path.join(root, 'dist/front/main.js'),
    '-g',
    'user root;',
    '-p',
    `${folder}/`,
    '-c',
    path.join(root, 'examples/front/search.conf'),
    '-e',
    'error.log',
  ]);
  // The front writes it once every socket is bound.
  while (!existsSync(path.join(folder, 'front.pid'))) await new Promise((resolve) => setTimeout(resolve, 50));
  await ready('http://127.0.0.1:8080/');

  const json = ['-H', 'Content-Type: application/json'];
  const titles = ['the gannet dives', 'a gannet colony on the cliff', 'herring and mackerel', 'the northern gannet returns'];
  const bulk = titles.map((title, n) => `{"index":{"_id":"${n}"}}\n${JSON.stringify({ title })}\n`).join('');
  curl('-X', 'POST', 'http://127.0.0.1:9200/birds/_bulk?refresh=true', '-H', 'Content-Type: application/x-ndjson', '--data-binary', bulk);

  say('\n# through the front: first a miss, then a hit');
  const search = ['-i', '-X', 'POST', 'http://127.0.0.1:8080/birds/_search', ...json, '-d', '{"query":{"match":{"title":"gannet"}}}'];
  curl(...search);
  curl(...search);

  say('\n# writing is refused');
  curl('-i', '-X', 'DELETE', 'http://127.0.0.1:8080/birds');

  say('\n# thirty-odd different searches at once: the burst is used up');
  const statuses = await Promise.all(
    Array.from({ length: 40 }, (_, n) => fetch(`http://127.0.0.1:8080/birds/_search?q=title:gannet&size=${n}`).then((r) => r.status)),
  );
  for (const status of new Set(statuses)) say(`${status}: ${statuses.filter((s) => s === status).length}`);

  say('\n# the access log');
  say(readFileSync(path.join(folder, 'access.log'), 'utf8').trim().split('\n').slice(0, 3).join('\n'));
  curl('http://127.0.0.1:8081/metrics');
  curl('http://127.0.0.1:8081/api/upstreams');
} finally {
  for (const child of children) child.kill('SIGQUIT');
  setTimeout(() => {
    for (const child of children) child.kill('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
    process.exit();
  }, 1500);
}
