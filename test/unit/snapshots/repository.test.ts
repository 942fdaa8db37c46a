// A repository on a file system: atomic lists, detection of other writers, leftovers, references, damage.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { blobPath } from '../../../src/snapshots/blob-store.ts';
import { FsBlobs } from '../../../src/snapshots/fs-blobs.ts';
import { Repository } from '../../../src/snapshots/repository.ts';
import type { RepositoryContents, ShardManifest, SnapshotInfo } from '../../../src/snapshots/snapshot-types.ts';

const root = mkdtempSync(path.join(os.tmpdir(), 'gannet-repository-'));
let folder = '';
let repository: Repository;
let number = 0;

beforeEach(() => {
  folder = path.join(root, String(number++));
  repository = new Repository('r', new FsBlobs(folder), false);
});
afterAll(() => rmSync(root, { recursive: true }));

const files = (): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort();

/** Adds a snapshot of one shard that consists of these blobs. */
async function add(contents: RepositoryContents, name: string, texts: readonly string[]): Promise<RepositoryContents> {
  const end = await repository.begin(contents);
  const segments: ShardManifest['segments'][number][] = [];
  for (const text of texts) {
    const { blob, bytes } = await repository.blobs.putHashed(() => [Buffer.from(text)]);
    segments.push({ name: text, bytes, blob, checksum: 0, liveDocs: null });
  }
  const point = { generation: 1, segments: [], maxSeqNo: -1, nextSegment: 0, primaryTerm: 1 };
  const { blob: manifest } = await repository.putJson({ format: 1, point, segments, documents: [] } satisfies ShardManifest);
  const shard = { manifest, startMs: 0, endMs: 0, failure: null, files: 0, bytes: 0, newFiles: 0, newBytes: 0 };
  const { blob: details } = await repository.putJson({
    format: 1,
    indices: [{ name: 'i', uuid: 'u', meta: { name }, shards: [shard] }],
    globalState: null,
  });
  const info: SnapshotInfo = {
    name,
    uuid: name,
    version: '8.15.0',
    state: 'SUCCESS',
    startMs: 0,
    endMs: 0,
    indices: [],
    includeGlobalState: false,
    metadata: null,
    failures: [],
    totalShards: 1,
    details,
  };
  const next = await repository.commit(contents, [...contents.snapshots, info]);
  await end();
  return next;
}

test('an empty folder is a repository without snapshots', async () => {
  expect(await repository.load()).toMatchObject({ generation: 0, snapshots: [] });
});

test('a deletion removes only what no other snapshot needs', async () => {
  let contents = await add(await repository.load(), 'a', ['one', 'two']);
  contents = await add(contents, 'b', ['two', 'three']);
  const blobs = files().filter((name) => name.length === 64).length;
  await repository.delete(contents, new Set(['a']));
  const left = await repository.load();
  expect(left.snapshots.map(({ name }) => name)).toEqual(['b']);
  // The blob `one`, the manifest and the details of the deleted snapshot.
  expect(files().filter((name) => name.length === 64)).toHaveLength(blobs - 3);
  expect(await repository.sweep(left)).toEqual({ blobs: 0, bytes: 0 });
  await repository.delete(left, new Set(['b']));
  expect(files()).toEqual(['index-3', 'index-4', 'index.latest']);
});

test('a change based on an old list is refused', async () => {
  const contents = await add(await repository.load(), 'a', ['one']);
  await add(contents, 'b', ['two']);
  await expect(add(contents, 'c', ['three'])).rejects.toMatchObject({
    type: 'repository_exception',
    reason: expect.stringContaining('concurrent modification'),
  });
  expect((await repository.load()).snapshots.map(({ name }) => name)).toEqual(['a', 'b']);
});

test('the next change removes what an interrupted one left', async () => {
  const contents = await add(await repository.load(), 'a', ['one']);
  const before = files();
  await repository.begin(contents);
  await repository.blobs.putHashed(() => [Buffer.from('orphan')]);
  writeFileSync(path.join(folder, 'blobs', 'x.partial'), 'half');
  writeFileSync(path.join(folder, 'y.partial'), 'half');
  const end = await repository.begin(contents);
  await end();
  expect(files()).toEqual(before);
});

test('a failed write leaves neither a blob nor a temporary file', async () => {
  const failing = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from('part');
    throw new Error('source failed');
  };
  await expect(repository.blobs.putHashed(failing)).rejects.toThrow('source failed');
  expect(files()).toEqual([]);
});

test('damaged lists and blobs are reported by name', async () => {
  const contents = await add(await repository.load(), 'a', ['one']);
  const { details } = contents.snapshots[0];
  writeFileSync(path.join(folder, blobPath(details)), '{}');
  await expect(repository.details(contents.snapshots[0])).rejects.toMatchObject({ reason: expect.stringContaining(details) });
  // A snapshot whose own list is damaged can still be deleted, with all of its blobs.
  await repository.delete(contents, new Set(['a']));
  expect(files().filter((name) => name.length === 64)).toEqual([]);
  writeFileSync(path.join(folder, 'index-9'), 'junk');
  await expect(repository.load()).rejects.toMatchObject({ reason: '[r] the checksum of [index-9] does not match' });
});

test('a damaged snapshot keeps others from losing blobs', async () => {
  let contents = await add(await repository.load(), 'a', ['one']);
  contents = await add(contents, 'b', ['two']);
  writeFileSync(path.join(folder, blobPath(contents.snapshots[1].details)), '{}');
  const before = files();
  // What the damaged one needs is unknown, so nothing is removed.
  await expect(repository.delete(contents, new Set(['a']))).rejects.toMatchObject({ type: 'repository_exception' });
  expect(files().filter((name) => name.length === 64)).toEqual(before.filter((name) => name.length === 64));
});

test('a location that cannot be written fails the verification', async () => {
  writeFileSync(folder, 'a file');
  await expect(repository.verify()).rejects.toMatchObject({ type: 'repository_verification_exception', status: 500 });
  rmSync(folder);
  mkdirSync(folder);
  await repository.verify();
  expect(files()).toEqual([]);
});
