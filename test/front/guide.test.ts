/**
 * Every configuration of docs/front/guide.md is complete, runs, and does what its heading promises. Its ports, paths and certificates are replaced by
 * the test's. One front runs all of them together, because most of the time of a test would be its start.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { get as getSecure } from 'node:https';
import type { Server as TcpServer } from 'node:net';
import path from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkConfig } from '../../src/front/commands/check.ts';
import { placesOf } from '../../src/front/process/cycle.ts';
import { freePort } from '../support/free-port.ts';
import { bodyOf, Front, get, headerOf, ours, raw, serveRaw, statusOf } from '../support/front.ts';

const front = new Front();

const guide = readFileSync(path.resolve(import.meta.dirname, '../../docs/front/guide.md'), 'utf8');

/** Configurations by the heading of their task. */
const tasks = new Map<string, string>();
for (const section of guide.split(/^## /m).slice(1)) {
  const block = /^```nginx\n(.*?)^```/ms.exec(section);
  if (block) tasks.set(section.slice(0, section.indexOf('\n')), block[1]);
}

const servers: (Server | TcpServer)[] = [];

/** Ports that stand for those of the guide, by task. */
const portsOf = new Map<string, Map<number, number>>();
let task = '';
const at = (documented: number): number => {
  const port = portsOf.get(task)?.get(documented);
  if (port === undefined) throw new Error(`the configuration does not contain ${documented}`);
  return port;
};
/** Folder of the running task that stands for /srv/site. */
const siteOf = (name: string): string => path.join(front.folder, `site-${[...tasks.keys()].indexOf(name)}`);
const writeSite = (name: string, text: string): void => writeFileSync(path.join(siteOf(task), name), text);

type Block = 'http' | 'stream' | 'mail';
const TOP = 'user root; pid nginx.pid; daemon off; error_log error.log info;\nevents { }\n';
const TEMPS =
  'access_log access.log; client_body_temp_path temp; proxy_temp_path temp; fastcgi_temp_path temp; uwsgi_temp_path temp; scgi_temp_path temp;';

/** A whole configuration. */
const wholeFile = (contents: readonly (readonly [Block, string])[]): string =>
  TOP + contents.map(([block, text]) => `${block} {\n${block === 'http' ? TEMPS : ''}\n${text}\n}\n`).join('');

/** The block that the configuration of a task belongs to and its text there, with ports and folders of the test. */
async function prepare(name: string, text: string): Promise<readonly [Block, string]> {
  const ports = new Map<number, number>();
  portsOf.set(name, ports);
  for (const [documented] of text.matchAll(/\b(?:8080|8081|8443|3000|3001|9200|9000|5432|5433)\b/g)) {
    if (!ports.has(Number(documented))) ports.set(Number(documented), await freePort());
  }
  let own = text.replaceAll('/srv/site', siteOf(name));
  for (const [documented, port] of ports) own = own.replaceAll(new RegExp(`\\b${documented}\\b`, 'g'), `${port}`);
  mkdirSync(path.join(siteOf(name), 'assets'), { recursive: true });
  task = name;
  for (const [file, content] of Object.entries({ 'index.html': 'home', 'about.html': 'about', 'main.0a1b2c3d.js': 'script' }))
    writeSite(file, content);
  const whole = /^events \{ \}\n+(stream|mail) \{\n(.*)^\}\s*$/ms.exec(own);
  return whole ? [whole[1] as Block, whole[2]] : ['http', own];
}

const contents = new Map<string, readonly [Block, string]>();
beforeAll(async () => {
  if (!ours) return;
  for (const [name, text] of tasks) contents.set(name, await prepare(name, text));
  makeCertificate();
  front.write('users', 'alice:{PLAIN}secret\n');
  front.write('hello.mjs', /^```js\n(.*?)^```/ms.exec(guide)?.[1] ?? '');
  const blocks = (['http', 'stream', 'mail'] as const).map(
    (block) => [block, [...contents.values()].flatMap(([own, text]) => (own === block ? [text] : [])).join('\n')] as const,
  );
  front.write('nginx.conf', wholeFile(blocks));
  // checked from the start on
  task = 'Balance several back ends';
  await serveHttp(3000, (_, res) => res.writeHead(503).end());
  await serveHttp(3001, (_, res) => res.end('second'));
  await front.start();
});
afterAll(async () => {
  await front.dispose();
  for (const server of servers) {
    if ('closeAllConnections' in server) server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

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
    expect(bodyOf(await get(at(8080), '/'))).toBe('home');
    expect(bodyOf(await get(at(8080), '/about'))).toBe('about');
    expect(statusOf(await get(at(8080), '/none'))).toBe(404);
    expect(headerOf(await get(at(8080), '/main.0a1b2c3d.js'), 'Cache-Control')).toContain('immutable');
  },
  'Serve an application that routes in the browser': async () => {
    expect(bodyOf(await get(at(8080), '/users/7'))).toBe('home');
    expect(statusOf(await get(at(8080), '/assets/none.js'))).toBe(404);
  },
  'Use TLS': async () => {
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
    await serveHttp(3000, (req, res) =>
      res.end(`${req.headers.host} ${req.headers['x-forwarded-for']} ${req.headers['x-forwarded-proto']} ${req.headers.connection}`),
    );
    expect(bodyOf(await get(at(8080), '/', 'X-Forwarded-For: 10.1.1.1\n'))).toBe('localhost 10.1.1.1, 127.0.0.1 http undefined');
    servers
      .at(-1)
      ?.on('upgrade', (_, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nhi'));
    const upgraded = await raw(at(8080), 'GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    expect([statusOf(upgraded), bodyOf(upgraded)]).toEqual([101, 'hi']);
  },
  'Put an application under a path': async () => {
    await serveHttp(3000, (req, res) => res.end(`${req.url} ${req.headers['x-forwarded-prefix']}`));
    expect(bodyOf(await get(at(8080), '/app/users?a=1'))).toBe('/users?a=1 /app');
    expect(bodyOf(await get(at(8080), '/'))).toBe('home');
  },
  'Balance several back ends': async () => {
    for (let i = 0; i < 4; i++) expect(bodyOf(await get(at(8080), '/'))).toBe('second');
  },
  'Cache responses': async () => {
    await serveHttp(3000);
    expect(headerOf(await get(at(8080), '/page'), 'X-Cache')).toBe('MISS');
    const again = await get(at(8080), '/page');
    expect([headerOf(again, 'X-Cache'), bodyOf(again)]).toEqual(['HIT', 'GET /page']);
  },
  'Limit what one client may ask for': async () => {
    await serveHttp(3000);
    const statuses = (await Promise.all(Array.from({ length: 15 }, () => get(at(8080), '/')))).map(statusOf);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(6);
    expect(statuses.every((status) => status === 200 || status === 429)).toBe(true);
  },
  'Ask for a password': async () => {
    const denied = await get(at(8080), '/');
    expect([statusOf(denied), headerOf(denied, 'WWW-Authenticate')]).toEqual([401, 'Basic realm="Staff"']);
    const credentials = Buffer.from('alice:secret').toString('base64');
    expect(bodyOf(await get(at(8080), '/', `Authorization: Basic ${credentials}\n`))).toBe('home');
  },
  'Redirect and rewrite': async () => {
    writeSite('download.html', 'download');
    expect(headerOf(await get(at(8080), '/old.html'), 'Location')).toMatch(/\/new\.html$/);
    expect(headerOf(await get(at(8080), '/blog/a/b'), 'Location')).toMatch(/\/news\/a\/b$/);
    expect(bodyOf(await get(at(8080), '/files/7/report'))).toBe('download');
  },
  'Run PHP': async () => {
    writeSite('index.php', '');
    writeSite('style.css', 'css');
    servers.push(await serveRaw(at(9000), (_, socket) => socket.end(fastcgiAnswer('Content-Type: text/html\r\n\r\nfrom php'))));
    expect(bodyOf(await get(at(8080), '/style.css'))).toBe('css');
    expect(bodyOf(await get(at(8080), '/posts/7?x=1'))).toBe('from php');
    expect(statusOf(await get(at(8080), '/none.php'))).toBe(404);
  },
  'Put a search box before the engine': async () => {
    await serveHttp(9200);
    expect(bodyOf(await get(at(8080), '/cities/_search?q=a'))).toBe('GET /cities/_search?q=a');
    expect(statusOf(await get(at(8080), '/_cat/indices'))).toBe(403);
    expect(statusOf(await raw(at(8080), 'DELETE /cities/_search HTTP/1.0\r\nHost: a\r\n\r\n'))).toBe(403);
  },
  'Answer from JavaScript': async () => {
    expect(bodyOf(await get(at(8080), '/hello?name=Ada'))).toBe('Hello Ada\n');
  },
  'Write logs as JSON': async () => {
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
    await get(at(8080), '/about.html');
    expect(JSON.parse(bodyOf(await get(at(8081), '/api/server_zones')))).toMatchObject({ site: { requests: 1 } });
    expect(bodyOf(await get(at(8081), '/metrics'))).toContain('gannet_front_server_zone_requests_total{zone="site"} 1');
  },
  'Pass TCP on': async () => {
    await serveTcp(5433, 'backup');
    expect(await raw(at(8080), 'hello')).toBe('backup');
  },
  'Choose a back end by the name in TLS': async () => {
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

  test.each(Object.entries(EXPECTED))('%s', async (name, check) => {
    task = name;
    await check();
    expect(front.read('error.log')).not.toContain('[emerg]');
  });

  test.each([...tasks.keys()])('%s: nothing is missing from the configuration', async (name) => {
    front.write('alone.conf', wholeFile([contents.get(name)!]));
    const options = { prefix: front.folder, config: 'alone.conf', globals: '', test: true, dump: false, quiet: true };
    expect((await checkConfig(options, placesOf(options))).problems).toEqual([]);
  });
});
