// Blobs on S3, against a small server in this process: uploads in parts, pages of lists, conditional writes, retries, broken downloads, leftovers.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { blobPath } from '../../../src/snapshots/blob-store.ts';
import { Repository } from '../../../src/snapshots/repository.ts';
import { S3Blobs } from '../../../src/snapshots/s3-blobs.ts';
import { readS3Settings } from '../../../src/snapshots/s3-settings.ts';
import { S3Server } from '../../support/s3-server.ts';

const MIB = 2 ** 20;
const CLIENTS = { 'default.access_key': 'a', 'default.secret_key': 'secret-of-the-test', 'default.path_style_access': 'true' };

let server: S3Server;
let blobs: S3Blobs;

function open(settings: Record<string, string> = {}): S3Blobs {
  const all = { bucket: 'backup', base_path: '/a/b/', endpoint: server.url, buffer_size: '5mb', max_retries: '2', ...settings };
  return new S3Blobs(readS3Settings({ name: 'r', type: 's3', settings: all }, CLIENTS));
}

beforeEach(async () => {
  server = await S3Server.start('backup');
  blobs = open();
});
afterEach(async () => {
  blobs.close();
  await server.stop();
});

async function listed(prefix: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of blobs.list(prefix)) names.push(name);
  return names.sort();
}

/** 12 MiB in pieces of a megabyte, each with its own bytes. */
function* large(): Generator<Uint8Array> {
  for (let i = 0; i < 12; i++) yield new Uint8Array(MIB).fill(i + 1);
}

test('stores small blobs by one request, below the base path, and only once', async () => {
  const { blob, bytes, isNew } = await blobs.putHashed(() => [Buffer.from('some '), Buffer.from('bytes')]);
  expect({ bytes, isNew }).toEqual({ bytes: 10, isNew: true });
  expect([...server.objects.keys()]).toEqual([`a/b/${blobPath(blob)}`]);
  expect((await blobs.read(blobPath(blob)))?.toString()).toBe('some bytes');
  expect(await blobs.putHashed(() => [Buffer.from('some bytes')])).toEqual({ blob, bytes, isNew: false });
  expect(server.requests.filter((request) => request.startsWith('PUT'))).toHaveLength(1);
});

test('uploads blobs above buffer_size in parts', async () => {
  let reported = 0;
  const { blob, bytes } = await blobs.putHashed(large, (size) => {
    reported += size;
  });
  expect([bytes, reported]).toEqual([12 * MIB, 12 * MIB]);
  expect(server.requests.filter((request) => request.includes('partNumber'))).toHaveLength(3);
  expect(server.uploads.size).toBe(0);
  expect((await blobs.read(blobPath(blob)))?.equals(Buffer.concat([...large()]))).toBe(true);
});

test('aborts an upload if a part fails permanently', async () => {
  server.fault = (request) => (request.includes('partNumber=2') ? 403 : null);
  await expect(blobs.putHashed(large)).rejects.toThrow(/part 2: .*403/);
  expect([server.uploads.size, server.objects.size]).toEqual([0, 0]);
});

test('aborts an upload whose source differs when it is read again', async () => {
  let reads = 0;
  const changing = function* (): Generator<Uint8Array> {
    reads++;
    for (let i = 0; i < 6; i++) yield new Uint8Array(MIB).fill(reads);
  };
  await expect(blobs.putHashed(changing)).rejects.toThrow('the source changed');
  expect([server.uploads.size, server.objects.size]).toEqual([0, 0]);
});

test('repeats requests that the server is too busy for', async () => {
  const failed = new Set<string>();
  server.fault = (request) => {
    if (failed.has(request)) return null;
    failed.add(request);
    return 503;
  };
  const { blob } = await blobs.putHashed(() => [Buffer.from('x')]);
  expect((await blobs.read(blobPath(blob)))?.toString()).toBe('x');
});

test('gives up after max_retries, with the reason of the server', async () => {
  server.fault = () => 503;
  await expect(blobs.read('x')).rejects.toThrow(/GET x: SlowDown.*status 503/);
  expect(server.requests).toHaveLength(3);
});

test('continues a download that broke off where it ended', async () => {
  const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, i) => i % 251));
  server.objects.set('a/b/x', bytes);
  let cuts = 2;
  server.fault = () => (cuts-- > 0 ? 'cut' : null);
  expect((await blobs.read('x'))?.equals(bytes)).toBe(true);
  expect(server.requests).toHaveLength(3);
});

test('create refuses a name that is taken, even between its two requests', async () => {
  expect(await blobs.create('index-1', Buffer.from('one'))).toBe(true);
  expect(await blobs.create('index-1', Buffer.from('two'))).toBe(false);
  server.fault = (request) => {
    if (request === 'PUT a/b/index-2') server.objects.set('a/b/index-2', Buffer.from('other'));
    return null;
  };
  expect(await blobs.create('index-2', Buffer.from('own'))).toBe(false);
  expect((await blobs.read('index-2'))?.toString()).toBe('other');
});

test('create recognises its own object when the first response was lost', async () => {
  server.fault = (request) => {
    if (!request.startsWith('PUT') || server.objects.has('a/b/index-1')) return null;
    server.objects.set('a/b/index-1', Buffer.from('own'));
    return 500;
  };
  expect(await blobs.create('index-1', Buffer.from('own'))).toBe(true);
});

test('create works with a server without conditional writes', async () => {
  server.knowsConditions = false;
  expect(await blobs.create('index-1', Buffer.from('one'))).toBe(true);
  expect(await blobs.create('index-1', Buffer.from('two'))).toBe(false);
});

test('lists names of all pages, without those of other prefixes, and removes them', async () => {
  for (const name of ['index-1', 'index-2', 'index-3', 'index-4', 'index.latest']) await blobs.replace(name, Buffer.from(name));
  for (let i = 0; i < 7; i++) await blobs.putHashed(() => [Buffer.from([i])]);
  server.objects.set('a/c/index-9', Buffer.from(''));
  expect(await listed('index-')).toEqual(['index-1', 'index-2', 'index-3', 'index-4']);
  expect(await listed('')).toHaveLength(5);
  const all = await listed('blobs/');
  expect(all).toHaveLength(7);
  await blobs.remove([...all, 'missing']);
  expect(await listed('blobs/')).toEqual([]);
  await blobs.remove(['index-1']);
  await blobs.remove(['index-1']);
  expect(server.objects.size).toBe(5);
});

test('an interrupted upload is a leftover that a clean-up of the repository removes', async () => {
  for (let i = 0; i < 4; i++) server.uploads.set(`id-${i}`, { key: `a/b/${blobPath('ab'.repeat(32))}`, parts: new Map() });
  const repository = new Repository('r', blobs, false);
  expect((await repository.sweep(await repository.load())).blobs).toBe(4);
  expect(server.uploads.size).toBe(0);
});

test('verification fails with the name of the bucket and without secrets', async () => {
  await expect(new Repository('r', blobs, false).verify()).resolves.toBeUndefined();
  expect(server.objects.size).toBe(0);
  const other = new Repository('r', open({ bucket: 'missing' }), false);
  const error = await other.verify().catch((failure) => failure);
  expect(error).toMatchObject({ type: 'repository_verification_exception', reason: expect.stringContaining('s3://missing/a/b/') });
  expect(error.causedBy.reason).toContain('NoSuchBucket');
  expect(JSON.stringify(error)).not.toContain('secret-of-the-test');
});
