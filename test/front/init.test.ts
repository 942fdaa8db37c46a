/** The configurations that `gannet front init` writes serve requests unchanged, except for their addresses. */
import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { configurationText } from '../../src/front/commands/init.ts';
import { freePort } from '../support/free-port.ts';
import { back, bodyOf, front, frontForEach, get, headerOf, ours, port, raw, serveRaw, statusOf } from '../support/front.ts';

frontForEach();

/** @param more  further addresses of the configuration, as `listen` arguments */
async function start(kind: string, flags: Parameters<typeof configurationText>[1], more: Record<string, string> = {}): Promise<void> {
  let text = configurationText(kind, flags);
  for (const [documented, own] of Object.entries(more)) text = text.replaceAll(`listen ${documented}`, `listen ${own}`);
  front.write('nginx.conf', text.replace('pid front.pid;', 'pid nginx.pid; user root;'));
  await front.start();
}

describe.skipIf(!ours)('init', () => {
  test('--static serves files', async () => {
    mkdirSync(`${front.folder}/my site`);
    front.write('my site/index.html', 'home');
    front.write('my site/app.0123abcd.js', 'script');
    front.write('my site/.env', 'secret');
    await start('static', { listen: `127.0.0.1:${port}`, root: 'my site' });
    expect(bodyOf(await get(port, '/'))).toBe('home');
    expect(headerOf(await get(port, '/app.0123abcd.js'), 'Cache-Control')).toContain('immutable');
    expect(statusOf(await get(port, '/.env'))).toBe(404);
  });

  test('--proxy passes requests on, and reports a back end that is down', async () => {
    const operators = await freePort();
    await start('proxy', { listen: `127.0.0.1:${port}`, to: `127.0.0.1:${back}` }, { '127.0.0.1:8081': `127.0.0.1:${operators}` });
    expect(statusOf(await get(port, '/'))).toBe(503);
    const server = await serveRaw(back, (text, socket) => {
      if (text.includes('\r\n\r\n')) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok');
    });
    expect(bodyOf(await get(port, '/'))).toBe('ok');
    expect(JSON.parse(bodyOf(await get(operators, '/api/server_zones/site')))).toMatchObject({ requests: 2 });
    await new Promise((resolve) => server.close(resolve));
  });

  test('--tcp passes connections on', async () => {
    const operators = await freePort();
    const server = await serveRaw(back, (text, socket) => socket.end(text.toUpperCase()));
    await start('tcp', { listen: `127.0.0.1:${port}`, to: `127.0.0.1:${back}` }, { '127.0.0.1:8081': `127.0.0.1:${operators}` });
    expect(await raw(port, 'hello')).toBe('HELLO');
    await new Promise((resolve) => server.close(resolve));
  });

  test('--mail greets in each protocol', async () => {
    const ports = [await freePort(), await freePort(), await freePort()];
    await start(
      'mail',
      { to: `127.0.0.1:${back}` },
      { 1143: `127.0.0.1:${ports[0]}`, 1110: `127.0.0.1:${ports[1]}`, 1587: `127.0.0.1:${ports[2]}` },
    );
    const greetings = await Promise.all(ports.map(greeting));
    expect(greetings).toEqual([
      expect.stringMatching(/^\* OK /),
      expect.stringMatching(/^\+OK /),
      expect.stringMatching(/^220 mail\.example\.com /),
    ]);
  });
});

/** The first data that a server sends. */
const greeting = (at: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(at, '127.0.0.1');
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString());
    });
    socket.once('error', reject);
  });
