// Hashes of passwords.
import { expect, test } from 'vitest';
import { decoyHash, HashQueue, hashPassword, parsePasswordHash, verifyPassword } from '../../../src/security/password-hash.ts';

test('a hash verifies its password and no other', async () => {
  const hash = await hashPassword('s3:cret ü');
  expect(hash).toMatch(/^scrypt:16384:8:1:/);
  expect([await verifyPassword('s3:cret ü', hash), await verifyPassword('s3:cret u', hash)]).toEqual([true, false]);
  expect(await hashPassword('s3:cret ü')).not.toBe(hash);
  expect(await verifyPassword('', decoyHash())).toBe(false);
});

test.each([
  'x',
  'scrypt:16384:8:1:AAAA:AAAA',
  'scrypt:1000:8:1:AAAAAAAA:AAAAAAAAAAAAAAAAAAAAAAAA',
  'scrypt:131072:32:16:AAAAAAAA:AAAAAAAAAAAAAAAAAAAAAAAA',
  'scrypt:16384:99:1:AAAAAAAA:AAAAAAAAAAAAAAAAAAAAAAAA',
])('refuses %s, which is malformed or costs too much', (hash) => {
  expect(() => parsePasswordHash(hash)).toThrow(/password_hash/);
});

test('new passwords beyond the limit are refused, those after it are hashed again', async () => {
  const queue = new HashQueue(2);
  const waiting = [queue.hash('a'), queue.hash('b')];
  expect(() => queue.hash('c')).toThrow(/too many passwords/);
  await Promise.all(waiting);
  expect(await verifyPassword('d', await queue.hash('d'))).toBe(true);
});
