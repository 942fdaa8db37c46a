// Contents of snapshots besides indices: data streams, and users, roles and API keys as the feature state `security`.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashPassword } from '../../../src/security/password-hash.ts';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

const repo = mkdtempSync(path.join(os.tmpdir(), 'gannet-repo-'));
let node: RestNode;
const as = async (user: string, line: string, body?: unknown) =>
  node.send(line, body, { authorization: `Basic ${Buffer.from(`${user}:password`).toString('base64')}` });
const ok = async (line: string, body?: unknown) => {
  const { status, json, text } = await as('root', line, body);
  if (status >= 300) throw new Error(`${line}: ${status} ${text}`);
  return json;
};

beforeAll(async () => {
  mkdirSync(repo, { recursive: true });
  const password_hash = await hashPassword('password');
  node = await openRestNode({
    'path.repo': [repo],
    'security.users': { root: { password_hash, roles: ['superuser'] }, operator: { password_hash, roles: ['operator'] } },
    'security.roles': { operator: { cluster: ['manage'], indices: [{ names: ['*'], privileges: ['all'] }] } },
  });
  await ok('PUT /_snapshot/repo', { type: 'fs', settings: { location: repo } });
}, 30_000);
afterAll(async () => {
  await node.close();
  rmSync(repo, { recursive: true });
});

const snapshotOf = async (name: string) => (await ok(`GET /_snapshot/repo/${name}`)).snapshots[0];

describe('data streams', () => {
  beforeAll(async () => {
    await ok('PUT /_index_template/logs', { index_patterns: ['logs-*', 'copy-*'], data_stream: {} });
    await ok('POST /logs-a/_doc?refresh=true', { '@timestamp': '2024-01-01', text: 'first' });
    await ok('POST /logs-a/_rollover');
    await ok('POST /logs-a/_doc?refresh=true', { '@timestamp': '2024-01-02', text: 'second' });
    await ok('POST /_aliases', { actions: [{ add: { index: 'logs-a', alias: 'every-log' } }] });
    await ok('PUT /plain/_doc/1?refresh=true', { text: 'plain' });
    await ok('PUT /_snapshot/repo/all?wait_for_completion=true', { include_global_state: false });
    await ok('PUT /_snapshot/repo/named?wait_for_completion=true', { indices: 'logs-*', include_global_state: false });
    await ok('PUT /_snapshot/repo/other?wait_for_completion=true', { indices: 'plain', include_global_state: false });
  });

  test('are listed in the snapshots that contain them', async () => {
    expect((await snapshotOf('all')).data_streams).toEqual(['logs-a']);
    expect((await snapshotOf('named')).data_streams).toEqual(['logs-a']);
    expect((await snapshotOf('other')).data_streams).toEqual([]);
    expect((await snapshotOf('named')).indices).toHaveLength(2);
  });

  test('are restored under another name, with their backing indices', async () => {
    const body = { indices: 'logs-a', rename_pattern: 'logs-(.+)', rename_replacement: 'copy-$1', include_aliases: false };
    const { snapshot } = await ok('POST /_snapshot/repo/all/_restore?wait_for_completion=true', body);
    expect(snapshot.indices.every((name: string) => name.startsWith('.ds-copy-a-'))).toBe(true);
    const [stream] = (await ok('GET /_data_stream/copy-a')).data_streams;
    expect(stream.indices).toHaveLength(2);
    expect(stream.generation).toBe(2);
    expect((await ok('GET /copy-a/_count')).count).toBe(2);
    expect(Object.keys(await ok('GET /_alias/every-log'))).toEqual(['logs-a']);
    // It goes on as a data stream.
    await ok('POST /copy-a/_doc?refresh=true', { '@timestamp': '2024-01-03' });
    await ok('POST /copy-a/_rollover');
    expect((await ok('GET /copy-a/_count')).count).toBe(3);
  });

  test('are not restored over one that exists', async () => {
    const { status, json } = await as('root', 'POST /_snapshot/repo/all/_restore?wait_for_completion=true', { indices: 'logs-a' });
    expect([status, json.error.type]).toEqual([500, 'snapshot_restore_exception']);
  });

  test('come back with their aliases after they were deleted', async () => {
    await ok('DELETE /_data_stream/logs-a');
    await ok('POST /_snapshot/repo/named/_restore?wait_for_completion=true', {});
    expect((await ok('GET /logs-a/_count')).count).toBe(2);
    expect((await ok('GET /every-log/_count')).count).toBe(2);
    await node.restart();
    expect((await ok('GET /_data_stream/logs-a')).data_streams[0].indices).toHaveLength(2);
    expect((await ok('GET /logs-a/_count')).count).toBe(2);
  });

  test('are part of a clone that takes all of their indices', async () => {
    await ok('PUT /_snapshot/repo/all/_clone/part', { indices: '.ds-logs-a-*' });
    expect((await snapshotOf('part')).data_streams).toEqual(['logs-a']);
    await ok('PUT /_snapshot/repo/all/_clone/rest', { indices: 'plain' });
    expect((await snapshotOf('rest')).data_streams).toEqual([]);
  });
});

describe('the feature state of security', () => {
  beforeAll(async () => {
    await ok('PUT /_security/role/reader', { indices: [{ names: ['plain'], privileges: ['read'] }] });
    await ok('PUT /_security/user/ann', { password: 'password', roles: ['reader'] });
    await ok('PUT /_snapshot/repo/secured?wait_for_completion=true', { indices: 'plain' });
    await ok('PUT /_snapshot/repo/unsecured?wait_for_completion=true', { indices: 'plain', feature_states: ['none'] });
    await ok('PUT /_snapshot/repo/only?wait_for_completion=true', {
      indices: 'plain',
      include_global_state: false,
      feature_states: ['security'],
    });
  });

  test('is listed in snapshots that contain it', async () => {
    const security = { feature_name: 'security', indices: ['.security-7'] };
    expect((await snapshotOf('secured')).feature_states).toEqual([security]);
    expect((await snapshotOf('unsecured')).feature_states).toEqual([]);
    expect((await snapshotOf('only')).feature_states).toEqual([security]);
    const features = [{ name: 'security', description: expect.any(String) }];
    expect((await ok('GET /_features')).features).toEqual(features);
  });

  test('replaces users and roles when it is restored, and nothing otherwise', async () => {
    await ok('PUT /_security/user/ann/_password', { password: 'changed1' });
    await ok('PUT /_security/user/eve', { password: 'password', roles: ['superuser'] });
    const restore = async (rest: object) =>
      ok('POST /_snapshot/repo/secured/_restore?wait_for_completion=true', {
        indices: 'plain',
        rename_pattern: '.+',
        rename_replacement: 'x',
        ...rest,
      });
    await restore({});
    await ok('DELETE /x');
    await restore({ include_global_state: true, feature_states: ['none'] });
    await ok('DELETE /x');
    expect([(await as('ann', 'GET /plain/_search')).status, (await as('eve', 'GET /plain/_search')).status]).toEqual([401, 200]);
    await restore({ feature_states: ['security'] });
    expect([(await as('ann', 'GET /plain/_search')).status, (await as('eve', 'GET /plain/_search')).status]).toEqual([200, 401]);
    await node.restart();
    expect((await as('ann', 'GET /plain/_search')).status).toBe(200);
  });

  test('is restored only by those who may change users', async () => {
    const body = { indices: 'plain', rename_pattern: '.+', rename_replacement: 'y', feature_states: ['security'] };
    const { status, json } = await as('operator', 'POST /_snapshot/repo/secured/_restore?wait_for_completion=true', body);
    expect([status, json.error.type]).toEqual([403, 'security_exception']);
    expect(
      (await as('operator', 'POST /_snapshot/repo/secured/_restore?wait_for_completion=true', { ...body, feature_states: [] })).status,
    ).toBe(200);
  });

  test.each([
    [{ feature_states: ['none', 'security'] }, 'but other feature states were requested: [security]'],
    [{ feature_states: ['watcher'] }, 'unknown feature states [watcher]: there are [security]'],
  ])('%j is refused', async (body, reason) => {
    for (const line of ['PUT /_snapshot/repo/refused', 'POST /_snapshot/repo/secured/_restore']) {
      const { status, json } = await as('root', line, body);
      expect([status, json.error.type]).toEqual([400, 'illegal_argument_exception']);
      expect(json.error.reason).toContain(reason);
    }
  });
});
