// Repositories of type url: snapshots that another server publishes can be listed and restored, and nothing else.
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

const repo = mkdtempSync(path.join(os.tmpdir(), 'gannet-url-repo-'));
let node: RestNode;
let server: http.Server;
let url = '';

beforeAll(async () => {
  server = http.createServer((request, response) => {
    if (request.url === '/moved/index.latest') response.writeHead(302, { location: '/index.latest' }).end();
    else
      createReadStream(path.join(repo, 'main', String(request.url)))
        .on('error', () => response.writeHead(404).end())
        .pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  node = await openRestNode({ 'path.repo': repo, 'repositories.url.allowed_urls': 'http://127.0.0.1:*' });
  await node.ok('PUT /_snapshot/main', { type: 'fs', settings: { location: 'main' } });
  for (let n = 0; n < 20; n++) await node.ok(`PUT /books/_doc/${n}`, { n });
  await node.ok('PUT /_snapshot/main/s?wait_for_completion=true', { indices: 'books' });
});
afterAll(async () => {
  server.close();
  await node.close();
  rmSync(repo, { recursive: true });
});

test.each([
  ['http', () => url],
  ['file', () => `file://${repo}/main`],
])('restores over %s', async (_protocol, location) => {
  await node.ok('PUT /_snapshot/far', { type: 'url', settings: { url: location() } });
  expect((await node.ok('GET /_snapshot/far/_all')).snapshots).toMatchObject([{ snapshot: 's', indices: ['books'] }]);
  await node.ok('POST /_snapshot/far/s/_restore?wait_for_completion=true', { rename_pattern: '.+', rename_replacement: 'copy' });
  await node.ok('POST /copy/_refresh');
  expect((await node.ok('GET /copy/_count')).count).toBe(20);
  await node.ok('DELETE /copy');
});

test('is read only', async () => {
  await node.ok('PUT /_snapshot/far', { type: 'url', settings: { url } });
  for (const line of ['PUT /_snapshot/far/t', 'DELETE /_snapshot/far/s', 'POST /_snapshot/far/_cleanup']) {
    const { status, json } = await node.send(line);
    expect(status).toBe(500);
    expect(json.error.reason).toMatch(/readonly/);
  }
});

test('does not follow redirects, and reports a server that fails', async () => {
  await node.ok('PUT /_snapshot/far?verify=false', { type: 'url', settings: { url: `${url}/moved/` } });
  expect((await node.send('GET /_snapshot/far/_all')).json.error.type).toBe('repository_exception');
  await node.ok('PUT /_snapshot/far?verify=false', { type: 'url', settings: { url: 'http://127.0.0.1:1/' } });
  expect((await node.send('GET /_snapshot/far/_all')).json.error.type).toBe('repository_exception');
});
