/** limit_req, limit_conn, limit_rate with their dry runs. */
import type { Server, Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { bodyOf, Front, get, headerOf, serveRaw, statusOf } from '../support/front.ts';

const front = new Front();
const held: Socket[] = [];
let port = 0;
let slow: Server;

beforeAll(async () => {
  port = await freePort();
  const back = await freePort();
  // answers only on command of the test
  slow = await serveRaw(back, (text, socket) => text.includes('\r\n\r\n') && held.push(socket));
  front.write('file', 'x');
  front.write('big', 'y'.repeat(30_000));
  const file = `alias ${front.folder}/file;`;
  front.config(`
    limit_req_zone $arg_k zone=minute:1m rate=1r/m;
    limit_req_zone $arg_k zone=fast:1m rate=1r/s;
    limit_req_zone $arg_other zone=other:1m rate=1r/m;
    limit_conn_zone $arg_k zone=conns:1m;
    limit_conn_zone $arg_all zone=all:1m;
    log_format limits '$uri $arg_k req=$limit_req_status conn=$limit_conn_status $status';
    server { listen 127.0.0.1:${port}; access_log limits.log limits;
      location /burst { limit_req zone=minute burst=2 nodelay; limit_req_status 429; ${file} }
      location /delay { limit_req zone=fast burst=4 delay=2; ${file} }
      location /two { limit_req zone=minute burst=5 nodelay; limit_req zone=other; ${file} }
      location /dry { limit_req zone=minute; limit_req_dry_run on; ${file} }
      location /dry-delay { limit_req zone=minute burst=3; limit_req_dry_run on; ${file} }
      location /conn { limit_conn conns 2; limit_conn all 3; proxy_pass http://127.0.0.1:${back}; }
      location /conn-dry { limit_conn conns 1; limit_conn_dry_run on; limit_conn_log_level warn; proxy_pass http://127.0.0.1:${back}; }
      location /rate { limit_rate 20k; limit_rate_after 1k; alias ${front.folder}/big; }
      location /rate-var { set $limit_rate 20k; alias ${front.folder}/big; }
      location /free { alias ${front.folder}/big; }
    }`);
  await front.start();
});
afterAll(async () => {
  for (const socket of held) socket.destroy();
  slow.close();
  await front.dispose();
});

const statuses = async (uri: string, count: number): Promise<number[]> => {
  const list: number[] = [];
  for (let n = 0; n < count; n++) list.push(statusOf(await get(port, uri)));
  return list;
};
const logged = (start: string) =>
  front
    .read('limits.log')
    .split('\n')
    .filter((line) => line.startsWith(start));
/** answers the requests that wait at the back end */
const release = () => {
  for (const socket of held.splice(0)) socket.end('HTTP/1.0 200 OK\r\n\r\nslow');
};

describe('limits', () => {
  test('limit_req: a burst passes, the rest is refused by key; an empty key is not counted', async () => {
    expect(await statuses('/burst?k=a', 5)).toEqual([200, 200, 200, 429, 429]);
    expect(await statuses('/burst?k=b', 1)).toEqual([200]);
    expect(await statuses('/burst', 5)).toEqual([200, 200, 200, 200, 200]);
    expect(front.read('error.log')).toMatch(/\[error\].*limiting requests, excess: [23]\.\d{3} by zone "minute", client: 127\.0\.0\.1/);
    expect(logged('/burst a').at(-1)).toBe('/burst a req=REJECTED conn=- 429');
    expect(logged('/burst - ').at(-1)).toBe('/burst - req=- conn=- 200');
  });

  test('limit_req: past `delay` requests wait, past `burst` they are refused', async () => {
    const answers = await Promise.all(Array.from({ length: 7 }, () => get(port, '/delay?k=d')));
    expect(answers.map(statusOf).filter((s) => s === 200)).toHaveLength(5);
    const states = logged('/delay d').map((line) => /req=(\w+)/.exec(line)![1]);
    expect(states.filter((s) => s === 'PASSED')).toHaveLength(3);
    expect(states.filter((s) => s === 'DELAYED')).toHaveLength(2);
    expect(states.filter((s) => s === 'REJECTED')).toHaveLength(2);
  });

  test('limit_req: the stricter of two limits decides, and requests that it refuses are not counted by the other', async () => {
    expect(await statuses('/two?k=t&other=o', 3)).toEqual([200, 503, 503]);
    // the burst still has five requests, except the one that passed
    expect(await statuses('/two?k=t', 6)).toEqual([200, 200, 200, 200, 200, 503]);
  });

  test('limit_req: a dry run only logs', async () => {
    expect(await statuses('/dry?k=y', 3)).toEqual([200, 200, 200]);
    expect(logged('/dry y')).toEqual([
      '/dry y req=PASSED conn=- 200',
      '/dry y req=REJECTED_DRY_RUN conn=- 200',
      '/dry y req=REJECTED_DRY_RUN conn=- 200',
    ]);
    expect(front.read('error.log')).toMatch(/limiting requests, dry run, excess: [01]\.\d{3} by zone "minute"/);
    expect(await statuses('/dry-delay?k=z', 2)).toEqual([200, 200]);
    expect(logged('/dry-delay z').at(-1)).toContain('req=DELAYED_DRY_RUN');
    expect(front.read('error.log')).toMatch(/delaying request, dry run, excess: \d\.\d{3}, by zone "minute"/);
  });

  test('limit_conn: counts requests in progress, and releases them', async () => {
    const running = [get(port, '/conn?k=a&all=1'), get(port, '/conn?k=a&all=1')];
    await front.until(() => held.length === 2);
    expect(statusOf(await get(port, '/conn?k=a&all=1'))).toBe(503);
    expect(logged('/conn a').at(-1)).toBe('/conn a req=- conn=REJECTED 503');
    running.push(get(port, '/conn?k=b&all=1'));
    await front.until(() => held.length === 3);
    expect(statusOf(await get(port, '/conn?k=c&all=1'))).toBe(503);
    release();
    expect((await Promise.all(running)).map(bodyOf)).toEqual(['slow', 'slow', 'slow']);
    const again = get(port, '/conn?k=a&all=1');
    await front.until(() => held.length === 1);
    release();
    expect(statusOf(await again)).toBe(200);
    expect(front.read('error.log')).toMatch(/\[error\].*limiting connections by zone "conns"/);
  });

  test('limit_conn: a dry run only logs', async () => {
    const running = [get(port, '/conn-dry?k=a')];
    await front.until(() => held.length === 1);
    running.push(get(port, '/conn-dry?k=a'));
    await front.until(() => held.length === 2);
    release();
    expect((await Promise.all(running)).map(statusOf)).toEqual([200, 200]);
    expect(
      logged('/conn-dry a')
        .map((line) => /conn=(\w+)/.exec(line)![1])
        .sort(),
    ).toEqual(['PASSED', 'REJECTED_DRY_RUN']);
    expect(front.read('error.log')).toMatch(/\[warn\].*limiting connections, dry run, by zone "conns"/);
  });

  test('limit_rate: an unlimited response to a later request overtakes a limited one, which arrives complete', async () => {
    const order: string[] = [];
    const fetch = async (uri: string) => {
      const answer = await get(port, uri);
      order.push(uri);
      return answer;
    };
    const limited = [fetch('/rate'), fetch('/rate-var')];
    await fetch('/free');
    const answers = await Promise.all(limited);
    expect(order[0]).toBe('/free');
    for (const answer of answers) {
      expect(headerOf(answer, 'Content-Length')).toBe('30000');
      expect(bodyOf(answer)).toBe('y'.repeat(30_000));
    }
  });
});
