/** grpc_pass end to end: an HTTP/2 back end behind the front, with messages both ways, trailers, retries, TLS and kept connections. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import http2, {
  type Http2Server,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { front, frontForEach, get, port } from '../support/front.ts';

type Handler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

frontForEach();
let servers: Http2Server[] = [];
let sessions: { destroy(): void }[] = [];
afterEach(() => {
  for (const session of sessions) session.destroy();
  for (const server of servers) server.close();
  servers = [];
  sessions = [];
});

/** @returns its port, and how many connections it has seen */
async function backEnd(
  handler: Handler,
  tls?: { key: Buffer; cert: Buffer },
): Promise<{ port: number; connections: ServerHttp2Session[] }> {
  const server = (tls ? http2.createSecureServer(tls) : http2.createServer()) as Http2Server;
  const connections: ServerHttp2Session[] = [];
  server.on('session', (session) => {
    connections.push(session);
    sessions.push(session);
    session.on('error', () => {});
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    handler(stream, headers);
  });
  servers.push(server);
  const at = await freePort();
  await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  return { port: at, connections };
}

/** Echoes the request, with grpc-status in trailers. */
const echo: Handler = (stream, headers) => {
  stream.respond(
    {
      ':status': 200,
      'content-type': 'application/grpc',
      'x-seen': `${headers[':method']} ${headers[':path']} ${headers[':authority']} te=${headers.te ?? ''} a=${headers['x-a'] ?? ''}`,
    },
    { waitForTrailers: true },
  );
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'grpc-message': 'fine' }));
  stream.pipe(stream);
};

interface Answer {
  headers: IncomingHttpHeaders;
  trailers: IncomingHttpHeaders;
  body: string;
  code: number;
  endedWithHeaders: boolean;
}

function ask(headers: OutgoingHttpHeaders, body?: string | Buffer): Promise<Answer> {
  const session = http2.connect(`http://127.0.0.1:${port}`);
  sessions.push(session);
  session.on('error', () => {});
  return new Promise((resolve) => {
    const stream = session.request(
      { ':method': 'POST', ':path': '/pkg.Service/Call', te: 'trailers', ...headers },
      { endStream: body === undefined },
    );
    const answer: Answer = { headers: {}, trailers: {}, body: '', code: 0, endedWithHeaders: false };
    stream.on('response', (got, flags) => {
      answer.headers = got;
      answer.endedWithHeaders = (flags & http2.constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    });
    stream.on('trailers', (got) => (answer.trailers = got));
    stream.on('data', (data) => (answer.body += data.toString('latin1')));
    stream.on('error', () => {});
    stream.on('close', () => resolve({ ...answer, code: stream.rstCode ?? 0 }));
    if (body !== undefined) stream.end(body);
  });
}

const serve = async (inner: string, http = '') => {
  front.config(`${http} server { listen 127.0.0.1:${port}; http2 on; ${inner} }`);
  await front.start();
};

describe('grpc_pass', () => {
  test('passes a call with its message, header fields and trailers', async () => {
    const back = await backEnd(echo);
    await serve(
      `location / { grpc_pass grpc://127.0.0.1:${back.port}; grpc_set_header X-A $request_method; grpc_hide_header grpc-message; }`,
    );
    const message = Buffer.alloc(300_000, 'm');
    const answer = await ask({ 'content-type': 'application/grpc' }, message);
    expect(answer.headers).toMatchObject({ ':status': 200, 'content-type': 'application/grpc' });
    expect(answer.headers['x-seen']).toBe(`POST /pkg.Service/Call 127.0.0.1:${back.port} te=trailers a=POST`);
    expect(answer.body).toBe(message.toString());
    expect(answer.trailers).toMatchObject({ 'grpc-status': '0' });
    expect(answer.trailers).not.toHaveProperty('grpc-message');
    expect(answer.code).toBe(0);
  });

  test('both directions stream: a response arrives before the request has ended', async () => {
    const back = await backEnd(echo);
    await serve(`location / { grpc_pass 127.0.0.1:${back.port}; }`);
    const session = http2.connect(`http://127.0.0.1:${port}`);
    sessions.push(session);
    const stream = session.request({ ':method': 'POST', ':path': '/s' });
    const next = () => new Promise<string>((resolve) => stream.once('data', (data) => resolve(String(data))));
    for (const word of ['one', 'two', 'three']) {
      const heard = next();
      stream.write(word);
      expect(await heard).toBe(word);
    }
    stream.end();
    await new Promise((resolve) => stream.resume().once('close', resolve));
    expect(stream.rstCode).toBe(0);
  });

  test('a response with trailers only remains one', async () => {
    const back = await backEnd((stream) =>
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '12' }, { endStream: true }),
    );
    await serve(`location / { grpc_pass 127.0.0.1:${back.port}; }`);
    expect(await ask({}, 'x')).toMatchObject({ headers: { 'grpc-status': '12' }, endedWithHeaders: true, code: 0 });
  });

  test('connections are kept in a group with keepalive, and not otherwise', async () => {
    const back = await backEnd(echo);
    const other = await backEnd(echo);
    await serve(
      `location / { grpc_pass kept; } location /other { grpc_pass 127.0.0.1:${other.port}; }`,
      `upstream kept { server 127.0.0.1:${back.port}; keepalive 2; }`,
    );
    for (let n = 0; n < 4; n++) expect((await ask({}, `m${n}`)).body).toBe(`m${n}`);
    expect(back.connections.length).toBe(1);
    for (let n = 0; n < 2; n++) expect((await ask({ ':path': '/other' }, 'x')).body).toBe('x');
    expect(other.connections.length).toBe(2);
  });

  test('retries refused connections and streams at the next peer, times out slow ones, and keeps truncated responses truncated', async () => {
    const good = await backEnd(echo);
    const refusing = await backEnd((stream) => stream.close(http2.constants.NGHTTP2_REFUSED_STREAM));
    const silent = await backEnd(() => {});
    const cut = await backEnd((stream) => {
      stream.respond({ ':status': 200 });
      stream.write('begun', () => stream.session?.destroy());
    });
    const closed = await freePort();
    await serve(
      `location /next { grpc_pass next; grpc_next_upstream error invalid_header; }
       location /refused { grpc_pass 127.0.0.1:${refusing.port}; error_page 502 /sorry; }
       location /silent { grpc_pass 127.0.0.1:${silent.port}; grpc_read_timeout 200ms; }
       location /cut { grpc_pass 127.0.0.1:${cut.port}; }
       location /status { grpc_pass 127.0.0.1:${port}; grpc_intercept_errors on; error_page 404 /sorry; }
       location /sorry { return 200 sorry; } location /inner { return 404; }`,
      `upstream next { server 127.0.0.1:${closed}; server 127.0.0.1:${refusing.port}; server 127.0.0.1:${good.port}; }`,
    );
    for (let n = 0; n < 3; n++) expect((await ask({ ':path': '/next', ':method': 'PUT' })).headers[':status']).toBe(200);
    expect((await ask({ ':path': '/refused' })).body).toBe('sorry');
    expect((await ask({ ':path': '/silent' })).headers[':status']).toBe(504);
    expect(await ask({ ':path': '/cut' })).toMatchObject({ body: 'begun', code: http2.constants.NGHTTP2_INTERNAL_ERROR });
    expect(front.read('error.log')).toMatch(/upstream rejected request with error 7 while reading response header from upstream/);
  });

  test('grpcs accepts a verified certificate, and refuses one that is not trusted', async () => {
    const make = (name: string) => {
      execFileSync(
        'openssl',
        `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=${name} -addext subjectAltName=DNS:${name} -keyout ${name}.key -out ${name}.crt`.split(
          ' ',
        ),
        {
          cwd: front.folder,
          stdio: 'ignore',
        },
      );
      return { key: readFileSync(path.join(front.folder, `${name}.key`)), cert: readFileSync(path.join(front.folder, `${name}.crt`)) };
    };
    const back = await backEnd(echo, make('right'));
    make('wrong');
    const verify = 'grpc_ssl_verify on; grpc_ssl_name right; grpc_ssl_server_name on;';
    await serve(`location / { grpc_pass grpcs://127.0.0.1:${back.port}; ${verify} grpc_ssl_trusted_certificate right.crt; }
      location /wrong { grpc_pass grpcs://127.0.0.1:${back.port}; ${verify} grpc_ssl_trusted_certificate wrong.crt; }`);
    expect(await ask({}, 'secret')).toMatchObject({ body: 'secret', trailers: { 'grpc-status': '0' } });
    expect((await ask({ ':path': '/wrong' }, 'secret')).headers[':status']).toBe(502);
  });

  test('clients of HTTP/1 are answered too, with variables in the target', async () => {
    const back = await backEnd((stream, headers) => {
      let body = '';
      stream.on('data', (data) => (body += data));
      stream.on('end', () => {
        stream.respond({ ':status': 200, 'x-path': headers[':path'], 'x-body': body });
        stream.end('plain');
      });
    });
    await serve(`location / { set $to 127.0.0.1:${back.port}; grpc_pass grpc://$to; }
      location /kept { mirror /mirror; grpc_pass 127.0.0.1:${back.port}; } location /mirror { return 204; }`);
    // the body was read earlier, for the mirror
    expect(await ask({ ':path': '/kept' }, 'kept')).toMatchObject({ body: 'plain', headers: { 'x-body': 'kept' } });
    expect(await get(port, '/a%20b?c=d')).toMatch(/^HTTP\/1\.1 200 OK\r\n.*x-path: \/a%20b\?c=d\r\n.*plain$/is);
  });
});
