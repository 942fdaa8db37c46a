// The audit log: refusals and security changes, with bounded cost.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { AUDIT_EVENTS, type AuditEvent, DEFAULT_AUDIT_EVENTS, readAuditEvents } from '../../../../src/config/audit-events.ts';
import { ApiError } from '../../../../src/errors/api-error.ts';
import { type AuditedRequest, AuditLog } from '../../../../src/rest/auth/audit-log.ts';
import { hashPassword } from '../../../../src/security/password-hash.ts';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

/** A log into a list of lines. */
function logInto(lines: string[], events: readonly AuditEvent[] = DEFAULT_AUDIT_EVENTS): AuditLog {
  const sink = { write: (line: string) => void lines.push(line), reopen: () => undefined, close: () => undefined };
  return new AuditLog(sink, new Set(events), () => NODE);
}

const NODE = { clusterName: 'c', clusterUuid: 'u', nodeName: 'n', nodeId: 'i' };
const REQUEST: AuditedRequest = {
  method: 'GET',
  path: '/_search',
  query: '',
  remoteAddress: '10.0.0.1',
  opaqueId: undefined,
  authorization: undefined,
  caller: null,
};

let node: RestNode;
const logs = mkdtempSync(path.join(os.tmpdir(), 'gannet-audit-'));
const basic = (user: string, password: string) => ({ authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` });
const root = basic('root', 'rootpassword');
const file = path.join(logs, 'audit.json');
const events = () =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

beforeAll(async () => {
  node = await openRestNode({
    'path.logs': logs,
    'security.users': { root: { password_hash: await hashPassword('rootpassword'), roles: ['superuser'] } },
  });
});
afterAll(async () => {
  await node.close();
  rmSync(logs, { recursive: true });
});

test('refusals and changes are logged, passwords and secrets are not', async () => {
  await node.send('GET /_search?q=x');
  await node.send('GET /_search', undefined, basic('mallory', 'guessed password'));
  await node.send('GET /_search', undefined, { authorization: `ApiKey ${Buffer.from('keyid:keysecret').toString('base64')}` });
  await node.send('PUT /_security/user/ann', { password: 'annpassword', roles: ['viewer'] }, root);
  await node.send('DELETE /_all', undefined, basic('ann', 'annpassword'));
  await node.send('POST /_security/user/_password', { password: 'another-one' }, basic('ann', 'annpassword'));
  const key = (await node.send('POST /_security/api_key', { name: 'k' }, root)).json;
  await node.send('DELETE /_security/user/nobody', undefined, root);
  await vi.waitFor(() => expect(events()).toHaveLength(8), { timeout: 5000 });
  const written = events();
  expect(written.map((event) => event['event.action'])).toEqual([
    'anonymous_access_denied',
    'authentication_failed',
    'authentication_failed',
    'put_user',
    'access_denied',
    'change_password',
    'create_apikey',
    'delete_user',
  ]);
  expect(written[0]).toMatchObject({
    type: 'audit',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d,\d{3}\+0000$/),
    'event.type': 'rest',
    'origin.type': 'rest',
    'url.path': '/_search',
    'url.query': 'q=x',
    'request.method': 'GET',
    'cluster.name': 'gannet',
  });
  expect(written[1]).toMatchObject({ 'user.name': 'mallory' });
  expect(written[2]).toMatchObject({ 'apikey.id': 'keyid' });
  expect(written[3]).toMatchObject({
    'event.type': 'security_config_change',
    'user.name': 'root',
    'user.realm': 'default_file',
    put: { user: { name: 'ann', enabled: true, roles: ['viewer'], has_password: true } },
  });
  expect(written[4]).toMatchObject({ 'user.name': 'ann', 'user.roles': ['viewer'], action: 'indices:admin/delete' });
  const text = readFileSync(file, 'utf8');
  for (const secret of ['guessed', 'annpassword', 'another-one', 'keysecret', key.api_key, 'scrypt:']) expect(text).not.toContain(secret);
  expect(statSync(file).mode & 0o777).toBe(0o640);
});

test('other errors are not logged', () => {
  const lines: string[] = [];
  const audit = logInto(lines);
  audit.refused(REQUEST, new ApiError('index_not_found_exception', 404, 'no such index'));
  expect(lines).toEqual([]);
});

test('lines beyond the limit are counted instead', () => {
  vi.useFakeTimers();
  const lines: string[] = [];
  const audit = logInto(lines);
  const error = new ApiError('security_exception', 401, 'no');
  for (let i = 0; i < 5000; i++) audit.refused(REQUEST, error);
  expect(lines).toHaveLength(1000);
  vi.advanceTimersByTime(100);
  audit.refused({ ...REQUEST, path: `/${'x'.repeat(100_000)}` }, error);
  expect(JSON.parse(lines[1000])).toMatchObject({ 'event.action': 'suppressed', count: 4000 });
  expect(lines[1001].length).toBeLessThan(2000);
  vi.useRealTimers();
});

test('a refusal in another thread keeps its action and indices', () => {
  const lines: string[] = [];
  const refusal = { action: 'indices:data/read/search', indices: ['a', 'b'] };
  const error = new ApiError('security_exception', 403, 'whatever the message says', { refusal });
  logInto(lines).refused(REQUEST, ApiError.fromData(structuredClone(error.toData())));
  expect(JSON.parse(lines[0])).toMatchObject({ 'event.action': 'access_denied', ...refusal });
});

test('granted requests are logged if they are included', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gannet-audit-'));
  const own = await openRestNode({
    'path.logs': folder,
    'security.audit.logfile.events.include': '_all',
    'security.audit.logfile.events.exclude': 'security_config_change',
    'security.users': {
      root: { password_hash: await hashPassword('rootpassword'), roles: ['superuser'] },
      ann: { password_hash: await hashPassword('annpassword'), roles: ['viewer'] },
    },
  });
  try {
    await own.send('PUT /_security/role/r', { cluster: ['monitor'] }, root);
    await own.send('GET /_search', undefined, { ...basic('ann', 'annpassword'), 'es-security-runas-user': 'root' });
    const read = () =>
      readFileSync(path.join(folder, 'audit.json'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    await vi.waitFor(() => expect(read()).toHaveLength(3), { timeout: 5000 });
    expect(read().map((event) => [event['event.action'], event.action])).toEqual([
      ['authentication_success', undefined],
      ['access_granted', 'cluster:admin/xpack/security/role/put'],
      ['run_as_denied', 'cluster:admin/xpack/security/user/run_as'],
    ]);
    expect(read()[2]).toMatchObject({ 'user.run_as.name': 'root' });
  } finally {
    await own.close();
    rmSync(folder, { recursive: true });
  }
});

test('names of events are checked', () => {
  expect(readAuditEvents(['ACCESS_DENIED', 'run_as_denied'])).toEqual(['access_denied', 'run_as_denied']);
  expect(readAuditEvents(['_all'])).toEqual(AUDIT_EVENTS);
  expect(() => readAuditEvents(['acess_denied'])).toThrow('has no event [acess_denied]');
});
