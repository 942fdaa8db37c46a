/** Zones of keys and values, num_map, and the API and metrics of `stream { }`. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { Front } from '../support/front.ts';

const front = new Front();
const ports = { http: 0, stream: 0, balanced: 0, denied: 0 };

function configure(): void {
  const zones = (prefix: string): string => `keyval_zone zone=plain:32k state=${prefix}-plain.json; keyval_zone zone=brief:32k timeout=1h;
    keyval_zone zone=nets:32k type=ip; keyval_zone zone=paths:32k type=prefix;`;
  front.config(
    `${zones('http')} keyval $arg_key $plain zone=plain; keyval $arg_key $net zone=nets; keyval $arg_key $path zone=paths;
     num_map $arg_key $size { default other; -5 minus; 80 web; 8000-8999 test; <=1023 system; >65535 none; 1.5 half; }
     server { listen 127.0.0.1:${ports.http}; location / { return 200 "$plain|$net|$path|$size"; }
       location /api/ { api write=on; } location /metrics { metrics; } }`,
    `stream { ${zones('stream')} keyval $remote_addr $who zone=nets;
      upstream two { zone two 64k; server 127.0.0.1:${ports.stream}; server 127.0.0.1:${ports.denied} down; }
      server { listen 127.0.0.1:${ports.stream}; status_zone text; return "who: $who"; }
      server { listen 127.0.0.1:${ports.balanced}; status_zone proxied; proxy_pass two; }
      server { listen 127.0.0.1:${ports.denied}; status_zone text; deny all; return x; } }`,
  );
}

beforeAll(async () => {
  for (const name of ['http', 'stream', 'balanced', 'denied'] as const) ports[name] = await freePort();
  configure();
  await front.start();
});
afterAll(() => front.dispose());

async function api(path: string, method = 'GET', body?: unknown): Promise<{ status: number; json: unknown }> {
  const response = await fetch(`http://127.0.0.1:${ports.http}/api/${path}`, {
    method,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
}
const page = async (key: string): Promise<string> =>
  (await fetch(`http://127.0.0.1:${ports.http}/?key=${key}`, { headers: { connection: 'close' } })).text();
const stream = (port: number): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    connect(port, '127.0.0.1')
      .on('data', (data) => (text += String(data)))
      .on('error', () => {})
      .on('close', () => resolve(text));
  });

describe('keyval', () => {
  test('finds entries that the api added, changed and deleted', async () => {
    expect((await api('keyvals/plain', 'POST', { one: 'first' })).status).toBe(201);
    expect(await page('one')).toBe('first|||other');
    expect((await api('keyvals/plain', 'POST', { one: 'again' })).status).toBe(409);
    expect((await api('keyvals/plain', 'PATCH', { one: 'changed' })).status).toBe(204);
    expect((await api('keyvals/plain')).json).toEqual({ one: 'changed' });
    expect((await api('keyvals/plain?key=one')).json).toEqual({ one: 'changed' });
    expect((await api('keyvals/plain?key=two')).status).toBe(404);
    expect((await api('keyvals/plain', 'PATCH', { two: 'x' })).status).toBe(404);
    expect((await api('keyvals/plain', 'PATCH', { one: null })).status).toBe(204);
    expect(await page('one')).toBe('|||other');
  });

  test('matches networks, the narrowest first', async () => {
    expect(
      (await api('keyvals/nets', 'POST', { '10.0.0.0/8': 'wide', '10.1.0.0/16': 'narrow', '10.1.1.1': 'one', '2001:db8::/32': 'six' }))
        .status,
    ).toBe(201);
    expect(await page('10.1.1.1')).toBe('|one||other');
    expect(await page('10.1.2.3')).toBe('|narrow||other');
    expect(await page('10.200.0.1')).toBe('|wide||other');
    expect(await page('2001:db8::5')).toBe('|six||other');
    expect(await page('11.0.0.1')).toBe('|||other');
    expect((await api('keyvals/nets', 'POST', { rubbish: 'x' })).status).toBe(400);
  });

  test('matches the longest beginning', async () => {
    await api('keyvals/paths', 'POST', { '/a': 'short', '/a/b': 'long' });
    expect(await page('/a/b/c')).toBe('||long|other');
    expect(await page('/a/c')).toBe('||short|other');
    await api('keyvals/paths', 'PATCH', { '/a/b': null });
    expect(await page('/a/b/c')).toBe('||short|other');
    expect((await api('keyvals/paths', 'DELETE')).status).toBe(204);
    expect(await page('/a/c')).toBe('|||other');
  });

  test('accepts lifetimes only in zones with a timeout, and refuses values that are not strings', async () => {
    expect((await api('keyvals/brief', 'POST', { a: { value: 'x', expire: 60_000 } })).status).toBe(201);
    expect((await api('keyvals/plain', 'POST', { a: { value: 'x', expire: 60_000 } })).status).toBe(400);
    expect((await api('keyvals/plain', 'POST', { a: 5 })).status).toBe(400);
    expect((await api('keyvals/plain', 'POST', {})).status).toBe(400);
    expect((await api('keyvals/missing', 'POST', { a: 'x' })).status).toBe(404);
  });

  test('refuses entries beyond the size of the zone', async () => {
    const { status, json } = await api('keyvals/plain', 'POST', { large: 'x'.repeat(40_000) });
    expect(status).toBe(400);
    expect(JSON.stringify(json)).toMatch(/is full/);
  });

  test('has zones of its own in stream, which survive a reload', async () => {
    expect((await api('stream/keyvals/nets', 'POST', { '127.0.0.0/8': 'local' })).status).toBe(201);
    expect(await stream(ports.stream)).toBe('who: local');
    expect((await api('stream/keyvals/plain', 'POST', { kept: 'yes' })).status).toBe(201);
    front.signal('SIGHUP');
    await front.until(() => front.read('error.log').includes('exited with code'));
    expect(await stream(ports.stream)).toBe('who: local');
    expect((await api('stream/keyvals')).json).toMatchObject({ plain: { kept: 'yes' }, nets: { '127.0.0.0/8': 'local' } });
    expect((await api('keyvals/plain')).json).not.toHaveProperty('kept');
  });
});

test('num_map finds numbers first and then ranges in order', async () => {
  const values = [];
  for (const key of ['80', '81', '8000', '8999', '9000', '70000', '-5', '-6', '1.5', 'x', '']) values.push((await page(key)).split('|')[3]);
  expect(values).toEqual(['web', 'system', 'test', 'test', 'other', 'none', 'minus', 'system', 'half', 'other', 'other']);
});

describe('stream in the api and in metrics', () => {
  test('sessions are counted by zone and class', async () => {
    const zone = async (): Promise<{ connections: number; sessions: Record<string, number> }> =>
      (await api('stream/server_zones/text')).json as { connections: number; sessions: Record<string, number> };
    const before = await zone();
    await stream(ports.stream);
    await stream(ports.denied);
    const after = await zone();
    expect(after.connections - before.connections).toBe(2);
    expect(after.sessions['2xx'] - before.sessions['2xx']).toBe(1);
    expect(after.sessions['4xx'] - before.sessions['4xx']).toBe(1);
    expect(after.sessions['5xx']).toBe(0);
    const text = await (await fetch(`http://127.0.0.1:${ports.http}/metrics`)).text();
    expect(text).toMatch(/^gannet_front_stream_server_zone_sessions_total\{zone="text",code="4xx"\} [1-9]/m);
    for (const [, name] of text.matchAll(/^# TYPE (\S+)/gm)) expect(text.match(new RegExp(`^# TYPE ${name} `, 'gm'))).toHaveLength(1);
  });

  test('servers of stream groups are shown and changed', async () => {
    expect(await stream(ports.balanced)).toMatch(/^who/);
    const { peers } = (await api('stream/upstreams/two')).json as {
      peers: { id: number; server: string; down: boolean; requests: number }[];
    };
    expect(peers.map(({ down }) => down)).toEqual([false, true]);
    expect(peers[0].requests).toBeGreaterThan(0);
    expect((await api(`stream/upstreams/two/servers/${peers[0].id}`, 'PATCH', { down: true })).status).toBe(200);
    expect(await stream(ports.balanced)).toBe('');
    expect((await api(`stream/upstreams/two/servers/${peers[0].id}`, 'PATCH', { down: false })).status).toBe(200);
    expect(await stream(ports.balanced)).toMatch(/^who/);
    expect((await api('stream/upstreams/two/servers', 'POST', { server: '127.0.0.1' })).status).toBe(400);
    expect((await api('upstreams/two')).status).toBe(404);
  });
});
