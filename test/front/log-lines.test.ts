/** Log lines about clients whose connection begins in an unusual way, and about attempts at peers: compared with nginx 1.31. */
import { expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { back, bodyOf, front, frontForEach, port, raw } from '../support/front.ts';

frontForEach();

const withHeader = (header: string): Promise<string> => raw(port, `${header}GET / HTTP/1.0\r\nHost: a\r\n\r\n`);

test('the PROXY protocol in http: absent addresses are shown as -, invalid ones do not replace the client', async () => {
  front.config(`log_format own '$remote_addr $proxy_protocol_addr $proxy_protocol_port'; access_log own.log own;
    server { listen 127.0.0.1:${port} proxy_protocol; set_real_ip_from 127.0.0.1; real_ip_header proxy_protocol; return 200 $remote_addr; }`);
  await front.start();
  expect(bodyOf(await withHeader('PROXY TCP4 1.2.3.4 5.6.7.8 11 22\r\n'))).toBe('1.2.3.4');
  expect(bodyOf(await withHeader('PROXY UNKNOWN\r\n'))).toBe('127.0.0.1');
  expect(bodyOf(await withHeader('PROXY TCP4 1.2.3 5.6.7.8 11 22\r\n'))).toBe('127.0.0.1');
  expect(await raw(port, 'hello\r\nthere\r\n').catch(() => '')).toBe('');
  await front.stop();
  expect(front.read('own.log')).toBe('1.2.3.4 1.2.3.4 11\n127.0.0.1 - -\n127.0.0.1 1.2.3 11\n');
  expect(front.read('error.log')).toContain(
    `broken header: "hello" while reading PROXY protocol, client: 127.0.0.1, server: 127.0.0.1:${port}\n`,
  );
});

test('stream: the phase in which a client is refused, and one phase per line about peers', async () => {
  const [denied, proxied, limited] = [await freePort(), await freePort(), await freePort()];
  front.config(
    '',
    `stream { log_format own '$remote_addr $proxy_protocol_addr $status'; access_log own.log own; limit_conn_zone $remote_addr zone=a:1m;
      upstream two { server 127.0.0.1:1; server 127.0.0.1:${back}; }
      server { listen 127.0.0.1:${port} proxy_protocol; set_real_ip_from 127.0.0.1; return "$remote_addr"; }
      server { listen 127.0.0.1:${denied}; deny all; return no; }
      server { listen 127.0.0.1:${back}; return peer; }
      server { listen 127.0.0.1:${limited}; limit_conn a 1; limit_conn_dry_run on; proxy_pass two; }
      server { listen 127.0.0.1:${proxied}; limit_conn a 1; proxy_pass 127.0.0.1:${limited}; } }`,
  );
  await front.start();
  expect(await withHeader('PROXY TCP4 1.2.3 5.6.7.8 11 22\r\n')).toBe('127.0.0.1');
  // nginx resets connections with unread data
  expect(await raw(port, 'hello\r\n').catch(() => '')).toBe('');
  expect(await raw(denied, '')).toBe('');
  // the second session comes from the first, which is still open
  expect(await raw(proxied, '')).toBe('peer');
  await front.stop();
  expect(front.read('own.log')).toMatch(/^127\.0\.0\.1 1\.2\.3 200\n127\.0\.0\.1 - 400\n/);
  const log = front.read('error.log');
  expect(log).toContain(`broken header: "hello" while reading PROXY protocol, client: 127.0.0.1, server: 127.0.0.1:${port}\n`);
  expect(log).toContain('access forbidden by rule while initializing session, client: 127.0.0.1');
  expect(log).toContain('limiting connections, dry run, by zone "a" while initializing session, client: 127.0.0.1');
  expect(log).toMatch(/upstream server temporarily disabled while connecting to upstream, client/);
});

test('geo: ranges must come first', async () => {
  front.config(`geo $g { default 0; ranges; 127.0.0.0-127.0.0.1 1; } server { listen 127.0.0.1:${port}; return 200 $g; }`);
  await expect(front.start()).rejects.toThrow('the "ranges" directive must be the first directive inside "geo" block');
});
