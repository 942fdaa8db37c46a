/** Real back ends where they are installed: php-fpm by FastCGI, uwsgi with Python, memcached. Debian: php-fpm, uwsgi-plugin-python3, memcached. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { bodyOf, Front, get, headerOf, raw, statusOf } from '../support/front.ts';

const found = (folder: string, name: RegExp) => {
  try {
    return readdirSync(folder)
      .filter((file) => name.test(file))
      .map((file) => path.join(folder, file))[0];
  } catch {
    return undefined;
  }
};
const php = found('/usr/sbin', /^php-fpm[\d.]*$/);
const uwsgi = found('/usr/bin', /^uwsgi(-core)?$/) && found('/usr/lib/uwsgi/plugins', /^python3/) ? '/usr/bin/uwsgi' : undefined;
const memcached = found('/usr/bin', /^memcached$/);

const front = new Front();
const children: ChildProcess[] = [];
let port = 0;
let cachePort = 0;

async function listening(at: number): Promise<void> {
  for (;;) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(at, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.on('error', () => resolve(false));
    });
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const start = (command: string, args: string[]) => children.push(spawn(command, args, { stdio: 'ignore', cwd: front.folder }));

beforeAll(async () => {
  port = await freePort();
  const [phpPort, uwsgiPort] = [await freePort(), await freePort()];
  cachePort = await freePort();
  chmodSync(front.folder, 0o755);
  front.write(
    'info.php',
    `<?php header('X-Php: yes'); header('Set-Cookie: a=b'); if (isset($_GET['status'])) http_response_code((int) $_GET['status']);
     if (isset($_GET['big'])) { echo str_repeat('b', 300000); exit; } if (isset($_GET['die'])) { error_log('php fell over'); }
     echo $_SERVER['REQUEST_METHOD'], ' ', $_SERVER['PATH_INFO'] ?? '', ' ', $_SERVER['QUERY_STRING'], ' ', strlen(file_get_contents('php://input'));`,
  );
  front.write(
    'app.py',
    `def application(env, start):
    body = env['wsgi.input'].read()
    start('418 Teapot' if env['PATH_INFO'].endswith('tea') else '200 OK', [('Content-Type', 'text/plain'), ('X-Wsgi', 'yes')])
    return [('%s %s %s %d %s' % (env['REQUEST_METHOD'], env['PATH_INFO'], env['QUERY_STRING'], len(body), env.get('HTTP_X_A', '-'))).encode()]
`,
  );
  if (php) {
    front.write(
      'fpm.conf',
      `[global]\nerror_log = ${front.folder}/fpm.log\ndaemonize = no\n[www]\nlisten = 127.0.0.1:${phpPort}\npm = static\npm.max_children = 2\n${process.getuid?.() === 0 ? 'user = nobody\ngroup = nogroup\n' : ''}`,
    );
    start(php, ['-y', path.join(front.folder, 'fpm.conf'), '-n', '-F']);
    await listening(phpPort);
  }
  if (uwsgi) {
    start(uwsgi, ['--plugin', 'python3', '--socket', `127.0.0.1:${uwsgiPort}`, '--wsgi-file', 'app.py', '--master', '--die-on-term']);
    await listening(uwsgiPort);
  }
  if (memcached) {
    start(memcached, ['-l', '127.0.0.1', '-p', String(cachePort), '-U', '0', ...(process.getuid?.() === 0 ? ['-u', 'nobody'] : [])]);
    await listening(cachePort);
  }
  const params = `fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name; fastcgi_param SCRIPT_NAME $fastcgi_script_name; fastcgi_param REQUEST_METHOD $request_method;
    fastcgi_param QUERY_STRING $args; fastcgi_param CONTENT_TYPE $content_type; fastcgi_param CONTENT_LENGTH $content_length; fastcgi_param PATH_INFO $fastcgi_path_info;`;
  front.config(`
    fastcgi_cache_path fcache keys_zone=f:1m;
    upstream fpm { server 127.0.0.1:${phpPort}; keepalive 2; }
    upstream cache { server 127.0.0.1:${cachePort}; keepalive 1; }
    server { listen 127.0.0.1:${port}; ${params}
      location ~ ^(.+\\.php)(/.*)?$ { fastcgi_split_path_info ^(.+\\.php)(/.*)$; fastcgi_keep_conn on; fastcgi_pass fpm; }
      location /cached/ { rewrite ^/cached(/.*)$ $1 break; fastcgi_param SCRIPT_FILENAME $document_root/info.php; fastcgi_param REQUEST_METHOD $request_method; fastcgi_param QUERY_STRING $args;
        fastcgi_cache f; fastcgi_cache_key $request_uri; fastcgi_cache_valid 1h; fastcgi_ignore_headers Set-Cookie; add_header X-Cache $upstream_cache_status; fastcgi_pass 127.0.0.1:${phpPort}; }
      location /wsgi { uwsgi_pass 127.0.0.1:${uwsgiPort}; uwsgi_param REQUEST_METHOD $request_method; uwsgi_param PATH_INFO $uri; uwsgi_param QUERY_STRING $args; uwsgi_param CONTENT_LENGTH $content_length;
        uwsgi_param SERVER_PROTOCOL $server_protocol; uwsgi_param SERVER_NAME localhost; uwsgi_param SERVER_PORT 80; uwsgi_param REQUEST_URI $request_uri; }
      location /mc/ { set $memcached_key "$uri"; memcached_pass cache; memcached_gzip_flag 2; gunzip on; gzip_http_version 1.0; default_type text/plain; error_page 404 = @missing; }
      location @missing { return 200 "not cached"; }
    }`);
  await front.start();
});
afterAll(async () => {
  await front.dispose();
  await Promise.all(
    children.map(
      (child) =>
        new Promise((resolve) => {
          if (child.exitCode !== null) resolve(0);
          child.once('exit', resolve);
          child.kill('SIGTERM');
        }),
    ),
  );
});

const post = (uri: string, body: string, fields = '') =>
  raw(port, `POST ${uri} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${fields}Content-Length: ${body.length}\r\n\r\n${body}`);

describe('real back ends', () => {
  describe.skipIf(!php)('php-fpm', () => {
    test('passes methods, path info, bodies and statuses, and keeps connections', async () => {
      const reply = await get(port, '/info.php/path/x?q=1');
      expect(bodyOf(reply)).toBe('GET /path/x q=1 0');
      expect(headerOf(reply, 'X-Php')).toBe('yes');
      for (let n = 0; n < 3; n++) expect(bodyOf(await post('/info.php', 'x'.repeat(40_000)))).toMatch(/POST {3}40000/);
      expect(bodyOf(await post('/info.php', '3\r\nabc\r\n0\r\n\r\n', 'Transfer-Encoding: chunked\r\n'))).not.toContain('abc');
      expect(statusOf(await get(port, '/info.php?status=503'))).toBe(503);
      expect(bodyOf(await get(port, '/info.php?big=1'))).toBe('b'.repeat(300_000));
      expect(statusOf(await get(port, '/none.php'))).toBe(404);
      expect(bodyOf(await raw(port, 'HEAD /info.php HTTP/1.0\r\n\r\n'))).toBe('');
    });

    test('lines of the error log of PHP appear in ours', async () => {
      await get(port, '/info.php?die=1');
      expect(front.read('error.log')).toMatch(/\[error\].*FastCGI sent in stderr: "PHP message: php fell over/);
    });

    test('caches responses', async () => {
      expect(headerOf(await get(port, '/cached/a?big=1'), 'X-Cache')).toBe('MISS');
      const reply = await get(port, '/cached/a?big=1');
      expect(headerOf(reply, 'X-Cache')).toBe('HIT');
      expect(bodyOf(reply)).toHaveLength(300_000);
    });
  });

  test.skipIf(!uwsgi)('uwsgi: passes methods, fields, bodies and statuses', async () => {
    const reply = await get(port, '/wsgi/a?b=c', 'X-A: field\n');
    expect(bodyOf(reply)).toBe('GET /wsgi/a b=c 0 field');
    expect(headerOf(reply, 'X-Wsgi')).toBe('yes');
    expect(bodyOf(await post('/wsgi', 'y'.repeat(30_000)))).toMatch(/POST \/wsgi {2}30000 -/);
    expect(statusOf(await get(port, '/wsgi/tea'))).toBe(418);
  });

  test.skipIf(!memcached)('memcached: returns values, decodes gzip by flag, and reports missing keys', async () => {
    const packed = gzipSync('packed value');
    await new Promise<void>((resolve) => {
      const socket = connect(cachePort, '127.0.0.1');
      let stored = '';
      socket.on('data', (data) => {
        stored += data;
        if ((stored.match(/STORED/g) ?? []).length === 2) socket.end(() => resolve());
      });
      socket.write('set /mc/a 0 0 5\r\nvalue\r\n');
      socket.write(Buffer.concat([Buffer.from(`set /mc/gz 2 0 ${packed.length}\r\n`), packed, Buffer.from('\r\n')]));
    });
    for (let n = 0; n < 3; n++) expect(bodyOf(await get(port, '/mc/a'))).toBe('value');
    expect(bodyOf(await get(port, '/mc/gz'))).toBe('packed value');
    expect(headerOf(await get(port, '/mc/gz', 'Accept-Encoding: gzip\n'), 'Content-Encoding')).toBe('gzip');
    expect(bodyOf(await get(port, '/mc/none'))).toBe('not cached');
  });
});
