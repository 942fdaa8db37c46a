// Front against Debian's nginx in the same run, one worker each: requests per CPU second, p99, and memory of idle connections;
// streams in stream.ts.
//   npm run bench:front [-- seconds [case ...]]      default 3 seconds a turn, all cases; without nginx (installed, or of bench/rivals) only ours is measured
// Each case checks the answer before it is timed, is warmed up, and then runs in turns, ours and nginx's, so that other load on the machine
// affects both. CPU is user + system of the worker, from /proc. Output: JSON with commit and machine.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { connect as connectTls } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { nginxBinary, type Running, rssMb, start, stop } from './servers.ts';
import { benchStreams } from './stream.ts';
import { compare, type Work } from './tally.ts';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const seconds = Number(process.argv[2] ?? 3);
const wanted = process.argv.slice(3);
const CONNECTIONS = 32;
/** a handshake keeps this process busier than the server */
const TLS_CONNECTIONS = 8;
const IDLE = 10_000;
const BACK = 18_090;
const TLS_OFFSET = 10;

interface Case {
  uri: string;
  headers?: string;
  check: RegExp;
  /** a new connection with a full handshake for each request */
  tls?: boolean;
}
const CASES: Record<string, Case> = {
  'return 200': { uri: '/ok', check: /ok$/ },
  'small file': { uri: '/small.txt', check: /^x{1000}$/ },
  '1 MB file': { uri: '/large.bin', check: /^x{1048576}$/ },
  proxy: { uri: '/proxy', check: /back$/ },
  'cache hit': { uri: '/cached', check: /back$/ },
  gzip: { uri: '/text.html', headers: 'Accept-Encoding: gzip\r\n', check: /^<p>line 0 .*compresses<\/p>\n$/s },
  'gzip of a proxied page': { uri: '/page', headers: 'Accept-Encoding: gzip\r\n', check: /^<p>line 0 .*compresses<\/p>\n$/s },
  'TLS handshake': { uri: '/ok', check: /ok$/, tls: true },
};

function config(folder: string, port: number, name: string): string {
  return `user root; daemon off; worker_processes 1; pid ${folder}/${name}.pid; error_log ${folder}/${name}.log crit;
events { worker_connections 20000; }
http { access_log off; keepalive_requests 100000000; keepalive_timeout 300s; root ${folder}; sendfile on; tcp_nopush on; open_file_cache max=100;
  proxy_temp_path ${folder}/t1; client_body_temp_path ${folder}/t2; fastcgi_temp_path ${folder}/t3; uwsgi_temp_path ${folder}/t4; scgi_temp_path ${folder}/t5;
  proxy_cache_path ${folder}/cache-${name} keys_zone=c:1m;
  upstream back { server 127.0.0.1:${BACK}; keepalive 64; }
  server { listen 127.0.0.1:${port}; listen 127.0.0.1:${port + TLS_OFFSET} ssl; default_type text/plain; proxy_http_version 1.1; proxy_set_header Connection "";
    ssl_protocols TLSv1.2 TLSv1.3; ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;
    location = /ok { return 200 ok; }
    location = /proxy { proxy_pass http://back/; }
    location = /cached { proxy_cache c; proxy_cache_valid 1h; proxy_pass http://back/; }
    location = /page { proxy_pass http://back; gzip on; gzip_types text/plain; }
    location = /text.html { gzip on; gzip_types text/plain; } } }
`;
}

/** Keeps one request under way on a connection until the time is over. */
function client(port: number, request: Buffer, until: number, times: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let left = -1;
    let head = '';
    let sent = 0;
    const socket = connect({ port, host: '127.0.0.1', noDelay: true } as never, () => next());
    const next = () => {
      if (Date.now() >= until) {
        socket.destroy();
        resolve();
        return;
      }
      left = -1;
      head = '';
      sent = performance.now();
      socket.write(request);
    };
    socket.on('data', (data: Buffer) => {
      let body = data.length;
      if (left < 0) {
        head += data.toString('latin1');
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) return;
        const length = /content-length: (\d+)/i.exec(head);
        body = head.length - end - 4;
        left = length ? Number(length[1]) : head.endsWith('0\r\n\r\n') ? body : Infinity;
      }
      if (left === Infinity) {
        if (!data.toString('latin1').endsWith('0\r\n\r\n')) return;
        left = body;
      }
      left -= body;
      if (left > 0) return;
      times.push(performance.now() - sent);
      next();
    });
    socket.on('error', reject);
  });
}

/** Repeatedly connects, completes the handshake, sends one request and closes. */
async function tlsClient(port: number, request: Buffer, until: number, times: number[]): Promise<void> {
  while (Date.now() < until) {
    const sent = performance.now();
    await new Promise<void>((resolve, reject) => {
      const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => socket.write(request));
      socket.once('data', () => socket.destroy());
      socket.on('close', () => resolve());
      socket.on('error', reject);
    });
    times.push(performance.now() - sent);
  }
}

/** Requests of one case. */
function work({ uri, headers = '', tls, check }: Case): Work {
  const request = Buffer.from(`GET ${uri} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`);
  return {
    async check({ port }) {
      const text = await (await fetch(`http://127.0.0.1:${port}${uri}`)).text();
      if (!check.test(text)) throw new Error(`${uri} answers ${text.slice(0, 60)}`);
    },
    async load({ port }, until, times) {
      const before = times.length;
      if (tls) await Promise.all(Array.from({ length: TLS_CONNECTIONS }, () => tlsClient(port + TLS_OFFSET, request, until, times)));
      else await Promise.all(Array.from({ length: CONNECTIONS }, () => client(port, request, until, times)));
      return times.length - before;
    },
  };
}

/** Memory of a worker that holds idle keep-alive connections. */
async function idle(port: number, worker: number): Promise<{ connections: number; rssMb: number }> {
  const sockets: Socket[] = [];
  const request = 'GET /ok HTTP/1.1\r\nHost: localhost\r\n\r\n';
  for (let n = 0; n < IDLE; n += 200) {
    await Promise.all(
      Array.from({ length: 200 }, () => {
        return new Promise<void>((resolve, reject) => {
          const socket = connect(port, '127.0.0.1', () => socket.write(request));
          socket.once('data', () => resolve());
          socket.on('error', reject);
          sockets.push(socket);
        });
      }),
    );
  }
  const result = { connections: sockets.length, rssMb: Math.round(rssMb(worker)) };
  for (const socket of sockets) socket.destroy();
  return result;
}

const folder = mkdtempSync(path.join(tmpdir(), 'gannet-bench-front-'));
execFileSync('chmod', ['755', folder]);
writeFileSync(path.join(folder, 'small.txt'), 'x'.repeat(1000));
writeFileSync(path.join(folder, 'large.bin'), 'x'.repeat(1 << 20));
const page = Array.from({ length: 500 }, (_, n) => `<p>line ${n} of a page that compresses</p>\n`).join('');
writeFileSync(path.join(folder, 'text.html'), page);
writeFileSync(
  path.join(folder, 'back.mjs'),
  `import { createServer } from 'node:net';
import { readFileSync } from 'node:fs';
const answer = (body) => 'HTTP/1.1 200 OK\\r\\nContent-Type: text/plain\\r\\nContent-Length: ' + body.length + '\\r\\n\\r\\n' + body;
const short = answer('back');
const page = answer(readFileSync('${folder}/text.html', 'latin1'));
createServer({ noDelay: true }, (s) => s.on('error', () => {}).on('data', (data) => s.write(data.latin1Slice(0, 9) === 'GET /page' ? page : short)))
  .listen(${BACK}, '127.0.0.1', () => console.log('up'));`,
);
execFileSync(
  'openssl',
  [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-subj',
    '/CN=localhost',
    '-days',
    '2',
    '-keyout',
    `${folder}/key.pem`,
    '-out',
    `${folder}/cert.pem`,
  ],
  { stdio: 'ignore' },
);
const back = spawn(process.execPath, [path.join(folder, 'back.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
await new Promise((resolve) => back.stdout!.once('data', resolve));
const servers: Running[] = [];
try {
  const main = path.join(root, 'dist/front/main.js');
  servers.push(
    await start(
      'gannet',
      process.execPath,
      [main, '-p', folder, '-c', `${folder}/gannet.conf`, '-e', `${folder}/gannet.log`],
      folder,
      18_091,
      config(folder, 18_091, 'gannet'),
    ),
  );
  const nginx = nginxBinary();
  if (nginx) {
    servers.push(
      await start('nginx', nginx, ['-p', folder, '-c', `${folder}/nginx.conf`], folder, 18_092, config(folder, 18_092, 'nginx')),
    );
  }
  const ratio: Record<string, number> = {};
  const results: Record<string, Record<string, unknown>> = {};
  for (const [title, test] of Object.entries(CASES)) {
    if (wanted.length === 0 || wanted.includes(title)) await compare(servers, title, work(test), seconds, { ratio, results });
  }
  if (wanted.length === 0 || wanted.includes('idle')) {
    for (const { name, port, worker } of servers) results[name] = { ...results[name], '10 000 idle': await idle(port, worker) };
  }
  await benchStreams(folder, nginx, wanted, seconds, { ratio, results });
  const commit = execFileSync('git', ['-C', root, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  process.stdout.write(
    `${JSON.stringify({ commit, machine: `${cpus().length} x ${cpus()[0].model}`, seconds, ratio, ...results }, null, 2)}\n`,
  );
} finally {
  for (const server of servers) await stop(server);
  back.kill();
  rmSync(folder, { recursive: true, force: true });
}
