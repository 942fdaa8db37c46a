// The first moments of a service on a data directory: after a clean shutdown documents can be searched before the indexers are ready,
// and requests to indexers wait for them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { MetadataStore } from '../../src/node/metadata/metadata-store.ts';
import { Store } from '../../src/store/store.ts';
import { freePort } from '../support/free-port.ts';
import { startService, type TestService, untilAnswering } from '../support/service.ts';

/** 20 notes in two segments, of which the last ten were written twice and `n` 0 was deleted. */
async function startWithNotes(flags: readonly string[] = []): Promise<TestService> {
  const service = await startService(flags);
  await service.request('PUT', '/notes', { settings: { number_of_shards: 2 }, mappings: { properties: { text: { type: 'text' } } } });
  const lines = (from: number, word: string) =>
    Array.from({ length: 20 - from }, (_, i) => `{"index":{"_id":"${from + i}"}}\n{"text":"${word} note","n":${from + i}}\n`).join('');
  await service.request('POST', '/notes/_bulk?refresh=true', lines(0, 'first'));
  await service.request('POST', '/notes/_bulk?refresh=true', lines(10, 'second'));
  await service.request('DELETE', '/notes/_doc/0?refresh=true');
  expect(await service.stop({ keepData: true })).toBe(0);
  return startService(flags, service.data);
}

const counts = async (service: TestService) =>
  Promise.all(['*:*', 'text:first', 'text:second'].map(async (q) => (await service.request('GET', `/notes/_count?q=${q}`)).body.count));

test.each([[[]], [['--threads=1']]])('responds at once after a clean shutdown, and accepts writes meanwhile %j', async (flags) => {
  let service = await startWithNotes(flags);
  // All at once: searches are answered immediately, the others when there is an indexer.
  const [found, gone, newer, update, written, mapping, stats, created] = await Promise.all([
    counts(service),
    service.request('GET', '/notes/_doc/0'),
    service.request('GET', '/notes/_doc/10'),
    service.request('POST', '/notes/_update/11?refresh=true', { doc: { text: 'third note' } }),
    service.request('PUT', '/notes/_doc/20?refresh=true', { text: 'third note', n: 20, new_field: 'x' }),
    service.request('PUT', '/notes/_mapping', { properties: { tag: { type: 'keyword' } } }),
    service.request('GET', '/notes/_stats'),
    service.request('PUT', '/others/_doc/1?refresh=true', { text: 'another index' }),
  ]);
  // The counts are taken before or after the writes that run at the same time.
  expect(found).toEqual([expect.toBeOneOf([19, 20]), 9, expect.toBeOneOf([9, 10])]);
  expect(gone.status).toBe(404);
  expect(newer.body).toMatchObject({ _version: 2, _source: { text: 'second note', n: 10 } });
  expect(update.body).toMatchObject({ result: 'updated', _version: 3 });
  expect(written.body).toMatchObject({ result: 'created', _version: 1 });
  expect(mapping.body).toEqual({ acknowledged: true });
  expect(stats.body._all.primaries.docs.count).toBeGreaterThanOrEqual(19);
  expect(created.status).toBe(201);
  expect(await counts(service)).toEqual([20, 9, 9]);
  expect((await service.request('GET', '/notes/_search?q=text:third&sort=n')).body.hits.hits.map((hit: any) => hit._id)).toEqual([
    '11',
    '20',
  ]);
  const { properties } = (await service.request('GET', '/notes/_mapping')).body.notes.mappings;
  expect(Object.keys(properties).sort()).toEqual(['n', 'new_field', 'tag', 'text']);

  expect(await service.stop({ keepData: true })).toBe(0);
  service = await startService(flags, service.data);
  expect(await counts(service)).toEqual([20, 9, 9]);
  expect(await service.stop()).toBe(0);
});

test('a stop right after the first response waits for the indexers and loses nothing', async () => {
  let service = await startWithNotes();
  const written = service.request('PUT', '/notes/_doc/30', { text: 'third note' });
  expect(await counts(service)).toEqual([expect.toBeOneOf([19, 20]), 9, 10]);
  expect(await service.stop({ keepData: true })).toBe(0);
  const isAcknowledged = await written.then(
    ({ status }) => status === 201,
    () => false,
  );
  service = await startService([], service.data);
  expect(await counts(service)).toEqual([isAcknowledged ? 20 : 19, 9, 10]);
  expect(await service.stop()).toBe(0);
});

/** Folders of indices on disk. */
const folders = (service: TestService) => readdirSync(path.join(service.data, 'indices'));

test('removes the files of an index that is deleted right after the start; a closed one can be opened again', async () => {
  let service = await startWithNotes();
  expect(folders(service)).toHaveLength(1);
  expect((await service.request('POST', '/notes/_close')).status).toBe(200);
  expect((await service.request('POST', '/notes/_open')).status).toBe(200);
  expect(await counts(service)).toEqual([19, 9, 10]);
  expect(await service.stop({ keepData: true })).toBe(0);
  service = await startService([], service.data);
  expect((await service.request('DELETE', '/notes')).status).toBe(200);
  expect((await service.request('GET', '/notes/_count')).status).toBe(404);
  expect(folders(service)).toEqual([]);
  expect(await service.stop()).toBe(0);
});

test('removes the files of an index that is deleted while closed, or whose deletion a crash interrupted', async () => {
  let service = await startWithNotes();
  await service.request('POST', '/notes/_close');
  expect((await service.request('DELETE', '/notes')).status).toBe(200);
  expect(folders(service)).toEqual([]);
  await service.request('PUT', '/others/_doc/1', { n: 1 });
  expect(await service.stop({ keepData: true })).toBe(0);
  expect(folders(service)).toHaveLength(1);
  const store = Store.open(service.data);
  const metadata = new MetadataStore(store, 'node');
  metadata.save({ ...metadata.state, indices: {} }, null);
  await store.close();
  service = await startService([], service.data);
  await expect.poll(() => folders(service)).toEqual([]);
  expect(await service.stop({ keepData: true })).toBe(0);
  const after = Store.open(service.data);
  expect(new MetadataStore(after, 'node').orphans()).toEqual([]);
  await after.close();
  rmSync(service.data, { recursive: true });
});

/** `gannet serve` on a port, with a data directory of its own. */
function startOn(port: number) {
  const data = mkdtempSync(path.join(tmpdir(), 'gannet-port-'));
  const gannet = path.resolve(import.meta.dirname, '../../bin/gannet');
  const child = spawn(gannet, ['serve', `--http.port=${port}`], { cwd: data, stdio: ['ignore', 'ignore', 'pipe'] });
  const told = new Promise((resolve) =>
    child.stderr.on('data', (text) => String(text).includes('is in use, trying again') && resolve(text)),
  );
  const ended = once(child, 'exit').finally(() => rmSync(data, { recursive: true, force: true }));
  return { child, told, ended };
}

test('waits for a port that is in use', async () => {
  const owner = createServer().listen(0, '127.0.0.1');
  await once(owner, 'listening');
  const { port } = owner.address() as AddressInfo;
  const refused = startOn(port);
  await refused.told;
  expect(await refused.ended).toEqual([78, null]);
  const waiting = startOn(port);
  await waiting.told;
  owner.close();
  await untilAnswering(`http://127.0.0.1:${port}`, waiting.child);
  waiting.child.kill('SIGTERM');
  expect(await waiting.ended).toEqual([0, null]);
});

test('one of two services that start on a port at the same moment gets it', async () => {
  const port = await freePort();
  const both = [startOn(port), startOn(port)];
  const loser = await Promise.race(both.map(({ ended }, at) => ended.then(() => at)));
  expect(await both[loser].ended).toEqual([78, null]);
  const winner = both[1 - loser];
  await untilAnswering(`http://127.0.0.1:${port}`, winner.child);
  winner.child.kill('SIGTERM');
  expect(await winner.ended).toEqual([0, null]);
});
