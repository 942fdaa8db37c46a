/** Addresses of `mail { }`: the PROXY protocol in both directions, real addresses, names of clients by the DNS. */
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import type { IncomingHttpHeaders, Server } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket, type Server as TcpServer } from 'node:net';
import path from 'node:path';
import { decode, encode } from 'dns-packet';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { Front, ours } from '../support/front.ts';
import { authServer, type FakeBackEnd, LineClient, smtpBackEnd } from '../support/mail.ts';

const front = new Front();
const MODULE = ours ? '' : 'load_module /usr/lib/nginx/modules/ngx_mail_module.so;';
const NAMES = ['accept', 'trusted', 'send', 'send2', 'resolved', 'spoofed', 'unknown', 'broken', 'plain'] as const;
type Name = (typeof NAMES)[number];
const port = {} as Record<Name, number>;
let back: FakeBackEnd;
let auth: { server: Server; port: number };
let asked: IncomingHttpHeaders = {};
/** answers PTR and A queries */
let dns: UdpSocket;
/** accepts connections and reports the first bytes */
let raw: TcpServer;
let received = Buffer.alloc(0);
const rawSockets: Socket[] = [];

/** Names by the port of the server that is asked through them: `spoofed` names another host's address. */
function answerQuery(packet: Buffer): Buffer {
  const { id, questions = [] } = decode(packet);
  const [{ name, type }] = questions;
  const reply = { type: 'response' as const, id, flags: 1 << 15, questions };
  if (type === 'PTR')
    return encode({
      ...reply,
      answers: [{ type, name, ttl: 60, data: name.startsWith('1.0.0.127') ? 'client.example' : 'spoofed.example' }],
    });
  if (type === 'A') return encode({ ...reply, answers: [{ type, name, ttl: 60, data: '127.0.0.1' }] });
  return encode({ ...reply, flags: (1 << 15) | 3 });
}

beforeAll(async () => {
  for (const name of NAMES) port[name] = await freePort();
  back = await smtpBackEnd();
  raw = createServer((socket) => {
    rawSockets.push(socket);
    socket.on('error', () => {}).on('data', (data) => (received = Buffer.concat([received, data])));
  });
  await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve));
  const rawPort = (raw.address() as AddressInfo).port;
  auth = await authServer((request) => {
    asked = request;
    const to = request['auth-user'] === 'raw' ? rawPort : back.port;
    return { 'Auth-Status': 'OK', 'Auth-Server': '127.0.0.1', 'Auth-Port': String(to) };
  });
  dns = createSocket('udp4');
  dns.on('message', (packet, from) => dns.send(answerQuery(packet), from.port, from.address));
  await new Promise<void>((resolve) => dns.bind(0, '127.0.0.1', resolve));
  const resolver = `resolver 127.0.0.1:${dns.address().port} ipv6=off;`;
  const at = (name: Name, parameters = '', rest = ''): string => `server { listen 127.0.0.1:${port[name]} ${parameters}; ${rest} }`;
  front.config(
    '',
    `${MODULE}
    mail {
      auth_http http://127.0.0.1:${auth.port}; protocol_smtp
      ${at('accept', 'proxy_protocol')}
      ${at('trusted', 'proxy_protocol', 'set_real_ip_from 127.0.0.0/8;')}
      ${at('send', '', 'proxy_protocol on;')}
      ${at('send2', 'proxy_protocol', `set_real_ip_from 127.0.0.1; proxy_protocol ${ours ? 'v2' : 'on'};`)}
      ${at('resolved', '', resolver)}
      ${at('spoofed', 'proxy_protocol', `set_real_ip_from 127.0.0.1; ${resolver}`)}
      ${at('unknown', '', 'resolver 127.0.0.1:1; resolver_timeout 100ms;')}
      ${at('broken', 'proxy_protocol')} ${at('plain', 'so_keepalive=on', 'resolver off;')}
      server { listen unix:mail.sock; ${resolver} }
    }`
      .replace('protocol_smtp', '')
      .replaceAll('server {', 'server { protocol smtp;')
      .replace('unix:mail.sock', `unix:${path.join(front.folder, 'mail.sock')}`),
  );
  await front.start();
});
afterEach(() => LineClient.closeAll());
afterAll(async () => {
  auth.server.close();
  back.close();
  raw.close();
  for (const socket of rawSockets) socket.destroy();
  dns.close();
  await front.dispose();
});

const LOGIN = `AUTH PLAIN ${Buffer.from('\0user\0secret').toString('base64')}`;
const RAW_LOGIN = `AUTH PLAIN ${Buffer.from('\0raw\0secret').toString('base64')}`;
const HEADER = 'PROXY TCP4 192.0.2.1 192.0.2.2 1234 5678\r\n';

async function login(name: Name, first = ''): Promise<LineClient> {
  const c = await LineClient.open(port[name], first);
  expect(await c.line()).toMatch(/^220 /);
  expect(await c.ask(LOGIN)).toBe('235 2.0.0 OK');
  return c;
}

describe('the PROXY protocol', () => {
  test('is passed to the authentication server; only trusted proxies name the client', async () => {
    await login('accept', HEADER);
    expect(asked).toMatchObject({
      'client-ip': '127.0.0.1',
      'proxy-protocol-addr': '192.0.2.1',
      'proxy-protocol-port': '1234',
      'proxy-protocol-server-addr': '192.0.2.2',
      'proxy-protocol-server-port': '5678',
    });
    await login('trusted', HEADER);
    expect(asked['client-ip']).toBe('192.0.2.1');
    expect(back.lines.at(-1)).toBe('XCLIENT ADDR=192.0.2.1 LOGIN=user NAME=[UNAVAILABLE]');
    expect(front.read('error.log')).toMatch(/client logged in, client: 192\.0\.2\.1, server: /);
    await login('trusted', 'PROXY TCP6 2001:db8::1 2001:db8::2 1 2\r\n');
    if (ours) expect(back.lines.at(-1)).toBe('XCLIENT ADDR=IPV6:2001:db8::1 LOGIN=user NAME=[UNAVAILABLE]');
    await login('accept', 'PROXY UNKNOWN\r\n');
    expect(asked['proxy-protocol-addr']).toBeUndefined();
  });

  test('a connection without the header is closed', async () => {
    const c = await LineClient.open(port.broken, 'EHLO x\r\n');
    expect(await c.rest()).toBe('');
    expect(front.read('error.log')).toMatch(/\[error\].* broken header[\s\S]* while reading PROXY protocol, client: 127.0.0.1, server: /);
  });

  test('the header precedes the login to the back end', async () => {
    received = Buffer.alloc(0);
    const c = await LineClient.open(port.send);
    await c.line();
    c.send(`${RAW_LOGIN}\r\n`);
    await front.until(() => received.includes('\r\n'));
    expect(received.toString()).toBe(`PROXY TCP4 127.0.0.1 127.0.0.1 ${c.socket.localPort} ${port.send}\r\n`);
  });

  test.skipIf(!ours)('version 2 has the addresses of one family', async () => {
    for (const [client, addresses] of [
      ['192.0.2.1', 'c00002017f000001'],
      ['2001:db8::1', '20010db8000000000000000000000001' + '00000000000000000000ffff7f000001'],
    ]) {
      received = Buffer.alloc(0);
      const c = await LineClient.open(port.send2, `PROXY TCP${client.includes(':') ? '6' : '4'} ${client} ${client} 258 772\r\n`);
      await c.line();
      c.send(`${RAW_LOGIN}\r\n`);
      const size = addresses.length / 2 + 4;
      await front.until(() => received.length >= 16 + size);
      const family = addresses.length === 16 ? '11' : '21';
      expect(received.toString('hex')).toBe(
        `0d0a0d0a000d0a515549540a21${family}${size.toString(16).padStart(4, '0')}${addresses}0102${port.send2.toString(16).padStart(4, '0')}`,
      );
      c.close();
    }
  });
});

describe('names of clients', () => {
  test('the name of an address is used if it resolves to the address', async () => {
    await login('resolved');
    expect(asked['client-host']).toBe('client.example');
    expect(back.lines.at(-1)).toMatch(/ NAME=client\.example$/);
    await login('spoofed', HEADER);
    expect(asked['client-host']).toBe('[UNAVAILABLE]');
    await login('plain');
    expect(asked['client-host']).toBe('[UNAVAILABLE]');
  });

  test('a server that does not respond makes it temporarily unknown', async () => {
    await login('unknown');
    expect(asked['client-host']).toBe('[TEMPUNAVAIL]');
    expect(front.read('error.log')).toMatch(
      /127\.0\.0\.1 could not be resolved \(110: Operation timed out\) while in resolving client address/,
    );
  });

  test('a client of a unix domain socket has no name', async () => {
    const socket = connect(path.join(front.folder, 'mail.sock'));
    let text = '';
    socket.on('data', (data) => {
      text += data;
      if (text.split('\r\n').length === 2) socket.write(`${LOGIN}\r\n`);
    });
    await front.until(() => text.includes('235 2.0.0 OK'));
    expect(asked).toMatchObject({ 'client-ip': 'unix:', 'client-host': '[TEMPUNAVAIL]' });
    socket.destroy();
  });
});
