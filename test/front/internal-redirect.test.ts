/** internal_redirect and auth_require, which run after and within the access phase. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { bodyOf, Front, get, ours, statusOf } from '../support/front.ts';

const front = new Front();
let port = 0;

beforeAll(async () => {
  port = await freePort();
  front.config(`
    map $arg_user $known { default 0; joe 1; }
    limit_req_zone $arg_user zone=users:1m rate=1r/m;
    server { listen 127.0.0.1:${port};
      location / { auth_require $known; auth_require $arg_token $known error=401; internal_redirect $arg_to; try_files /none =404; }
      location @limited { limit_req zone=users; limit_req_status 429; try_files /none =410; }
      location /inner { internal; return 200 "inner $args"; }
      location /open { auth_require off; return 200 open; }
    }`);
  if (ours) await front.start();
});
afterAll(async () => {
  await front.dispose();
});

const status = async (uri: string) => statusOf(await get(port, uri));

describe.skipIf(!ours)('internal_redirect and auth_require', () => {
  test('a requirement that is empty or 0 refuses with its status', async () => {
    expect(await status('/?user=ann&token=t')).toBe(403);
    expect(await status('/?user=joe')).toBe(401);
    expect(await status('/?user=joe&token=0')).toBe(401);
    expect(await status('/?user=joe&token=t')).toBe(404);
  });

  test('redirects to a location or a named one only after access was granted', async () => {
    expect(bodyOf(await get(port, '/?user=joe&token=t&to=/inner'))).toBe('inner ');
    expect(await status('/?user=ann&token=t&to=@limited')).toBe(403);
    expect(await status('/?user=joe&token=t&to=@limited')).toBe(410);
    expect(await status('/?user=joe&token=t&to=@limited')).toBe(429);
    expect(await status('/?user=joe&token=t&to=@unknown')).toBe(500);
  });
});
