// An administrator in the console of a service with users: accounts, keys, snapshots and tasks. In Chromium alone.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashPassword } from '../../src/security/password-hash.ts';
import { browserPath, type OpenBrowser, openBrowser, openPage, type WatchedPage } from '../support/browsers.ts';
import { startService, type TestService } from '../support/service.ts';
import { clickText, finish, isConsoleBuilt, logIn, setText, textOf, waitForText } from './console-page.ts';

const basic = (user: string): Record<string, string> => ({ authorization: `Basic ${Buffer.from(`${user}:secret-1`).toString('base64')}` });

describe.skipIf(browserPath('chromium') === null || !isConsoleBuilt)('an administrator', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gannet-manage-'));
  let service: TestService;
  let opened: OpenBrowser;

  beforeAll(async () => {
    mkdirSync(path.join(folder, 'repo'));
    const user = `security.users:\n  ann: { password_hash: "${await hashPassword('secret-1')}", roles: [superuser] }\n`;
    writeFileSync(path.join(folder, 'gannet.yml'), user, { mode: 0o600 });
    const flags = [`--path.config=${folder}`, `--path.repo=${path.join(folder, 'repo')}`, '--thread_pool.heavy.max_run_time=1h'];
    [service, opened] = await Promise.all([startService(flags), openBrowser()]);
    const lines = Array.from({ length: 2000 }, (_, n) => `{"index":{}}\n{"n":${n}}\n`).join('');
    expect((await service.request('POST', '/logs/_bulk?refresh=true', lines, basic('ann'))).body.errors).toBe(false);
  });

  afterAll(async () => {
    await Promise.all([opened?.close(), service?.stop()]);
    rmSync(folder, { recursive: true });
  });

  const open = async (hash: string): Promise<WatchedPage> => {
    const watched = await openPage(opened.browser, `${service.url}/_console/${hash}`, [401]);
    await logIn(watched.page, 'ann', 'secret-1');
    return watched;
  };

  /** Makes a definition of a kind that is already shown. */
  async function make({ page }: WatchedPage, noun: string, name: string, body: object): Promise<void> {
    await clickText(page, '.manage-list button', `New ${noun}`);
    await page.waitForSelector('.manage-editor input');
    await page.type('.manage-editor input', name);
    await setText(page, '.manage-editor textarea', JSON.stringify(body));
    await clickText(page, '.manage-editor button', 'Save');
    await waitForText(page, '.manage-list ul', name);
  }

  test('makes a role, a user who has it, and a key, each with its rights', async () => {
    const watched = await open('#/manage?part=roles');
    const { page } = watched;
    await make(watched, 'role', 'reader', { cluster: [], indices: [{ names: ['logs'], privileges: ['read'] }] });
    await clickText(page, '[role=tab]', 'Users');
    await make(watched, 'user', 'ben', { password: 'secret-1', roles: ['reader'] });
    expect((await service.request('POST', '/logs/_count', undefined, basic('ben'))).body.count).toBe(2000);
    expect((await service.request('DELETE', '/logs', undefined, basic('ben'))).status).toBe(403);
    await clickText(page, '[role=tab]', 'API keys');
    await page.waitForSelector('.new-key input');
    await page.type('.new-key input', 'dashboards');
    await setText(page, '.new-key textarea', JSON.stringify({ only: { indices: [{ names: ['logs'], privileges: ['read'] }] } }));
    await clickText(page, '.new-key button', 'New API key');
    const secret = await textOf(page, '.secret code');
    const key = { authorization: `ApiKey ${secret}` };
    expect((await service.request('POST', '/logs/_count', undefined, key)).body.count).toBe(2000);
    expect((await service.request('DELETE', '/logs', undefined, key)).status).toBe(403);
    await waitForText(page, '.rows', 'dashboards');
    await clickText(page, '.rows button', 'Invalidate');
    await clickText(page, '.rows button', 'permanently?');
    await page.waitForFunction(() => !document.querySelector('.rows')?.textContent?.includes('dashboards'));
    expect((await service.request('POST', '/logs/_count', undefined, key)).status).toBe(401);
    await finish(watched);
  });

  test('takes a snapshot, and restores a deleted index', async () => {
    const watched = await open('#/manage?part=repositories');
    const { page } = watched;
    await make(watched, 'repository', 'backups', { type: 'fs', settings: { location: path.join(folder, 'repo') } });
    await clickText(page, '[role=tab]', 'Snapshots');
    await page.waitForSelector('[aria-label="Name of a new snapshot"]');
    await page.type('[aria-label="Name of a new snapshot"]', 'before');
    await clickText(page, '[aria-label="New snapshot"] button', 'Take');
    await waitForText(page, '.rows', 'SUCCESS');
    expect((await service.request('DELETE', '/logs', undefined, basic('ann'))).status).toBe(200);
    await clickText(page, '.rows button', 'Restore');
    await clickText(page, '.rows button', 'Restore its indices?');
    await waitForText(page, '.toast', 'before is being restored');
    await expect
      .poll(async () => (await service.request('POST', '/logs/_count', undefined, basic('ann'))).body.count, { interval: 100 })
      .toBe(2000);
    await clickText(page, '.rows button', 'Delete');
    await clickText(page, '.rows button', 'permanently?');
    await waitForText(page, '.snapshots', 'has no snapshots');
    await finish(watched);
  });

  test('cancels a task', async () => {
    const watched = await open('#/indices');
    const { page } = watched;
    await page.waitForSelector('.tasks');
    const script = (n: number): object => ({
      script: { script: { source: 'double s = params.n; for (int i = 0; i < 200000; i++) { s += i % 7 } return s < 0', params: { n } } },
    });
    // Longer than the list of tasks takes to show it.
    const query = { bool: { should: Array.from({ length: 20 }, (_, n) => script(n)) } };
    const slow = service.request('POST', '/logs/_search', { query }, basic('ann'));
    await clickText(page, '.tasks button', 'Cancel');
    await waitForText(page, '.toast', 'The task is being cancelled');
    expect((await slow).body.error.type).toBe('task_cancelled_exception');
    await finish(watched);
  });
});
