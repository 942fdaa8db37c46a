/** Choosing peers: methods, failures, spares, stickiness, queues, slow starts, changing names, checks, and changes at run time. */
import { createSocket, type Socket as Datagram } from 'node:dgram';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { bodyOf, Front, get, headerOf, ours, raw, statusOf } from '../support/front.ts';

const front = new Front();
let port = 0;
const names = ['a', 'b', 'c'];
const ports: Record<string, number> = {};
const servers: Server[] = [];
/** current behaviour of a back end */
const mode: Record<string, 'ok' | '500' | 'cut' | 'hold'> = {};
const held: (() => void)[] = [];
const seen: string[] = [];
/** a answers its health checks like b */
let ready = false;
let dns: Datagram;
let addresses: string[] = ['127.0.0.1'];

/** Answers any query for an A record with `addresses`, valid for a second. */
function answerDns(query: Buffer): Buffer {
  const end = query.indexOf(0, 12) + 5;
  const type = query.readUInt16BE(end - 4);
  const list = type === 1 ? addresses : [];
  const head = Buffer.from(query.subarray(0, 12));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(list.length, 6);
  head.fill(0, 8, 12);
  const records = list.map((ip) => Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...ip.split('.').map(Number)]));
  return Buffer.concat([head, query.subarray(12, end), ...records]);
}

beforeAll(async () => {
  port = await freePort();
  for (const name of names) {
    ports[name] = await freePort();
    mode[name] = 'ok';
    const server = createServer((req, res) => {
      if (!req.url?.startsWith('/health')) seen.push(`${name} ${req.method} ${req.url}`);
      const answer = () => res.end(`${name} ${req.socket.localAddress}`);
      if (req.url === '/health/ready')
        res.setHeader('X-State', ready || name === 'b' ? 'up' : 'starting').end(ready || name === 'b' ? 'serving' : 'wait');
      else if (req.url?.startsWith('/health') && mode[name] !== 'cut') res.end();
      else if (mode[name] === 'cut') req.socket.destroy();
      else if (mode[name] === 'hold') held.push(answer);
      else {
        if (mode[name] === '500') res.statusCode = 500;
        if (req.url?.includes('login')) res.setHeader('Set-Cookie', 'sid=one; path=/');
        answer();
      }
    });
    await new Promise<void>((resolve) => server.listen(ports[name], '0.0.0.0', resolve));
    servers.push(server);
  }
  dns = createSocket('udp4');
  dns.on('message', (query, from) => dns.send(answerDns(query), from.port, from.address));
  const dnsPort = await new Promise<number>((resolve) => dns.bind(0, '127.0.0.1', () => resolve(dns.address().port)));
  const at = (name: string, options = '') => `server 127.0.0.1:${ports[name]} ${options};`;
  const dead = await freePort();
  front.config(`
    resolver 127.0.0.1:${dnsPort} ipv6=off;
    ${ours ? `match ready { status 200-299; header X-State = up; header ! X-Drain; body ~ ^serv; body !~ maintenance; require $hostname; } upstream matched { ${at('a')} ${at('b')} }` : ''}
    upstream weights { ${at('a', 'weight=3')} ${at('b')} }
    upstream hashed { hash $arg_k consistent; ${at('a')} ${at('b')} ${at('c')} }
    upstream plainhash { hash $arg_k; ${at('a')} ${at('b')} ${at('c')} }
    upstream iphash { ip_hash; ${at('a')} ${at('b')} ${at('c')} }
    upstream least { least_conn; ${at('a')} ${at('b')} }
    upstream two { random two least_conn; ${at('a')} ${at('b')} }
    upstream failing { server 127.0.0.1:${dead} max_fails=1 fail_timeout=60s; ${at('b')} }
    upstream spare { ${at('a', 'max_fails=1 fail_timeout=1s')} ${at('b', 'backup')} ${at('c', 'down')} }
    upstream limited { zone limited 64k; ${at('a', 'max_conns=1')} ${at('b', 'backup')} }
    ${
      ours
        ? `upstream queued { zone queued 64k; ${at('a', 'max_conns=1')} queue 2 timeout=30s; }
    upstream cookie { sticky cookie srv expires=1h path=/ httponly; ${at('a', 'route=ra')} ${at('b', 'route=rb')} }
    upstream session { sticky cookie srv path=/; ${at('a', 'route=ra')} ${at('b', 'route=rb')} }
    upstream learn { zone learn 64k; sticky learn create=$upstream_cookie_sid lookup=$cookie_sid zone=sessions:64k; ${at('a')} ${at('b')} }
    upstream rising { ${at('a', 'weight=10 slow_start=1h max_fails=1 fail_timeout=1s')} ${at('b', 'weight=10')} }
    upstream named { zone named 64k; server peer.test:${ports.a} resolve; }
    upstream checked { zone checked 64k; ${at('a')} ${at('b')} }
    upstream run { zone run 64k; ${at('a')} }`
        : ''
    }
    server { listen 127.0.0.1:${port}; proxy_connect_timeout 5s;
      location /next { proxy_next_upstream error http_500; proxy_pass http://weights; }
      location /tries { proxy_next_upstream error http_500; proxy_next_upstream_tries 1; proxy_pass http://weights; }
      location ~ ^/(weights|hashed|plainhash|iphash|least|two|failing|spare|limited|queued|cookie|session|learn|rising|named|run)\\b {
        add_header X-Peers $upstream_addr; proxy_pass http://$1$uri; }
      location /var { set $name peer.test; proxy_pass http://$name:${ports.a}; }
      ${
        ours
          ? `location /checked { proxy_pass http://checked; health_check interval=200ms uri=/health fails=2 passes=2; }
      location /matched { proxy_pass http://matched; health_check interval=100ms jitter=20ms uri=/health/ready match=ready mandatory; } location /api/ { api write=on; } location /read/ { api; }`
          : ''
      }
    }`);
  await front.start();
});
afterAll(async () => {
  for (const answer of held) answer();
  for (const server of servers) server.close();
  dns.close();
  await front.dispose();
});

const ask = async (uri: string, headers = '') => bodyOf(await get(port, uri, headers)).split(' ')[0];
const counts = async (uri: string, total: number) => {
  const out: Record<string, number> = {};
  for (let n = 0; n < total; n++) {
    const who = await ask(uri);
    out[who] = (out[who] ?? 0) + 1;
  }
  return out;
};
const api = async (method: string, path: string, body?: unknown) => {
  const res = await fetch(`http://127.0.0.1:${port}/api/${path}`, { method, body: body === undefined ? undefined : JSON.stringify(body) });
  return { status: res.status, json: (await res.json()) as never };
};

describe('upstream', () => {
  test('balances by weight, hash and address', async () => {
    expect(await counts('/weights', 8)).toEqual({ a: 6, b: 2 });
    expect(Object.keys(await counts('/iphash', 6))).toHaveLength(1);
    const owner: string[] = [];
    for (let k = 0; k < 30; k++) owner.push(await ask(`/hashed?k=${k}`));
    for (let k = 0; k < 30; k += 7) expect(await ask(`/hashed?k=${k}`)).toBe(owner[k]);
    expect(new Set(owner)).toEqual(new Set(names));
    const plain: string[] = [];
    for (let k = 0; k < 12; k++) plain.push(await ask(`/plainhash?k=${k}`));
    // crc32 of the numbers 0 to 11 over three equal peers, as nginx distributes them
    expect(plain.join('')).toBe('cbcbabaaccac');
  });

  test('least_conn and random two avoid a busy peer', async () => {
    mode.a = 'hold';
    const waiting: Promise<string>[] = [];
    while (held.length === 0) {
      waiting.push(ask('/least'));
      await Promise.race([waiting.at(-1), front.until(() => held.length > 0)]);
    }
    expect(await counts('/least', 4)).toEqual({ b: 4 });
    mode.a = 'ok';
    held.splice(0).forEach((answer) => answer());
    await Promise.all(waiting);
    expect(Object.keys(await counts('/two', 30)).sort()).toEqual(['a', 'b']);
  });

  test('skips a failed peer; a backup takes over until it recovers', async () => {
    expect(await counts('/failing', 6)).toEqual({ b: 6 });
    expect(front.read('error.log').match(/connect\(\) failed \(111/g)).toHaveLength(1);
    expect(await ask('/spare')).toBe('a');
    mode.a = 'cut';
    expect(headerOf(await get(port, '/spare'), 'X-Peers')).toBe(`127.0.0.1:${ports.a}, 127.0.0.1:${ports.b}`);
    mode.a = 'ok';
    expect(await ask('/spare')).toBe('b');
    let who = '';
    while (who !== 'a') who = await ask('/spare');
  });

  test('next_upstream retries on the listed statuses, not for POST, not beyond its tries', async () => {
    mode.a = '500';
    mode.b = '500';
    seen.length = 0;
    expect(statusOf(await get(port, '/next'))).toBe(500);
    expect(seen).toHaveLength(2);
    seen.length = 0;
    await raw(port, 'POST /next HTTP/1.0\r\nHost: x\r\nContent-Length: 1\r\n\r\nx');
    await get(port, '/tries');
    expect(seen).toHaveLength(2);
    mode.a = mode.b = 'ok';
  });

  test('max_conns: the next request goes to the backup', async () => {
    mode.a = 'hold';
    const first = ask('/limited');
    await front.until(() => held.length === 1);
    expect(await ask('/limited')).toBe('b');
    mode.a = 'ok';
    held.splice(0).forEach((answer) => answer());
    expect(await first).toBe('a');
    expect(await ask('/limited')).toBe('a');
  });

  test.skipIf(!ours)('queue: requests wait for a free connection; beyond its length they are refused', async () => {
    mode.a = 'hold';
    const order: number[] = [];
    const fetches = [1, 2, 3].map((n) => get(port, `/queued?n=${n}`).then((answer) => order.push(statusOf(answer))));
    await front.until(() => held.length === 1);
    // two wait at most, so that one of the four was refused at once
    const fourth = get(port, '/queued?n=4').then((answer) => order.push(statusOf(answer)));
    await front.until(() => order.length === 1);
    expect(order).toEqual([502]);
    for (let n = 0; n < 3; n++) {
      await front.until(() => held.length === 1);
      held.splice(0).forEach((answer) => answer());
    }
    await Promise.all([...fetches, fourth]);
    expect(order).toEqual([502, 200, 200, 200]);
    mode.a = 'ok';
  });

  test.skipIf(!ours)('sticky cookie and sticky learn keep sessions on their peer', async () => {
    const first = await get(port, '/cookie');
    const cookie = headerOf(first, 'Set-Cookie')!;
    expect(cookie).toMatch(/^srv=r[ab]; expires=.*; max-age=3600; path=\/; httponly$/);
    expect(headerOf(await get(port, '/session'), 'Set-Cookie')).toMatch(/^srv=r[ab]; path=\/$/);
    for (let n = 0; n < 4; n++) expect(await ask('/cookie', `Cookie: ${cookie.split(';')[0]}\n`)).toBe(bodyOf(first)[0]);
    expect(await ask('/cookie', 'Cookie: srv=rb\n')).toBe('b');
    const login = await ask('/learn/login');
    for (let n = 0; n < 4; n++) expect(await ask('/learn', 'Cookie: sid=one\n')).toBe(login);
    expect(Object.keys(await counts('/learn', 4))).toHaveLength(2);
  });

  test.skipIf(!ours)('slow_start: a recovered peer gets few requests at first', async () => {
    mode.a = 'cut';
    await counts('/rising', 3);
    mode.a = 'ok';
    let who = '';
    while (who !== 'a') who = await ask('/rising');
    const after = await counts('/rising', 22);
    expect(after.a ?? 0).toBeLessThanOrEqual(4);
  });

  test('names in variables are resolved', async () => {
    addresses = ['127.0.0.1'];
    expect(bodyOf(await get(port, '/var'))).toBe('a 127.0.0.1');
  });

  test.skipIf(!ours)('`resolve` follows changes of the name server', async () => {
    addresses = ['127.0.0.1'];
    let body = '';
    while (!body.endsWith('127.0.0.1')) body = bodyOf(await get(port, '/named'));
    addresses = ['127.0.0.2', '127.0.0.3'];
    const found = new Set<string>();
    while (!(found.has('a 127.0.0.2') && found.has('a 127.0.0.3'))) found.add(bodyOf(await get(port, '/named')));
    found.clear();
    for (let n = 0; n < 6; n++) found.add(bodyOf(await get(port, '/named')));
    expect([...found].sort()).toEqual(['a 127.0.0.2', 'a 127.0.0.3']);
  });

  test.skipIf(!ours)('active checks remove a failing peer and restore it', async () => {
    mode.a = 'cut';
    const healthy = async () => {
      const { json } = await api('GET', 'upstreams/checked');
      return (json as { peers: { healthy: boolean }[] }).peers.map((p) => p.healthy).join();
    };
    while ((await healthy()) !== 'false,true');
    seen.length = 0;
    expect(await counts('/checked', 4)).toEqual({ b: 4 });
    mode.a = 'ok';
    while ((await healthy()) !== 'true,true');
    expect(await counts('/checked', 4)).toEqual({ a: 2, b: 2 });
  });

  test.skipIf(!ours)('checks with match: a peer is used once its response matches', async () => {
    const healthy = async () => {
      const { json } = await api('GET', 'upstreams/matched');
      return (json as { peers: { healthy: boolean }[] }).peers.map((p) => p.healthy).join();
    };
    while ((await healthy()) !== 'false,true');
    expect(await counts('/matched', 4)).toEqual({ b: 4 });
    ready = true;
    while ((await healthy()) !== 'true,true');
    expect(await counts('/matched', 4)).toEqual({ a: 2, b: 2 });
    expect(front.read('error.log')).toMatch(
      /\[warn\].*peer is unhealthy while checking \(header "X-State" is "starting"\)|\[info\].*peer is healthy while checking/,
    );
  });

  test.skipIf(!ours).each([
    ['match m { status 99; }', /invalid status "99"/],
    ['match m { header A <> b; }', /invalid operator "<>"/],
    ['match m { colour blue; }', /unknown directive "colour"/],
    ['server { location / { proxy_pass http://127.0.0.1:1; health_check match=none; } }', /match "none" is not found/],
    ['server { location / { proxy_pass http://127.0.0.1:1; health_check persistent; } }', /"persistent" requires "mandatory"/],
  ])('refused: %s', async (text, message) => {
    const bad = new Front();
    bad.config(text);
    await expect(bad.start()).rejects.toThrow(message);
    await bad.dispose();
  });

  test.skipIf(!ours)('the api adds, changes and removes servers', async () => {
    expect(await counts('/run', 2)).toEqual({ a: 2 });
    const added = await api('POST', 'upstreams/run/servers', { server: `127.0.0.1:${ports.b}`, weight: 3 });
    expect(added).toMatchObject({ status: 201, json: { server: `127.0.0.1:${ports.b}`, weight: 3, down: false } });
    expect(await counts('/run', 8)).toEqual({ a: 2, b: 6 });
    const { id } = added.json as { id: number };
    expect(await api('PATCH', `upstreams/run/servers/${id}`, { down: true })).toMatchObject({
      status: 200,
      json: { down: true, weight: 3 },
    });
    expect(await counts('/run', 3)).toEqual({ a: 3 });
    expect(await api('PATCH', `upstreams/run/servers/${id}`, { weight: 0 })).toMatchObject({ status: 400 });
    expect(await api('PATCH', `upstreams/run/servers/${id}`, { colour: 1 })).toMatchObject({ status: 400 });
    expect(await api('POST', 'upstreams/run/servers', { server: 'not an address' })).toMatchObject({ status: 400 });
    expect(await api('POST', 'upstreams/none/servers', { server: '127.0.0.1:1' })).toMatchObject({ status: 404 });
    expect(await api('DELETE', 'upstreams/run/servers/99')).toMatchObject({ status: 404 });
    expect((await api('DELETE', `upstreams/run/servers/${id}`)).json).toHaveLength(1);
    expect((await api('GET', 'upstreams/run/servers')).json).toMatchObject([{ server: `127.0.0.1:${ports.a}`, fails: 0 }]);
    const read = await fetch(`http://127.0.0.1:${port}/read/upstreams/run/servers`, { method: 'POST', body: '{}' });
    expect(read.status).toBe(405);
    expect((await fetch(`http://127.0.0.1:${port}/read/upstreams/run`)).status).toBe(200);
  });
});
