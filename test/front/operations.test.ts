/** Features of the front besides nginx's modules: handlers in JavaScript, metrics, and (as in nginx) the status page. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { bodyOf, Front, get, headerOf, ours, raw, statusOf } from '../support/front.ts';

const front = new Front();
let port = 0;

beforeAll(async () => {
  port = await freePort();
  const back = await freePort();
  front.write(
    'shop.mjs',
    `export function list(r) { r.headersOut['X-From'] = 'js'; r.headersOut['Content-Type'] = 'application/json'; r.return(200, JSON.stringify({ method: r.method, args: r.args, body: r.requestText, ip: r.remoteAddress, agent: r.headersIn['user-agent'], tier: r.variable('tier') })); }
     export const tier = (r) => r.uri.length > 6 ? 'long' : 'short';
     export const fails = () => { throw new Error('no value'); };
     let n = 0; export const counter = () => ++n;
     export async function later(r) { await new Promise((done) => setImmediate(done)); r.return(201, Uint8Array.of(104, 105)); }
     export function throws() { throw new Error('handler fell over'); }
     export async function rejects() { throw new Error('handler gave up'); }
     export function silent() {}
     export function go(r) { r.internalRedirect('/js/list?from=redirect'); }
     export function named(r) { r.internalRedirect('@plain'); }
     export function status(r) { r.return(404); }
     export default { extra: (r) => r.return(200, 'extra') };`,
  );
  front.config(`
    ${ours ? `js_import shop from shop.mjs; js_set $tier shop.tier; js_set $bad shop.fails; js_set $each shop.counter nocache; js_set $once shop.counter;` : ''}
    upstream peers { server 127.0.0.1:${back}; server 127.0.0.1:${back} backup; }
    proxy_cache_path cache keys_zone=answers:1m;
    server { listen 127.0.0.1:${back}; return 200 back; }
    server { listen 127.0.0.1:${port}; server_name shop.test;
      location /status { stub_status; }
      location /vars { return 200 "$connections_active $connections_reading $connections_writing $connections_waiting"; }
      location /proxied { proxy_pass http://peers; proxy_cache answers; proxy_cache_valid 1h; }
      ${
        ours
          ? `location /js/list { js_content shop.list; }
      location /js/later { js_content shop.later; }
      location /js/throws { js_content shop.throws; }
      location /js/rejects { js_content shop.rejects; }
      location /js/silent { js_content shop.silent; }
      location /js/go { js_content shop.go; }
      location /js/named { js_content shop.named; }
      location /js/status { js_content shop.status; error_page 404 = @plain; }
      location /js/extra { js_content shop.extra; }
      location @plain { return 200 "plain $tier"; }
      location /set { return 200 "$tier|$bad|$each $each|$once $once"; }
      location /metrics { metrics; }`
          : ''
      }
    }`);
  await front.start();
});
afterAll(() => front.dispose());

describe('operations', () => {
  test('stub_status counts connections and requests', async () => {
    const numbers = async () =>
      bodyOf(await get(port, '/status'))
        .match(/\d+/g)!
        .map(Number);
    const [, accepted, handled, requests] = await numbers();
    await raw(port, 'GET /vars HTTP/1.1\r\nHost: x\r\n\r\nGET /vars HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    const text = bodyOf(await get(port, '/status'));
    expect(text).toMatch(
      /^Active connections: 1 \nserver accepts handled requests\n (\d+) (\d+) (\d+) \nReading: 0 Writing: 1 Waiting: 0 \n$/,
    );
    expect(text.match(/\d+/g)!.slice(1, 4).map(Number)).toEqual([accepted + 2, handled + 2, requests + 3]);
    expect(bodyOf(await get(port, '/vars'))).toBe('1 0 1 0');
  });

  describe.skipIf(!ours)('JavaScript', () => {
    test('js_content reads the request and responds', async () => {
      const reply = await raw(port, 'POST /js/list?a=1&b=%20 HTTP/1.0\r\nHost: x\r\nUser-Agent: me\r\nContent-Length: 4\r\n\r\n\xc3\xa4hm');
      expect(headerOf(reply, 'X-From')).toBe('js');
      expect(headerOf(reply, 'Content-Type')).toBe('application/json');
      expect(JSON.parse(Buffer.from(bodyOf(reply), 'latin1').toString())).toEqual({
        ...{ method: 'POST', args: { a: '1', b: ' ' }, body: 'ähm', ip: '127.0.0.1', agent: 'me', tier: 'long' },
      });
      expect(await get(port, '/js/later')).toMatch(/^HTTP\/1\.1 201 .*\r\n\r\nhi$/s);
      expect(bodyOf(await get(port, '/js/extra'))).toBe('extra');
    });

    test('redirects and statuses go through error_page', async () => {
      expect(JSON.parse(bodyOf(await get(port, '/js/go')))).toMatchObject({ args: { from: 'redirect' } });
      expect(bodyOf(await get(port, '/js/named'))).toBe('plain long');
      expect(bodyOf(await get(port, '/js/status'))).toBe('plain long');
    });

    test('an exception of a handler becomes 500 and a line in the log', async () => {
      for (const uri of ['/js/throws', '/js/rejects', '/js/silent']) expect(statusOf(await get(port, uri))).toBe(500);
      const log = front.read('error.log');
      expect(log).toMatch(/\[error\].*js exception: Error: handler fell over/);
      expect(log).toMatch(/js exception: Error: handler gave up/);
      expect(log).toMatch(/js exception: Error: shop\.silent ended without an answer/);
    });

    test('js_set is evaluated on first use, once unless nocache', async () => {
      expect(bodyOf(await get(port, '/set'))).toBe('short||1 2|3 3');
    });

    test.each([
      ['js_import a from none.mjs; server { location / { js_content a.x; } }', /none\.mjs/],
      ['js_import a from broken.mjs; server { location / { js_content a.x; } }', /js function "a\.x" was not found in .*nginx\.conf:2/],
      ['server { location / { js_content ax; } }', /"ax" is not of the form module\.function/],
      ['js_set tier a.b;', /invalid variable name "tier"/],
    ])('a bad module stops the start: %s', async (text, message) => {
      const bad = new Front();
      bad.write('broken.mjs', 'export const y = 1;');
      bad.config(text);
      await expect(bad.start()).rejects.toThrow(message);
      await bad.dispose();
    });
  });

  test.skipIf(!ours)('shows metrics of server, location, upstream and cache in the format of Prometheus', async () => {
    for (let n = 0; n < 3; n++) await get(port, '/proxied');
    await get(port, '/missing');
    const reply = await get(port, '/metrics');
    expect(headerOf(reply, 'Content-Type')).toBe('text/plain; version=0.0.4');
    const text = bodyOf(reply);
    for (const line of text.trimEnd().split('\n'))
      expect(line).toMatch(/^(# TYPE [a-z_]+ (counter|gauge)|[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? -?\d+(\.\d+)?)$/);
    const value = (start: string) =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(start))
          ?.split(' ')
          .at(-1),
      );
    expect(value('gannet_front_location_requests_total{server="shop.test",location="/proxied",code="2xx"}')).toBe(3);
    expect(value('gannet_front_location_requests_total{server="shop.test",location="",code="4xx"}')).toBe(1);
    expect(value('gannet_front_cache_hits_total{zone="answers"}')).toBe(2);
    expect(value('gannet_front_cache_misses_total{zone="answers"}')).toBe(1);
    expect(value('gannet_front_cache_bytes{zone="answers"}')).toBeGreaterThan(0);
    expect(text).toMatch(/gannet_front_upstream_requests_total\{upstream="peers",peer="127\.0\.0\.1:\d+",id="1"\} 1\n/);
    // the client's, and the one kept to the back end
    expect(value('gannet_front_connections')).toBe(2);
    // a sample must not occur twice
    const samples = text
      .split('\n')
      .filter((line) => line && !line.startsWith('#'))
      .map((line) => line.slice(0, line.lastIndexOf(' ')));
    expect(new Set(samples).size).toBe(samples.length);
  });
});
