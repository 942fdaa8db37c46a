/** Open sessions of `stream { }` while a new configuration or a new binary takes over, and their forced end. */
import { createSocket } from 'node:dgram';
import { existsSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { back, front, frontForEach, ours, port } from '../support/front.ts';

frontForEach();
let echo: Server;
beforeEach(async () => {
  echo = createServer((socket) => socket.on('error', () => {}).on('data', (data) => socket.write(data)));
  await new Promise<void>((resolve) => echo.listen(back, '127.0.0.1', resolve));
});
afterEach(() => {
  echo.close();
});

const configure = (main: string, answer: string, udp = ''): void =>
  front.config(
    '',
    `${main} stream { server { listen 127.0.0.1:${port}; proxy_pass 127.0.0.1:${back}; } server { listen 127.0.0.2:${port}; return ${answer}; } ${udp} }`,
  );
const opened = (): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.on('error', reject);
  });
/** The response to a string over an open session. */
const ask = (socket: Socket, text: string): Promise<string> =>
  new Promise((resolve) => {
    socket.once('data', (data) => resolve(String(data)));
    socket.write(text);
  });
const fresh = (): Promise<string> =>
  new Promise((resolve) => {
    let out = '';
    connect(port, '127.0.0.2')
      .on('data', (data) => (out += String(data)))
      .on('error', () => {})
      .on('close', () => resolve(out));
  });
const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe.skipIf(!ours)('open sessions', () => {
  test('stay with the old worker after a reload', async () => {
    configure('', 'old');
    await front.start();
    const socket = await opened();
    expect(await ask(socket, 'before')).toBe('before');
    configure('', 'new');
    front.signal('SIGHUP');
    await front.until(() => front.read('error.log').includes('gracefully shutting down'));
    while ((await fresh()) !== 'new');
    expect(await ask(socket, 'after')).toBe('after');
    expect(front.read('error.log')).not.toMatch(/exited with code/);
    socket.destroy();
    await front.until(() => front.read('error.log').includes('exited with code'));
  });

  test('are cut off after worker_shutdown_timeout', async () => {
    configure('worker_shutdown_timeout 200ms;', 'old');
    await front.start();
    const socket = await opened();
    expect(await ask(socket, 'before')).toBe('before');
    const closed = new Promise((resolve) => socket.on('error', () => {}).on('close', resolve));
    front.signal('SIGHUP');
    await closed;
    await front.until(() => front.read('error.log').includes('exited with code'));
    while ((await fresh()) !== 'old');
  });

  test('of UDP get the responses that are in flight', async () => {
    const udpPort = await freePort();
    const slow = createSocket('udp4');
    const held: (() => void)[] = [];
    slow.on('message', (data, from) => held.push(() => slow.send(`late ${data}`, from.port, from.address)));
    const udpBack = await new Promise<number>((resolve) => slow.bind(0, '127.0.0.1', () => resolve(slow.address().port)));
    configure('', 'old', `server { listen 127.0.0.1:${udpPort} udp; proxy_pass 127.0.0.1:${udpBack}; proxy_responses 1; }`);
    await front.start();
    const client = createSocket('udp4');
    const answer = new Promise<string>((resolve) => client.once('message', (data) => resolve(String(data))));
    client.send('ping', udpPort, '127.0.0.1');
    await front.until(() => held.length === 1);
    front.signal('SIGHUP');
    await front.until(() => front.read('error.log').includes('gracefully shutting down'));
    held[0]();
    expect(await answer).toBe('late ping');
    await front.until(() => front.read('error.log').includes('exited with code'));
    client.close();
    slow.close();
  });

  test('stay with the old binary while a new one takes the sockets over', async () => {
    configure('', 'served');
    await front.start();
    const pidFile = path.join(front.folder, 'nginx.pid');
    const old = Number(front.read('nginx.pid'));
    const socket = await opened();
    expect(await ask(socket, 'before')).toBe('before');
    front.signal('SIGUSR2');
    await front.until(() => existsSync(`${pidFile}.oldbin`) && existsSync(pidFile) && Number(front.read('nginx.pid')) !== old);
    const heir = Number(front.read('nginx.pid'));
    process.kill(old, 'SIGWINCH');
    await front.until(() => front.read('error.log').includes('gracefully shutting down'));
    expect(await ask(socket, 'between')).toBe('between');
    expect(await fresh()).toBe('served');
    const stopped = front.stop();
    expect(await ask(socket, 'to the end')).toBe('to the end');
    socket.destroy();
    expect(await stopped).toBe(0);
    expect(await fresh()).toBe('served');
    process.kill(heir, 'SIGQUIT');
    await front.until(() => !alive(heir));
  });
});

test.skipIf(!ours)('a configuration that does not start leaves sessions and servers as they are', async () => {
  configure('', 'old');
  await front.start();
  const socket = await opened();
  front.config('', `stream { server { listen 127.0.0.1:${port}; proxy_pass nowhere.invalid; } }`);
  front.signal('SIGHUP');
  await front.until(() => front.read('error.log').includes('[emerg]'));
  expect(await ask(socket, 'still')).toBe('still');
  expect(await fresh()).toBe('old');
  socket.destroy();
});
