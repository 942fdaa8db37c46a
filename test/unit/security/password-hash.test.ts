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
  '{PBKDF2}10000$AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=$JExrLTQjO5CAF5NgB8aEocCL3AQuhUSVhbJjdtAVx+g=',
  '{PBKDF2_STRETCH}10000$AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=$nCUiEMwhB5yNcPG0M7hpHqjZ8IKUbsJahJa6ou1vN3k=',
  '$2a$05$abcdefghijklmnopqrstuuu5TqDBzTSDZSReNxXLSUBp7Y5eSc/4K',
  '$2y$05$abcdefghijklmnopqrstuuu5TqDBzTSDZSReNxXLSUBp7Y5eSc/4K',
])('verifies %s, which other programs make', async (hash) => {
  const results = await Promise.all(['s3cret-passwörd', 's3cret-password', ''].map((password) => verifyPassword(password, hash)));
  expect(results).toEqual([true, false, false]);
});

test.each([
  'x',
  '$2a$15$abcdefghijklmnopqrstuuu5TqDBzTSDZSReNxXLSUBp7Y5eSc/4K',
  '$2a$05$abcdefghijklmnopqrstuuu5TqDBzTSDZSReNxXLSUBp7Y5eSc/4',
  '{PBKDF2}2000000$AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=$JExrLTQjO5CAF5NgB8aEocCL3AQuhUSVhbJjdtAVx+g=',
  '{PBKDF2}10000$AQID$JExrLTQjO5CAF5NgB8aEocCL3AQuhUSVhbJjdtAVx+g=',
  '{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=',
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
