/** Every configuration of docs/front/guide.md runs, and does what its heading promises. Its ports, paths and certificates are replaced by the test's. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { get as getSecure } from 'node:https';
import type { Server as TcpServer } from 'node:net';
import path from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { bodyOf, front, frontForEach, get, headerOf, ours, raw, serveRaw, statusOf } from '../support/front.ts';

frontForEach();

const guide = readFileSync(path.resolve(import.meta.dirname, '../../docs/front/guide.md'), 'utf8');

/** Configurations by the heading of their task. */
const tasks = new Map<string, string>();
for (const section of guide.split(/^## /m).slice(1)) {
  const block = /^```nginx\n(.*?)^```/ms.exec(section);
  if (block) tasks.set(section.slice(0, section.indexOf('\n')), block[1]);
}

const servers: (Server | TcpServer)[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    if ('closeAllConnections' in server) server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** Ports of the guide that the configuration of the running test has, and those that stand for them. */
let ports = new Map<number, number>();
const at = (documented: number): number => {
  const port = ports.get(documented);
  if (port === undefined) throw new Error(`the configuration does not contain ${documented}`);
  return port;
};

/** Writes the configuration of a task as a whole file. */
async function configure(task: string): Promise<void> {
  const text = tasks.get(task) ?? '';
  ports = new Map();
  for (const [documented] of text.matchAll(/\b(?:8080|8081|8443|3000|3001|9200|9000|5432|5433)\b/g)) {
    if (!ports.has(Number(documented))) ports.set(Number(documented), await freePort());
  }
  let own = text.replaceAll('/srv/site', path.join(front.folder, 'site'));
  for (const [documented, port] of ports) own = own.replaceAll(new RegExp(`\\b${documented}\\b`, 'g'), `${port}`);
  const top = `user root; pid nginx.pid; daemon off; error_log error.log info;\n`;
  const temps =
    'access_log access.log; client_body_temp_path temp; proxy_temp_path temp; fastcgi_temp_path temp; uwsgi_temp_path temp; scgi_temp_path temp;';
  front.write('nginx.conf', top + (own.startsWith('events') ? own : `events { }\nhttp { ${temps}\n${own}\n}\n`));
  mkdirSync(path.join(front.folder, 'site/assets'), { recursive: true });
  front.write('site/index.html', 'home');
  front.write('site/about.html', 'about');
  front.write('site/main.0a1b2c3d.js', 'script');
}

const run = async (task: string): Promise<void> => {
  await configure(task);
  await front.start();
};

type Answer = (req: IncomingMessage, res: ServerResponse) => void;

/** A back end; the default answer names the request. */
async function serveHttp(documented: number, answer: Answer = (req, res) => res.end(`${req.method} ${req.url}`)): Promise<void> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(at(documented), '127.0.0.1', resolve));
}

async function serveTcp(documented: number, text: string): Promise<void> {
  servers.push(await serveRaw(at(documented), (_, socket) => socket.end(text)));
}

function makeCertificate(): void {
  const words =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -keyout site.key -out site.crt';
  execFileSync('openssl', words.split(' '), { cwd: front.folder, stdio: 'ignore' });
}

/** Checks of each task. */
const EXPECTED: Record<string, () => Promise<void>> = {
  'Serve a folder': async () => {
    await run('Serve a folder');
    expect(bodyOf(await get(at(8080), '/'))).toBe('home');
    expect(bodyOf(await get(at(8080), '/about'))).toBe('about');
    expect(statusOf(await get(at(8080), '/none'))).toBe(404);
    expect(headerOf(await get(at(8080), '/main.0a1b2c3d.js'), 'Cache-Control')).toContain('immutable');
  },
  'Serve an application that routes in the browser': async () => {
    await run('Serve an application that routes in the browser');
    expect(bodyOf(await get(at(8080), '/users/7'))).toBe('home');
    expect(statusOf(await get(at(8080), '/assets/none.js'))).toBe(404);
  },
  'Use TLS': async () => {
    makeCertificate();
    await run('Use TLS');
    expect(headerOf(await get(at(8080), '/about.html?x=1'), 'Location')).toBe(`https://localhost:${at(8443)}/about.html?x=1`);
    const [status, policy] = await new Promise<[number | undefined, unknown]>((resolve, reject) =>
      getSecure({ port: at(8443), host: '127.0.0.1', path: '/about.html', rejectUnauthorized: false, agent: false }, (res) => {
        res.resume();
        res.on('end', () => resolve([res.statusCode, res.headers['strict-transport-security']]));
      }).on('error', reject),
    );
    expect([status, policy]).toEqual([200, 'max-age=31536000']);
  },
  'Put an application behind the front': async () => {
    await run('Put an application behind the front');
    await serveHttp(3000, (req, res) =>
      res.end(`${req.headers.host} ${req.headers['x-forwarded-for']} ${req.headers['x-forwarded-proto']} ${req.headers.connection}`),
    );
    expect(bodyOf(await get(at(8080), '/', 'X-Forwarded-For: 10.1.1.1\n'))).toBe('localhost 10.1.1.1, 127.0.0.1 http undefined');
    servers[0].on('upgrade', (_, socket) =>
      socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nhi'),
    );
    const upgraded = await raw(at(8080), 'GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    expect([statusOf(upgraded), bodyOf(upgraded)]).toEqual([101, 'hi']);
  },
  'Put an application under a path': async () => {
    await run('Put an application under a path');
    await serveHttp(3000, (req, res) => res.end(`${req.url} ${req.headers['x-forwarded-prefix']}`));
    expect(bodyOf(await get(at(8080), '/app/users?a=1'))).toBe('/users?a=1 /app');
    expect(bodyOf(await get(at(8080), '/'))).toBe('home');
  },
  'Balance several back ends': async () => {
    await configure('Balance several back ends');
    await serveHttp(3000, (_, res) => res.writeHead(503).end());
    await serveHttp(3001, (_, res) => res.end('second'));
    await front.start();
    for (let i = 0; i < 4; i++) expect(bodyOf(await get(at(8080), '/'))).toBe('second');
  },
  'Cache responses': async () => {
    await run('Cache responses');
    await serveHttp(3000);
    expect(headerOf(await get(at(8080), '/page'), 'X-Cache')).toBe('MISS');
    const again = await get(at(8080), '/page');
    expect([headerOf(again, 'X-Cache'), bodyOf(again)]).toEqual(['HIT', 'GET /page']);
  },
  'Limit what one client may ask for': async () => {
    await run('Limit what one client may ask for');
    await serveHttp(3000);
    const statuses = (await Promise.all(Array.from({ length: 15 }, () => get(at(8080), '/')))).map(statusOf);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(6);
    expect(statuses.every((status) => status === 200 || status === 429)).toBe(true);
  },
  'Ask for a password': async () => {
    front.write('users', `alice:{PLAIN}secret\n`);
    await run('Ask for a password');
    const denied = await get(at(8080), '/');
    expect([statusOf(denied), headerOf(denied, 'WWW-Authenticate')]).toEqual([401, 'Basic realm="Staff"']);
    const credentials = Buffer.from('alice:secret').toString('base64');
    expect(bodyOf(await get(at(8080), '/', `Authorization: Basic ${credentials}\n`))).toBe('home');
  },
  'Redirect and rewrite': async () => {
    await configure('Redirect and rewrite');
    front.write('site/download.html', 'download');
    await front.start();
    expect(headerOf(await get(at(8080), '/old.html'), 'Location')).toMatch(/\/new\.html$/);
    expect(headerOf(await get(at(8080), '/blog/a/b'), 'Location')).toMatch(/\/news\/a\/b$/);
    expect(bodyOf(await get(at(8080), '/files/7/report'))).toBe('download');
  },
  'Run PHP': async () => {
    await configure('Run PHP');
    front.write('site/index.php', '');
    front.write('site/style.css', 'css');
    servers.push(await serveRaw(at(9000), (_, socket) => socket.end(fastcgiAnswer('Content-Type: text/html\r\n\r\nfrom php'))));
    await front.start();
    expect(bodyOf(await get(at(8080), '/style.css'))).toBe('css');
    expect(bodyOf(await get(at(8080), '/posts/7?x=1'))).toBe('from php');
    expect(statusOf(await get(at(8080), '/none.php'))).toBe(404);
  },
  'Put a search box before the engine': async () => {
    await run('Put a search box before the engine');
    await serveHttp(9200);
    expect(bodyOf(await get(at(8080), '/cities/_search?q=a'))).toBe('GET /cities/_search?q=a');
    expect(statusOf(await get(at(8080), '/_cat/indices'))).toBe(403);
    expect(statusOf(await raw(at(8080), 'DELETE /cities/_search HTTP/1.0\r\nHost: a\r\n\r\n'))).toBe(403);
  },
  'Answer from JavaScript': async () => {
    const script = /^```js\n(.*?)^```/ms.exec(guide);
    front.write('hello.mjs', script?.[1] ?? '');
    await run('Answer from JavaScript');
    expect(bodyOf(await get(at(8080), '/hello?name=Ada'))).toBe('Hello Ada\n');
  },
  'Write logs as JSON': async () => {
    await run('Write logs as JSON');
    await get(at(8080), '/');
    await get(at(8080), '/none');
    await front.until(() => front.read('requests.log') !== '');
    const lines = front
      .read('requests.log')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([{ uri: '/none', status: 404, method: 'GET' }]);
  },
  'Watch it': async () => {
    await run('Watch it');
    await get(at(8080), '/about.html');
    expect(JSON.parse(bodyOf(await get(at(8081), '/api/server_zones')))).toMatchObject({ site: { requests: 1 } });
    expect(bodyOf(await get(at(8081), '/metrics'))).toContain('gannet_front_server_zone_requests_total{zone="site"} 1');
  },
  'Pass TCP on': async () => {
    await configure('Pass TCP on');
    await serveTcp(5433, 'backup');
    await front.start();
    expect(await raw(at(8080), 'hello')).toBe('backup');
  },
  'Choose a back end by the name in TLS': async () => {
    await run('Choose a back end by the name in TLS');
    const seen: string[] = [];
    for (const documented of [5432, 5433]) {
      servers.push(
        await serveRaw(at(documented), (_, socket) => {
          seen.push(`${documented}`);
          socket.destroy();
        }),
      );
    }
    for (const servername of ['mail.example.com', 'other.example.com']) {
      await new Promise<void>((resolve) =>
        connectTls({ port: at(8443), host: '127.0.0.1', servername, rejectUnauthorized: false }).on('error', () => resolve()),
      );
    }
    expect(seen).toEqual(['5432', '5433']);
  },
  'Pass mail on': async () => {
    await run('Pass mail on');
    await serveHttp(9000, (req, res) =>
      res.writeHead(200, { 'Auth-Status': `no mailbox for ${req.headers['auth-user']}`, 'Auth-Wait': '1' }).end(),
    );
    const dialog = await raw(at(8080), 'a LOGIN alice secret\r\nb LOGOUT\r\n');
    expect(dialog).toMatch(/^\* OK .*\r\na NO no mailbox for alice\r\n/);
  },
};

/** A whole FastCGI response of request 1. */
function fastcgiAnswer(text: string): Buffer {
  const record = (type: number, content: Buffer): Buffer =>
    Buffer.concat([Buffer.from([1, type, 0, 1, content.length >> 8, content.length & 255, 0, 0]), content]);
  return Buffer.concat([record(6, Buffer.from(text)), record(6, Buffer.alloc(0)), record(3, Buffer.alloc(8))]);
}

describe.skipIf(!ours)('the guide', () => {
  test('has a check for each configuration', () => {
    expect([...tasks.keys()]).toEqual(Object.keys(EXPECTED));
  });

  test.each(Object.entries(EXPECTED))('%s', async (_, check) => {
    await check();
    expect(existsSync(path.join(front.folder, 'error.log')) ? front.read('error.log') : '').not.toContain('[emerg]');
  });
});
