// Snapshots of the real service: by command line, to another machine, and through `kill -9`. The long form of the latter is npm run test:crash:snapshots.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { SnapshotRounds } from '../crash/snapshot-rounds.ts';
import { startService } from '../support/service.ts';

const gannet = path.resolve(import.meta.dirname, '../../bin/gannet');

function run(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(gannet, args, { encoding: 'utf8' });
  return { code: status, out: stdout, err: stderr };
}

test('gannet snapshot and gannet restore move indices to another service', async () => {
  const repo = mkdtempSync(path.join(tmpdir(), 'gannet-cli-repo-'));
  const [first, second] = await Promise.all([startService([`--path.repo=${repo}`]), startService([`--path.repo=${repo}`])]);
  try {
    const lines = Array.from({ length: 500 }, (_, n) => `{"index":{"_id":"${n}"}}\n{"n":${n}}\n`).join('');
    await first.request('POST', '/books/_bulk?refresh=true', lines);
    const taken = run('snapshot', 'one', '--location', 'nightly', '--url', first.url);
    expect(taken).toMatchObject({ code: 0, out: expect.stringMatching(/^one: SUCCESS, 1 indices, .* new\n$/) });
    for (const name of ['two', 'three']) expect(run('snapshot', name, '--url', first.url, '--keep', '2').code).toBe(0);
    const { body } = await first.request('GET', '/_snapshot/backup/_all');
    expect(body.snapshots.map(({ snapshot }: { snapshot: string }) => snapshot)).toEqual(['two', 'three']);
    expect(run('snapshot', 'three', '--url', first.url)).toMatchObject({ code: 1, err: expect.stringContaining('already exists') });

    await second.request('PUT', '/_snapshot/backup', { type: 'fs', settings: { location: 'nightly', readonly: true } });
    const restored = run('restore', '--url', second.url, '--rename', '(.+)=old-$1');
    expect(restored).toMatchObject({ code: 0, out: 'three: 1 indices, 1 shards, 0 failed\n' });
    expect((await second.request('GET', '/old-books/_count')).body.count).toBe(500);
    expect(run('restore', '--url', first.url)).toMatchObject({ code: 1, err: expect.stringContaining('open index with same name') });
    expect(run('restore', 'two', '--url', first.url, '--close')).toMatchObject({ code: 0 });
    expect((await first.request('GET', '/books/_count')).body.count).toBe(500);
    expect(run('restore', 'two', '--rename', 'x').code).toBe(2);
  } finally {
    await Promise.all([first.stop(), second.stop()]);
    rmSync(repo, { recursive: true, force: true });
  }
});

test('gannet snapshot and gannet restore work on directories of stopped services', async () => {
  const repo = mkdtempSync(path.join(tmpdir(), 'gannet-cli-repo-'));
  const first = await startService();
  await first.request('PUT', '/_security/user/root', { password: 'rootpassword', roles: ['superuser'] });
  const root = { authorization: `Basic ${Buffer.from('root:rootpassword').toString('base64')}` };
  for (const n of [1, 2, 3]) await first.request('PUT', `/books/_doc/${n}?refresh=true`, { n }, root);
  const location = path.join(repo, 'moved');
  expect(run('snapshot', 'one', '--path.data', first.data, '--location', location)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/use/),
  });
  expect(await first.stop({ keepData: true })).toBe(0);
  const other = mkdtempSync(path.join(tmpdir(), 'gannet-cli-data-'));
  try {
    const taken = run('snapshot', 'one', '--path.data', first.data, '--location', location);
    expect(taken).toMatchObject({ code: 0, out: expect.stringMatching(/^one: SUCCESS, 1 indices, .* new\n$/) });
    for (const name of ['two', 'three'])
      expect(run('snapshot', name, '--path.data', first.data, '--location', location, '--keep', '2').code).toBe(0);
    expect(run('snapshot', 'three', '--path.data', first.data, '--location', location)).toMatchObject({
      code: 1,
      err: expect.stringContaining('already exists'),
    });
    expect(run('restore', 'one', '--path.data', other, '--location', location)).toMatchObject({
      code: 1,
      err: 'gannet: [one] is missing\n',
    });
    const restored = run('restore', '--path.data', other, '--location', location);
    expect(restored).toMatchObject({ code: 0, out: 'three: 1 indices, 1 shards, 0 failed\n' });
    expect(run('restore', '--path.data', other, '--location', location, '--close').code).toBe(0);
    expect(run('restore', '--path.data', other, '--url', 'http://127.0.0.1:1').code).toBe(2);
    const second = await startService([], other);
    expect((await second.request('GET', '/books/_count')).body.count).toBe(3);
    await second.stop();
  } finally {
    for (const folder of [repo, other, first.data]) rmSync(folder, { recursive: true, force: true });
  }
});

test('kill -9 during snapshots, deletions and restores leaves the repository and the indices intact', async () => {
  const rounds = new SnapshotRounds(Number(process.env.GANNET_SEED ?? 7));
  await rounds.start();
  try {
    for (let round = 0; round < 3; round++) await rounds.round();
  } finally {
    await rounds.end();
  }
});
