/** Corner cases from nginx's own suite: the choice of a location without a path, names in redirects, lengths that are known late. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, utimesSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { connect as connectTls } from 'node:tls';
import { expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { back, front, frontForEach, get, headerOf, ours, port, raw, serveRaw, statusOf } from '../support/front.ts';

frontForEach();

test.skipIf(!ours)('CONNECT uses the location of the root', async () => {
  front.config(`server { listen 127.0.0.1:${port}; location / { if ($request_method = CONNECT) { tunnel_pass; break; } return 200 plain; } }
    server { listen 127.0.0.1:${back}; return 200 "through the tunnel"; }`);
  await front.start();
  expect(await get(port, '/')).toMatch(/plain$/);
  const target = `127.0.0.1:${back}`;
  expect(await raw(port, `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\nGET / HTTP/1.0\r\n\r\n`)).toMatch(
    / 200 .*through the tunnel$/s,
  );
});

test('a redirect to the name with a slash escapes characters that a URI may not contain', async () => {
  front.config(
    `absolute_redirect off; server { listen 127.0.0.1:${port}; location "/a <b>^{c}/" { proxy_pass http://127.0.0.1:${back}; } }`,
  );
  await front.start();
  expect(await get(port, '/a%20%3Cb%3E%5E%7Bc%7D?x=1')).toMatch(/ 301 .*Location: \/a%20%3Cb%3E%5E%7Bc%7D\/\?x=1\r/s);
});

test('$content_length of a chunked body has a value once the body is read, even if it was evaluated before', async () => {
  front.config(`server { listen 127.0.0.1:${port}; set $early "$content_length"; location / { proxy_pass http://127.0.0.1:${back}; proxy_set_header X-Length "$early|$content_length"; } }
    server { listen 127.0.0.1:${back}; return 200 "$http_x_length"; }`);
  await front.start();
  const answer = await raw(
    port,
    'POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
  );
  expect(answer).toMatch(/\|3$/);
});

test('a body of unknown length is read whole for a back end that needs its length first', async () => {
  front.config(`server { listen 127.0.0.1:${port}; location / { proxy_request_buffering off; proxy_http_version 1.0; proxy_pass http://127.0.0.1:${back}; } }
    server { listen 127.0.0.1:${back}; return 200 "$content_length;"; }`);
  await front.start();
  const answer = await raw(
    port,
    'POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
  );
  expect(answer).toMatch(/3;/);
});

const FASTCGI_ANSWER = Buffer.from('\x01\x06\0\x01\0\x0f\x01\0Status: 200\r\n\r\n\0\x01\x03\0\x01\0\x08\0\0\0\0\0\0\0\0\0\0', 'latin1');

test.each([
  [
    'proxy_pass http://127.0.0.1:BACK; proxy_http_version 1.1; proxy_request_buffering off',
    '3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n',
    'HTTP/1.0 200 OK\r\n\r\n',
  ],
  [
    'fastcgi_pass 127.0.0.1:BACK; fastcgi_request_buffering off',
    '\x01\x05\0\x01\0\x03\x05\0abc\0\0\0\0\0\x01\x05\0\x01\0\x02\x06\0de\0\0\0\0\0\0\x01\x05\0\x01\0\0\0\0',
    FASTCGI_ANSWER,
  ],
])('parts of an unbuffered body that arrive together, including the end, are sent together: %s', async (location, written, answer) => {
  const pieces: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      pieces.push(data.latin1Slice());
      if (pieces.slice(1).join('').length === written.length) socket.end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(back, '127.0.0.1', resolve));
  front.config(`server { listen 127.0.0.1:${port}; location / { ${location.replace('BACK', String(back))}; } }`);
  await front.start();
  const client = connect(port, '127.0.0.1', () =>
    client.write('POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n'),
  );
  await front.until(() => pieces.length > 0);
  client.write('3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n');
  let out = '';
  client.on('data', (data) => (out += data));
  await new Promise((resolve) => client.once('close', resolve));
  expect(statusOf(out)).toBe(200);
  expect(pieces.slice(1)).toEqual([written]);
  server.close();
});

test('a large response to a slow client is complete: its temporary file is kept until it is sent', async () => {
  front.write('big.bin', Buffer.alloc(3_000_000, 'abcdefgh'));
  front.config(`server { listen 127.0.0.1:${port}; location / { limit_rate 1500k; proxy_buffers 3 4k; proxy_pass http://127.0.0.1:${back}; } }
    server { listen 127.0.0.1:${back}; }`);
  await front.start();
  const answer = await get(port, '/big.bin');
  expect(answer.length - answer.indexOf('\r\n\r\n') - 4).toBe(3_000_000);
  expect(front.read('error.log')).toMatch(/buffered to a temporary file/);
});

test('a page with includes ends once, however slowly it is sent', async () => {
  front.write('large.bin', Buffer.alloc(12_000, 'x'));
  front.write('page.html', 'A<!--#include virtual="/large.bin" -->Z');
  front.config(`server { listen 127.0.0.1:${port}; location = /page.html { ssi on; } }`);
  await front.start();
  const answer = await raw(port, 'GET /page.html HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  expect(answer).toMatch(/xx\r\n1\r\nZ\r\n0\r\n\r\n$/);
});

test.skipIf(!ours)('an unrequested 101 is a head without a tunnel', async () => {
  const server = await serveRaw(back, (text, socket) => {
    if (text.includes('\r\n\r\n'))
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nother protocol');
  });
  front.config(`server { listen 127.0.0.1:${port}; location / { proxy_http_version 1.1; proxy_pass http://127.0.0.1:${back}; } }`);
  await front.start();
  expect(await raw(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(/^HTTP\/1\.1 101 [^\0]*\r\n\r\n$/);
  server.close();
});

test('open_log_file_cache keeps a log open from its second use on', async () => {
  mkdirSync(path.join(front.folder, 'logs'));
  front.config(`log_format uri '$uri'; open_log_file_cache max=2 min_uses=2 inactive=1h valid=1h;
    server { listen 127.0.0.1:${port}; access_log logs/$arg_log uri; location / { return 200; } location /none { root none; return 200; } }`);
  await front.start();
  for (const name of ['old', 'old', 'once', 'twice', 'twice', 'new', 'new']) await get(port, `/?log=${name}`);
  await get(port, '/none?log=none');
  renameSync(path.join(front.folder, 'logs'), path.join(front.folder, 'moved'));
  for (const name of ['old', 'once', 'twice', 'new']) await get(port, `/?log=${name}`);
  await front.stop();
  const lines = (name: string) => front.read(`moved/${name}`).trimEnd().split('\n').length;
  // two descriptors are kept, the most recently used ones
  expect([lines('old'), lines('once'), lines('twice'), lines('new')]).toEqual([2, 1, 3, 3]);
  expect(existsSync(path.join(front.folder, 'moved/none'))).toBe(false);
});

test('memcached: a connection that answered "not found" is reused', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on('error', () => {});
    socket.on('data', () => socket.write('END\r\n'));
  }).listen(back, '127.0.0.1');
  front.config(`upstream cache { server 127.0.0.1:${back}; keepalive 1; }
    server { listen 127.0.0.1:${port}; location / { set $memcached_key $uri; memcached_pass cache; }
      location /next { set $memcached_key $uri; memcached_next_upstream not_found; memcached_pass cache; } }`);
  await front.start();
  for (const uri of ['/', '/next', '/']) expect(await get(port, uri)).toMatch(/ 404 /);
  expect(connections).toBe(1);
  server.close();
});

test('cache_max_range_offset: all ranges that start at the limit or above are passed on', async () => {
  front.write('page.txt', 'SEE-THIS');
  const cached = (offset: number) => `proxy_pass http://127.0.0.1:${back}/page.txt; proxy_cache one; proxy_cache_key $uri$http_range;
    proxy_cache_valid 1m; proxy_cache_max_range_offset ${offset};`;
  front.config(`proxy_cache_path cache keys_zone=one:1m;
    server { listen 127.0.0.1:${port}; location /0 { ${cached(0)} } location /3 { ${cached(3)} } }
    server { listen 127.0.0.1:${back}; add_header X-Range $http_range; }`);
  await front.start();
  const passed = async (uri: string, ranges: string) => /X-Range: bytes=/.test(await get(port, uri, `Range: bytes=${ranges}\n`));
  expect(await passed('/0', '0-0')).toBe(true);
  const others = ours ? { '2-2,3-': true, '0-1, -1': true, '1-,0-1,4-': true } : {};
  for (const [ranges, expected] of Object.entries({ '2-': false, '3-': true, '-1': true, '0-1,2-2': false, ...others }))
    expect([ranges, await passed('/3', ranges)]).toEqual([ranges, expected]);
});

test.skipIf(!ours)('an unknown expectation is answered with 417', async () => {
  front.config(`server { listen 127.0.0.1:${port}; return 200 fine; }`);
  await front.start();
  const answer = async (version: string, expectation: string) =>
    statusOf(await raw(port, `GET / HTTP/${version}\r\nHost: a\r\nConnection: close\r\nExpect: ${expectation}\r\n\r\n`));
  expect(await answer('1.1', 'token=value')).toBe(417);
  expect(await answer('1.1', '100-Continue')).toBe(100);
  expect(await answer('1.1', '')).toBe(200);
  // expectations did not exist in HTTP/1.0
  expect(await answer('1.0', 'token=value')).toBe(200);
});

test.skipIf(!ours)('a reload does not read certificates again that are the same files', async () => {
  const file = path.join(front.folder, 'cert.pem');
  const made = (name: string) => {
    const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', `/CN=${name}`, '-keyout', '-', '-out', '-'];
    const { stdout, status } = spawnSync('openssl', args, { encoding: 'latin1' });
    expect(status).toBe(0);
    return stdout;
  };
  const [first, second] = [made('first'), made('second')];
  front.write('cert.pem', first);
  const { mtime } = statSync(file);
  for (const [inherit, name] of [
    ['on', 'first'],
    ['off', 'second'],
  ]) {
    front.write('cert.pem', first);
    utimesSync(file, mtime, mtime);
    front.config(
      `server { listen 127.0.0.1:${port} ssl; ssl_certificate cert.pem; ssl_certificate_key cert.pem; }`,
      `ssl_object_cache_inheritable ${inherit};`,
    );
    await front.start();
    front.write('cert.pem', second);
    utimesSync(file, mtime, mtime);
    front.signal('SIGHUP');
    await front.until(() => /exited with code/.test(front.read('error.log')));
    const subject = await new Promise<string>((resolve, reject) => {
      const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
        resolve(String(socket.getPeerCertificate().subject.CN));
        socket.destroy();
      });
      socket.on('error', reject);
    });
    expect(subject).toBe(name);
    await front.stop();
    front.write('error.log', '');
  }
});

test.skipIf(!ours)('sticky: a backup serves sessions only while it serves at all', async () => {
  const spare = await freePort();
  front.config(`upstream group { server 127.0.0.1:${back} max_fails=0; server 127.0.0.1:${spare} backup route=spare; sticky route $arg_route; }
    server { listen 127.0.0.1:${port}; location / { proxy_pass http://group; proxy_next_upstream http_500; } }
    server { listen 127.0.0.1:${back}; location / { return 200 first; } location /broken { return 500; } }
    server { listen 127.0.0.1:${spare}; return 200 spare; }`);
  await front.start();
  expect(await get(port, '/?route=spare')).toMatch(/first$/);
  expect(await get(port, '/broken?route=spare')).toMatch(/spare$/);
});

test('temporary files are in folders named by the last digits of their names', async () => {
  front.config(`client_body_in_file_only on; client_body_temp_path bodies 1 2;
    server { listen 127.0.0.1:${port}; location / { proxy_pass http://127.0.0.1:${back}; proxy_set_header X-File $request_body_file; } }
    server { listen 127.0.0.1:${back}; return 200 $http_x_file; }`);
  // the set-up names a folder of its own
  front.write('nginx.conf', front.read('nginx.conf').replace('client_body_temp_path body;', ''));
  await front.start();
  const answer = await raw(port, 'POST / HTTP/1.0\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc');
  const file = answer.slice(answer.indexOf('\r\n\r\n') + 4);
  expect(file).toMatch(/\/bodies\/(\d)\/(\d\d)\/\d+\2\1$/);
  expect(readFileSync(file, 'utf8')).toBe('abc');
});

test('a subrequest whose output is captured must fit its buffer', async () => {
  front.write('long.txt', 'x'.repeat(5000));
  front.write('page.html', '<!--#include virtual="/long.txt" set="text" -->[<!--#echo var="text" -->]');
  front.config(
    `server { listen 127.0.0.1:${port}; ssi on; location /wide/ { alias ${front.folder}/; subrequest_output_buffer_size 8k; } }`,
  );
  front.write('wide.html', '<!--#include virtual="/wide/long.txt" set="text" -->[<!--#echo var="text" -->]');
  await front.start();
  expect(await get(port, '/wide.html')).toMatch(/\[x{5000}\]$/);
  await get(port, '/page.html');
  expect(front.read('error.log')).toMatch(/too big subrequest response: 5000/);
});

test.skipIf(!ours)('early_hints: a 103 of the back end reaches HTTP/1.1 clients if the location allows it', async () => {
  const server = await serveRaw(back, (text, socket) => {
    if (!text.includes('\r\n\r\n')) return;
    socket.end(
      'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\nConnection: close\r\nX-Accel-Expires: 1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
    );
  });
  front.config(`server { listen 127.0.0.1:${port}; proxy_http_version 1.1;
    location / { early_hints $arg_hints; proxy_pass http://127.0.0.1:${back}; } }`);
  await front.start();
  const ask = (uri: string, version: string) => raw(port, `GET ${uri} HTTP/${version}\r\nHost: x\r\nConnection: close\r\n\r\n`);
  expect(await ask('/?hints=1', '1.1')).toMatch(
    /^HTTP\/1\.1 103 Early Hints\r\nLink: <\/a\.css>; rel=preload\r\n\r\nHTTP\/1\.1 200 OK\r\n.*\r\n\r\nok$/s,
  );
  for (const [uri, version] of [
    ['/?hints=1', '1.0'],
    ['/?hints=0', '1.1'],
    ['/', '1.1'],
  ])
    expect(await ask(uri, version)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*ok$/s);
  server.close();
});

test('modern_browser and ancient_browser recognize browsers', async () => {
  // at the level of http nginx accepts them without effect
  front.config(`server { listen 127.0.0.1:${port}; modern_browser msie 5.5; modern_browser gecko 1.0.0; modern_browser opera 9.0; modern_browser safari 413; modern_browser konqueror 3.0;
    ancient_browser netscape4 Links; modern_browser_value new; ancient_browser_value old;
    location / { return 200 "$modern_browser|$ancient_browser|$msie"; }
      location /others { modern_browser unlisted; modern_browser msie 5.5; return 200 "$modern_browser|$ancient_browser"; } }`);
  await front.start();
  const ages = async (uri: string, agents: string[]) => {
    const out: string[] = [];
    for (const agent of agents) out.push((await get(port, uri, agent && `User-Agent: ${agent}\n`)).split('\r\n\r\n')[1]);
    return out;
  };
  expect(
    await ages('/', [
      'Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1)',
      'Mozilla/4.0 (compatible; MSIE 5.0; Windows 98)',
      'Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1) Opera 7.54',
      'Opera/9.80 (X11)',
      'Mozilla/5.0 (X11; U; Linux; rv:1.8.1) Gecko/20061010 Firefox/2.0',
      'Mozilla/5.0 (X11; rv:0.9.4) Gecko',
      'Mozilla/5.0 (Macintosh) AppleWebKit/523.10 (KHTML) Version/3.0.4 Safari/523.10',
      'Mozilla/5.0 (compatible; Konqueror/2.2; Linux)',
      'Mozilla/4.8 [en] (X11)',
      'Links (2.1)',
      'unknown',
      '',
    ]),
  ).toEqual([...['new||1', '|old|1', '|old|', 'new||', 'new||', '|old|'], ...['new||', '|old|', '|old|', '|old|', '|old|', '|old|']]);
  expect(await ages('/others', ['unknown', '', 'Links (2.1)', 'Mozilla/4.0 (compatible; MSIE 5.0; x)'])).toEqual([
    'new|',
    'new|',
    '|old',
    '|old',
  ]);
});

test('an entity tag becomes weak if the body is changed, and is removed if it is invalid', async () => {
  const server = await serveRaw(back, (text, socket) => {
    const tag = /^GET \/\w+\/(\S+) /.exec(text)![1];
    socket.end(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nETag: ${tag}\r\n\r\n${'page '.repeat(100)}`);
  });
  const filters = { sub: 'sub_filter page X; sub_filter_last_modified on;', gzip: 'gzip on;', ssi: 'ssi on; ssi_last_modified on;' };
  const locations = Object.entries(filters).map(([name, text]) => `location /${name}/ { proxy_pass http://127.0.0.1:${back}; ${text} }`);
  front.config(`gzip_http_version 1.0; gzip_proxied any; server { listen 127.0.0.1:${port}; ${locations.join(' ')} }`);
  await front.start();
  const tagOf = async (uri: string) => headerOf(await get(port, uri, 'Accept-Encoding: gzip\n'), 'ETag');
  for (const name of Object.keys(filters)) {
    expect(await tagOf(`/${name}/"a"`)).toBe('W/"a"');
    expect(await tagOf(`/${name}/W/"a"`)).toBe('W/"a"');
    expect(await tagOf(`/${name}/bare`)).toBeUndefined();
  }
  server.close();
});
