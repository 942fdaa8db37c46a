/** `stream { }`: connections and datagrams proxied, balanced, limited, secured and logged. */
import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { connect, createServer, type Server } from 'node:net';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { Front, ours } from '../support/front.ts';

const front = new Front();
const NAMES = [
  'echo',
  'proxy',
  'text',
  'half',
  'denied',
  'dead',
  'preread',
  'secure',
  'limited',
  'slow',
  'header',
  'pass',
  'http',
  'none',
] as const;
const port = {} as Record<(typeof NAMES)[number] | 'udp' | 'udpText' | 'udpEmpty' | 'udpMirror', number>;
let echo: Server;
/** input of the back end of the PROXY protocol */
let headed = '';
let header: Server;

beforeAll(async () => {
  for (const name of [...NAMES, 'udp', 'udpText', 'udpEmpty', 'udpMirror'] as const) port[name] = await freePort();
  echo = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {}).on('data', (data) => socket.write(data));
    socket.on('end', () => socket.end('end'));
  });
  header = createServer((socket) =>
    socket
      .on('error', () => {})
      .on('data', (data) => {
        headed += data.toString('latin1');
        socket.end();
      }),
  );
  await Promise.all([
    new Promise<void>((resolve) => echo.listen(port.echo, '127.0.0.1', resolve)),
    new Promise<void>((resolve) => header.listen(0, '127.0.0.1', resolve)),
  ]);
  const headerPort = (header.address() as { port: number }).port;
  execFileSync('openssl', 'req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost'.split(' '), {
    cwd: front.folder,
    stdio: 'ignore',
  });
  front.config(
    `access_log off; server { listen 127.0.0.1:${port.http}; return 200 "from http"; }`,
    `stream {
      log_format line "$protocol $status $bytes_received $bytes_sent $upstream_addr";
      upstream some { server 127.0.0.1:${port.dead} max_fails=1 fail_timeout=100s; server 127.0.0.1:${port.echo}; }
      map $server_port $color { ${port.text} red; default blue; }
      map $ssl_preread_server_name $by_name { known 127.0.0.1:${port.secure}; default 127.0.0.1:${port.text}; }
      limit_conn_zone $binary_remote_addr zone=one:1m;
      ssl_certificate cert.pem; ssl_certificate_key key.pem;
      server { listen 127.0.0.1:${port.proxy}; proxy_pass some; access_log stream.log line; }
      server { listen 127.0.0.1:${port.text}; set $greeting hello; return "$greeting $color $remote_addr"; }
      server { listen 127.0.0.1:${port.half}; proxy_pass 127.0.0.1:${port.echo}; proxy_half_close on; }
      server { listen 127.0.0.1:${port.denied}; deny all; return never; access_log denied.log line; }
      server { listen 127.0.0.1:${port.preread}; ssl_preread on; proxy_pass $by_name; }
      server { listen 127.0.0.1:${port.secure} ssl; return "$ssl_server_name $ssl_protocol"; }
      server { listen 127.0.0.1:${port.limited}; limit_conn one 1; proxy_pass 127.0.0.1:${port.echo}; }
      server { listen 127.0.0.1:${port.slow}; proxy_pass 127.0.0.1:${port.echo}; proxy_timeout 200ms; }
      server { listen 127.0.0.1:${port.header}; proxy_protocol on; proxy_pass 127.0.0.1:${headerPort}; }
      server { listen 127.0.0.1:${port.none} proxy_protocol; return never; access_log none.log line; }
      server { listen 127.0.0.1:${port.pass}; pass 127.0.0.1:${port.http}; }
      server { listen 127.0.0.1:${port.udp} udp; proxy_pass 127.0.0.1:${port.udpText}; proxy_responses 1; access_log udp.log line; }
      server { listen 127.0.0.1:${port.udpEmpty} udp; proxy_pass 127.0.0.1:${port.udpMirror}; proxy_responses 1; }
      server { listen 127.0.0.1:${port.udpText} udp; return "datagram $protocol"; }
    }`,
  );
  await front.start();
});
afterAll(async () => {
  echo.close();
  header.close();
  await front.dispose();
});

/** Sends text, and returns everything received until the other side closed. @param more  closes our side after the first response */
function exchange(to: number, text: string, more: 'end' | 'wait' = 'wait'): Promise<string> {
  return new Promise((resolve, reject) => {
    let out = '';
    const socket = connect({ port: to, host: '127.0.0.1', allowHalfOpen: true }, () => {
      if (text !== '') socket.write(text);
      if (more === 'end') socket.end();
    });
    socket.on('error', reject).on('data', (data) => (out += data.toString('latin1')));
    socket.on('end', () => {
      socket.end();
      resolve(out);
    });
  });
}

describe('connections', () => {
  test('are passed to the first peer that responds, both ways', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(port.proxy, '127.0.0.1', () => socket.write('ping'));
      socket.on('error', reject).on('data', (data) => {
        resolve(String(data));
        socket.end();
      });
    });
    expect(answer).toBe('ping');
    await front.until(() => front.read('stream.log').includes('\n'));
    const peers = `(127\\.0\\.0\\.1:${port.dead}, )?127\\.0\\.0\\.1:${port.echo}`;
    expect(front.read('stream.log')).toMatch(new RegExp(`^TCP 200 4 4 ${peers}\n$`));
  });

  test('carry large transfers unchanged', async () => {
    const size = 8 << 20;
    const sent = Buffer.alloc(size);
    for (let n = 0; n < size; n += 4) sent.writeUInt32LE(Math.imul(n, 2654435761) >>> 0, n);
    const got = await new Promise<Buffer>((resolve, reject) => {
      const parts: Buffer[] = [];
      let total = 0;
      const socket = connect(port.half, '127.0.0.1', () => socket.write(sent));
      socket.on('error', reject).on('data', (data) => {
        parts.push(data);
        total += data.length;
        if (total === size) {
          socket.destroy();
          resolve(Buffer.concat(parts));
        }
      });
    });
    expect(got.equals(sent)).toBe(true);
  });

  test('get strings with variables from return', async () => {
    expect(await exchange(port.text, '')).toBe('hello red 127.0.0.1');
  });

  test('stay open in one direction with proxy_half_close', async () => {
    expect(await exchange(port.half, 'abc', 'end')).toBe('abcend');
  });

  test('are refused by address, with status 403', async () => {
    expect(await exchange(port.denied, '').catch(() => '')).toBe('');
    await front.until(() => front.read('denied.log').includes('\n'));
    expect(front.read('denied.log')).toBe('TCP 403 0 0 -\n');
  });

  test('over the limit of a zone are refused', async () => {
    const first = connect(port.limited, '127.0.0.1', () => first.write('x'));
    await new Promise((resolve) => first.once('data', resolve));
    expect(await exchange(port.limited, 'y').catch(() => '')).toBe('');
    first.destroy();
    await front.until(() => /limiting connections by zone "one"/.test(front.read('error.log')));
  });

  test('that are idle are closed after proxy_timeout', async () => {
    expect(await exchange(port.slow, 'x')).toBe('x');
  });

  test('pass their origin to the back end by the PROXY protocol', async () => {
    await exchange(port.header, 'body');
    expect(headed).toMatch(new RegExp(`^PROXY TCP4 127\\.0\\.0\\.1 127\\.0\\.0\\.1 \\d+ ${port.header}\r\n`));
  });

  test('with a malformed header of the PROXY protocol end with status 400', async () => {
    expect(await exchange(port.none, 'PROXY INVALID')).toBe('');
    await front.until(() => front.read('none.log').includes('\n'));
    expect(front.read('none.log')).toBe('TCP 400 0 0 -\n');
  });

  test.skipIf(!ours)('are passed to a server of http', async () => {
    expect(await exchange(port.pass, 'GET / HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 [\s\S]*from http$/);
  });
});

describe('TLS', () => {
  const ask = (to: number, servername: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let out = '';
      const socket = tls.connect({ port: to, host: '127.0.0.1', servername, rejectUnauthorized: false });
      socket.on('error', reject).on('data', (data) => (out += data.toString('latin1')));
      socket.on('end', () => resolve(out));
    });

  test('is terminated, and described by variables', async () => {
    expect(await ask(port.secure, 'some.name')).toBe('some.name TLSv1.3');
  });

  test('is routed by the name of the ClientHello without being terminated', async () => {
    expect(await ask(port.preread, 'known')).toBe('known TLSv1.3');
    expect(await exchange(port.preread, 'plain')).toBe('hello red 127.0.0.1');
  });
});

describe('datagrams', () => {
  test('are proxied, and the session ends with the expected response', async () => {
    const socket = createSocket('udp4');
    const answer = await new Promise<string>((resolve) => {
      socket.on('message', (data) => resolve(String(data)));
      socket.send('question', port.udp, '127.0.0.1');
    });
    socket.close();
    expect(answer).toBe('datagram UDP');
    await front.until(() => front.read('udp.log').includes('\n'));
    expect(front.read('udp.log')).toBe(`UDP 200 8 12 127.0.0.1:${port.udpText}\n`);
  });

  test('may be empty, both ways', async () => {
    const mirror = createSocket('udp4');
    mirror.on('message', (data, from) => mirror.send(data, from.port, from.address));
    await new Promise<void>((resolve) => mirror.bind(port.udpMirror, '127.0.0.1', resolve));
    const socket = createSocket('udp4');
    const answer = await new Promise<Buffer>((resolve) => {
      socket.on('message', resolve);
      socket.send('', port.udpEmpty, '127.0.0.1');
    });
    socket.close();
    mirror.close();
    expect(answer).toHaveLength(0);
  });
});

describe('a configuration', () => {
  const start = async (stream: string): Promise<string> => {
    const other = new Front();
    other.config('', `stream { ${stream} }`);
    const error = await other.start().then(
      () => '',
      (failure: Error) => failure.message,
    );
    await other.dispose();
    return error;
  };

  test.each([
    ['server { return x; }', 'no "listen" is defined'],
    ['server { listen 127.0.0.1; return x; }', 'no port in "127.0.0.1" of the "listen" directive'],
    ['server { listen 127.0.0.1:1 udp ssl; return x; }', '"ssl" parameter is incompatible with "udp"'],
    ['server { listen 127.0.0.1:1; proxy_pass 127.0.0.1; }', 'no port in upstream "127.0.0.1"'],
    ['geo $a { proxy 10.0.0.0/8; } server { listen 127.0.0.1:1; return x; }', 'invalid network "proxy"'],
    ['ssl_buffer_size 4k; server { listen 127.0.0.1:1; return x; }', '"ssl_buffer_size" directive is not allowed here'],
    ['zone_sync; server { listen 127.0.0.1:1; return x; }', '"zone_sync": zone_sync is not supported'],
    ['server { listen 127.0.0.1:1; location / { } }', 'unknown directive "location"|"location" directive is not allowed here'],
  ])('%s is refused', async (text, message) => {
    expect(await start(text)).toMatch(new RegExp(message));
  });
});
