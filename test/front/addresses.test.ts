/** Addresses that are known at run time: of back ends in variables, of clients in fields, and what the system shows of a connection. */
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { bodyOf, front, frontForEach, get, ours, port, raw, statusOf } from '../support/front.ts';

frontForEach();

test('an address that variables yield is checked before it is resolved', async () => {
  front.config(`server { listen 127.0.0.1:${port};
    location /host { proxy_pass http://$arg_a; } location /url { proxy_pass $arg_a; } location /cgi { fastcgi_pass $arg_a; } }`);
  await front.start();
  const ask = async (uri: string, message: string): Promise<void> => {
    const before = front.read('error.log').length;
    expect([uri, statusOf(await get(port, uri))]).toEqual([uri, 500]);
    expect(front.read('error.log').slice(before)).toContain(message);
  };
  await ask('/host?a=', 'invalid URL prefix in "http://"');
  await ask('/host?a=127.0.0.1:', 'invalid port in upstream "127.0.0.1:"');
  await ask('/host?a=127.0.0.1:99999', 'invalid port in upstream "127.0.0.1:99999"');
  await ask('/host?a=name:x', 'invalid port in upstream "name:x"');
  await ask('/host?a=:80', 'no host in upstream ":80"');
  await ask('/host?a=[::1', 'invalid host in upstream "[::1"');
  await ask('/url?a=http://', 'invalid URL prefix in "http://"');
  await ask('/url?a=ftp://a', 'invalid URL prefix in "ftp://a"');
  await ask('/cgi?a=127.0.0.1', 'no port in upstream "127.0.0.1"');
  expect(statusOf(await get(port, '/host?a=name'))).toBe(502);
  expect(front.read('error.log')).toContain('no resolver defined to resolve name');
});

test('a stream server logs what is wrong with an address', async () => {
  front.config('', `stream { server { listen 127.0.0.1:${port}; set $a "name"; proxy_pass $a; } }`);
  await front.start();
  await raw(port, 'x').catch(() => '');
  await front.until(() => front.read('error.log').includes('[error]'));
  expect(front.read('error.log')).toContain('no port in upstream "name"');
});

test('a unix socket that cannot be reached is named in the log', async () => {
  front.config(`server { listen 127.0.0.1:${port}; location / { proxy_pass http://unix:${front.folder}/none:; } }`);
  await front.start();
  expect(statusOf(await get(port, '/'))).toBe(502);
  expect(front.read('error.log')).toMatch(
    /\[crit\].*connect\(\) to unix:\S+\/none failed \(2: No such file or directory\) while connecting to upstream,/,
  );
});

test('the address of a client is not taken from a field that does not begin with one, or names a zone', async () => {
  front.config(`server { listen 127.0.0.1:${port}; set_real_ip_from 127.0.0.1; return 200 $remote_addr; }`);
  await front.start();
  const ask = async (value: string) => bodyOf(await get(port, '/', `X-Real-IP: ${value}\n`));
  expect(await ask('1.2.3.4')).toBe('1.2.3.4');
  expect(await ask('5.6.7.8, 1.2.3.4,')).toBe('1.2.3.4');
  expect(await ask(',1.2.3.4')).toBe('127.0.0.1');
  expect(await ask('fe80::1%eth0')).toBe('127.0.0.1');
  expect(await ask('fe80::1')).toBe('fe80::1');
});

test.skipIf(!existsSync('/proc/net/tcp'))('tcpinfo_snd_cwnd is the congestion window of the connection', async () => {
  front.config(`server { listen 127.0.0.1:${port}; listen unix:${front.folder}/sock; return 200 "[$tcpinfo_snd_cwnd]"; }`);
  await front.start();
  const socket = connect(port, '127.0.0.1');
  const answer = await new Promise<string>((resolve) => {
    socket.once('data', (data) => resolve(data.toString('latin1')));
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  });
  const ends = ` 0100007F:${port.toString(16).padStart(4, '0')} 0100007F:${socket.localPort!.toString(16).padStart(4, '0')} `.toUpperCase();
  const line = readFileSync('/proc/net/tcp', 'latin1')
    .split('\n')
    .find((text) => text.includes(ends));
  // it grows with what was acknowledged in the meantime
  const window = Number(/^\[(\d+)\]$/.exec(bodyOf(answer))?.[1]);
  expect(window).toBeGreaterThan(0);
  expect(window).toBeLessThanOrEqual(Number(line?.trim().split(/\s+/)[15]));
  socket.destroy();
  if (!ours) return;
  const local = await new Promise<string>((resolve) => {
    const unix = connect(`${front.folder}/sock`, () => unix.write('GET / HTTP/1.0\n\n'));
    unix.once('data', (data) => resolve(data.toString('latin1')));
  });
  expect(bodyOf(local)).toBe('[]');
});
