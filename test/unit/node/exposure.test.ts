// What a node exposes: addresses without authentication and files that others can read.
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../../src/config/load-settings.ts';
import { checkExposure, exposedFiles, isLoopback } from '../../../src/node/exposure.ts';

const settings = (flags: Record<string, unknown>) => loadSettings({ flags, file: null });

test.each([
  ['127.0.0.1', true],
  ['127.8.0.9', true],
  ['::1', true],
  ['0:0:0:0:0:0:0:1', true],
  ['::ffff:127.0.0.1', true],
  ['localhost', true],
  ['LOCALHOST', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
  ['::ffff:10.0.0.1', false],
  ['127.0.0.1.example.org', false],
  ['search.example.org', false],
])('knows whether %s is a loopback address: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

test('refuses an address beyond loopback without users, with advice', () => {
  expect(() => checkExposure(settings({ 'http.host': '0.0.0.0' }), false)).toThrow(/gannet user add.*127\.0\.0\.1.*security\.enabled/);
  checkExposure(settings({ 'http.host': '0.0.0.0' }), true);
  checkExposure(settings({ 'http.host': '0.0.0.0', 'security.enabled': false }), false);
  checkExposure(settings({ 'http.host': '127.0.0.1' }), false);
});

test('warns of a data directory and of password hashes that every user of the machine can read', () => {
  const data = mkdtempSync(path.join(tmpdir(), 'gannet-exposure-'));
  const file = path.join(data, 'gannet.yml');
  writeFileSync(file, '');
  const withUsers = settings({ 'path.data': data, 'security.users': { ann: {} } });
  chmodSync(data, 0o750);
  chmodSync(file, 0o640);
  expect(exposedFiles(withUsers, file)).toEqual([]);
  chmodSync(data, 0o755);
  chmodSync(file, 0o644);
  expect(exposedFiles(withUsers, file)).toEqual([
    expect.stringContaining(`data in [${data}]`),
    expect.stringContaining(`hashes in [${file}]`),
  ]);
  expect(exposedFiles(settings({ 'path.data': data }), file)).toHaveLength(1);
  const withKeys = settings({ 'path.data': data, 's3.client': { 'default.secret_key': 'x' } });
  expect(exposedFiles(withKeys, file)).toContainEqual(expect.stringContaining(`secret keys in [${file}]`));
  expect(exposedFiles(settings({ 'path.data': path.join(data, 'missing') }), null)).toEqual([]);
});
