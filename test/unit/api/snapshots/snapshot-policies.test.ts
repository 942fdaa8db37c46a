// Snapshot lifecycle policies through the REST API: definition, execution, retention, statistics.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

const repo = mkdtempSync(path.join(os.tmpdir(), 'gannet-repo-'));
let node: RestNode;
const POLICY = {
  schedule: '0 30 1 * * ?',
  name: '<daily-{now/d}>',
  repository: 'r',
  config: { indices: ['docs*'], metadata: { by: 'policy' } },
};

beforeAll(async () => {
  node = await openRestNode({ 'path.repo': repo });
  await node.ok('PUT /_snapshot/r', { type: 'fs', settings: { location: 'main' } });
  await node.ok('PUT /docs/_doc/1', { n: 1 });
});
afterAll(async () => {
  await node.close();
  rmSync(repo, { recursive: true });
});

test('without policies lists are empty and names are unknown', async () => {
  expect(await node.ok('GET /_slm/policy')).toEqual({});
  expect((await node.send('GET /_slm/policy/p')).status).toBe(404);
  expect((await node.send('DELETE /_slm/policy/p')).status).toBe(404);
  expect((await node.send('POST /_slm/policy/p/_execute')).status).toBe(400);
  expect(await node.ok('GET /_slm/status')).toEqual({ operation_mode: 'RUNNING' });
});

test.each([
  [{ ...POLICY, schedule: 'often' }, /invalid schedule \[often\]: must be a valid cron expression or time unit/],
  [{ ...POLICY, schedule: '0/10 * * * * ?' }, /schedule would be too frequent/],
  [{ ...POLICY, name: 'Daily' }, /invalid snapshot name \[Daily\]/],
  [{ ...POLICY, repository: 'nope' }, /no such repository \[nope\]/],
  [{ ...POLICY, retention: { min_count: 5, max_count: 2 } }, /minimum snapshot count 5 cannot be larger than maximum snapshot count 2/],
  [{ ...POLICY, extra: 1 }, /unknown field \[extra\]/],
])('refuses the policy %j', async (policy, reason) => {
  const { status, json } = await node.send('PUT /_slm/policy/p', policy);
  expect(status).toBe(400);
  expect(json.error.reason).toMatch(reason);
});

test('a policy takes a snapshot when it is executed, and records the run', async () => {
  await node.ok('PUT /_slm/policy/p', { ...POLICY, retention: { max_count: 2 } });
  const { snapshot_name: name } = await node.ok('POST /_slm/policy/p/_execute');
  expect(name).toMatch(/^daily-\d{4}\.\d\d\.\d\d-[a-z0-9]{22}$/);
  await vi.waitFor(async () => expect((await node.ok('GET /_slm/policy/p')).p.stats.snapshots_taken).toBe(1), 5000);
  const { p } = await node.ok('GET /_slm/policy/p?human=true');
  expect(p).toMatchObject({ version: 1, policy: { repository: 'r' }, last_success: { snapshot_name: name } });
  expect(p.next_execution).toMatch(/T01:30:00\.000Z$/);
  const { snapshots } = await node.ok('GET /_snapshot/r/_all?slm_policy_filter=p');
  expect(snapshots).toMatchObject([{ snapshot: name, indices: ['docs'], metadata: { by: 'policy', policy: 'p' } }]);
});

test('retention keeps the newest snapshots of the policy and all others', async () => {
  await node.ok('PUT /_snapshot/r/by-hand?wait_for_completion=true', {});
  for (let count = 2; count <= 4; count++) {
    await node.ok('PUT /_slm/policy/p/_execute');
    await vi.waitFor(async () => expect((await node.ok('GET /_slm/policy/p')).p.stats.snapshots_taken).toBe(count), 5000);
  }
  const before = (await node.ok('GET /_snapshot/r/_all?slm_policy_filter=p')).snapshots.map(
    ({ snapshot }: { snapshot: string }) => snapshot,
  );
  expect(before).toHaveLength(4);
  expect(await node.ok('POST /_slm/_execute_retention')).toEqual({ acknowledged: true });
  const after = (await node.ok('GET /_snapshot/r/_all?slm_policy_filter=p')).snapshots.map(
    ({ snapshot }: { snapshot: string }) => snapshot,
  );
  expect(after).toEqual(before.slice(2));
  expect((await node.ok('GET /_snapshot/r/by-hand')).total).toBe(1);
  expect(await node.ok('GET /_slm/stats')).toMatchObject({ retention_runs: 1, total_snapshots_taken: 4, total_snapshots_deleted: 2 });
});

test('a failed run is recorded with its error', async () => {
  await node.ok('PUT /_slm/policy/p', { ...POLICY, config: { indices: ['missing'] } });
  await node.ok('POST /_slm/policy/p/_execute');
  await vi.waitFor(async () => expect((await node.ok('GET /_slm/policy/p')).p.stats.snapshots_failed).toBe(1), 5000);
  const { p } = await node.ok('GET /_slm/policy/p');
  expect(p.version).toBe(2);
  expect(JSON.parse(p.last_failure.details).type).toBe('index_not_found_exception');
});

test('policies survive a restart, and can be stopped and deleted', async () => {
  await node.ok('POST /_slm/stop');
  await node.restart();
  expect(await node.ok('GET /_slm/status')).toEqual({ operation_mode: 'STOPPED' });
  expect(Object.keys(await node.ok('GET /_slm/policy'))).toEqual(['p']);
  await node.ok('POST /_slm/start');
  await node.ok('DELETE /_slm/policy/p');
  expect(await node.ok('GET /_slm/policy')).toEqual({});
});
