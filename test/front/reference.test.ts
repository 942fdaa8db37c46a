/** Less common directives of nginx's reference: conditions of upstreams, key logs, zones of counts, steps before and after a request. */
import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { existsSync } from 'node:fs';
import { connect, type Server } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { createGunzip, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { back, bodyOf, front, frontForEach, get, headerOf, ours, port, raw, serveRaw, statusOf } from '../support/front.ts';
import { makeMovie } from '../support/movie.ts';

frontForEach();

/** A back end that answers each request with `text`, a string or a function of the request. */
const serveHttp = (answer: string | ((request: string) => string), at = back): Promise<Server> =>
  serveRaw(at, (text, socket) => {
    if (!text.includes('\r\n\r\n')) return;
    const body = typeof answer === 'string' ? answer : answer(text);
    socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  });
const close = (server: Server) => new Promise<void>((resolve) => server.close(() => resolve()));

/** A self-signed certificate for localhost in the folder of the front. */
function makeCertificate(): void {
  const words = 'req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost'.split(' ');
  execFileSync('openssl', words, { cwd: front.folder, stdio: 'ignore' });
}

describe('requests to back ends', () => {
  test.skipIf(!ours)('allow_upstream depends on the chosen peer', async () => {
    const server = await serveHttp('back');
    front.config(`geo $upstream_last_addr $near { volatile; default 0; 127.0.0.0/8 1; }
      map $upstream_last_addr $fits { volatile; default 0; 127.0.0.1:${back} 1; }
      upstream two { server 127.0.0.1:1 max_fails=0; server 127.0.0.1:${back} backup; }
      server { listen 127.0.0.1:${port};
        location / { proxy_pass http://127.0.0.1:${back}; proxy_allow_upstream $fits; }
        location /no { proxy_pass http://127.0.0.1:${back}; proxy_allow_upstream $fits $arg_key; }
        location /next { proxy_pass http://two; proxy_allow_upstream $fits; proxy_next_upstream denied; add_header X-Status $upstream_status; }
        location /zero { proxy_pass http://127.0.0.1:${back}; proxy_allow_upstream 0; }
      }`);
    await front.start();
    expect(bodyOf(await get(port, '/'))).toBe('back');
    expect(statusOf(await get(port, '/no'))).toBe(403);
    expect(statusOf(await get(port, '/no?key=1'))).toBe(200);
    expect(headerOf(await get(port, '/next'), 'X-Status')).toBe('403, 200');
    expect(statusOf(await get(port, '/zero'))).toBe(403);
    expect(front.read('error.log')).toContain('access to upstream is denied while connecting to upstream');
    await close(server);
  });

  test('the head of a request is made before a peer is chosen', async () => {
    const server = await serveHttp((text) => /^X-Peer: (.*)\r$/m.exec(text)?.[1] ?? 'none');
    front.config(`server { listen 127.0.0.1:${port};
      location / { proxy_pass http://127.0.0.1:${back}; proxy_set_header X-Peer "[$upstream_addr]"; } }`);
    await front.start();
    expect(bodyOf(await get(port, '/'))).toBe('[]');
    await close(server);
  });

  test.skipIf(!ours)('request_dynamic creates it again for each peer', async () => {
    const server = await serveHttp((text) => /^Host: (.*)\r$/m.exec(text)?.[1] ?? 'none');
    front.config(`upstream two { server localhost:1; server 127.0.0.1:${back} backup; }
      server { listen 127.0.0.1:${port};
        location / { proxy_pass http://two; proxy_request_dynamic on; proxy_set_header Host $upstream_last_server_name; } }`);
    await front.start();
    expect(bodyOf(await get(port, '/'))).toBe('127.0.0.1');
    await close(server);
  });

  test('uwsgi_string follows the parameters', async () => {
    let seen = '';
    const server = await serveRaw(back, (text, socket) => {
      seen = text;
      socket.end('Status: 200 OK\r\n\r\nok');
    });
    front.config(`server { listen 127.0.0.1:${port};
      location / { uwsgi_pass 127.0.0.1:${back}; uwsgi_param A B; uwsgi_string "the end"; uwsgi_pass_request_headers off; } }`);
    await front.start();
    expect(statusOf(await get(port, '/'))).toBe(200);
    expect(seen).toMatch(/^\0(.)\0\0.*\x01\0A\x01\0B.*the end$/s);
    expect(seen.charCodeAt(1)).toBe(seen.length - 4);
    await close(server);
  });

  test.skipIf(!ours)('ntlm: a client that authenticates keeps its connection to a peer', async () => {
    let connections = 0;
    const ids = new Map<unknown, number>();
    const answered = new Map<unknown, number>();
    const server = await serveRaw(back, (text, socket) => {
      if (!ids.has(socket)) ids.set(socket, ++connections);
      const requests = text.split('\r\n\r\n').length - 1;
      for (let n = answered.get(socket) ?? 0; n < requests; n++)
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n${ids.get(socket)}`);
      answered.set(socket, requests);
    });
    front.config(`upstream one { server 127.0.0.1:${back}; keepalive 8; ntlm; }
      server { listen 127.0.0.1:${port}; location / { proxy_pass http://one; proxy_http_version 1.1; proxy_set_header Connection ""; } }`);
    await front.start();
    const client = (authorization: string) => {
      const socket = connect(port, '127.0.0.1');
      let text = '';
      socket.on('data', (data) => (text += data));
      const ask = async (headers: string): Promise<string> => {
        text = '';
        socket.write(`GET / HTTP/1.1\r\nHost: a\r\n${headers}\r\n`);
        await front.until(() => /\r\n\r\n(\d)$/.test(text));
        return /\r\n\r\n(\d)$/.exec(text)![1];
      };
      return { first: () => ask(authorization), ask: () => ask(''), end: () => socket.destroy() };
    };
    const [a, b, plain] = [client('Authorization: NTLM abc\r\n'), client('Authorization: Negotiate abc\r\n'), client('')];
    const ofA = await a.first();
    const ofB = await b.first();
    expect(ofA).not.toBe(ofB);
    expect(await a.ask()).toBe(ofA);
    expect(await b.ask()).toBe(ofB);
    expect([ofA, ofB]).not.toContain(await plain.first());
    expect(await a.ask()).toBe(ofA);
    for (const one of [a, b, plain]) one.end();
    await front.stop();
    await close(server);
  });

  test.skipIf(!ours)('state keeps the changes of the api', async () => {
    const server = await serveHttp('back');
    front.config(`upstream kept { zone kept 64k; state servers.conf; }
      server { listen 127.0.0.1:${port}; location / { proxy_pass http://kept; } location /api/ { api write=on; } }`);
    await front.start();
    expect(statusOf(await get(port, '/'))).toBe(502);
    const post = (method: string, uri: string, body: string) =>
      raw(port, `${method} ${uri} HTTP/1.0\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    expect(statusOf(await post('POST', '/api/upstreams/kept/servers', `{"server":"127.0.0.1:${back}","weight":3}`))).toBe(201);
    expect(front.read('servers.conf')).toBe(`server 127.0.0.1:${back} weight=3;\n`);
    await front.stop();
    await front.start();
    expect(bodyOf(await get(port, '/'))).toBe('back');
    const [peer] = JSON.parse(bodyOf(await get(port, '/api/upstreams/kept/servers')));
    expect(peer.weight).toBe(3);
    expect(statusOf(await post('PATCH', `/api/upstreams/kept/servers/${peer.id}`, '{"down":true}'))).toBe(200);
    expect(front.read('servers.conf')).toBe(`server 127.0.0.1:${back} weight=3 down;\n`);
    await close(server);
  });
});

describe('before and after a request', () => {
  test.skipIf(!ours)('client_body_early_read: the body has been read when a location is chosen', async () => {
    front.config(`map $http_content_type $is_text { text/plain 1; }
      server { listen 127.0.0.1:${port}; client_body_early_read $is_text; client_max_body_size 10; return 200 "[$request_body]"; }`);
    await front.start();
    const post = (type: string, body: string) =>
      raw(port, `POST / HTTP/1.0\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    expect(bodyOf(await post('text/plain', 'some text'))).toBe('[some text]');
    expect(bodyOf(await post('text/html', 'some text'))).toBe('[]');
    expect(statusOf(await post('text/plain', 'much more text'))).toBe(413);
  });

  test('post_action runs after the response has been sent', async () => {
    const seen: string[] = [];
    const server = await serveHttp((text) => {
      seen.push(/^\S+ (\S+)/.exec(text)![1]);
      return 'not for the client';
    });
    front.config(`server { listen 127.0.0.1:${port};
      location / { return 200 answer; post_action /after; }
      location /named { return 200 answer; post_action @after; }
      location /none { return 200 answer; }
      location = /after { internal; proxy_pass http://127.0.0.1:${back}/done?$request_completion; }
      location @after { proxy_pass http://127.0.0.1:${back}; } }`);
    await front.start();
    expect(bodyOf(await get(port, '/x'))).toBe('answer');
    await expect.poll(() => seen).toEqual([expect.stringMatching(/^\/done/)]);
    expect(bodyOf(await get(port, '/named/x?y=1'))).toBe('answer');
    await expect.poll(() => seen.slice(1)).toEqual(['/named/x?y=1']);
    expect(bodyOf(await get(port, '/none'))).toBe('answer');
    expect(seen).toHaveLength(2);
    await close(server);
  });

  test.skipIf(!ours)('error_log_tag adds to log lines', async () => {
    front.config(
      `server { listen 127.0.0.1:${port}; error_log_tag word $arg_word; location / { } location /own { error_log_tag a b; error_log_tag c $uri; } }`,
    );
    await front.start();
    await get(port, '/missing?word=here');
    await get(port, '/own/missing');
    expect(front.read('error.log')).toMatch(/\/missing" failed .* word: "here"$/m);
    expect(front.read('error.log')).toMatch(/\/own\/missing" failed .* host: "localhost", a: "b", c: "\/own\/missing"$/m);
  });

  test('secure_link_secret may be set above locations', async () => {
    front.config(`secure_link_secret word; server { listen 127.0.0.1:${port}; location /p/ { return 200 "[$secure_link]"; } }`);
    await front.start();
    // md5('linkword')
    const { createHash } = await import('node:crypto');
    const hash = createHash('md5').update('linkword').digest('hex');
    expect(bodyOf(await get(port, `/p/${hash}/link`))).toBe('[link]');
    expect(bodyOf(await get(port, `/p/${hash}/other`))).toBe('[]');
  });
});

describe('compression and films', () => {
  test('gzip_window bounds how far back a compressed body refers', async () => {
    // a repeat 3000 bytes back is compressed only by a window of that size
    let seed = 1;
    const block = Array.from({ length: 3000 }, () => String.fromCharCode(33 + ((seed = (seed * 48_271) % 0x7fffffff) % 80))).join('');
    front.write('page.html', block.repeat(20));
    const server = (name: string, text: string) => `location ${name} { alias ${front.folder}/page.html; default_type text/html; ${text} }`;
    front.config(
      `gzip on; gzip_http_version 1.0; server { listen 127.0.0.1:${port}; ${server('/wide', '')} ${server('/narrow', 'gzip_window 512; gzip_hash 512;')} }`,
    );
    await front.start();
    const ask = async (uri: string) => Buffer.from(bodyOf(await get(port, uri, 'Accept-Encoding: gzip\n')), 'latin1');
    const wide = await ask('/wide');
    const narrow = await ask('/narrow');
    expect(gunzipSync(wide).toString()).toBe(block.repeat(20));
    expect(gunzipSync(narrow).toString()).toBe(block.repeat(20));
    const readsBy = (body: Buffer, windowBits: number) =>
      new Promise<boolean>((resolve) => {
        // data within one flush can be referred to whatever the window
        const out = createGunzip({ windowBits, chunkSize: 64 });
        out.on('error', () => resolve(false));
        out.on('end', () => resolve(true));
        out.resume();
        out.end(body);
      });
    expect(await readsBy(narrow, 9)).toBe(true);
    expect(await readsBy(wide, 9)).toBe(false);
  });

  test.skipIf(!ours)('mp4_limit_rate limits by the rate of the film', async () => {
    // 60 seconds of 15 samples, 1 KB each: about 15 KB a second
    front.write('film.mp4', makeMovie({ samples: 900, sizeOf: () => 1024 }));
    front.config(`server { listen 127.0.0.1:${port};
      location / { mp4; mp4_limit_rate 2; mp4_limit_rate_after 10s; }
      location /free/ { alias ${front.folder}/; mp4; } }`);
    await front.start();
    /** Reads until this many bytes have arrived, or all of them. */
    const read = (uri: string, most: number) =>
      new Promise<{ bytes: number; tookMs: number }>((resolve, reject) => {
        let bytes = 0;
        const start = performance.now();
        const socket = connect(port, '127.0.0.1', () => socket.write(`GET ${uri} HTTP/1.0\r\nHost: a\r\n\r\n`));
        const done = () => {
          socket.destroy();
          resolve({ bytes, tookMs: performance.now() - start });
        };
        socket.on('data', (data) => {
          bytes += data.length;
          if (bytes >= most) done();
        });
        socket.once('end', done).once('error', reject);
      });
    expect((await read('/free/film.mp4', 2 ** 30)).bytes).toBeGreaterThan(900 * 1024);
    // Ten seconds of the film arrive at once, the rest at twice its speed; it is sent in steps, and each may be some seconds long.
    const { bytes, tookMs } = await read('/film.mp4', 9 * 15 * 1024);
    expect(bytes).toBeGreaterThanOrEqual(9 * 15 * 1024);
    expect(bytes).toBeLessThan((30 + (2 * tookMs) / 1000) * 15 * 1024);
  });
});

describe('secrets of TLS', () => {
  test.skipIf(!ours || !existsSync('/usr/bin/openssl'))('writes key logs of clients and of back ends', async () => {
    makeCertificate();
    front.config(`server { listen 127.0.0.1:${back} ssl; ssl_certificate cert.pem; ssl_certificate_key key.pem; ssl_key_log clients.log; return 200 secret; }
      server { listen 127.0.0.1:${port}; location / { proxy_pass https://127.0.0.1:${back}; proxy_ssl_key_log backs.log; } }`);
    await front.start();
    expect(bodyOf(await get(port, '/'))).toBe('secret');
    const names = (log: string) => front.read(log).match(/^\w+ (?=[0-9a-f]{64} [0-9a-f]+$)/gm);
    expect(names('backs.log')).toContain('CLIENT_TRAFFIC_SECRET_0 ');
    // both ends of one connection have the same secrets
    const sorted = (log: string) => front.read(log).trim().split('\n').sort();
    expect(sorted('clients.log')).toEqual(sorted('backs.log'));
  });

  test.skipIf(!ours || !existsSync('/usr/bin/openssl'))('ssl_ech_file is reported to have no effect; its variables are empty', async () => {
    makeCertificate();
    front.config(`server { listen 127.0.0.1:${port} ssl; ssl_certificate cert.pem; ssl_certificate_key key.pem; ssl_ech_file ech.pem;
      return 200 "[$ssl_ech_status][$ssl_ech_outer_server_name]"; }`);
    await front.start();
    expect(front.stderr).toContain('"ssl_ech_file" is not supported on this platform, ignored in ');
    const text = await new Promise<string>((resolve) => {
      let out = '';
      const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, () =>
        socket.write('GET / HTTP/1.0\r\nHost: a\r\n\r\n'),
      );
      socket.on('data', (data) => (out += data)).on('close', () => resolve(out));
    });
    expect(bodyOf(text)).toBe('[][]');
  });
});

describe.skipIf(!ours)('zones of counts', () => {
  test('status_zone counts requests of servers and locations', async () => {
    front.config(`server { listen 127.0.0.1:${port}; status_zone all;
      location / { status_zone some; return 200 ok; location /in { return 404; } location /off { status_zone off; return 200 ok; } }
      location /other { return 302 /; }
      location /api/ { api; } location /metrics { metrics; } }`);
    await front.start();
    for (const uri of ['/', '/x', '/in', '/off', '/other']) await get(port, uri);
    const api = async (name: string) => JSON.parse(bodyOf(await get(port, `/api/${name}`)));
    expect(await api('location_zones')).toEqual({
      some: {
        requests: 3,
        responses: { '1xx': 0, '2xx': 2, '3xx': 0, '4xx': 1, '5xx': 0 },
        discarded: 0,
        received: expect.any(Number),
        sent: expect.any(Number),
      },
    });
    const { requests, responses, sent } = await api('server_zones/all');
    expect({ requests, responses }).toEqual({ requests: 6, responses: { '1xx': 0, '2xx': 4, '3xx': 1, '4xx': 1, '5xx': 0 } });
    expect(sent).toBeGreaterThan(6 * 100);
    expect(statusOf(await get(port, '/api/server_zones/none'))).toBe(404);
    const metrics = bodyOf(await get(port, '/metrics'));
    expect(metrics).toContain('gannet_front_location_zone_responses_total{zone="some",code="4xx"} 1');
  });

  test('status_zone counts queries of a resolver', async () => {
    const dns = createSocket('udp4');
    dns.on('message', (query, from) => {
      const answer = Buffer.from(query);
      answer.writeUInt16BE(0x8183, 2);
      dns.send(answer, from.port, from.address);
    });
    const dnsPort = await new Promise<number>((resolve) => dns.bind(0, '127.0.0.1', () => resolve(dns.address().port)));
    front.config(`server { listen 127.0.0.1:${port}; resolver 127.0.0.1:${dnsPort} ipv6=off status_zone=names;
      location / { proxy_pass http://$arg_name.test:1; } location /api/ { api; } }`);
    await front.start();
    expect(statusOf(await get(port, '/?name=nobody'))).toBe(502);
    const { names } = JSON.parse(bodyOf(await get(port, '/api/resolvers')));
    expect(names.requests).toEqual({ A: 1, AAAA: 0, SRV: 0, PTR: 0 });
    expect(names.responses).toMatchObject({ noerror: 0, nxdomain: 1, timedout: 0 });
    dns.close();
  });
});

test.skipIf(!ours).each([
  ['xslt_stylesheet x.xsl', 'XSLT'],
  ['session_log on', 'session_log'],
  ['hls', 'F4F and HLS'],
  ['http3 on', 'HTTP/3'],
  ['otel_trace on', 'OpenTelemetry'],
])('%s is refused by name', async (text, what) => {
  front.config(`server { listen 127.0.0.1:${port}; ${text}; }`);
  await expect(front.start()).rejects.toThrow(`"${text.split(' ')[0]}": ${what} is not supported by this server in `);
});
