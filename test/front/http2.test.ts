/** HTTP/2 end to end: over TLS by ALPN, in clear text with prior knowledge next to HTTP/1, with bodies, trailers, limits and shutdown. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import http2, { type ClientHttp2Session, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2';
import tls from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { back, front, frontForEach, get, port, serveRaw } from '../support/front.ts';

frontForEach();
let client: ClientHttp2Session | undefined;
afterEach(() => {
  client?.destroy();
  client = undefined;
});

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  trailers: IncomingHttpHeaders;
  body: string;
  /** code of RST_STREAM */
  code: number;
}

const connect = (): ClientHttp2Session => {
  client = http2.connect(`http://127.0.0.1:${port}`);
  client.on('error', () => {});
  return client;
};

/** One request; an aborted response has the code of the reset. */
function ask(session: ClientHttp2Session, headers: OutgoingHttpHeaders, body?: string | Buffer): Promise<Answer> {
  return new Promise((resolve) => {
    const stream = session.request({ ':path': '/', ...headers }, { endStream: body === undefined });
    const answer: Answer = { status: 0, headers: {}, trailers: {}, body: '', code: 0 };
    stream.on('response', (got) => {
      answer.headers = got;
      answer.status = Number(got[':status']);
    });
    stream.on('trailers', (got) => (answer.trailers = got));
    stream.on('data', (data) => (answer.body += data.toString('latin1')));
    stream.on('error', () => {});
    stream.on('close', () => resolve({ ...answer, code: stream.rstCode ?? 0 }));
    if (body !== undefined) stream.end(body);
  });
}

const serve = async (inner: string, http = '', server = 'http2 on;') => {
  front.config(`${http} server { listen 127.0.0.1:${port}; server_name localhost; ${server} ${inner} }`);
  await front.start();
};

describe('http2', () => {
  test.each(['Transfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n', 'Content-Length: 6\r\n\r\nfirst', 'Content-Length: 6\r\n\r\n'])(
    'a response that the back end aborts is reset, and does not look complete: %j',
    async (answer) => {
      const behind = await serveRaw(back, (_text, socket) => socket.write(`HTTP/1.1 200 OK\r\n${answer}`, () => socket.resetAndDestroy()));
      await serve(`location / { proxy_pass http://127.0.0.1:${back}; proxy_buffering off; }`);
      const { status, code } = await ask(connect(), {});
      expect([status, code]).toEqual([200, http2.constants.NGHTTP2_INTERNAL_ERROR]);
      behind.close();
    },
  );

  test('a client that closes a stream without an error frees the resources of the response', async () => {
    let free = (): void => {};
    const freed = new Promise<void>((resolve) => (free = resolve));
    const behind = await serveRaw(back, (_text, socket) => {
      socket.on('close', free);
      socket.write('HTTP/1.1 200 OK\r\n\r\nfirst');
    });
    await serve(`location / { proxy_pass http://127.0.0.1:${back}; proxy_buffering off; }`);
    const stream = connect().request({ ':path': '/' });
    stream.once('data', () => stream.close());
    await freed;
    behind.close();
  });

  test('a client that closes streams without an error does not delay the shutdown', async () => {
    front.write('page', Buffer.alloc(900_000, 'x'));
    await serve('send_timeout 1s;');
    for (let n = 0; n < 5; n++) {
      const session = http2.connect(`http://127.0.0.1:${port}`);
      await new Promise<void>((resolve) => {
        const stream = session.request({ ':path': '/page' });
        stream.once('data', () => stream.close());
        stream.on('close', resolve);
      });
    }
    expect(await front.stop()).toBe(0);
  });

  test('over TLS, ALPN selects the protocol by server, and HTTP/1 remains possible', async () => {
    execFileSync(
      'openssl',
      'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=x -keyout k.pem -out c.pem'.split(' '),
      {
        cwd: front.folder,
        stdio: 'ignore',
      },
    );
    const pem = 'ssl_certificate c.pem; ssl_certificate_key k.pem; return 200 "$http2 $server_protocol $scheme $server_name";';
    front.config(`
      server { listen 127.0.0.1:${port} ssl; http2 on; server_name one; ${pem} }
      server { listen 127.0.0.1:${port} ssl; server_name two; ${pem} }`);
    await front.start();
    const protocol = (servername: string) =>
      new Promise((resolve, reject) => {
        const socket = tls.connect({ port, servername, ALPNProtocols: ['h2', 'http/1.1'], rejectUnauthorized: false }, () => {
          resolve(socket.alpnProtocol);
          socket.destroy();
        });
        socket.on('error', reject);
      });
    expect([await protocol('one'), await protocol('two')]).toEqual(['h2', 'http/1.1']);
    client = http2.connect(`https://127.0.0.1:${port}`, { servername: 'one', rejectUnauthorized: false });
    expect((await ask(client, { ':authority': 'one' })).body).toBe('h2 HTTP/2.0 https one');
  });

  test('without TLS, the preface selects HTTP/2, everything else is HTTP/1', async () => {
    front.write('a.html', 'hello world');
    await serve('location / { } location /v { return 200 "$http2 $request|$host|$http_host|$http_cookie|$request_length"; }');
    expect(await get(port, '/a.html')).toMatch(/^HTTP\/1\.1 200 .*hello world$/s);
    const session = connect();
    const whole = await ask(session, { ':path': '/a.html' });
    expect(whole).toMatchObject({ status: 200, body: 'hello world', headers: { 'content-type': 'text/html', 'content-length': '11' } });
    expect(whole.headers).not.toHaveProperty('connection');
    expect(whole.headers).not.toHaveProperty('transfer-encoding');
    expect(await ask(session, { ':path': '/a.html', range: 'bytes=6-' })).toMatchObject({ status: 206, body: 'world' });
    expect(await ask(session, { ':path': '/a.html', ':method': 'HEAD' })).toMatchObject({
      status: 200,
      body: '',
      headers: { 'content-length': '11' },
    });
    expect(await ask(session, { ':path': '/a.html', 'if-none-match': String(whole.headers.etag) })).toMatchObject({
      status: 304,
      body: '',
    });
    expect(await ask(session, { ':path': '/none' })).toMatchObject({ status: 404, body: expect.stringContaining('404 Not Found') });
    const variables = await ask(session, { ':path': '/v', ':authority': 'localhost:8', cookie: ['a=1', 'b=2'] });
    expect(variables.body).toMatch(/^h2c GET \/v HTTP\/2\.0\|localhost\|localhost:8\|a=1; b=2\|\d+$/);
    expect(front.read('access.log')).toMatch(/"GET \/a\.html HTTP\/2\.0" 200 11 /);
  });

  test('accepts request bodies with and without a length, buffered and streamed, and refuses large ones', async () => {
    await serve(
      `location / { client_max_body_size 300k; proxy_pass http://127.0.0.1:${back}; }
       location /stream { client_max_body_size 300k; proxy_request_buffering off; proxy_pass http://127.0.0.1:${back}; }
       location /none { return 200 "no body read"; }`,
      `
       server { listen 127.0.0.1:${back}; location / { client_max_body_size 0; client_body_buffer_size 1m; proxy_pass http://127.0.0.1:${back}/in; }
       location /in { return 200 "$http_content_length$http_transfer_encoding"; } }`,
    );
    const session = connect();
    const body = randomBytes(200_000);
    for (const target of ['/', '/stream']) {
      expect((await ask(session, { ':path': target, ':method': 'POST', 'content-length': 200_000 }, body)).body).toBe('200000');
      expect((await ask(session, { ':path': target, ':method': 'POST' }, body)).body).toBe('200000');
    }
    expect((await ask(session, { ':method': 'POST', 'content-length': 400_000 }, Buffer.alloc(400_000))).status).toBe(413);
    expect((await ask(session, { ':method': 'POST' }, Buffer.alloc(400_000))).status).toBe(413);
    expect((await ask(session, { ':path': '/none', ':method': 'POST' }, body)).body).toBe('no body read');
    expect((await ask(session, { ':path': '/none' })).status).toBe(200);
  });

  test('sends trailers, obeys flow control, repeats header fields, and resets responses that the back end aborts', async () => {
    front.write('big.bin', randomBytes(1_500_000));
    await serve(
      `location /trailer { add_trailer X-Sum "$status-ok"; proxy_pass http://127.0.0.1:${back}/big.bin; }
       location /twice { add_header Set-Cookie a=1; add_header Set-Cookie b=2; add_header X-Content-Type-Options nosniff;
         add_header X-Content-Type-Options nosniff; add_header Connection close; return 200 x; }
       location /drop { return 444; } location /redirect { return 302 /there; }`,
      `server { listen 127.0.0.1:${back}; }`,
    );
    const session = connect();
    const [first, second] = await Promise.all([ask(session, { ':path': '/trailer' }), ask(session, { ':path': '/big.bin' })]);
    expect(first.trailers).toMatchObject({ 'x-sum': '200-ok' });
    expect(first.body).toBe(front.read('big.bin'));
    expect(second.body).toBe(front.read('big.bin'));
    expect((await ask(session, { ':path': '/twice' })).headers).toMatchObject({
      'set-cookie': ['a=1', 'b=2'],
      'x-content-type-options': 'nosniff',
    });
    expect(await ask(session, { ':path': '/drop' })).toMatchObject({ status: 0, code: http2.constants.NGHTTP2_PROTOCOL_ERROR });
    expect((await ask(session, { ':path': '/redirect', ':authority': 'localhost' })).headers.location).toBe(
      `http://localhost:${port}/there`,
    );
  });

  test('limits header sizes, concurrent streams and requests of a connection, and refuses a host that differs from the authority', async () => {
    await serve(
      'location / { return 200 ok; } location /slow { limit_rate 1; return 200 "slow answer"; }',
      '',
      'http2 on; http2_max_concurrent_streams 2; keepalive_requests 9; large_client_header_buffers 2 1k;',
    );
    const session = connect();
    await new Promise((resolve) => session.once('remoteSettings', resolve));
    expect(session.remoteSettings.maxConcurrentStreams).toBe(2);
    expect((await ask(session, { 'x-long': 'x'.repeat(1100) })).status).toBe(400);
    expect((await ask(session, { ':path': `/${'x'.repeat(1100)}` })).status).toBe(414);
    expect((await ask(session, { ':authority': 'a', host: 'b' })).status).toBe(400);
    expect((await ask(session, { ':authority': 'a', host: 'a' })).status).toBe(200);
    expect((await ask(session, { ':path': '/', ':method': 'get' })).status).toBe(400);
    const goaway = new Promise((resolve) => session.once('goaway', resolve));
    for (let n = 5; n < 9; n++) expect((await ask(session, {})).status).toBe(200);
    expect(await goaway).toBe(http2.constants.NGHTTP2_NO_ERROR);
    expect((await ask(connect(), {})).status).toBe(200);
  });

  test('a stream that the client gives up is logged with 499, the others go on', async () => {
    await serve(
      `location / { return 200 ok; } location /wait { proxy_pass http://127.0.0.1:${back}; }`,
      `server { listen 127.0.0.1:${back}; location / { limit_rate 1; return 200 "slow answer"; } }`,
    );
    const session = connect();
    const given = session.request({ ':path': '/wait' });
    given.on('error', () => {});
    expect((await ask(session, {})).body).toBe('ok');
    given.close(http2.constants.NGHTTP2_CANCEL);
    await front.until(() => /"GET \/wait HTTP\/2\.0" (499|200) /.test(front.read('access.log')));
    expect((await ask(session, {})).body).toBe('ok');
  });

  test('a graceful shutdown lets streams finish and sends GOAWAY', async () => {
    await serve(
      'limit_rate 100; return 200 "a long answer that takes more than a second at the rate that is allowed for it, to be sure of it: 12345678";',
    );
    const session = connect();
    const stream = session.request({ ':path': '/' });
    await new Promise((resolve) => stream.once('response', resolve));
    const goaway = new Promise((resolve) => session.once('goaway', resolve));
    let body = '';
    stream.on('data', (data) => (body += data));
    const ended = front.stop();
    await goaway;
    await new Promise((resolve) => stream.once('close', resolve));
    expect(body).toMatch(/^a long answer.*12345678$/);
    expect(await ended).toBe(0);
  });

  test('bytes after the preface that are not HTTP/2 end only that connection', async () => {
    await serve('return 200 ok;');
    const socket = (await import('node:net')).connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nnonsense that is no frame at all, long enough to be read as one');
    await new Promise((resolve) => {
      socket.resume();
      socket.once('close', resolve);
    });
    expect((await ask(connect(), {})).body).toBe('ok');
  });
});
