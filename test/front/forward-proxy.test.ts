/** A forward proxy: absolute URIs and CONNECT tunnels, with a list of permitted destinations, passwords and a cache. */
import { createServer, type Server } from 'node:http';
import { connect, createServer as createTcp, type Server as TcpServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { bodyOf, Front, headerOf, ours, raw, statusOf } from '../support/front.ts';

const front = new Front();
let port = 0;
let [webPort, echoPort, otherPort] = [0, 0, 0];
let web: Server;
let echo: TcpServer;
const seen: string[] = [];

beforeAll(async () => {
  [port, webPort, echoPort, otherPort] = [await freePort(), await freePort(), await freePort(), await freePort()];
  web = createServer((req, res) => {
    seen.push(`${req.method} ${req.url} ${req.headers.host} ${req.headers['proxy-authorization'] ?? '-'}`);
    res.end(`web ${seen.length}`);
  });
  await new Promise<void>((resolve) => web.listen(webPort, '127.0.0.1', resolve));
  echo = createTcp((socket) => socket.on('error', () => {}).on('data', (data) => socket.write(`echo ${data}`)));
  await new Promise<void>((resolve) => echo.listen(echoPort, '127.0.0.1', resolve));
  front.write('users', 'ann:{PLAIN}secret\n');
  const rules = `if ($reachable = 0) { return 403; }
    auth_basic proxy; auth_basic_user_file users; ${ours ? 'auth_basic_proxy on;' : ''}`;
  front.config(`
    proxy_cache_path cache keys_zone=c:1m;
    map "$host:$request_port" $reachable { default 0; 127.0.0.1:${webPort} 1; 127.0.0.1:${echoPort} 1; }
    server { listen 127.0.0.1:${port};
      location / { ${rules}
        proxy_pass http://$host:$request_port$request_uri; proxy_set_header Host $host:$request_port; proxy_set_header Proxy-Authorization "";
        proxy_cache c; proxy_cache_key $scheme://$host:$request_port$request_uri; proxy_cache_valid 1h; add_header X-Cache $upstream_cache_status; }
      ${ours ? `if ($request_method = CONNECT) { rewrite ^ /connect last; } location = /connect { internal; ${rules} tunnel_pass; }` : ''}
    }`);
  if (ours) await front.start();
});
afterAll(async () => {
  web.close();
  echo.close();
  await front.dispose();
});

const password = (text: string) => `Proxy-Authorization: Basic ${Buffer.from(text).toString('base64')}\r\n`;
const through = (target: string, fields = '') =>
  raw(port, `GET http://${target} HTTP/1.1\r\nHost: ignored\r\nConnection: close\r\n${fields}\r\n`);

/** Opens a tunnel and sends a line through it. @returns everything received */
function tunnel(target: string, fields = '', line = 'hello'): Promise<string> {
  return new Promise((resolve, reject) => {
    let out = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${fields}\r\n`));
    socket.on('error', reject).on('close', () => resolve(out));
    socket.on('data', (data) => {
      out += data.toString('latin1');
      if (/^HTTP\/1\.1 200 /.test(out) && out.endsWith('\r\n\r\n')) socket.write(line);
      else socket.end();
    });
  });
}

describe.skipIf(!ours)('forward proxy', () => {
  test('passwords are required and not passed on', async () => {
    const asked = await through(`127.0.0.1:${webPort}/a`);
    expect(statusOf(asked)).toBe(407);
    expect(headerOf(asked, 'Proxy-Authenticate')).toBe('Basic realm="proxy"');
    expect(statusOf(await through(`127.0.0.1:${webPort}/a`, password('ann:wrong')))).toBe(407);
    expect(seen).toEqual([]);
    const reply = await through(`127.0.0.1:${webPort}/a?b=c`, password('ann:secret'));
    expect(bodyOf(reply)).toBe('web 1');
    expect(seen).toEqual([`GET /a?b=c 127.0.0.1:${webPort} -`]);
  });

  test('addresses on no list are not reached', async () => {
    expect(statusOf(await through(`127.0.0.1:${otherPort}/`, password('ann:secret')))).toBe(403);
    expect(statusOf(await tunnel(`127.0.0.1:${otherPort}`, password('ann:secret')))).toBe(403);
    expect(statusOf(await raw(port, `GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`))).toBe(403);
  });

  test('responses are cached by the whole URI', async () => {
    const first = await through(`127.0.0.1:${webPort}/cached`, password('ann:secret'));
    const second = await through(`127.0.0.1:${webPort}/cached`, password('ann:secret'));
    expect([headerOf(first, 'X-Cache'), headerOf(second, 'X-Cache')]).toEqual(['MISS', 'HIT']);
    expect(bodyOf(second)).toBe(bodyOf(first));
  });

  test('tunnels carry bytes both ways, for clients with a password', async () => {
    const asked = await tunnel(`127.0.0.1:${echoPort}`);
    expect(statusOf(asked)).toBe(407);
    expect(headerOf(asked, 'Proxy-Authenticate')).toBe('Basic realm="proxy"');
    expect(await tunnel(`127.0.0.1:${echoPort}`, password('ann:secret'))).toMatch(/^HTTP\/1\.1 200 .*\r\n\r\necho hello$/s);
    expect(statusOf(await tunnel('127.0.0.1'))).toBe(400);
  });
});
