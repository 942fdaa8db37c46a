/** `gannet front top` against a running front, and the sections of the api that it reads. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { bodyOf, Front, get, ours, raw } from '../support/front.ts';

const front = new Front();
let [port, session] = [0, 0];
const main = path.resolve(import.meta.dirname, '../../dist/front/main.js');

/** Output of the built command. */
function top(...argv: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [main, 'top', ...argv], { stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (data) => (stdout += data));
    child.stderr.on('data', (data) => (stderr += data));
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

describe.skipIf(!ours)('front top', () => {
  beforeAll(async () => {
    [port, session] = [await freePort(), await freePort()];
    const back = await freePort();
    front.write(
      'nginx.conf',
      `user root; pid nginx.pid; daemon off; error_log error.log info; events { }
       http { access_log off; client_body_temp_path temp; proxy_temp_path temp; proxy_cache_path cache keys_zone=pages:1m max_size=8m;
         upstream back { zone back 64k; server 127.0.0.1:${back}; server 127.0.0.1:1 down; server 127.0.0.1:2 backup; }
         server { listen 127.0.0.1:${back}; return 200 back; }
         server { listen 127.0.0.1:${port}; server_name shop.test; status_zone shop;
           location /page { proxy_pass http://back; proxy_cache pages; proxy_cache_valid 1h; status_zone pages; }
           location /api/ { api; } } }
       stream { upstream echo { zone echo 64k; server 127.0.0.1:${back}; } server { listen 127.0.0.1:${session}; proxy_pass echo; status_zone session; } }`,
    );
    await front.start();
    for (let i = 0; i < 3; i++) await get(port, '/page');
    await get(port, '/none');
    await raw(session, 'GET / HTTP/1.0\r\n\r\n');
  });
  afterAll(() => front.dispose());

  const section = async (name: string): Promise<unknown> => JSON.parse(bodyOf(await get(port, `/api/${name}`)));

  test('the api shows connections, requests by location, and caches', async () => {
    expect(await section('connections')).toMatchObject({
      accepted: expect.any(Number),
      active: expect.any(Number),
      writing: expect.any(Number),
    });
    const { total, locations } = (await section('requests')) as { total: number; locations: { location: string }[] };
    expect(total).toBeGreaterThanOrEqual(5);
    expect(locations.find(({ location }) => location === '/page')).toEqual({
      server: 'shop.test',
      location: '/page',
      responses: { '2xx': 3 },
    });
    expect(await section('caches')).toMatchObject({ pages: { max_size: 8 << 20, keys: 1, hits: 2, misses: 1 } });
  });

  test('one report shows every section', async () => {
    const { code, stdout, stderr } = await top(`127.0.0.1:${port}/api`, '--once', '--interval', '0.1');
    expect([code, stderr]).toEqual([0, '']);
    const rows = stdout.split('\n').map((line) => line.trim().split(/ {2,}/));
    const row = (...start: string[]): string[] | undefined => rows.find((cells) => start.every((cell, i) => cells[i] === cell));
    expect(row('shop.test', '/page')?.slice(3)).toEqual(['3', '3', '0', '0', '0']);
    expect(row('back', '127.0.0.1:1')?.[2]).toBe('down');
    expect(row('back', '127.0.0.1:2')?.[2]).toBe('backup');
    expect(row('pages', '67 %')).toBeDefined();
    expect(row('shop')).toBeDefined();
    expect(row('session')?.[2]).toBe('1');
    expect(stdout).not.toContain('\u001b');
  });

  test('reports errors', async () => {
    expect(await top(`127.0.0.1:${port}/none/`, '--once')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is it a location with "api"?'),
    });
    expect(await top(`127.0.0.1:${await freePort()}`, '--once')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ECONNREFUSED'),
    });
    expect(await top('--interval', 'soon')).toMatchObject({ code: 2 });
  });
});
