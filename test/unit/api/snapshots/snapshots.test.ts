// Snapshots through the REST API of a node in this process: create, list, restore, delete.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

test('copies only new data, whatever was merged', async () => {
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
  expect(snapshots[0].stats.incremental.file_count).toBe(3);
  expect(snapshots[0].stats.total.file_count).toBe(4);
});

test('deletes a snapshot without affecting others', async () => {
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

test('_recovery names the snapshot that an index was restored from', async () => {
  await create('five', { indices: 'books' });
  await restore('five', { rename_pattern: '(.+)', rename_replacement: 'recovered' });
  const { recovered } = await node.ok('GET /recovered/_recovery');
  expect(recovered.shards[0]).toMatchObject({
    type: 'SNAPSHOT',
    stage: 'DONE',
    source: { repository: 'r', snapshot: 'five', index: 'books' },
    index: { files: { reused: 0, percent: '100.0%' } },
  });
  expect(await node.ok('GET /_cat/recovery/recovered?h=type,repository,snapshot,bytes_percent')).toBe('snapshot r five 100.0%\n');
  expect(await node.ok('GET /_cat/recovery/books?h=type,repository,time,files_percent')).toMatch(
    /^existing_store n\/a\s+0s\s+0.0%\n$|^snapshot/,
  );
  await node.ok('DELETE /recovered');
});

test('a snapshot keeps the files that it copies while the index is written, merged and deleted from', async () => {
  await index('busy', 2000);
  const writes = (async () => {
    for (let i = 0; i < 8; i++) {
      await index('busy', 100, i * 50);
      if (i % 5 === 0) await node.ok('POST /busy/_forcemerge?max_num_segments=1');
    }
  })();
  const { snapshot } = await create('busy', { indices: 'busy' });
  await writes;
  expect(snapshot.state).toBe('SUCCESS');
  await restore('busy', { rename_pattern: '.+', rename_replacement: 'busy-then' });
  const then = (await contents('busy-then')) as Array<{ _source: { n: number } }>;
  expect(then.map(({ _source: { n } }) => n)).toEqual(Array.from({ length: 2000 }, (_, n) => n));
  await node.ok('DELETE /busy,busy-then');
});

test('includes closed indices, and opens them with the restore', async () => {
  await index('shut', 5);
  const before = await contents('shut');
  await node.ok('POST /shut/_close');
  await create('six', { indices: 'shut' });
  await node.ok('DELETE /shut');
  await restore('six', {});
  expect(await contents('shut')).toEqual(before);
  await node.ok('DELETE /shut');
});

test('restores the global state: templates, pipelines, scripts and persistent settings', async () => {
  await node.ok('PUT /_index_template/t1', { index_patterns: ['t1-*'] });
  await node.ok('PUT /_ingest/pipeline/p1', { processors: [] });
  await create('global', { indices: 'books' });
  await node.ok('DELETE /_index_template/t1');
  await node.ok('DELETE /_ingest/pipeline/p1');
  await node.ok('PUT /_ingest/pipeline/p2', { processors: [] });
  await restore('global', { indices: '-*', include_global_state: true });
  expect(Object.keys(await node.ok('GET /_ingest/pipeline'))).toEqual(['p1']);
  expect((await node.ok('GET /_index_template')).index_templates.map(({ name }: { name: string }) => name)).toEqual(['t1']);
  await create('local', { indices: 'books', include_global_state: false });
  const refused = await node.send('POST /_snapshot/r/local/_restore', { indices: '-*', include_global_state: true });
  expect(refused.json.error.reason).toMatch(/cannot restore global state since the snapshot was created without global state/);
});

test('a running snapshot is listed, keeps its indices, and is aborted by its deletion', async () => {
  await index('slow', 2000);
  await node.ok('PUT /_snapshot/throttled', { type: 'fs', settings: { location: 'slow', max_snapshot_bytes_per_sec: '20kb' } });
  const waiting = node.send('PUT /_snapshot/throttled/s?wait_for_completion=true', { indices: 'slow' });
  for (let state = ''; state !== 'STARTED'; ) {
    const { snapshots } = await node.ok('GET /_snapshot/throttled/_status');
    state = snapshots[0]?.indices.slow.shards['0'].stage ?? '';
  }
  expect((await node.ok('GET /_snapshot/throttled/_current')).snapshots).toMatchObject([{ snapshot: 's', state: 'IN_PROGRESS' }]);
  expect((await node.send('DELETE /slow')).json.error.type).toBe('snapshot_in_progress_exception');
  expect((await node.send('POST /slow/_close')).json.error.type).toBe('snapshot_in_progress_exception');
  expect((await node.send('DELETE /_snapshot/throttled')).json.error.type).toBe('repository_conflict_exception');
  const second = await node.send('PUT /_snapshot/throttled/s', {});
  expect(second.json.error.reason).toMatch(/snapshot with the same name is already in-progress/);
  await node.ok('DELETE /_snapshot/throttled/s');
  expect((await waiting).json.error.type).toBe('snapshot_exception');
  expect((await node.ok('GET /_snapshot/throttled/_all')).snapshots).toEqual([]);
  expect(blobs('slow')).toEqual([]);
  await node.ok('DELETE /slow');
});

test('each of several snapshots of changing documents contains the documents of its time', async () => {
  const states: unknown[][] = [];
  for (let round = 0; round < 9; round++) {
    await index('history', 40, round * 15);
    if (round > 3)
      await node.ok('POST /history/_delete_by_query?refresh=true&conflicts=proceed', { query: { range: { n: { lt: round * 10 } } } });
    if (round % 4 === 3) await node.ok('POST /history/_forcemerge?max_num_segments=1');
    states.push(await contents('history'));
    await create(`history-${round}`, { indices: 'history' });
    if (round === 6) await node.ok('DELETE /_snapshot/r/history-2,history-5');
  }
  for (const round of [0, 4, 8]) {
    await restore(`history-${round}`, { rename_pattern: '.+', rename_replacement: 'past' });
    expect(await contents('past')).toEqual(states[round]);
    await node.ok('DELETE /past');
  }
});

test('a damaged segment fails its shard and names the file; the others are in the snapshot', async () => {
  await node.ok('PUT /hurt', { settings: { number_of_shards: 2 } });
  await index('hurt', 200);
  await node.ok('POST /hurt/_flush?force=true');
  const [{ uuid }] = await node.ok('GET /_cat/indices/hurt?format=json&h=uuid');
  const shard = path.join(node.folder, 'indices', uuid, '0');
  const [name] = readdirSync(shard);
  const image = readFileSync(path.join(shard, name));
  // Every part of the image is covered: a byte in a section, in the table of contents at its end, in the header.
  for (const at of [300, image.length - 20, 12]) {
    const damaged = Buffer.from(image);
    damaged[at] ^= 1;
    writeFileSync(path.join(shard, name), damaged);
    const { snapshot } = await create(`hurt-${at}`, { indices: 'hurt', partial: true });
    expect(snapshot).toMatchObject({ state: 'PARTIAL', shards: { total: 2, failed: 1, successful: 1 } });
    expect(snapshot.failures[0]).toMatchObject({ index: 'hurt', shard_id: 0, reason: expect.stringContaining(name) });
    const refused = await node.send(`POST /_snapshot/r/hurt-${at}/_restore`, { rename_pattern: '.+', rename_replacement: 'healed' });
    expect(refused.json.error.reason).toMatch(/wasn't fully snapshotted/);
  }
  await restore('hurt-300', { rename_pattern: '.+', rename_replacement: 'healed', partial: true });
  const healed = await contents('healed');
  expect(healed.length).toBeGreaterThan(50);
  expect(healed.length).toBeLessThan(150);
  writeFileSync(path.join(shard, name), image);
  await node.ok('DELETE /hurt,healed');
});
