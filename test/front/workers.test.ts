/** Two event loops share the contents of zones: limits, states of peers, caches, sessions, counts. */
import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { bodyOf, Front, get, headerOf, ours, serveRaw, statusOf } from '../support/front.ts';

const front = new Front();
let port = 0;
let back: Server;
let slow: import('node:net').Server;
const held: Socket[] = [];
let count = 0;
const failing = false;

beforeAll(async () => {
  port = await freePort();
  const [backPort, slowPort, sickPort] = [await freePort(), await freePort(), await freePort()];
  back = createServer((req, res) => {
    if (failing && req.socket.localPort === backPort) req.socket.destroy();
    else res.end(`${++count}`);
  });
  await new Promise<void>((resolve) => back.listen(backPort, '127.0.0.1', resolve));
  slow = await serveRaw(slowPort, (text, socket) => text.includes('\r\n\r\n') && held.push(socket));
  front.write('file', 'x');
  const proxied = `proxy_pass http://127.0.0.1:${backPort};`;
  front.config(
    `
    limit_req_zone $arg_k zone=req:1m rate=1r/m;
    limit_conn_zone $arg_k zone=conn:1m;
    proxy_cache_path cache keys_zone=c:1m;
    upstream sick { zone sick 64k; server 127.0.0.1:${sickPort} max_fails=1 fail_timeout=60s; server 127.0.0.1:${backPort}; }
    upstream turns { zone turns 64k; server 127.0.0.1:${backPort}; server 127.0.0.2:${port}; }
    ${ours ? `upstream learn { zone learn 64k; server 127.0.0.2:${port} weight=3; server 127.0.0.3:${port}; sticky learn create=$upstream_http_x_sid lookup=$arg_sid zone=sessions:64k; }` : ''}
    server { listen 127.0.0.2:${port}; add_header X-Sid $arg_new; return 200 two; }
    server { listen 127.0.0.3:${port}; add_header X-Sid $arg_new; return 200 three; }
    log_format worker '$uri $arg_k $connection';
    server { listen 127.0.0.1:${port}; access_log workers.log worker;
      location /req { limit_req zone=req burst=9 nodelay; alias ${front.folder}/file; }
      location /conn { limit_conn conn 3; proxy_pass http://127.0.0.1:${slowPort}; }
      location /sick { proxy_pass http://sick; }
      location /turns { proxy_pass http://turns; }
      location /cached { ${proxied} proxy_cache c; proxy_cache_key $uri; proxy_cache_valid 1h; proxy_cache_lock on; add_header X-Cache $upstream_cache_status; ${ours ? 'proxy_cache_purge $arg_purge;' : ''} }
      location /thrice { ${proxied} proxy_cache c; proxy_cache_key $uri; proxy_cache_valid 1h; proxy_cache_min_uses 3; add_header X-Cache $upstream_cache_status; }
      location /uid { userid on; return 200 $uid_set; }
      location /status { stub_status; }
      location /open { return 200 "$connections_active $connections_reading $connections_waiting"; }
      ${ours ? 'location /learn { proxy_pass http://learn; } location /api/ { api write=on; } location /metrics { metrics; }' : ''}
    }`,
    'worker_processes 2;',
  );
  await front.start();
});
afterAll(async () => {
  for (const socket of held) socket.destroy();
  back.close();
  slow.close();
  await front.dispose();
});

const many = (uri: string, total: number) => Promise.all(Array.from({ length: total }, () => get(port, uri)));
const tally = (values: (string | number | undefined)[]) => {
  const out: Record<string, number> = {};
  for (const value of values) out[String(value)] = (out[String(value)] ?? 0) + 1;
  return out;
};
/** loops whose mark is in the error log */
const loops = () => new Set([...front.read('error.log').matchAll(/\[error\] \d+#(\d+): .*limiting requests/g)].map((m) => m[1]));

describe('two event loops', () => {
  test('open connections are counted by both', async () => {
    const open = async () =>
      bodyOf(await get(port, '/open'))
        .split(' ')
        .map(Number);
    const [active, reading, waiting] = await open();
    const sockets = Array.from({ length: 12 }, () => connect(port, '127.0.0.1'));
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    await expect.poll(open).toEqual([active + 12, reading, waiting + 12]);
    for (const socket of sockets.slice(0, 5)) socket.write('GET / HTTP/1.1\r\nHo');
    await expect.poll(open).toEqual([active + 12, reading + 5, waiting + 7]);
    // whichever loop answers
    for (let n = 0; n < 10; n++) expect(await open()).toEqual([active + 12, reading + 5, waiting + 7]);
    for (const socket of sockets) socket.destroy();
    await expect.poll(open).toEqual([active, reading, waiting]);
  });

  test('a rate is counted by both', async () => {
    // both loops must have handled requests, or this proves nothing
    for (let round = 0; round < 20; round++) {
      const statuses = tally((await many(`/req?k=${round}`, 40)).map(statusOf));
      expect(statuses).toEqual({ 200: 10, 503: 30 });
      if (!ours || loops().size === 2) break;
    }
    if (ours) expect(loops().size).toBe(2);
  });

  test('connections are counted by both, and released by both', async () => {
    for (let round = 0; round < 3; round++) {
      const answers = Array.from({ length: 12 }, () => get(port, '/conn?k=one'));
      const refused: string[] = [];
      for (const answer of answers) void answer.then((text) => statusOf(text) === 503 && refused.push(text));
      await front.until(() => refused.length === 9 && held.length === 3);
      for (const socket of held.splice(0)) socket.end('HTTP/1.0 200 OK\r\n\r\nslow');
      expect(tally((await Promise.all(answers)).map(statusOf))).toEqual({ 200: 3, 503: 9 });
    }
  });

  test('workers share the state of peers, and one rotation', async () => {
    await many('/sick', 1);
    expect(tally((await many('/sick', 20)).map(statusOf))).toEqual({ 200: 20 });
    expect(front.read('error.log').match(/connect\(\) failed/g)!.length).toBe(1);
    const turns: string[] = [];
    for (let n = 0; n < 20; n++) turns.push(bodyOf(await get(port, '/turns')) === 'two' ? 'two' : 'back');
    expect(tally(turns)).toEqual({ two: 10, back: 10 });
  });

  test('one fetches for both, and both share the result', async () => {
    const before = count;
    const bodies = new Set((await many('/cached/1', 30)).map(bodyOf));
    expect(bodies.size).toBe(1);
    expect(count).toBe(before + 1);
    // enough rounds for a loop to look for the response in the moment in which the other stores it
    for (let round = 0; round < 100; round++) expect(new Set((await many(`/cached/round${round}`, 12)).map(bodyOf)).size).toBe(1);
    expect(tally((await many('/cached/1', 20)).map((a) => headerOf(a, 'X-Cache')))).toEqual({ HIT: 20 });
    const uses: (string | undefined)[] = [];
    for (let n = 0; n < 6; n++) uses.push(headerOf(await get(port, '/thrice'), 'X-Cache'));
    expect(uses).toEqual(['MISS', 'MISS', 'MISS', 'HIT', 'HIT', 'HIT']);
  });

  test.skipIf(!ours)('a purge reaches the memory of both', async () => {
    for (let round = 0; round < 5; round++) {
      const old = new Set((await many('/cached/p', 20)).map(bodyOf));
      expect(statusOf(await get(port, '/cached/p?purge=1'))).toBe(204);
      for (const answer of await many('/cached/p', 20)) expect(old.has(bodyOf(answer))).toBe(false);
    }
  });

  test.skipIf(!ours)('servers added by one are used by both; learned sessions apply to both', async () => {
    const api = async (method: string, path: string, body?: unknown) =>
      (await fetch(`http://127.0.0.1:${port}/api/${path}`, { method, body: JSON.stringify(body) })).json();
    const added = (await api('POST', 'upstreams/turns/servers', { server: `127.0.0.3:${port}`, weight: 8 })) as { id: number };
    expect(tally((await many('/turns', 20)).map((a) => (bodyOf(a) === 'three' ? 'three' : 'others')))).toEqual({ three: 16, others: 4 });
    await api('DELETE', `upstreams/turns/servers/${added.id}`);
    expect((await many('/turns', 20)).filter((a) => bodyOf(a) === 'three')).toEqual([]);
    const first = bodyOf(await get(port, '/learn?new=s1'));
    expect(tally((await many('/learn?sid=s1', 20)).map(bodyOf))).toEqual({ [first]: 20 });
  });

  test('visitors and connections get distinct numbers', async () => {
    const ids = (await many('/uid', 40)).map(bodyOf);
    expect(new Set(ids).size).toBe(40);
    const numbers = front
      .read('workers.log')
      .split('\n')
      .filter((line) => line.startsWith('/uid'))
      .map((line) => line.split(' ').at(-1));
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  test('counts and gauges include both', async () => {
    const waiting = async () => Number(/^Active connections: (\d+)/.exec(bodyOf(await get(port, '/status')))![1]);
    const before = await waiting();
    const idle = await Promise.all(
      Array.from(
        { length: 20 },
        () =>
          new Promise<Socket>((resolve) => {
            const s = connect(port, '127.0.0.1', () => resolve(s));
            s.on('error', () => {});
          }),
      ),
    );
    while ((await waiting()) < before + 20);
    const requests = async () => Number(bodyOf(await get(port, '/status')).match(/\d+/g)![3]);
    const start = await requests();
    await many('/req', 30);
    expect((await requests()) - start).toBe(31);
    for (const socket of idle) socket.destroy();
    if (!ours) return;
    const value = async (start: string) =>
      Number(
        bodyOf(await get(port, '/metrics'))
          .split('\n')
          .find((l) => l.startsWith(start))!
          .split(' ')
          .at(-1),
      );
    const labels = 'gannet_front_location_requests_total{server="",location="/req",code="2xx"}';
    const known = await value(labels);
    await many('/req', 30);
    expect((await value(labels)) - known).toBe(30);
  });

  test('a reload preserves limits and counts, and the shutdown is graceful', async () => {
    await many('/req?k=reload', 12);
    front.signal('SIGHUP');
    await front.until(() => /exited with code 0/.test(front.read('error.log')));
    expect(statusOf(await get(port, '/req?k=reload'))).toBe(503);
    expect(await front.stop()).toBe(0);
    expect(front.read('error.log')).not.toMatch(/\[(alert|crit|emerg)\]/);
  });
});
