/** The cache of proxied answers: which are stored, for whom and how long, and how they are renewed, purged and found after a restart. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { bodyOf, Front, get, headerOf, ours, raw, statusOf } from '../support/front.ts';

const front = new Front();
let port = 0;
let back: Server;
let count = 0;
let broken = false;
const held: (() => void)[] = [];
const seen: string[] = [];

function answer(req: IncomingMessage, res: ServerResponse): void {
  seen.push(`${req.method} ${req.url} ${req.headers['if-none-match'] ?? ''}`.trim());
  const { searchParams: args, pathname } = new URL(req.url!, 'http://x');
  if (broken) {
    res.statusCode = 500;
    res.end('broken');
    return;
  }
  for (const [name, value] of args) if (name.startsWith('h-')) res.setHeader(name.slice(2), value);
  if (args.has('etag')) {
    res.setHeader('ETag', '"tag"');
    if (req.headers['if-none-match'] === '"tag"') {
      res.statusCode = 304;
      res.end();
      return;
    }
  }
  res.statusCode = Number(args.get('status') ?? 200);
  const body = args.has('big') ? 'b'.repeat(200_000) : `${pathname} ${++count}`;
  res.setHeader('Content-Length', body.length);
  const finish = () => res.end(req.method === 'HEAD' ? undefined : body);
  if (args.has('hold')) held.push(finish);
  else finish();
}

beforeAll(async () => {
  port = await freePort();
  const backPort = await freePort();
  back = createServer(answer);
  await new Promise<void>((resolve) => back.listen(backPort, '127.0.0.1', resolve));
  const common = `proxy_pass http://127.0.0.1:${backPort}; proxy_cache c; proxy_cache_key $uri; add_header X-Cache $upstream_cache_status always;`;
  front.config(`
    proxy_cache_path cache keys_zone=c:1m levels=1:2 inactive=1h;
    server { listen 127.0.0.1:${port};
      location / { ${common} proxy_cache_valid 200 404 1h; }
      location /short { ${common} proxy_cache_valid 1s; proxy_cache_use_stale error timeout updating http_500; proxy_cache_background_update on; }
      location /renew { ${common} proxy_cache_valid 1s; proxy_cache_revalidate on; }
      location /own { ${common} }
      location /any { ${common} proxy_cache_valid any 1h; }
      location /first { ${common} proxy_cache_valid 301 0; proxy_cache_valid any 1h; proxy_cache_valid 404 0; }
      location /twice { ${common} proxy_cache_valid 1h; proxy_cache_min_uses 2; }
      location /body { ${common.replace('$uri', '$request_body')} proxy_cache_valid 1h; proxy_cache_methods POST; }
      location /lock { ${common} proxy_cache_valid 1h; proxy_cache_lock on; }
      location /choice { ${common} proxy_cache_valid 1h; proxy_cache_bypass $arg_fresh; proxy_no_cache $arg_secret; }
      location /post { ${common} proxy_cache_valid 1h; proxy_cache_methods POST; }
      location /ignore { ${common} proxy_cache_valid 1h; proxy_ignore_headers Cache-Control Set-Cookie Vary X-Accel-Expires; }
      ${ours ? `location /purge { ${common} proxy_cache_valid 1h; proxy_cache_purge $arg_purge; } location /api/ { api write=on; }` : ''}
    }`);
  await front.start();
});
afterAll(async () => {
  for (const finish of held) finish();
  back.close();
  await front.dispose();
});

const cached = async (uri: string, headers = '') => headerOf(await get(port, uri, headers), 'X-Cache');

describe('cache', () => {
  test('stores only cacheable responses', async () => {
    expect([await cached('/a'), await cached('/a')]).toEqual(['MISS', 'HIT']);
    expect([await cached('/404?status=404'), await cached('/404')]).toEqual(['MISS', 'HIT']);
    expect([await cached('/302?status=302'), await cached('/302')]).toEqual(['MISS', 'MISS']);
    expect([await cached('/any?status=418'), await cached('/any')]).toEqual(['MISS', 'HIT']);
    expect([await cached('/cookie?h-set-cookie=a'), await cached('/cookie')]).toEqual(['MISS', 'MISS']);
    for (const control of ['no-store', 'no-cache', 'private', 'max-age=0']) {
      const uri = `/control-${control}`;
      expect([await cached(`${uri}?h-cache-control=${control}`), await cached(uri)]).toEqual(['MISS', 'MISS']);
    }
    expect([await cached('/own/1?h-cache-control=max-age=60'), await cached('/own/1')]).toEqual(['MISS', 'HIT']);
    expect([await cached('/own/2?h-x-accel-expires=60&h-cache-control=no-store'), await cached('/own/2')]).toEqual(['MISS', 'HIT']);
    expect([await cached('/own/3?h-x-accel-expires=0'), await cached('/own/3')]).toEqual(['MISS', 'MISS']);
    expect([await cached('/own/4'), await cached('/own/4')]).toEqual(['MISS', 'MISS']);
    expect([await cached('/vary-star?h-vary=*'), await cached('/vary-star')]).toEqual(['MISS', 'MISS']);
    expect([await cached('/ignore?h-vary=*&h-cache-control=no-store&h-set-cookie=a'), await cached('/ignore')]).toEqual(['MISS', 'HIT']);
  });

  test('obeys methods, bypass, no_cache and min_uses', async () => {
    const post = () => raw(port, 'POST /post HTTP/1.0\r\nHost: x\r\nContent-Length: 1\r\n\r\nx').then((a) => headerOf(a, 'X-Cache'));
    expect([await post(), await post()]).toEqual(['MISS', 'HIT']);
    const body = (text: string) =>
      raw(port, `POST /body HTTP/1.0\r\nHost: x\r\nContent-Length: ${text.length}\r\n\r\n${text}`).then((a) => headerOf(a, 'X-Cache'));
    expect([await body('one'), await body('two'), await body('one')]).toEqual(['MISS', 'MISS', 'HIT']);
    expect([await cached('/choice'), await cached('/choice?fresh=1'), await cached('/choice')]).toEqual(['MISS', 'BYPASS', 'HIT']);
    expect([await cached('/choice/s?secret=1'), await cached('/choice/s')]).toEqual(['MISS', 'MISS']);
    expect([await cached('/twice'), await cached('/twice'), await cached('/twice')]).toEqual(['MISS', 'MISS', 'HIT']);
    seen.length = 0;
    await raw(port, 'HEAD /head HTTP/1.0\r\nHost: x\r\n\r\n');
    expect(seen).toEqual(['GET /head']);
    const stored = bodyOf(await get(port, '/head'));
    expect(stored).toMatch(/^\/head \d+$/);
    const head = await raw(port, 'HEAD /head HTTP/1.0\r\nHost: x\r\n\r\n');
    expect(headerOf(head, 'X-Cache')).toBe('HIT');
    expect(headerOf(head, 'Content-Length')).toBe(String(stored.length));
    expect(bodyOf(head)).toBe('');
  });

  test('Vary stores one response for each', async () => {
    const of = (language: string) => cached('/vary?h-vary=Accept-Language', `Accept-Language: ${language}\n`);
    expect([await of('en'), await of('en'), await of('fr'), await of('en'), await of('fr')]).toEqual(['MISS', 'HIT', 'MISS', 'HIT', 'HIT']);
    const coded = (codings: string) => cached('/coded?h-vary=Accept-Encoding', `Accept-Encoding: ${codings}\n`);
    // codings have no order, languages may have one; nginx uses both as they are written
    expect([await coded('br, gzip'), await coded('gzip,br'), await coded('gzip')]).toEqual(['MISS', ours ? 'HIT' : 'MISS', 'MISS']);
    expect([await of('en,fr'), await of('fr,en')]).toEqual(['MISS', 'MISS']);
  });

  test('cuts ranges from stored responses, small and large', async () => {
    const bytes = '?h-accept-ranges=bytes';
    const small = bodyOf(await get(port, `/range${bytes}`));
    const part = await get(port, '/range', 'Range: bytes=1-3\n');
    expect(statusOf(part)).toBe(206);
    expect(bodyOf(part)).toBe(small.slice(1, 4));
    expect(bodyOf(await get(port, `/large${bytes}&big`))).toHaveLength(200_000);
    const tail = await get(port, '/large', 'Range: bytes=-5\n');
    expect(headerOf(tail, 'Content-Range')).toBe('bytes 199995-199999/200000');
    expect(headerOf(tail, 'X-Cache')).toBe('HIT');
    expect(bodyOf(tail)).toBe('bbbbb');
    await get(port, '/norange');
    expect(statusOf(await get(port, '/norange', 'Range: bytes=1-3\n'))).toBe(200);
  });

  test.skipIf(!ours)('cuts ascending ranges from a response while it is fetched, others only from a stored one', async () => {
    const parts = async (uri: string, ranges: string) => {
      const answer = await get(port, `${uri}?h-accept-ranges=bytes&big`, `Range: bytes=${ranges}\n`);
      const found = [...answer.matchAll(/Content-Range: bytes (\d+-\d+)\/200000\r\n\r\n(b+)\r\n/g)].map((m) => [m[1], m[2].length]);
      if (found.length > 0) expect(headerOf(answer, 'Content-Length')).toBe(String(bodyOf(answer).length));
      return [statusOf(answer), headerOf(answer, 'X-Cache'), found];
    };
    const two = [
      ['3-4', 2],
      ['199990-199999', 10],
    ];
    expect(await parts('/large/up', '3-4,199990-')).toEqual([206, 'MISS', two]);
    expect(await parts('/large/up', '3-4,-10')).toEqual([206, 'HIT', two]);
    expect(await parts('/large/down', '-10,3-4')).toEqual([200, 'MISS', []]);
    expect(await parts('/large/down', '-10,3-4')).toEqual([206, 'HIT', [two[1], two[0]]]);
  });

  test('one request fetches, the others wait for it', async () => {
    seen.length = 0;
    const first = get(port, '/lock?hold');
    await front.until(() => held.length === 1);
    const others = [1, 2, 3].map(() => get(port, '/lock'));
    held.splice(0).forEach((finish) => finish());
    const bodies = new Set((await Promise.all([first, ...others])).map(bodyOf));
    expect(bodies.size).toBe(1);
    expect(seen).toEqual(['GET /lock?hold']);
  });

  test('serves stale responses during a background update, and when the back end fails', async () => {
    const old = bodyOf(await get(port, '/short'));
    let status: string | undefined = 'HIT';
    let body = '';
    while (status === 'HIT') {
      const reply = await get(port, '/short');
      status = headerOf(reply, 'X-Cache');
      body = bodyOf(reply);
    }
    expect(status).toBe('STALE');
    expect(body).toBe(old);
    let next = old;
    while (next === old) next = bodyOf(await get(port, '/short'));
    broken = true;
    status = 'HIT';
    while (status === 'HIT') status = await cached('/short');
    expect(status).toBe('STALE');
    expect(statusOf(await get(port, '/short'))).toBe(200);
    broken = false;
  });

  test('revalidation sends the entity tag and keeps the body', async () => {
    const body = bodyOf(await get(port, '/renew?etag'));
    seen.length = 0;
    let status: string | undefined = 'HIT';
    while (status === 'HIT') status = await cached('/renew?etag');
    expect(status).toBe('REVALIDATED');
    expect(seen).toEqual(['GET /renew?etag "tag"']);
    const reply = await get(port, '/renew?etag');
    expect(headerOf(reply, 'X-Cache')).toBe('HIT');
    expect(bodyOf(reply)).toBe(body);
  });

  test('the validity of the stored response applies again if the back end confirms it without one', async () => {
    const uri = '/renew/again?etag';
    await get(port, `${uri}&h-Cache-Control=max-age=1`);
    let status: string | undefined = 'HIT';
    while (status === 'HIT') status = await cached(`${uri}&h-Cache-Control=no-cache`);
    expect(status).toBe('REVALIDATED');
    expect(await cached(uri)).toBe('HIT');
  });

  test('the first rule for a status decides how long it is valid, and `any` is for all', async () => {
    await get(port, '/first?status=404');
    expect(await cached('/first?status=404')).toBe('HIT');
    await get(port, '/first/moved?status=301');
    expect(await cached('/first/moved?status=301')).toBe('MISS');
  });

  test.skipIf(!ours)('purges by request, by key, by prefix and by tag', async () => {
    const purge = async (body: unknown) => {
      const res = await fetch(`http://127.0.0.1:${port}/api/caches/c/purge`, { method: 'POST', body: JSON.stringify(body) });
      return { status: res.status, ...((await res.json()) as object) };
    };
    const fill = async () => {
      for (const uri of ['/purge/a/1?h-cache-tag=red,blue', '/purge/a/2?h-surrogate-key=blue%20green', '/purge/b/1']) await get(port, uri);
    };
    const state = async () => [
      await cached('/purge/a/1?h-cache-tag=red,blue'),
      await cached('/purge/a/2?h-surrogate-key=blue%20green'),
      await cached('/purge/b/1'),
    ];
    await fill();
    expect(await state()).toEqual(['HIT', 'HIT', 'HIT']);
    expect(statusOf(await get(port, '/purge/b/1?purge=1'))).toBe(204);
    expect(await state()).toEqual(['HIT', 'HIT', 'MISS']);
    expect(await purge({ key: '/purge/a/1' })).toEqual({ status: 200, purged: 1 });
    expect(await state()).toEqual(['MISS', 'HIT', 'HIT']);
    expect(await purge({ key: '/purge/a*' })).toEqual({ status: 200, purged: 2 });
    expect(await state()).toEqual(['MISS', 'MISS', 'HIT']);
    expect(await purge({ tag: 'blue' })).toEqual({ status: 200, purged: 2 });
    expect(await state()).toEqual(['MISS', 'MISS', 'HIT']);
    expect(await purge({ tag: 'green' })).toEqual({ status: 200, purged: 1 });
    expect(await purge({ tag: 'none' })).toEqual({ status: 200, purged: 0 });
    expect(await purge({})).toMatchObject({ status: 400 });
  });

  test('a reload and a restart find stored responses; purges reach those of an earlier run', async () => {
    const body = bodyOf(await get(port, '/stays?h-cache-tag=old'));
    front.signal('SIGHUP');
    await front.until(() => /exited with code 0/.test(front.read('error.log')));
    expect(bodyOf(await get(port, '/stays'))).toBe(body);
    await front.stop();
    await front.start();
    const reply = await get(port, '/stays');
    expect(headerOf(reply, 'X-Cache')).toBe('HIT');
    expect(bodyOf(reply)).toBe(body);
    if (!ours) return;
    const purged = await fetch(`http://127.0.0.1:${port}/api/caches/c/purge`, { method: 'POST', body: '{"tag":"old"}' });
    expect(await purged.json()).toEqual({ purged: 1 });
    expect(await cached('/stays')).toBe('MISS');
  });
});
