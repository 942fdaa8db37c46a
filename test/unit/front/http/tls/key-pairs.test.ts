/** Several certificates of one server: the last of each key type is kept, as OpenSSL keeps it. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type KeyPair, lastOfEachType } from '../../../../../src/front/http/tls/key-pairs.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'gannet-pairs-'));
const pairs: Record<string, KeyPair> = {};

beforeAll(() => {
  const kinds = {
    rsa: ['rsa:2048'],
    rsa2: ['rsa:2048'],
    p256: ['ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
    p384: ['ec', '-pkeyopt', 'ec_paramgen_curve:secp384r1'],
    ed: ['ed25519'],
  };
  for (const [name, kind] of Object.entries(kinds)) {
    const files = ['-keyout', `${folder}/${name}.key`, '-out', `${folder}/${name}.crt`];
    execFileSync('openssl', ['req', '-x509', '-nodes', '-subj', `/CN=${name}`, '-newkey', ...kind, ...files], { stdio: 'ignore' });
    pairs[name] = { cert: readFileSync(`${folder}/${name}.crt`), key: readFileSync(`${folder}/${name}.key`) };
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

const kept = (...names: string[]): (string | undefined)[] =>
  lastOfEachType(names.map((name) => pairs[name])).map((pair) => Object.keys(pairs).find((name) => pairs[name] === pair));

test('keeps one pair of each key type, the last', () => {
  expect(kept('rsa', 'p256', 'ed')).toEqual(['rsa', 'p256', 'ed']);
  expect(kept('rsa', 'p256', 'rsa2')).toEqual(['p256', 'rsa2']);
  expect(kept('p256', 'rsa', 'p384')).toEqual(['rsa', 'p384']);
  expect(kept('rsa', 'rsa')).toEqual(['rsa']);
  expect(kept('ed')).toEqual(['ed']);
  expect(kept()).toEqual([]);
});

test('refuses a key of another certificate, also in a pair that would be replaced', () => {
  const mixed = { cert: pairs.rsa.cert, key: pairs.rsa2.key };
  expect(() => lastOfEachType([mixed, pairs.rsa])).toThrow('key values mismatch');
  expect(() => lastOfEachType([pairs.p256, { cert: Buffer.from('nothing'), key: '' }])).toThrow();
});
