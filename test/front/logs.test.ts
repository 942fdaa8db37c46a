/** Destinations and contents of log lines: formats, conditions, buffers, syslog, the ring in memory, debugging of one client, reopening. */
import { createSocket, type Socket } from 'node:dgram';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { Front, get, ours, raw } from '../support/front.ts';

const front = new Front();
let port = 0;
let syslog: Socket;
const packets: string[] = [];

beforeAll(async () => {
  port = await freePort();
  syslog = createSocket('udp4');
  syslog.on('message', (message) => packets.push(message.toString('latin1')));
  const syslogPort = await new Promise<number>((resolve) => syslog.bind(0, '127.0.0.1', () => resolve(syslog.address().port)));
  const server = `syslog:server=127.0.0.1:${syslogPort}`;
  front.config(
    `
    log_format plain '$request_method "$http_user_agent" "$arg_x" $http_none';
    log_format json escape=json '{"a":"$http_user_agent","none":"$http_none"}';
    log_format bare escape=none '$http_user_agent|$http_none';
    ${ours ? 'log_format w3c escape=w3c date time c-ip cs-method cs-uri-stem cs-uri-query sc-status cs(User-Agent);' : 'log_format w3c x;'}
    map $arg_log $wanted { default 0; yes 1; }
    server { listen 127.0.0.1:${port};
      location / { return 200 ok; }
      location /formats { access_log plain.log plain; access_log json.log json; access_log bare.log bare; }
      location /if { access_log if.log plain if=$wanted; }
      location /buffer { access_log buffer.log plain buffer=32k; }
      location /gzip { access_log gzip.log plain gzip flush=1h; }
      location /path { access_log path-$arg_x.log plain; }
      location /off { access_log off; }
      location /w3c { access_log w3c.log w3c; }
      location /syslog { access_log ${server},facility=local3,severity=notice,tag=front plain; access_log ${server},nohostname plain; }
      location /errors { error_log errors.log warn; error_log ${server},tag=err error; error_log all.log info; root /nonexistent; try_files $uri =404; }
      location /missing { error_log missing.log error; error_log ${server},tag=missing error; alias ${front.folder}/none; }
      location /quiet { log_not_found off; error_log quiet.log; alias ${front.folder}/none; }
    }
    server { listen 127.0.0.2:${port}; return 200 ok; }
    ${ours ? `server { listen 127.0.0.3:${port}; location / { api; } }` : ''}`
      .replaceAll('return 200 ok; location', 'location')
      .replace('return 200 ok;\n      location', 'location / { return 200 ok; }\n      location'),
    `error_log memory:4k debug; events { debug_connection 127.0.0.2; }`,
  );
  front.write('formats', 'x');
  for (const name of ['formats', 'if', 'buffer', 'gzip', 'path', 'off', 'w3c', 'syslog']) front.write(name, 'x');
  await front.start();
});
afterAll(async () => {
  syslog.close();
  await front.dispose();
});

const lines = (name: string) => front.read(name).trimEnd().split('\n');
const agent = (text: string) => `User-Agent: ${text}\n`;

describe('logs', () => {
  test('formats escape as configured', async () => {
    await get(port, '/formats?x=1', agent('a"b\\c\xe9\td'));
    expect(lines('plain.log')).toEqual(['GET "a\\x22b\\x5Cc\\xE9\\x09d" "1" -']);
    expect(front.read('json.log')).toBe('{"a":"a\\"b\\\\c\xe9\\td","none":""}\n');
    expect(front.read('bare.log')).toBe('a"b\\c\xe9\td|\n');
  });

  test('supports conditions, off, and variables in the path', async () => {
    await get(port, '/if?x=no');
    await get(port, '/if?x=yes&log=yes');
    expect(lines('if.log')).toEqual(['GET "-" "yes" -']);
    await get(port, '/path?x=a');
    await get(port, '/path?x=b');
    expect(lines('path-a.log')).toEqual(['GET "-" "a" -']);
    expect(lines('path-b.log')).toEqual(['GET "-" "b" -']);
    await get(port, '/off');
    expect(front.read('access.log')).not.toContain('/off');
  });

  test.skipIf(!ours)('writes the W3C extended format', async () => {
    await get(port, '/w3c?q=a%20b', agent('my agent'));
    await get(port, '/w3c');
    const [version, date, fields, first, second] = lines('w3c.log');
    expect(version).toBe('#Version: 1.0');
    expect(date).toMatch(/^#Date: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    expect(fields).toBe('#Fields: date time c-ip cs-method cs-uri-stem cs-uri-query sc-status cs(User-Agent)');
    expect(first).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d 127\.0\.0\.1 GET \/w3c q=a%20b 200 my\+agent$/);
    expect(second).toMatch(/ GET \/w3c - 200 -$/);
  });

  test('syslog lines have priority, host and tag; each error is sent once to each target', async () => {
    await get(port, '/syslog', agent('udp'));
    await front.until(() => packets.length >= 2);
    expect(packets.find((p) => p.includes('front:'))).toMatch(/^<157>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ front: GET "udp" "-" -$/);
    expect(packets.find((p) => p.includes('nginx:'))).toMatch(/^<190>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d nginx: GET/);
    await get(port, '/missing');
    await front.until(() => packets.some((p) => p.includes('missing:')));
    expect(packets.find((p) => p.includes('missing:'))).toMatch(
      /^<187>.* missing: \d{4}\/\d\d\/\d\d .*\[error\] .*open\(\) ".*none" failed \(2: No such file or directory\)/,
    );
    expect(lines('missing.log')).toHaveLength(1);
    await get(port, '/quiet');
    expect(front.read('quiet.log')).toBe('');
  });

  test('only the debugged address is logged at the debug level', async () => {
    await new Promise<void>((resolve) => {
      const client = connect({ port, host: '127.0.0.2', localAddress: '127.0.0.2' });
      client.on('data', () => {}).on('close', () => resolve());
      client.end('GET / HTTP/1.0\r\n\r\n');
    });
    await raw(port, 'GET /formats HTTP/1.0\r\n\r\n');
    const debug = lines('error.log').filter((line) => line.includes('[debug]'));
    expect(debug.length).toBeGreaterThan(0);
    const connection = /accept: 127\.0\.0\.1/;
    expect(debug.filter((line) => connection.test(line))).toEqual([]);
  });

  test.skipIf(!ours)('the ring in memory keeps the newest lines for the api', async () => {
    for (let n = 0; n < 60; n++) await get(port, `/missing?n=${n}`);
    const answer = await fetch(`http://127.0.0.3:${port}/log`).then((res) => res.text());
    expect(answer.length).toBeLessThanOrEqual(4096);
    expect(answer).toMatch(/\[notice\]|\[debug\]|\[info\]/);
  });

  test('buffers are written on reopening, and later lines go to the new file', async () => {
    await get(port, '/buffer?x=1');
    await get(port, '/gzip?x=1');
    expect(front.read('buffer.log')).toBe('');
    for (const name of ['buffer.log', 'access.log']) renameSync(path.join(front.folder, name), path.join(front.folder, `${name}.0`));
    front.signal('SIGUSR1');
    await front.until(() => {
      try {
        return front.read('buffer.log') === '' && front.read('access.log') === '';
      } catch {
        return false;
      }
    });
    await front.until(() => front.read('buffer.log.0').length > 0);
    expect(lines('buffer.log.0')).toEqual(['GET "-" "1" -']);
    await get(port, '/after');
    await front.until(() => front.read('access.log').includes('/after'));
    expect(front.read('access.log.0')).not.toContain('/after');
    await front.stop();
    expect(gunzipSync(Buffer.from(front.read('gzip.log'), 'latin1')).toString()).toBe('GET "-" "1" -\n');
  });
});

test('$sent_http_keep_alive is the field of the response while it is sent, and has no value in a log', async () => {
  const own = new Front();
  const at = await freePort();
  own.config(`log_format kept "$sent_http_connection|$sent_http_keep_alive"; server { listen 127.0.0.1:${at};
    access_log kept.log kept; keepalive_timeout 60 9; location / { return 200 "$sent_http_connection|$sent_http_keep_alive;"; }
    location /log { return 200; } location /plain { keepalive_timeout 60; return 200 "$sent_http_connection|$sent_http_keep_alive;"; } }`);
  await own.start();
  const ask = (uri: string, more = '') => `GET ${uri} HTTP/1.1\nHost: a\n${more}\n`;
  const answer = await raw(at, ask('/') + ask('/plain') + ask('/log') + ask('/', 'Connection: close\n'));
  await own.stop();
  expect(answer.match(/[a-z-]+\|.*(?=;)/g)).toEqual(['keep-alive|timeout=9', 'keep-alive|timeout=9', 'close|']);
  // a location that gives no second argument keeps the outer one; the log has values that were used before
  expect(own.read('kept.log')).toBe('keep-alive|timeout=9\nkeep-alive|timeout=9\nclose|-\nclose|-\n');
  await own.dispose();
});

test('the default log is written only if a server has no access_log', async () => {
  const own = new Front();
  const [first, second] = [await freePort(), await freePort()];
  const conf = (more: string): string =>
    `user root; pid nginx.pid; daemon off; error_log error.log; events {} http { server { listen 127.0.0.1:${first}; access_log own.log; return 200; } ${more} }`;
  mkdirSync(path.join(own.folder, 'logs'));
  const defaultLog = path.join(own.folder, 'logs/access.log');
  own.write('nginx.conf', conf(''));
  await own.start();
  await get(first, '/first');
  await own.stop();
  expect(existsSync(defaultLog)).toBe(false);
  own.write(
    'nginx.conf',
    conf(`server { listen 127.0.0.1:${second}; location / { return 200; } location /off { access_log off; return 200; } }`),
  );
  await own.start();
  await get(second, '/second');
  await get(second, '/off');
  await own.stop();
  expect(readFileSync(defaultLog, 'utf8')).toMatch(/^127\.0\.0\.1 - - \[.*\] "GET \/second HTTP\/1\.0" 200 0 "-" "-"\n$/);
  await own.dispose();
});
