// Snapshots through the REST API of a node in this process: create, list, restore, delete.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

const repo = mkdtempSync(path.join(os.tmpdir(), 'gannet-repo-'));
let node: RestNode;

beforeAll(async () => {
  node = await openRestNode({ 'path.repo': repo });
  await node.ok('PUT /_snapshot/r', { type: 'fs', settings: { location: 'main' } });
});
afterAll(async () => {
  await node.close();
  rmSync(repo, { recursive: true });
});

/** Names of the content-addressed blobs. */
function blobs(location = 'main'): string[] {
  const folder = path.join(repo, location, 'blobs');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /[0-9a-f]{64}/.test(name));
}

async function index(name: string, docs: number, from = 0): Promise<void> {
  const lines: unknown[] = [];
  for (let i = from; i < from + docs; i++)
    lines.push({ index: { _index: name, _id: String(i) } }, { n: i, text: `word${i % 7} of ${name}` });
  expect((await node.ok('POST /_bulk?refresh=true', lines)).errors).toBe(false);
}

/** All documents with their versions and sequence numbers. */
async function contents(name: string): Promise<unknown[]> {
  await node.ok(`POST /${name}/_refresh`);
  const { hits } = await node.ok(`POST /${name}/_search`, { size: 10_000, sort: ['n'], version: true, seq_no_primary_term: true });
  return hits.hits.map(({ _index: _, ...hit }: Record<string, unknown>) => hit);
}

const create = (name: string, body: object = {}) => node.ok(`PUT /_snapshot/r/${name}?wait_for_completion=true`, body);
const restore = (name: string, body: object) => node.ok(`POST /_snapshot/r/${name}/_restore?wait_for_completion=true`, body);

test('restores all documents with their versions under another name', async () => {
  await index('books', 50);
  await node.ok('DELETE /books/_doc/3');
  await index('books', 10, 10);
  await index('books', 20, 60);
  const before = await contents('books');
  const { snapshot } = await create('one', { indices: 'books', metadata: { by: 'test' } });
  expect(snapshot).toMatchObject({
    snapshot: 'one',
    state: 'SUCCESS',
    indices: ['books'],
    metadata: { by: 'test' },
    shards: { total: 1, failed: 0 },
  });
  expect(await restore('one', { rename_pattern: '(.+)', rename_replacement: 'copy-$1' })).toMatchObject({
    snapshot: { indices: ['copy-books'], shards: { total: 1, failed: 0, successful: 1 } },
  });
  expect(await contents('copy-books')).toEqual(before);
  await node.ok('DELETE /copy-books');
});

test('a restored index can be written to and survives a restart', async () => {
  await restore('one', { rename_pattern: '(.+)', rename_replacement: 'again-$1' });
  const { _seq_no } = await node.ok('PUT /again-books/_doc/new?refresh=true', { n: 9999 });
  expect(_seq_no).toBeGreaterThan(80);
  const before = await contents('again-books');
  await node.restart();
  expect(await contents('again-books')).toEqual(before);
  await node.ok('DELETE /again-books');
});

test('copies only what is new, whatever was merged', async () => {
  await create('two', { indices: 'books' });
  const known = new Set(blobs());
  await create('same', { indices: 'books' });
  // Only the description of the snapshot: the shard is unchanged as a whole.
  expect(blobs().filter((name) => !known.has(name))).toHaveLength(1);
  await index('books', 5, 1000);
  await node.ok('POST /books/_forcemerge?max_num_segments=1');
  await create('three', { indices: 'books' });
  const { snapshots } = await node.ok('GET /_snapshot/r/three/_status');
  // One segment, and one blob with the five new documents.
  expect(snapshots[0].stats.incremental.file_count).toBe(2);
  expect(snapshots[0].stats.total.file_count).toBe(3);
});

test('deletes a snapshot without touching what others need', async () => {
  const before = await contents('books');
  await node.ok('DELETE /_snapshot/r/one,two,sa*');
  await restore('three', { rename_pattern: '(.+)', rename_replacement: 'copy-$1' });
  expect(await contents('copy-books')).toEqual(before);
  await node.ok('DELETE /copy-books');
  await node.ok('DELETE /_snapshot/r/*');
  expect(blobs()).toEqual([]);
});

test('restores over a closed index, and refuses an open one', async () => {
  await create('four', { indices: 'books' });
  const before = await contents('books');
  const refused = await node.send('POST /_snapshot/r/four/_restore', { indices: 'books' });
  expect(refused.status).toBe(500);
  expect(refused.json.error.type).toBe('snapshot_restore_exception');
  await index('books', 5, 2000);
  await node.ok('POST /books/_close');
  await restore('four', { indices: 'books' });
  expect(await contents('books')).toEqual(before);
});

test('leaves the closed index as it was when the repository is damaged', async () => {
  await node.ok('PUT /_snapshot/broken', { type: 'fs', settings: { location: 'broken' } });
  await node.ok('PUT /_snapshot/broken/s?wait_for_completion=true', { indices: 'books' });
  const before = await contents('books');
  for (const name of blobs('broken')) writeFileSync(path.join(repo, 'broken', 'blobs', name), 'junk');
  await node.ok('POST /books/_close');
  const answer = await node.send('POST /_snapshot/broken/s/_restore?wait_for_completion=true', { indices: 'books' });
  expect(answer.json.error.reason).toMatch(/checksum of .* does not match/);
  await node.ok('POST /books/_open');
  expect(await contents('books')).toEqual(before);
});
