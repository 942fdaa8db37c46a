// A node without users: everybody may do everything until the first user exists, who must be able to manage the others.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
const root = { authorization: `Basic ${Buffer.from('root:rootpassword').toString('base64')}` };

beforeAll(async () => {
  node = await openRestNode();
});
afterAll(() => node.close());

test('without users the caller is an anonymous superuser', async () => {
  expect(await node.ok('GET /_security/_authenticate')).toMatchObject({ roles: ['superuser'], authentication_type: 'anonymous' });
  expect((await node.send('POST /_security/api_key', { name: 'x' })).status).toBe(400);
});

test('the first user must be a superuser; from then on authentication is required', async () => {
  const refused = await node.send('PUT /_security/user/ann', { password: 'annpassword', roles: ['viewer'] });
  expect([refused.status, refused.json.error.reason]).toEqual([
    400,
    expect.stringMatching(/must be an enabled user with the role \[superuser\]/),
  ]);
  expect((await node.send('GET /')).status).toBe(200);
  await node.ok('PUT /_security/user/root', { password: 'rootpassword', roles: ['superuser'] });
  expect((await node.send('GET /')).status).toBe(401);
  expect((await node.send('GET /', undefined, root)).status).toBe(200);
});

test('the last superuser cannot be removed', async () => {
  for (const [line, body] of [
    ['DELETE /_security/user/root', undefined],
    ['PUT /_security/user/root', { roles: ['viewer'] }],
    ['PUT /_security/user/root', { roles: ['superuser'], enabled: false }],
  ] as const)
    expect([line, (await node.send(line, body, root)).status]).toEqual([line, 400]);
  expect((await node.send('GET /', undefined, root)).status).toBe(200);
});

test('with security disabled the APIs report it', async () => {
  const open = await openRestNode({ 'security.enabled': false });
  const refused = await open.send('GET /_security/_authenticate');
  expect([refused.status, refused.json.error.reason]).toEqual([400, expect.stringMatching(/security\.enabled/)]);
  await open.close();
});
