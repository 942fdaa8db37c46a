import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { decryptToken } from '../../../../../src/front/http/jwt/encryption.ts';
import { parseKeySet } from '../../../../../src/front/http/jwt/key-set.ts';
import { checkTimes, decodeSigned, TokenError, variableText, verifySignature } from '../../../../../src/front/http/jwt/token.ts';
import { encryptToken, jwkOf, keyPairs, keySet, secretJwk, signToken } from '../../../../support/tokens.ts';

const verify = (token: string, set: string) => verifySignature(decodeSigned(token), parseKeySet(set));
const decrypt = (token: string, set: string) => decryptToken(token, parseKeySet(set)).payload.toString();
const SECRET = 'a secret of more than thirty-two bytes';

describe('signed tokens', () => {
  test('verifies the example of RFC 7515, appendix A.1', () => {
    const token =
      'eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ' +
      '.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
    const set = '{"keys":[{"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"}]}';
    verify(token, set);
    expect(decodeSigned(token).claims).toEqual({ iss: 'joe', exp: 1300819380, 'http://example.com/is_root': true });
    expect(() => verify(`${token.slice(0, -3)}AAA`, set)).toThrow('does not match');
  });

  test.each(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'])(
    'verifies %s with the pair that signed only',
    (alg) => {
      const [{ publicKey, privateKey }, other] = keyPairs(alg);
      const token = signToken({ alg }, { sub: 'joe' }, privateKey);
      verify(token, keySet(jwkOf(other.publicKey), jwkOf(publicKey)));
      verify(token, keySet(jwkOf(privateKey)));
      expect(() => verify(token, keySet(jwkOf(other.publicKey)))).toThrow(TokenError);
      const changed = token.replace(/\.[^.]+\./, `.${Buffer.from('{"sub":"ann"}').toString('base64url')}.`);
      expect(() => verify(changed, keySet(jwkOf(publicKey)))).toThrow(TokenError);
    },
  );

  test('does not use a public key as the secret of an HMAC, nor accept a token without signature', () => {
    const [{ publicKey }] = keyPairs('RS256');
    const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
    expect(() => verify(signToken({ alg: 'HS256' }, {}, pem), keySet(jwkOf(publicKey)))).toThrow('no key fits');
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{}').toString('base64url')}.`;
    expect(() => verify(none, keySet(secretJwk(SECRET)))).toThrow('not supported');
  });

  test('a key restricted by kid, alg, use or key_ops serves no other token', () => {
    const token = signToken({ alg: 'HS256', kid: 'one' }, {}, SECRET);
    for (const fits of [{}, { kid: 'one' }, { alg: 'HS256' }, { use: 'sig' }, { key_ops: ['verify'] }])
      verify(token, keySet(secretJwk(SECRET, fits)));
    for (const other of [{ kid: 'two' }, { alg: 'HS384' }, { use: 'enc' }, { key_ops: ['wrapKey'] }]) {
      expect(() => verify(token, keySet(secretJwk(SECRET, other)))).toThrow('no key fits');
    }
  });

  test('refuses critical parameters and parts that are not base64url or not a JSON object', () => {
    expect(() => verify(signToken({ alg: 'HS256', crit: ['b64'], b64: true }, {}, SECRET), keySet(secretJwk(SECRET)))).toThrow('critical');
    for (const bad of ['', 'a.b', 'a.b.c.d', 'e30.e30.=', 'e30.e30.a b', '.e30.', 'W10.e30.', 'e30.bnVsbA.']) {
      expect(() => decodeSigned(bad)).toThrow(TokenError);
    }
  });
});

describe('encrypted tokens', () => {
  test('decrypts the example of RFC 7516, appendix A.3', () => {
    const token =
      'eyJhbGciOiJBMTI4S1ciLCJlbmMiOiJBMTI4Q0JDLUhTMjU2In0.6KB707dM9YTIgHtLvtgWQ8mKwboJW3of9locizkDTHzBC2IlrT1oOQ.AxY8DCtDaGlsbGljb3RoZQ' +
      '.KDlTtXchhZTGufMYmOYGS4HffxPSUrfmqCHXaI9wOGY.U0m_YmjN04DJvceFICbCVQ';
    expect(decrypt(token, '{"keys":[{"kty":"oct","k":"GawgguFyGrWKav7AX4VKUg"}]}')).toBe('Live long and prosper.');
  });

  const [rsa] = keyPairs('RS256');
  const encs = ['A128CBC-HS256', 'A192CBC-HS384', 'A256CBC-HS512', 'A128GCM', 'A192GCM', 'A256GCM'];
  test.each(encs)('decrypts %s with keys of every kind, and detects a change of any part', (enc) => {
    const bits = Number(/\d+/.exec(enc)![0]);
    const algs: [string, Buffer | null][] = [
      ['dir', randomBytes(enc.endsWith('GCM') ? bits / 8 : bits / 4)],
      ...[128, 192, 256].flatMap((size): [string, Buffer][] => [
        [`A${size}KW`, randomBytes(size / 8)],
        [`A${size}GCMKW`, randomBytes(size / 8)],
      ]),
      ...['', '-256', '-384', '-512'].map((hash): [string, null] => [`RSA-OAEP${hash}`, null]),
    ];
    for (const [alg, secret] of algs) {
      const token = encryptToken({ alg, enc }, '{"sub":"joe"}', secret ?? rsa.publicKey);
      const set = keySet(secret ? secretJwk(secret) : jwkOf(rsa.privateKey));
      expect(decrypt(token, set), alg).toBe('{"sub":"joe"}');
      for (let part = 1; part < 5; part++) {
        const parts = token.split('.');
        if (parts[part] === '') continue;
        parts[part] = (parts[part]![0] === 'A' ? 'B' : 'A') + parts[part]!.slice(1);
        expect(() => decrypt(parts.join('.'), set), `${alg}, part ${part}`).toThrow('cannot be decrypted');
      }
    }
  });

  test('refuses compression, unknown algorithms and public keys', () => {
    const secret = randomBytes(16);
    const set = keySet(secretJwk(secret), jwkOf(rsa.publicKey));
    expect(() => decrypt(encryptToken({ alg: 'dir', enc: 'A128GCM', zip: 'DEF' }, '{}', secret), set)).toThrow('compression');
    expect(() => decrypt(encryptToken({ alg: 'RSA-OAEP', enc: 'A128GCM' }, '{}', rsa.publicKey), set)).toThrow('no key fits');
    expect(() => decrypt('eyJhbGciOiJSU0ExXzUiLCJlbmMiOiJBMTI4R0NNIn0....', set)).toThrow('"RSA1_5" is not supported');
  });
});

test('exp and nbf are checked with the leeway, and must be numbers', () => {
  checkTimes({ exp: 101, nbf: 100 }, 100, 0);
  expect(() => checkTimes({ exp: 100 }, 100, 0)).toThrow('expired');
  checkTimes({ exp: 100, nbf: 130 }, 115, 30);
  expect(() => checkTimes({ nbf: 101 }, 100, 0)).toThrow('not valid yet');
  expect(() => checkTimes({ exp: '200' }, 100, 0)).toThrow('not a number');
});

test('variables show nested values, lists, objects and text as bytes', () => {
  const claims = { info: { 'job title': 'Köchin' }, aud: ['a', 'b', 1], deep: { x: [1] }, admin: true, none: null };
  expect(variableText(claims, ['info', 'job title'])).toBe(Buffer.from('Köchin').latin1Slice());
  expect(variableText(claims, ['aud'])).toBe('a,b,1');
  expect(variableText(claims, ['deep'])).toBe('{"x":[1]}');
  expect(variableText(claims, ['admin'])).toBe('true');
  for (const path of [['none'], ['info', 'x'], ['toString'], ['aud', 'length']]) expect(variableText(claims, path)).toBeNull();
});

test('a key set with a malformed key of a known type is refused; unknown types are skipped', () => {
  expect(parseKeySet('{"keys":[{"kty":"new"}]}')).toEqual([]);
  for (const bad of ['', '[]', '{}', '{"keys":{}}', '{"keys":[1]}', '{"keys":[{"kty":"oct"}]}', '{"keys":[{"kty":"RSA","n":"AQ"}]}']) {
    expect(() => parseKeySet(bad)).toThrow();
  }
});
