import { expect, test } from 'vitest';
import { isReplySigned, RequestVerifier, signReply, signRequest } from '../../../src/cluster/signature.ts';

const SECRET = 'sixteen characters';
const BODY = Buffer.from('body');

test('accepts a signed request once', () => {
  const verifier = new RequestVerifier(SECRET);
  const { header, nonce } = signRequest(SECRET, '/path', BODY);
  expect(verifier.verify('/path', BODY, header)).toBe(nonce);
  expect(verifier.verify('/path', BODY, header)).toBeNull();
});

test('refuses another secret, path or body, and malformed signatures', () => {
  const verifier = new RequestVerifier(SECRET);
  const { header } = signRequest(SECRET, '/path', BODY);
  expect(verifier.verify('/other', BODY, header)).toBeNull();
  expect(verifier.verify('/path', Buffer.from('other'), header)).toBeNull();
  expect(verifier.verify('/path', BODY, signRequest('another secret..', '/path', BODY).header)).toBeNull();
  for (const junk of ['', '.', '..', '1.2.3', `${header}x`, header.slice(1)]) expect(verifier.verify('/path', BODY, junk)).toBeNull();
});

test('refuses a request that is old, also after its nonce was forgotten', () => {
  let now = Date.now();
  const verifier = new RequestVerifier(SECRET, () => now);
  const { header, nonce } = signRequest(SECRET, '/path', BODY);
  expect(verifier.verify('/path', BODY, header)).toBe(nonce);
  for (const ms of [60_000, 200_000, 1_000_000]) {
    now += ms;
    verifier.verify('/path', BODY, signRequest(SECRET, '/path', BODY).header);
    expect(verifier.verify('/path', BODY, header)).toBeNull();
  }
});

test('a reply belongs to its request, status and body', () => {
  const signature = signReply(SECRET, 'nonce', 200, BODY);
  expect(isReplySigned(SECRET, 'nonce', 200, BODY, signature)).toBe(true);
  expect(isReplySigned(SECRET, 'other', 200, BODY, signature)).toBe(false);
  expect(isReplySigned(SECRET, 'nonce', 500, BODY, signature)).toBe(false);
  expect(isReplySigned(SECRET, 'nonce', 200, Buffer.from('x'), signature)).toBe(false);
});
