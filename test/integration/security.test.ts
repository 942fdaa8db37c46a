// Users of a real service: durable, known to every thread, read again on SIGHUP; and no start without users beyond loopback.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { hashPassword } from '../../src/security/password-hash.ts';
import { freePort } from '../support/free-port.ts';
import { startService, untilAnswering } from '../support/service.ts';

const basic = (user: string, password: string) => ({ authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` });

test('users, roles and API keys survive kill -9, and are in effect in every thread', async () => {
  const service = await startService(['--threads=2']);
  // With an index, all threads run.
  await service.request('PUT', '/a1');
  const root = basic('root', 'rootpassword');
  await service.request('PUT', '/_security/user/root', { password: 'rootpassword', roles: ['superuser'] });
  await service.request('PUT', '/_security/role/reader', { indices: [{ names: ['a*'], privileges: ['read'] }] }, root);
  await service.request('PUT', '/_security/user/ann', { password: 'annpassword', roles: ['reader'] }, root);
  const key = (await service.request('POST', '/_security/api_key', { name: 'k' }, root)).body;
  process.kill(service.servicePid(), 'SIGKILL');
  await untilAnswering(service.url);
  // Fresh connections, so that both threads get some.
  for (let i = 0; i < 10; i++) {
    const close = { connection: 'close' };
    const who = await service.request('GET', '/_security/_authenticate', undefined, { ...basic('ann', 'annpassword'), ...close });
    expect(who.body).toMatchObject({ username: 'ann', roles: ['reader'] });
    const byKey = await service.request('GET', '/_security/_authenticate', undefined, { authorization: `ApiKey ${key.encoded}`, ...close });
    expect(byKey.body.api_key).toEqual({ id: key.id, name: 'k' });
  }
  await service.request('PUT', '/_security/user/ann/_disable', undefined, root);
  for (let i = 0; i < 10; i++)
    expect((await service.request('GET', '/', undefined, { ...basic('ann', 'annpassword'), connection: 'close' })).status).toBe(401);
  expect(await service.stop()).toBe(0);
});

test('three http workers count failed logins together, and let another user of the same address in', async () => {
  const service = await startService(['--threads=3']);
  const root = basic('root', 'rootpassword');
  await service.request('PUT', '/_security/user/root', { password: 'rootpassword', roles: ['superuser'] });
  // With an index, all threads run.
  await service.request('PUT', '/a1', undefined, root);
  await service.request('PUT', '/_security/user/bob', { password: 'bobpassword', roles: [] }, root);
  const attack = new AbortController();
  const statuses: number[] = [];
  // Fresh connections, so that each thread gets some.
  for (let i = 0; i < 120; i++) {
    const headers = { ...basic('ann', `wrong ${i}`), connection: 'close' };
    fetch(service.url, { headers, signal: attack.signal })
      .then(({ status }) => statuses.push(status))
      .catch(() => undefined);
  }
  await expect.poll(() => statuses.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(6);
  const answered = statuses.length;
  const { status } = await service.request('GET', '/_security/_authenticate', undefined, {
    ...basic('bob', 'bobpassword'),
    connection: 'close',
  });
  expect(status).toBe(200);
  // Each thread had a turn or two meanwhile; three independent queues would answer as many before they slow down.
  expect(statuses.length - answered).toBeLessThan(24);
  expect(new Set(statuses)).toEqual(new Set([401]));
  attack.abort();
  // At once: attempts still wait for their turns.
  service.process.kill('SIGTERM');
  await service.stop();
}, 60_000);

test('a user with a bcrypt hash logs in, and its role names indices by a regular expression', async () => {
  const service = await startService();
  const root = basic('root', 'rootpassword');
  await service.request('PUT', '/_security/user/root', { password: 'rootpassword', roles: ['superuser'] });
  for (const index of ['logs-2024', 'logs-old']) await service.request('PUT', `/${index}/_doc/1?refresh=true`, { a: 1 }, root);
  await service.request('PUT', '/_security/role/reader', { indices: [{ names: ['/logs-[0-9]{4}/'], privileges: ['read'] }] }, root);
  const password_hash = '$2a$05$abcdefghijklmnopqrstuuu5TqDBzTSDZSReNxXLSUBp7Y5eSc/4K';
  expect((await service.request('PUT', '/_security/user/ann', { password_hash, roles: ['reader'] }, root)).status).toBe(200);
  const ann = basic('ann', 's3cret-passwörd');
  expect((await service.request('GET', '/_search', undefined, ann)).body.hits.hits.map((hit: { _index: string }) => hit._index)).toEqual([
    'logs-2024',
  ]);
  expect((await service.request('GET', '/logs-old/_search', undefined, ann)).status).toBe(403);
  expect((await service.request('GET', '/', undefined, basic('ann', 'wrong'))).status).toBe(401);
  expect(await service.stop()).toBe(0);
});

test('SIGHUP reads users and roles of the settings again; a mistake changes nothing', async () => {
  const config = mkdtempSync(path.join(tmpdir(), 'gannet-config-'));
  const hash = await hashPassword('password');
  const write = (users: Record<string, string>) =>
    writeFileSync(
      path.join(config, 'gannet.yml'),
      `security.users:\n${Object.entries(users)
        .map(([name, role]) => `  ${name}: { password_hash: "${hash}", roles: [${role}] }\n`)
        .join('')}security.roles: { r: { cluster: [monitor] } }\n`,
      { mode: 0o600 },
    );
  write({ root: 'superuser', ann: 'r' });
  const service = await startService(['--threads=2', `--path.config=${config}`]);
  await service.request('PUT', '/a1', undefined, basic('root', 'password'));
  const status = async (user: string) =>
    (await service.request('GET', '/_security/user', undefined, { ...basic(user, 'password'), connection: 'close' })).status;
  expect([await status('root'), await status('ann'), await status('bob')]).toEqual([200, 403, 401]);
  write({ root: 'superuser', bob: 'superuser' });
  service.process.kill('SIGHUP');
  while ((await status('bob')) !== 200) await new Promise((resolve) => setTimeout(resolve, 20));
  await expect.poll(() => status('ann')).toBe(401);
  writeFileSync(path.join(config, 'gannet.yml'), 'security.users: { bob: {} }\n');
  service.process.kill('SIGHUP');
  write({ root: 'superuser', bob: 'superuser', eve: 'r' });
  service.process.kill('SIGHUP');
  while ((await status('eve')) !== 403) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await status('root')).toBe(200);
  expect(await service.stop()).toBe(0);
  rmSync(config, { recursive: true });
});

test('does not start beyond loopback without users, and prints a hint', async () => {
  const data = mkdtempSync(path.join(tmpdir(), 'gannet-open-'));
  const flags = ['serve', '--http.host=0.0.0.0', `--http.port=${await freePort()}`, `--path.data=${data}`];
  const child = spawn(path.resolve(import.meta.dirname, '../../bin/gannet'), flags, { cwd: data, stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  child.stderr.on('data', (chunk) => {
    text += chunk;
  });
  const [code] = await once(child, 'exit');
  expect([code, text]).toEqual([2, expect.stringMatching(/http\.host: \[0\.0\.0\.0\].*gannet user add/)]);
  rmSync(data, { recursive: true });
});
