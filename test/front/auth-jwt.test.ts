/** auth_jwt: tokens in header fields and cookies, keys from files and subrequests, variables and requirements. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { bodyOf, Front, get, headerOf, ours, statusOf } from '../support/front.ts';
import { encryptToken, jwkOf, keyPairs, keySet, secretJwk, signToken } from '../support/tokens.ts';

const front = new Front();
let port = 0;
const SECRET = 'a secret of more than thirty-two bytes';
const CONTENT_SECRET = Buffer.alloc(16, 7);
const [pair] = keyPairs('ES256');
const now = () => Math.floor(Date.now() / 1000);
const bearer = (token: string) => `Authorization: Bearer ${token}\n`;
const signed = (claims: Record<string, unknown>, more = {}) => signToken({ alg: 'HS256', ...more }, claims, SECRET);

beforeAll(async () => {
  port = await freePort();
  front.write('secret.json', keySet(secretJwk(SECRET)));
  front.write('content.json', keySet(secretJwk(CONTENT_SECRET)));
  front.write('es256.json', keySet(jwkOf(pair.publicKey)));
  front.write('broken.json', '{"keys":[{"kty":"oct"}]}');
  front.config(`
    auth_jwt_claim_set $city address city;
    auth_jwt_claim_set $aud aud;
    auth_jwt_header_set $alg alg;
    map $jwt_claim_role $is_admin { admin 1; default 0; }
    server { listen 127.0.0.1:${port};
      location / { auth_jwt "closed site"; auth_jwt_key_file secret.json;
        add_header X-Claims "$jwt_claim_sub|$city|$aud|$jwt_header_alg|$alg|$jwt_payload" always; try_files /none =404; }
      location /cookie { auth_jwt closed token=$cookie_token; auth_jwt_key_file secret.json; try_files /none =404; }
      location /leeway { auth_jwt closed; auth_jwt_key_file secret.json; auth_jwt_leeway 1h; try_files /none =404; }
      location /admin { auth_jwt closed; auth_jwt_key_file secret.json; auth_jwt_require $is_admin error=403; auth_jwt_require $jwt_claim_sub;
        try_files /none =404; }
      location /two { auth_jwt closed; auth_jwt_key_file secret.json; auth_jwt_key_request /keys/es256.json; auth_jwt_key_cache 0;
        try_files /none =404; }
      location /broken { auth_jwt closed; auth_jwt_key_file secret.json; auth_jwt_key_file broken.json; try_files /none =404; }
      location /missing { auth_jwt closed; auth_jwt_key_request /keys/missing.json; try_files /none =404; }
      location /changing { auth_jwt closed; auth_jwt_key_file changing.json; try_files /none =404; }
      location /encrypted { auth_jwt closed; auth_jwt_type encrypted; auth_jwt_key_file content.json;
        add_header X-Claims "$jwt_claim_sub|$jwt_payload" always; try_files /none =404; }
      location /nested { auth_jwt closed; auth_jwt_type nested; auth_jwt_key_file content.json; auth_jwt_key_file secret.json;
        add_header X-Claims "$jwt_claim_sub|$jwt_payload" always; try_files /none =404; }
      location /any { satisfy any; deny all; auth_jwt closed; auth_jwt_key_file secret.json; try_files /none =404; }
      location /open { auth_jwt off token=$arg_token; return 200 "$jwt_claim_sub"; }
      location /keys/ { internal; alias ${front.folder}/; }
    }`);
  if (ours) await front.start();
});
afterAll(() => front.dispose());

const status = async (uri: string, token: string) => statusOf(await get(port, uri, bearer(token)));
const claimsAt = async (uri: string, token: string) => headerOf(await get(port, uri, bearer(token)), 'X-Claims');

describe.skipIf(!ours)('auth_jwt', () => {
  test('requires a token, and names the error of an invalid one', async () => {
    const without = await get(port, '/');
    expect(statusOf(without)).toBe(401);
    expect(headerOf(without, 'WWW-Authenticate')).toBe('Bearer realm="closed site"');
    const changed = await get(port, '/', bearer(`${signed({ sub: 'joe' }).slice(0, -4)}AAAA`));
    expect(statusOf(changed)).toBe(401);
    expect(headerOf(changed, 'WWW-Authenticate')).toBe('Bearer realm="closed site", error="invalid_token"');
    expect(front.read('error.log')).toContain('JSON Web Token is not valid: the signature does not match');
  });

  test('shows claims and header parameters in variables', async () => {
    const token = signed({ sub: 'joe', address: { city: 'Ulm' }, aud: ['a', 'b'] });
    expect(await claimsAt('/', token)).toBe('joe|Ulm|a,b|HS256|HS256|');
    expect(bodyOf(await get(port, `/open?token=${token}`))).toBe('joe');
    expect(bodyOf(await get(port, '/open?token=x.y.z'))).toBe('');
  });

  test('reads the token from a variable', async () => {
    const token = signed({});
    expect(statusOf(await get(port, '/cookie', `Cookie: token=${token}\n`))).toBe(404);
    expect(await status('/cookie', token)).toBe(401);
  });

  test('checks the times of a token with the leeway', async () => {
    const late = signed({ exp: now() - 600 });
    const early = signed({ nbf: now() + 600 });
    for (const token of [late, early]) {
      expect(await status('/', token)).toBe(401);
      expect(await status('/leeway', token)).toBe(404);
    }
  });

  test('requirements refuse with their status', async () => {
    expect(await status('/admin', signed({ sub: 'joe', role: 'user' }))).toBe(403);
    expect(await status('/admin', signed({ role: 'admin' }))).toBe(401);
    expect(await status('/admin', signed({ sub: 'joe', role: 'admin' }))).toBe(404);
  });

  test('reads keys from several files and subrequests, all of which must be valid', async () => {
    const other = signToken({ alg: 'ES256' }, { sub: 'ann' }, pair.privateKey);
    expect(await status('/two', signed({}))).toBe(404);
    expect(await status('/two', other)).toBe(404);
    expect(await status('/', other)).toBe(401);
    expect(await status('/broken', signed({}))).toBe(500);
    expect(await status('/missing', signed({}))).toBe(500);
  });

  test('reads a key file again after a change', async () => {
    const token = signed({});
    const write = (secret: string) => writeFileSync(path.join(front.folder, 'changing.json'), keySet(secretJwk(secret)));
    write(SECRET);
    expect(await status('/changing', token)).toBe(404);
    write('another secret of thirty-two bytes...');
    expect(await status('/changing', token)).toBe(401);
    write(SECRET);
    expect(await status('/changing', token)).toBe(404);
  });

  test('decrypts tokens, and verifies what is nested in them', async () => {
    const inner = signed({ sub: 'joe' });
    const encrypt = (text: string) => encryptToken({ alg: 'dir', enc: 'A128GCM' }, text, CONTENT_SECRET);
    expect(await claimsAt('/encrypted', encrypt('{"sub":"joe"}'))).toBe('joe|{"sub":"joe"}');
    expect(await status('/encrypted', encrypt('{"sub":"joe"}'))).toBe(404);
    expect(await status('/encrypted', encrypt(inner))).toBe(401);
    expect(await status('/encrypted', inner)).toBe(401);
    expect(await status('/nested', encrypt(inner))).toBe(404);
    expect(await claimsAt('/nested', encrypt(inner))).toBe(`joe|${inner}`);
    expect(await status('/nested', encrypt(`${inner.slice(0, -4)}AAAA`))).toBe(401);
    expect(await status('/nested', encrypt('{"sub":"joe"}'))).toBe(401);
  });

  test('is one of the ways to satisfy access', async () => {
    expect(await status('/any', signed({}))).toBe(404);
    expect(statusOf(await get(port, '/any'))).toBe(401);
  });
});
