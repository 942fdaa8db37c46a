/** Cache files on another file system than the temporary ones, and the location that purges the key of another page. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { afterEach, describe, expect, test } from 'vitest';
import { back, bodyOf, front, frontForEach, get, headerOf, ours, port, statusOf } from '../support/front.ts';

frontForEach();
let server: Server | null = null;
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(null)));
  server = null;
});

const serve = (): Promise<void> =>
  new Promise((resolve) => {
    server = createServer((req, res) => res.end(`page ${req.url}`)).listen(back, '127.0.0.1', resolve);
  });

const SHARED_MEMORY = '/dev/shm';
function isOtherFileSystem(): boolean {
  try {
    return statSync(SHARED_MEMORY).dev !== statSync(tmpdir()).dev;
  } catch {
    return false;
  }
}

const cacheStatus = async (uri: string): Promise<string | undefined> => headerOf(await get(port, uri), 'X-Cache');

test.skipIf(!isOtherFileSystem())('responses are kept on another file system than that of temporary files', async () => {
  const folder = mkdtempSync(`${SHARED_MEMORY}/gannet-cache-`);
  try {
    await serve();
    front.config(`proxy_cache_path ${folder} keys_zone=far:1m; server { listen 127.0.0.1:${port};
      location / { proxy_pass http://127.0.0.1:${back}; proxy_cache far; proxy_cache_valid 1h; add_header X-Cache $upstream_cache_status; } }`);
    await front.start();
    expect([await cacheStatus('/a'), await cacheStatus('/a')]).toEqual(['MISS', 'HIT']);
    expect(front.read('error.log')).not.toContain('storing a cache file failed');
  } finally {
    await front.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

describe.skipIf(!ours)('a purge location', () => {
  const config = (zone: string): void =>
    front.config(`proxy_cache_path cache keys_zone=pages:1m; proxy_cache_key $uri; server { listen 127.0.0.1:${port};
      location / { proxy_pass http://127.0.0.1:${back}; proxy_cache pages; proxy_cache_valid 1h; add_header X-Cache $upstream_cache_status; }
      location ~ /purge(/.*) { proxy_cache_purge ${zone} $1; } }`);

  test('removes the key of another page', async () => {
    await serve();
    config('pages');
    await front.start();
    expect([await cacheStatus('/a'), await cacheStatus('/a')]).toEqual(['MISS', 'HIT']);
    const purged = await get(port, '/purge/a');
    expect([statusOf(purged), bodyOf(purged)]).toEqual([200, 'Successful purge\n']);
    expect(await cacheStatus('/a')).toBe('MISS');
    expect(statusOf(await get(port, '/purge/none'))).toBe(404);
  });

  test('must name a cache that exists', async () => {
    config('none');
    await expect(front.start()).rejects.toThrow(/cache "none" is not defined in .*nginx\.conf:\d+/);
  });
});
