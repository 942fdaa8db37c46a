/** Options of client connections: resets, idle connections at a graceful end, records of TLS, and options that are reported to have no effect. */
import { execFileSync } from 'node:child_process';
import { connect } from 'node:net';
import tls from 'node:tls';
import { describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { front, frontForEach, get, port } from '../support/front.ts';

frontForEach();

/** How a request over a new connection ends: 'end', or the code of an error. */
function endOf(uri: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`GET ${uri} HTTP/1.0\r\n\r\n`));
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    socket.on('end', () => resolve('end'));
    socket.resume();
  });
}

describe('connection options', () => {
  test('reset_timedout_connection resets where 444 is returned', async () => {
    front.config(
      `server { listen 127.0.0.1:${port}; location / { return 444; } location /reset { reset_timedout_connection on; return 444; } }`,
    );
    await front.start();
    expect(await endOf('/')).toBe('end');
    expect(await endOf('/reset')).toBe('ECONNRESET');
  });

  test('keepalive_min_timeout keeps idle connections after a graceful shutdown begins', async () => {
    front.config(`keepalive_min_timeout 1s; server { listen 127.0.0.1:${port}; return 200 "$connection_requests;"; }`);
    await front.start();
    const socket = connect(port, '127.0.0.1');
    let heard = '';
    socket.on('data', (data) => (heard += data));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await front.until(() => heard.endsWith('1;'));
    const stopped = front.stop();
    await front.until(() => front.read('error.log').includes('gracefully shutting down'));
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await front.until(() => heard.endsWith('2;'));
    socket.end();
    await closed;
    expect(await stopped).toBe(0);
  });

  test('ssl_buffer_size bounds the records of TLS', async () => {
    execFileSync(
      'openssl',
      'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=x -keyout k.pem -out c.pem'.split(' '),
      {
        cwd: front.folder,
        stdio: 'ignore',
      },
    );
    front.write('a.txt', 'x'.repeat(12_000));
    const pem = 'ssl_certificate c.pem; ssl_certificate_key k.pem;';
    const other = await freePort();
    front.config(`server { listen 127.0.0.1:${port} ssl; ${pem} ssl_buffer_size 1k; } server { listen 127.0.0.1:${other} ssl; ${pem} }`);
    await front.start();
    /** largest piece that one record contained */
    const largest = (at: number) =>
      new Promise<number>((resolve, reject) => {
        let most = 0;
        const socket = tls.connect({ port: at, rejectUnauthorized: false }, () => socket.write('GET /a.txt HTTP/1.0\r\n\r\n'));
        socket.on('data', (data) => (most = Math.max(most, data.length)));
        socket.on('end', () => resolve(most));
        socket.on('error', reject);
      });
    expect(await largest(port)).toBeLessThanOrEqual(1024);
    expect(await largest(other)).toBeGreaterThan(1024);
  });

  test('directives without effect are reported at the start', async () => {
    front.config(
      `server { listen 127.0.0.1:${port} sndbuf=32k fastopen=3 deferred; http2_chunk_size 4k; http2_max_requests 5; send_lowat 1; directio 4m; return 200 ok; }`,
    );
    await front.start();
    const log = front.read('error.log');
    for (const name of ['sndbuf', 'fastopen', 'deferred'])
      expect(log).toMatch(new RegExp(`\\[warn\\].* the "${name}" parameter .* ignored in .*nginx.conf:2`));
    expect(log).toContain('the "http2_chunk_size" directive has no effect');
    expect(log).toContain('the "http2_max_requests" directive is obsolete, use the "keepalive_requests" directive instead');
    expect(log).toMatch(/\[warn\].* "send_lowat" is not supported, ignored in .*nginx.conf:2/);
    expect(log.match(/the "directio" directive has no effect in this server, ignored/g)).toHaveLength(1);
    expect(front.stderr).toMatch(/^nginx: \[warn\] the "sndbuf"/m);
    expect(await get(port, '/')).toMatch(/ok$/);
  });
});
