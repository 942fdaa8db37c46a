/** Clients and servers that misbehave towards `mail { }`: every connection ends, the process survives, and pipelined input stays bounded. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { Front } from '../support/front.ts';
import { LineClient } from '../support/mail.ts';
import { Rng } from '../support/rng.ts';

const front = new Front();
const PROTOCOLS = ['imap', 'pop3', 'smtp'] as const;
const port = {} as Record<(typeof PROTOCOLS)[number], number>;
/** serves as authentication server and as back end, and sends arbitrary data */
let liar: Server;
const sockets = new Set<Socket>();
const rng = new Rng(1);

const LINES = [
  'a LOGIN u p',
  'a LOGIN {3+}',
  'a AUTHENTICATE PLAIN',
  'AHUAcA==',
  'USER u',
  'PASS p',
  'AUTH PLAIN AHUAcA==',
  'EHLO x',
  'MAIL FROM:<a>',
  'RCPT TO:<b>',
  'STARTTLS',
  'NOOP',
];

beforeAll(async () => {
  for (const protocol of PROTOCOLS) port[protocol] = await freePort();
  liar = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    const own = (liar.address() as AddressInfo).port;
    const answers = [
      'HTTP/1.0 200 OK\r\nAuth-Status: no\r\n\r\n',
      `HTTP/1.0 200 OK\r\nAuth-Status: OK\r\nAuth-Server: 127.0.0.1\r\nAuth-Port: ${own}\r\nAuth-Pass: x\r\n\r\n`,
      '* OK\r\na OK\r\n',
      '+OK\r\n',
      '220 x\r\n',
      '250-',
      'x'.repeat(20_000),
      '\0\xff\r\n\r\n',
      '',
    ];
    for (let n = rng.int(1, 3); n > 0; n--) socket.write(rng.pick(answers), 'latin1');
    if (rng.bool()) socket.end();
    else socket.on('data', () => socket.end(rng.pick(answers), 'latin1'));
  });
  await new Promise<void>((resolve) => liar.listen(0, '127.0.0.1', resolve));
  front.config(
    '',
    `mail { auth_http 127.0.0.1:${(liar.address() as AddressInfo).port}; timeout 2s; auth_http_timeout 2s; proxy_timeout 2s;
      proxy_pass_error_message on; smtp_auth plain login none;
      ${PROTOCOLS.map((protocol) => `server { listen 127.0.0.1:${port[protocol]}; protocol ${protocol}; }`).join('\n')}
    }`,
  );
  await front.start();
});
afterAll(async () => {
  LineClient.closeAll();
  liar.close();
  for (const socket of sockets) socket.destroy();
  await front.dispose();
});

test('random dialogs with random peers end', async () => {
  const seeds = Array.from({ length: 240 }, (_, seed) => new Rng(seed));
  await Promise.all(
    seeds.map(async (own, n) => {
      const client = await LineClient.open(port[PROTOCOLS[n % 3]]);
      for (let count = own.int(1, 8); count > 0; count--) {
        const line = own.bool(0.2) ? Buffer.from(own.bytes(own.skewed(6000))).toString('latin1') : own.pick(LINES);
        client.send(`${line}${own.pick(['\r\n', '\r\n', '\n', ''])}`);
      }
      if (own.bool()) client.socket.end();
      await client.rest();
      client.close();
    }),
  );
  const log = front.read('error.log');
  expect(log).toMatch(/client login failed/);
  expect(log).not.toMatch(/\[crit\]|\[alert\]|\[emerg\]/);
  expect(await front.stop()).toBe(0);
  expect(front.read('error.log')).not.toMatch(/\[crit\]|\[alert\]|\[emerg\]/);
});
