/** Active health checks of `stream { }`: TCP with and without a match, UDP, and their effect on the choice of peers. */
import { createSocket, type Socket } from 'node:dgram';
import { connect, createServer, type Socket as NetSocket, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { Front, ours } from '../support/front.ts';

const front = new Front();
const NAMES = ['first', 'second', 'udpBack', 'gone', 'api', 'plain', 'matched', 'udp', 'mandatory', 'dropped'] as const;
const port = {} as Record<(typeof NAMES)[number], number>;
const servers: Server[] = [];
let udpBack: Socket;
/** responses of the back ends to PING */
const answers = { first: 'PONG', second: 'PONG', udp: 'PONG' };

beforeAll(async () => {
  for (const name of NAMES) port[name] = await freePort();
  for (const name of ['first', 'second'] as const) {
    const server = createServer((socket) =>
      socket
        .on('error', () => {})
        .on('data', (data) => {
          if (String(data) === 'PING\r\n') {
            // responses that do not match are complete, so that no check has to wait for its timeout
            if (answers[name] === 'PONG') socket.write('PONG');
            else socket.end(answers[name]);
          } else if (String(data) === 'stay') socket.write(name);
          else socket.end(name);
        }),
    );
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(port[name], '127.0.0.1', resolve));
  }
  udpBack = createSocket('udp4');
  udpBack.on('message', (data, from) => udpBack.send(String(data) === 'PING' ? answers.udp : 'echo', from.port, from.address));
  await new Promise<void>((resolve) => udpBack.bind(port.udpBack, '127.0.0.1', resolve));
  front.config(
    `server { listen 127.0.0.1:${port.api}; location /api/ { api; } }`,
    `stream { health_check_timeout 30s;
      match pong { send "PING\\x0d\\x0a"; expect ~ "^PO.G"; }
      match literal { send PING; expect PO\\x4eG; }
      upstream plain { zone plain 64k; server 127.0.0.1:${port.gone} max_fails=0; server 127.0.0.1:${port.first}; }
      upstream matched { zone matched 64k; server 127.0.0.1:${port.first}; server 127.0.0.1:${port.second}; }
      upstream datagrams { zone datagrams 64k; server 127.0.0.1:${port.udpBack}; }
      upstream mandatory { zone mandatory 64k; server 127.0.0.1:${port.gone}; }
      server { listen 127.0.0.1:${port.plain}; proxy_pass plain; health_check interval=50ms; }
      server { listen 127.0.0.1:${port.matched}; proxy_pass matched; health_check interval=50ms match=pong fails=2 passes=2; }
      server { listen 127.0.0.1:${port.dropped}; proxy_session_drop on; proxy_pass matched; }
      server { listen 127.0.0.1:${port.udp} udp; proxy_pass datagrams; health_check interval=50ms udp match=literal; }
      server { listen 127.0.0.1:${port.mandatory}; proxy_pass mandatory; health_check interval=50ms mandatory port=${port.first}; }
    }`,
  );
  if (ours) await front.start();
});
afterAll(async () => {
  await front.dispose();
  for (const server of servers) server.close();
  udpBack.close();
});

interface Shown {
  healthy: boolean;
}
/** Waits until the peers of a group have the given health. */
async function until(group: string, wanted: boolean[]): Promise<void> {
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port.api}/api/stream/upstreams/${group}`);
    const { peers } = (await response.json()) as { peers: Shown[] };
    if (peers.map(({ healthy }) => healthy).join() === wanted.join()) return;
  }
}
const ask = (to: number): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    const socket = connect(to, '127.0.0.1', () => socket.write('who'));
    socket.on('data', (data) => (text += String(data))).on('error', () => {});
    socket.on('close', () => resolve(text));
  });

test.skipIf(!ours)('a peer that refuses connections is not chosen', async () => {
  await until('plain', [false, true]);
  for (let n = 0; n < 4; n++) expect(await ask(port.plain)).toBe('first');
});

test.skipIf(!ours)('a peer whose response does not match is not chosen until it matches again', async () => {
  await until('matched', [true, true]);
  answers.first = 'BUSY';
  await until('matched', [false, true]);
  for (let n = 0; n < 4; n++) expect(await ask(port.matched)).toBe('second');
  expect(front.read('error.log')).toMatch(
    /peer is unhealthy while checking \(.*\), health check of peer 127\.0\.0\.1:\d+ in upstream "matched"/,
  );
  answers.first = 'PONG';
  await until('matched', [true, true]);
  const seen = new Set<string>();
  while (seen.size < 2) seen.add(await ask(port.matched));
  expect(seen).toEqual(new Set(['first', 'second']));
});

test.skipIf(!ours)('proxy_session_drop ends the sessions of a peer that is no longer healthy', async () => {
  await until('matched', [true, true]);
  const open: { socket: NetSocket; name: string; closed: Promise<unknown> }[] = [];
  while (new Set(open.map(({ name }) => name)).size < 2) {
    const socket = connect(port.dropped, '127.0.0.1');
    const closed = new Promise((resolve) => socket.on('error', () => {}).on('close', resolve));
    socket.write('stay');
    open.push({ socket, name: String(await new Promise((resolve) => socket.once('data', resolve))), closed });
  }
  answers.second = 'BUSY';
  await until('matched', [true, false]);
  await Promise.all(open.filter(({ name }) => name === 'second').map(({ closed }) => closed));
  expect(front.read('error.log')).toMatch(/session dropped, peer 127\.0\.0\.1:\d+ is no longer available/);
  for (const { socket, name } of open) expect(socket.destroyed).toBe(name === 'second');
  for (const { socket } of open) socket.destroy();
  answers.second = 'PONG';
  await until('matched', [true, true]);
});

test.skipIf(!ours)('responses over UDP are checked', async () => {
  answers.udp = 'no';
  await until('datagrams', [false]);
  answers.udp = 'PONG';
  await until('datagrams', [true]);
});

test.skipIf(!ours)('a check may use a port of its own', () => until('mandatory', [true]));

test.skipIf(!ours).each([
  ['server { listen 127.0.0.1:1; proxy_pass 127.0.0.1:2; health_check match=none; }', 'match "none" is not found'],
  ['server { listen 127.0.0.1:1 udp; proxy_pass 127.0.0.1:2; health_check udp; }', '"udp" requires a "match" with "send" and "expect"'],
  ['match a { status 200; } server { listen 127.0.0.1:1; return x; }', 'unknown directive "status"'],
  ['match a { expect ~ "("; } server { listen 127.0.0.1:1; return x; }', 'invalid regular expression "\\("'],
  ['server { listen 127.0.0.1:1; return x; health_check; }', '"health_check" needs a "proxy_pass"'],
  ['server { listen 127.0.0.1:1; proxy_pass 127.0.0.1:2; health_check uri=/x; }', 'invalid parameter "uri=/x"'],
])('%s is refused', async (text, message) => {
  const other = new Front();
  other.config('', `stream { ${text} }`);
  await expect(other.start()).rejects.toThrow(new RegExp(message));
  await other.dispose();
});
