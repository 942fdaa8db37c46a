/** Handlers in JavaScript and TypeScript: filters, access, subrequests, fetch, shared dictionaries, periodic work, preloaded objects. */

import { createSocket } from 'node:dgram';
import { mkdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { back, bodyOf, front, frontForEach, get, headerOf, ours, port, raw, statusOf } from '../support/front.ts';

frontForEach();
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** @param handlers  source of the handlers module; @param inner  of the server */
const serve = async (handlers: string, inner: string, http = '', main = '') => {
  front.write('h.mjs', handlers);
  front.config(`js_import h from h.mjs; ${http} server { listen 127.0.0.1:${port}; ${inner} }`, main);
  await front.start();
};
const backEnd = (answer: (req: IncomingMessage) => { status?: number; body: string }, at = back): Promise<void> =>
  new Promise((resolve) => {
    const server = createServer((req, res) => {
      const { status = 200, body } = answer(req);
      res.writeHead(status, { 'X-Back': 'yes' }).end(body);
    });
    servers.push(server);
    server.listen(at, '127.0.0.1', resolve);
  });

describe.skipIf(!ours)('js', () => {
  test('modules load built-in modules of Node by require, as scripts for njs do', async () => {
    await serve(
      `const crypto = require('crypto');
       function digest(r) { r.return(200, crypto.createHash('sha256').update(r.args.text).digest('hex')); }
       export default { digest };`,
      'location / { js_content h.digest; }',
    );
    expect(bodyOf(await get(port, '/?text=abc'))).toMatch(/^ba7816bf/);
  });

  test('modules may be TypeScript, be found by js_path, and import each other', async () => {
    mkdirSync(path.join(front.folder, 'lib'));
    front.write(
      'lib/shop.ts',
      `import { price } from './price.ts';
      interface Seen { uri: string; return(status: number, body: string): void }
      export function show(r: Seen): void { r.return(200, \`\${r.uri as string} costs \${price(2)}\`); }`,
    );
    front.write('lib/price.ts', 'export const price = (n: number): number => n * 21;');
    front.config(`js_path lib; js_import shop.ts; server { listen 127.0.0.1:${port}; location / { js_content shop.show; } }`);
    await front.start();
    expect(bodyOf(await get(port, '/hat'))).toBe('/hat costs 42');
    const bad = 'enum A { b } export const show = 1;';
    front.write('lib/shop.ts', bad);
    front.signal('SIGHUP');
    await front.until(() => /shop\.ts:1: .*enum/i.test(front.read('error.log')));
    expect(bodyOf(await get(port, '/hat'))).toBe('/hat costs 42');
  });

  test('handlers read and write headers, variables and parts of a response', async () => {
    await serve(
      `export function parts(r) {
         r.variables.note = 'set by js'; r.status = 201; r.headersOut['Content-Type'] = 'text/x; charset=utf-8';
         r.headersOut['Set-Cookie'] = ['a=1', 'b=2']; r.headersOut.gone = 'x'; delete r.headersOut.Gone;
         r.sendHeader(); r.send('one '); r.send(Uint8Array.of(50), ' three'); r.finish();
       }
       export const seen = (r) => r.return(200, JSON.stringify([r.headersIn['X-TWO'], r.headersIn.none ?? null, r.variables.arg_a, r.httpVersion,
         Object.keys(r.headersIn), r.variables.fresh, r.internal]));
       export const inject = (r) => { r.headersOut['X-Bad'] = 'a\\r\\nX-Evil: 1'; };
       export const fixed = (r) => { r.variables.uri = '/x'; };
       export const moved = (r) => r.return(302, 'https://else.where/');`,
      `location /parts { add_header X-Note $note; js_content h.parts; }
       location /seen { js_content h.seen; } location /inject { js_content h.inject; } location /fixed { js_content h.fixed; }
       location /moved { js_content h.moved; }`,
      `js_var $note empty; js_var $fresh "$arg_a!";`,
    );
    const parts = await get(port, '/parts');
    expect(parts).toMatch(
      /^HTTP\/1\.1 201 .*Content-Type: text\/x; charset=utf-8\r.*Set-Cookie: a=1\r\nSet-Cookie: b=2\r.*X-Note: set by js\r/s,
    );
    expect(headerOf(parts, 'gone')).toBeUndefined();
    expect(bodyOf(parts)).toBe('one 2 three');
    expect(JSON.parse(bodyOf(await get(port, '/seen?a=q', 'X-Two: 1\nx-two: 2\n')))).toEqual([
      '1, 2',
      null,
      'q',
      '1.0',
      ['Host', 'X-Two'].concat('x-two'),
      'q!',
      false,
    ]);
    expect(statusOf(await get(port, '/inject'))).toBe(500);
    expect(statusOf(await get(port, '/fixed'))).toBe(500);
    expect(front.read('error.log')).toMatch(/variable "uri" cannot be written/);
    expect(headerOf(await get(port, '/moved'), 'Location')).toBe('https://else.where/');
  });

  test('header and body filters change responses', async () => {
    await backEnd(() => ({ body: 'lower case' }));
    front.write('page.txt', 'from a file');
    await serve(
      `export function head(r) { r.headersOut['X-Seen'] = r.status + ' ' + r.headersOut['x-back']; delete r.headersOut['Content-Length']; }
       export function upper(r, data, flags) { r.sendBuffer(data.toUpperCase(), flags); }
       export function first(r, data, flags) { r.sendBuffer(Buffer.concat([Buffer.from('<'), data]), flags); r.done(); }
       export function fails() { throw new Error('filter fell over'); }`,
      `location / { proxy_pass http://127.0.0.1:${back}; js_header_filter h.head; js_body_filter h.upper; }
       location /page.txt { js_header_filter h.head; js_body_filter h.first buffer_type=buffer; }
       location /fails { proxy_pass http://127.0.0.1:${back}; js_body_filter h.fails; }`,
    );
    const answer = await get(port, '/');
    expect(headerOf(answer, 'X-Seen')).toBe('200 yes');
    expect(bodyOf(answer)).toBe('LOWER CASE');
    expect(bodyOf(await get(port, '/page.txt'))).toBe('<from a file');
    await get(port, '/fails');
    expect(front.read('error.log')).toMatch(/js exception: Error: filter fell over/);
    expect(bodyOf(await get(port, '/'))).toBe('LOWER CASE');
  });

  test('js_access allows, refuses and queries other servers', async () => {
    await serve(
      `export async function gate(r) {
         const reply = await r.subrequest('/who', 'name=' + r.args.name);
         if (reply.responseText !== 'friend') r.return(reply.status === 404 ? 401 : 403);
       }
       export const shrug = (r) => r.decline();
       export function fails() { throw new Error('gate fell over'); }`,
      `location /who { internal; if ($arg_name = "") { return 404; } return 200 $arg_name; }
       location /any { satisfy any; deny all; js_access h.shrug; try_files /none /ok; }
       location /fails { js_access h.fails; try_files /none /ok; }
       location / { js_access h.gate; try_files /none /ok; }
       location = /ok { return 200 in; }`,
    );
    expect(bodyOf(await get(port, '/?name=friend'))).toBe('in');
    expect(statusOf(await get(port, '/?name=foe'))).toBe(403);
    expect(statusOf(await get(port, '/?name='))).toBe(401);
    expect(statusOf(await get(port, '/any'))).toBe(403);
    expect(statusOf(await get(port, '/fails'))).toBe(500);
  });

  test('subrequests run in parallel, also detached ones', async () => {
    const asked: string[] = [];
    await backEnd((req) => {
      asked.push(`${req.method} ${req.url}`);
      return { status: req.url === '/b' ? 404 : 200, body: `body of ${req.url}` };
    });
    await serve(
      `export async function join(r) {
         const [a, b] = await Promise.all(['/back/a', '/back/b'].map((uri) => r.subrequest(uri, { method: 'GET' })));
         await r.subrequest('/back/aside', { detached: true });
         r.return(200, [a.status, a.responseText, a.headersOut['X-Back'], b.status].join('|'));
       }`,
      `location /back/ { proxy_pass http://127.0.0.1:${back}/; } location / { js_content h.join; }`,
    );
    expect(bodyOf(await get(port, '/'))).toBe('200|body of /a|yes|404');
    await front.until(() => asked.includes('GET /aside'));
  });

  test('a subrequest may have its own body', async () => {
    const asked: string[] = [];
    const server = createServer((req, res) => {
      let text = '';
      req.on('data', (data) => (text += data));
      req.on('end', () => {
        asked.push(`${req.method} ${req.url} ${req.headers['content-length']} ${text}`);
        res.end('done');
      });
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(back, '127.0.0.1', resolve));
    await serve(
      `export async function twice(r) {
         await r.subrequest('/back/own', { method: 'POST', body: 'h\u00e9llo' });
         await r.subrequest('/back/bytes', { method: 'PUT', body: Uint8Array.of(97, 98) });
         await r.subrequest('/back/none', { method: 'POST', body: '' });
         await r.subrequest('/back/theirs', { method: 'POST' });
         const echo = await r.subrequest('/echo', { method: 'POST', body: 'seen' });
         r.return(200, echo.responseText + '|' + r.requestText);
       }`,
      `location /back/ { proxy_pass http://127.0.0.1:${back}/; } location /echo { return 200 "$content_length"; } location / { js_content h.twice; }`,
    );
    const answer = await raw(port, 'POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 5\r\n\r\nouter');
    expect(bodyOf(answer)).toBe('4|outer');
    expect(asked).toEqual(['POST /own 6 h\u00e9llo', 'PUT /bytes 2 ab', 'POST /none 0 ', 'POST /theirs 5 outer']);
  });

  test('ngx.fetch finds names by resolver', async () => {
    const dns = createSocket('udp4');
    const names: string[] = [];
    dns.on('message', (query, from) => {
      // the query is echoed, with 127.0.0.1 as the answer to type A
      const type = query.readUInt16BE(query.length - 4);
      names.push(query.subarray(13, query.length - 5).toString('latin1'));
      const head = Buffer.from(query.subarray(0, 12));
      head.writeUInt16BE(0x8180, 2);
      head.writeUInt16BE(type === 1 ? 1 : 0, 6);
      const answer = type === 1 ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 127, 0, 0, 1]) : Buffer.alloc(0);
      dns.send(Buffer.concat([head, query.subarray(12), answer]), from.port, from.address);
    });
    await new Promise<void>((resolve) => dns.bind(0, '127.0.0.1', resolve));
    await backEnd((req) => ({ body: `for ${req.headers.host}` }));
    try {
      await serve(
        'export async function ask(r) { r.return(200, await (await ngx.fetch(r.args.url)).text()); }',
        `resolver 127.0.0.1:${dns.address().port} ipv6=off; location / { js_content h.ask; }`,
      );
      expect(bodyOf(await get(port, `/?url=http://shop.test:${back}/`))).toBe(`for shop.test:${back}`);
      expect(names).toEqual(['shop\x04test']);
    } finally {
      dns.close();
    }
  });

  test('ngx.fetch supports methods, headers, limits, timeouts and proxies', async () => {
    const proxyPort = await freePort();
    const held: Socket[] = [];
    await backEnd((req) => ({ body: `${req.method} ${req.url} ${req.headers['x-mine']} ${req.headers.host}` }));
    const proxied: string[] = [];
    await backEnd((req) => {
      proxied.push(`${req.url} ${req.headers['proxy-authorization']}`);
      return { body: 'by proxy' };
    }, proxyPort);
    servers.at(-1)!.on('connect', (req, socket: Socket) => {
      proxied.push(`CONNECT ${req.url}`);
      held.push(socket);
      socket.end('HTTP/1.1 403 no\r\n\r\n');
    });
    await serve(
      `const target = 'http://127.0.0.1:${back}';
       export async function plain(r) {
         const reply = await ngx.fetch(target + '/x', { method: 'POST', headers: { 'X-Mine': '1' }, body: 'abc' });
         r.return(reply.status, [await reply.text(), reply.headers.get('x-back')].join('|'));
       }
       export async function fails(r) {
         try { await ngx.fetch(r.args.to ?? target + '/x'); r.return(200, 'no'); } catch (error) { r.return(200, error.message); }
       }`,
      `location /plain { js_content h.plain; }
       location /small { js_fetch_max_response_buffer_size 4; js_content h.fails; }
       location /fails { js_content h.fails; }
       location /proxied { js_fetch_proxy http://me:secret@127.0.0.1:${proxyPort}; js_content h.plain; }
       location /tunnel { js_fetch_proxy http://127.0.0.1:${proxyPort}; js_content h.fails; }`,
    );
    expect(bodyOf(await get(port, '/plain'))).toBe(`POST /x 1 127.0.0.1:${back}|yes`);
    expect(bodyOf(await get(port, '/small'))).toBe('fetch response body is too large');
    expect(bodyOf(await get(port, '/fails?to=ftp://x/'))).toBe('unsupported URL schema "ftp:"');
    expect(bodyOf(await get(port, '/proxied'))).toBe('by proxy|yes');
    expect(bodyOf(await get(port, '/tunnel?to=https://name.test/'))).toBe('proxy answered 403');
    expect(proxied).toEqual([`http://127.0.0.1:${back}/x Basic ${Buffer.from('me:secret').toString('base64')}`, 'CONNECT name.test:443']);
  });

  test('shared dictionaries are common to all event loops, survive a reload, and are limited', async () => {
    const handlers = `
      export const count = (r) => r.return(200, String(ngx.shared.hits.incr('n')));
      export function words(r) {
        const { words } = ngx.shared;
        const out = [words.add('a', 'one'), words.add('a', 'two'), words.replace('b', 'x'), words.get('a'), words.set('b', 'y').size(), words.pop('b'), words.has('b')];
        words.clear();
        r.return(200, JSON.stringify([...out, words.keys(), words.name, words.type]));
      }
      export function full(r) {
        const out = [];
        for (const [dict, name] of [[ngx.shared.words, 'words'], [ngx.shared.evicting, 'evicting']]) {
          try { for (let n = 0; n < 100; n++) dict.set('k' + n, 'x'.repeat(1000)); out.push(dict.has('k99')); } catch (error) { out.push(error.message); }
        }
        r.return(200, out.join('|'));
      }
      export function wrong(r) { try { ngx.shared.hits.set('n', 'text'); } catch (error) { r.return(200, error.message); } }`;
    await serve(
      handlers,
      'location /count { js_content h.count; } location /words { js_content h.words; } location /full { js_content h.full; } location /wrong { js_content h.wrong; }',
      'js_shared_dict_zone zone=hits:32k type=number; js_shared_dict_zone zone=words:32k; js_shared_dict_zone zone=evicting:32k timeout=1h evict;',
      'worker_processes 2;',
    );
    const counts = await Promise.all(Array.from({ length: 20 }, () => get(port, '/count')));
    expect(
      counts
        .map(bodyOf)
        .map(Number)
        .sort((a, b) => a - b),
    ).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
    expect(JSON.parse(bodyOf(await get(port, '/words')))).toEqual([true, false, false, 'one', 2, 'y', false, [], 'words', 'string']);
    expect(bodyOf(await get(port, '/full'))).toBe('shared dict "words" is full|true');
    expect(bodyOf(await get(port, '/wrong'))).toBe('shared dict holds values of type number');
    front.signal('SIGHUP');
    await front.until(() => /exited with code/.test(front.read('error.log')));
    expect(bodyOf(await get(port, '/count'))).toBe('21');
  });

  test('js_periodic runs, a dictionary keeps a state file, and objects are preloaded', async () => {
    front.write('prices.json', '{"hat":{"eur":20}}');
    await serve(
      `export async function tick(session) { ngx.shared.ticks.incr('n'); session.log('tick in ' + session.variables.document_root); }
       export const show = (r) => r.return(200, String(ngx.shared.ticks.get('n') ?? 0));
       export function price(r) { try { prices.hat.eur = 1; } catch { } r.return(200, String(prices.hat.eur)); }`,
      'location /show { js_content h.show; } location /price { js_content h.price; } location @tick { root /srv; js_periodic h.tick interval=20ms jitter=5ms; }',
      'js_shared_dict_zone zone=ticks:32k type=number state=ticks.json; js_preload_object prices.json;',
    );
    await front.until(() => (front.read('error.log').match(/js: tick in \/srv/g) ?? []).length > 2);
    expect(bodyOf(await get(port, '/price'))).toBe('20');
    await front.stop();
    const kept = (JSON.parse(front.read('ticks.json')) as { n: { value: number } }).n.value;
    expect(kept).toBeGreaterThan(2);
    await front.start();
    expect(Number(bodyOf(await get(port, '/show')))).toBeGreaterThanOrEqual(kept);
  });

  test.each([
    ['js_shared_dict_zone zone=a:1k;', /zone "a:1k" is too small/],
    ['js_shared_dict_zone zone=a:32k evict;', /"evict" requires "timeout=" parameter/],
    ['js_shared_dict_zone type=string;', /must have "zone" parameter/],
    ['js_preload_object Object from x.json;', /object name "Object" is taken/],
    ['server { location / { js_periodic a.b interval=0; } }', /invalid parameter "interval=0"/],
    ['js_set $x a.b sometimes;', /unrecognized flag "sometimes"/],
    ['js_include x.js;', /use js_import/],
  ])('refused: %s', async (text, message) => {
    front.config(text);
    await expect(front.start()).rejects.toThrow(message);
  });
});
