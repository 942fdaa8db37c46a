// Repositories of type s3: the real service against a real S3 server.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blobPath } from '../../src/snapshots/blob-store.ts';
import { S3Blobs } from '../../src/snapshots/s3-blobs.ts';
import { readS3Settings } from '../../src/snapshots/s3-settings.ts';
import { findS3Program, type RealS3, startRealS3 } from '../support/real-s3.ts';
import { startService, type TestService } from '../support/service.ts';

const BUCKET = 'gannet-backup';
const program = findS3Program();

describe.skipIf(typeof program === 'string')(`with a real S3 server${typeof program === 'string' ? ` (${program})` : ''}`, () => {
  let s3: RealS3;

  beforeAll(async () => {
    if (typeof program === 'string') return;
    s3 = await startRealS3(program, BUCKET);
  });
  afterAll(() => s3?.stop());

  const start = (): Promise<TestService> =>
    startService([
      `--s3.client.default.endpoint=${s3.url}`,
      `--s3.client.default.access_key=${s3.key}`,
      `--s3.client.default.secret_key=${s3.key}`,
      '--s3.client.default.path_style_access=true',
    ]);

  test('snapshots move to another service; incremental ones add little; deleted ones leave nothing', async () => {
    const [first, second] = await Promise.all([start(), start()]);
    try {
      const lines = Array.from({ length: 2000 }, (_, n) => `{"index":{"_id":"${n}"}}\n{"n":${n},"text":"word${n % 97}"}\n`).join('');
      await first.request('POST', '/books/_bulk?refresh=true', lines);
      const registered = await first.request('PUT', '/_snapshot/cloud', { type: 's3', settings: { bucket: BUCKET, base_path: 'nightly' } });
      expect(registered).toMatchObject({ status: 200, body: { acknowledged: true } });
      const take = (name: string) => first.request('PUT', `/_snapshot/cloud/${name}?wait_for_completion=true`, { indices: 'books' });
      expect((await take('one')).body.snapshot).toMatchObject({ state: 'SUCCESS', shards: { failed: 0 } });
      await first.request('PUT', '/books/_doc/new?refresh=true', { n: 5000 });
      expect((await take('two')).body.snapshot.state).toBe('SUCCESS');
      const { stats } = (await first.request('GET', '/_snapshot/cloud/two/_status')).body.snapshots[0];
      expect(stats.incremental.size_in_bytes).toBeLessThan(stats.total.size_in_bytes / 2);

      const readOnly = { type: 's3', settings: { bucket: BUCKET, base_path: 'nightly/', readonly: true } };
      await second.request('PUT', '/_snapshot/cloud', readOnly);
      const names = (await second.request('GET', '/_snapshot/cloud/_all')).body.snapshots.map(
        (info: { snapshot: string }) => info.snapshot,
      );
      expect(names).toEqual(['one', 'two']);
      const restored = await second.request('POST', '/_snapshot/cloud/two/_restore?wait_for_completion=true', {});
      expect(restored.body.snapshot.shards).toMatchObject({ failed: 0 });
      expect((await second.request('GET', '/books/_count')).body.count).toBe(2001);
      expect((await second.request('GET', '/books/_doc/7')).body._source).toEqual({ n: 7, text: 'word7' });

      expect((await first.request('DELETE', '/_snapshot/cloud/one,two')).body).toEqual({ acknowledged: true });
      const left: string[] = [];
      const blobs = open({ base_path: 'nightly' });
      for await (const { name } of blobs.list('blobs/')) left.push(name);
      blobs.close();
      expect(left).toEqual([]);
    } finally {
      await Promise.all([first.stop(), second.stop()]);
    }
  });

  test('a bucket that does not exist is an error at once', async () => {
    const service = await start();
    try {
      const { status, body } = await service.request('PUT', '/_snapshot/cloud', { type: 's3', settings: { bucket: 'not-there' } });
      expect(status).toBe(500);
      expect(body.error).toMatchObject({
        type: 'repository_verification_exception',
        reason: '[cloud] path s3://not-there/ is not accessible',
      });
      expect(body.error.caused_by.reason).toContain('NoSuchBucket');
      expect((await service.request('GET', '/_snapshot')).body).toEqual({});
    } finally {
      await service.stop();
    }
  });

  function open(settings: Record<string, string> = {}): S3Blobs {
    const all = { bucket: BUCKET, endpoint: s3.url, path_style_access: 'true', buffer_size: '5mb', ...settings };
    const clients = { 'default.access_key': s3.key, 'default.secret_key': s3.key };
    return new S3Blobs(readS3Settings({ name: 'r', type: 's3', settings: all }, clients));
  }

  test('uploads in parts, refuses existing names, and removes many objects', async () => {
    const blobs = open({ base_path: 'direct' });
    try {
      const piece = (i: number): Uint8Array => new Uint8Array(1 << 20).map((_, at) => (at * (i + 1)) & 255);
      const { blob, bytes } = await blobs.putHashed(() => Array.from({ length: 11 }, (_, i) => piece(i)));
      const back = await blobs.read(blobPath(blob));
      expect([bytes, back?.length]).toEqual([11 << 20, 11 << 20]);
      expect(back?.equals(Buffer.concat(Array.from({ length: 11 }, (_, i) => piece(i))))).toBe(true);
      expect(await blobs.create('index-1', Buffer.from('one'))).toBe(true);
      expect(await blobs.create('index-1', Buffer.from('two'))).toBe(false);
      expect((await blobs.read('index-1'))?.toString()).toBe('one');
      expect(await blobs.read('index-2')).toBeNull();
      for (let i = 0; i < 12; i++) await blobs.replace(`blobs/aa/${i}`, Buffer.from([i]));
      const names: string[] = [];
      for await (const { name } of blobs.list('blobs/')) names.push(name);
      expect(names).toHaveLength(13);
      await blobs.remove(names);
      for await (const { name } of blobs.list('blobs/')) expect.unreachable(name);
    } finally {
      blobs.close();
    }
  });
});
