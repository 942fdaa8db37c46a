// auth_basic end to end: every scheme, the event loop while a slow hash is checked, clients that leave, many at once.
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { bodyOf, Front, get, ours, statusOf } from '../support/front.ts';

/** Hashes of `secret`. */
const USERS = {
  plain: '{PLAIN}secret',
  sha: '{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=',
  ssha: '{SSHA}NMXmTxZKehqaKPiVEzBl92vLehxzYWw=',
  apr: '$apr1$Zxm1cNkw$AygJyWHRU9OPHyUHcAfaB/',
  md5: '$1$saltsalt$9xy1btjgzLYfb7hivXtC//',
  des: 'arxbmSLDgaJk.',
  sha256: '$5$rounds=1000$s$1G5532wclKO2DGU0xcX3Rd6BmCQw9FWjZAp9VdiPyK3',
  sha512: '$6$saltstring$AIsRs/Ee56G/tC8MEHhvReZTfx8u3rXXMl6eYrjCG9ibix19DxoMBLogdTET5Ukw9Sf7eZTITsuk0Ry5qulYz.',
  bcrypt2a: '$2a$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW',
  bcrypt2y: '$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a',
};
/** A cost of 11 takes some 200 ms; no password matches. */
const SLOW_HASH = '$2y$11$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a';
const UNKNOWN_HASH = '$y$j9T$salt$hash';

const front = new Front();
let port = 0;

beforeAll(async () => {
  port = await freePort();
  const lines = Object.entries({ ...USERS, slow: SLOW_HASH, unknown: UNKNOWN_HASH, malformed: '$2y$05$' }).map(
    ([user, hash]) => `${user}:${hash}`,
  );
  front.write('users', `# comment\n${lines.join('\n')}:with a comment\n`);
  front.write('file', 'content');
  front.config(`
    server { listen 127.0.0.1:${port};
      location / { }
      location /closed { alias ${front.folder}/file; auth_basic "closed"; auth_basic_user_file users; }
      location /any { alias ${front.folder}/file; satisfy any; deny all; auth_basic "any"; auth_basic_user_file users; }
    }`);
  await front.start();
});
afterAll(() => front.dispose());

const credentials = (user: string, password: string): string =>
  `Authorization: Basic ${Buffer.from(`${user}:${password}`).toString('base64')}\n`;
const closed = (user: string, password: string, uri = '/closed'): Promise<string> => get(port, uri, credentials(user, password));

describe('auth_basic', () => {
  test.each(Object.keys(USERS))('%s: accepts the right password and refuses a wrong one', async (user) => {
    for (let n = 0; n < 2; n++) {
      expect(bodyOf(await closed(user, 'secret'))).toBe('content');
      expect(await closed(user, 'Secret')).toMatch(/^HTTP\/1\.1 401 .*WWW-Authenticate: Basic realm="closed"/s);
    }
    expect(bodyOf(await closed(user, 'secret', '/any'))).toBe('content');
    expect(statusOf(await closed(user, 'Secret', '/any'))).toBe(401);
  });

  test.skipIf(!ours)('malformed hashes match nothing, unknown schemes are reported', async () => {
    expect(statusOf(await closed('malformed', 'secret'))).toBe(401);
    expect(statusOf(await closed('unknown', 'secret'))).toBe(500);
    expect(front.read('error.log')).toMatch(/\[crit\].* unsupported password scheme in .*: yescrypt \(\$y\$\)/);
  });

  test.skipIf(!ours)('serves other requests while a slow hash is checked', async () => {
    let finished = false;
    const slow = closed('slow', 'first').then((response) => {
      finished = true;
      return response;
    });
    expect(bodyOf(await get(port, '/file'))).toBe('content');
    expect(finished).toBe(false);
    expect(statusOf(await slow)).toBe(401);
  });

  test.skipIf(!ours)('a client that leaves does not hold up the queue', async () => {
    const leave = (n: number): Promise<void> =>
      new Promise((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => {
          socket.write(`GET /closed HTTP/1.1\r\nHost: x\r\n${credentials('slow', `leaving ${n}`).trim()}\r\n\r\n`, () => {
            // A request on another connection: once it is answered, the server has read this one.
            get(port, '/file').then(() => socket.destroy(), reject);
          });
        });
        socket.on('close', () => resolve());
        socket.on('error', reject);
      });
    await Promise.all(Array.from({ length: 100 }, (_, n) => leave(n)));
    expect(bodyOf(await closed('sha512', 'secret'))).toBe('content');
    expect(statusOf(await closed('bcrypt2y', 'after'))).toBe(401);
    const logged = front.read('error.log').match(/user "slow": password mismatch/g) ?? [];
    expect(logged.length).toBeLessThan(10);
    expect(front.read('access.log').match(/ 499 /g)?.length).toBeGreaterThan(90);
  });

  test('checks many passwords at once', async () => {
    const users = ['apr', 'md5', 'des', 'sha256', 'bcrypt2a', 'bcrypt2y', 'plain'];
    const responses = await Promise.all(Array.from({ length: 140 }, (_, n) => closed(users[n % 7], n % 2 ? 'secret' : `wrong ${n % 28}`)));
    expect(responses.map(statusOf)).toEqual(responses.map((_, n) => (n % 2 ? 200 : 401)));
  });
});
