/** Sessions of `mail { }` while the configuration changes: they stay with the old worker until worker_shutdown_timeout. */
import type { Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { Front, ours } from '../support/front.ts';
import { authServer, type FakeBackEnd, imapBackEnd, LineClient } from '../support/mail.ts';

const front = new Front();
let port: number;
let back: FakeBackEnd;
let auth: { server: Server; port: number };

const configure = (capability: string): void =>
  front.config(
    '',
    `${ours ? '' : 'load_module /usr/lib/nginx/modules/ngx_mail_module.so;'} worker_shutdown_timeout 1500ms;
    mail { auth_http 127.0.0.1:${auth.port}; imap_capabilities ${capability}; server { listen 127.0.0.1:${port}; protocol imap; } }`,
  );

beforeAll(async () => {
  port = await freePort();
  back = await imapBackEnd();
  auth = await authServer(() => ({ 'Auth-Status': 'OK', 'Auth-Server': '127.0.0.1', 'Auth-Port': String(back.port) }));
  configure('OLD');
  await front.start();
});
afterAll(async () => {
  LineClient.closeAll();
  auth.server.close();
  back.close();
  await front.dispose();
});

test('a session survives a reload, and is closed after worker_shutdown_timeout', async () => {
  const before = await LineClient.open(port);
  await before.line();
  before.send('a LOGIN u p\r\n');
  await before.lines(/^a /);
  configure('NEW');
  front.signal('SIGHUP');
  let capability = '';
  while (!capability.includes('NEW')) {
    const probe = await LineClient.open(port);
    await probe.line();
    capability = await probe.ask('a CAPABILITY');
    probe.close();
  }
  expect(capability).toBe('* CAPABILITY NEW AUTH=PLAIN');
  expect(await before.ask('b NOOP')).toBe('b OK got b NOOP');
  expect(await before.rest()).toBe('');
  await front.until(() => /shutdown timeout while proxying, client: 127.0.0.1, .*login: "u"/.test(front.read('error.log')));
  await front.until(() => /exited with code 0/.test(front.read('error.log')));
});
