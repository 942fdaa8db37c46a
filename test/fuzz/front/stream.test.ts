/** Mutated first bytes on every kind of stream listener: the worker survives, and no connection is left open. */
import { execFileSync } from 'node:child_process';
import { connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { Front, ours } from '../../support/front.ts';
import { random } from './random.ts';

const front = new Front();
const KINDS = ['header', 'tls', 'hello', 'connect', 'changed', 'all'] as const;
const port = {} as Record<(typeof KINDS)[number] | 'http' | 'back', number>;
let back: Server;
const ROUNDS = Number(process.env.FUZZ_ROUNDS ?? 300);

const SEEDS = [
  'PROXY TCP4 1.2.3.4 5.6.7.8 1000 80\r\nGET / HTTP/1.0\r\n\r\n',
  'PROXY UNKNOWN\r\n',
  '\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\x01\x02\x03\x04\x05\x06\x07\x08\x03\xe8\0Prest',
  '\r\n\r\n\0\r\nQUIT\n\x21\x21\xff\xff',
  `\x16\x03\x01\0\x47\x01\0\0\x43\x03\x03${'r'.repeat(32)}\0\0\x04\x13\x01\x13\x02\x01\0\0\x16\0\0\0\x12\0\x10\0\0\x0dknown.example`,
  '\x10\x12\0\x04MQTT\x04\x82\0<\0\x02c1\0\x02me',
  '\x10\xff\xff\xff\x7f\0\x04MQTT',
  'GET / HTTP/1.0\r\n\r\n',
  '',
];

function mutate(text: string, rng: (below: number) => number): Buffer {
  let out = Buffer.from(text, 'latin1');
  for (let n = rng(4); n > 0 && out.length > 0; n--) {
    const at = rng(out.length);
    const kind = rng(4);
    if (kind === 0) out[at] = rng(256);
    else if (kind === 1) out = Buffer.concat([out.subarray(0, at), out.subarray(at + 1 + rng(8))]);
    else if (kind === 2) out = Buffer.concat([out.subarray(0, at), Buffer.from([rng(256), rng(256)]), out.subarray(at)]);
    else out = out.subarray(0, at);
  }
  return out;
}

beforeAll(async () => {
  for (const name of [...KINDS, 'http', 'back'] as const) port[name] = await freePort();
  const openssl = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-days', '2'];
  execFileSync('openssl', [...openssl, '-keyout', `${front.folder}/k.pem`, '-out', `${front.folder}/c.pem`], { stdio: 'ignore' });
  back = createServer((socket) => socket.on('error', () => {}).on('data', (data) => socket.write(data)));
  await new Promise<void>((resolve) => back.listen(port.back, '127.0.0.1', resolve));
  const proxy = `proxy_pass 127.0.0.1:${port.back};`;
  const server = (name: (typeof KINDS)[number], kind: string, text: string): string =>
    `server { listen 127.0.0.1:${port[name]} ${kind}; ${text} ${proxy} }\n`;
  front.config(
    `server { listen 127.0.0.1:${port.http}; location /metrics { metrics; } }`,
    `stream { ssl_certificate c.pem; ssl_certificate_key k.pem; proxy_protocol_timeout 2s; preread_timeout 2s; ssl_handshake_timeout 2s;
      ${server('header', 'proxy_protocol', 'proxy_protocol on;')} ${server('tls', 'ssl', '')} ${server('hello', '', 'ssl_preread on;')}
      ${server('connect', '', 'mqtt_preread on;')} ${server('changed', '', 'mqtt on; mqtt_set_connect username x;')}
      ${server('all', 'proxy_protocol ssl', 'mqtt_preread on; mqtt on;')} }`,
  );
  if (ours) await front.start();
});
afterAll(async () => {
  await front.dispose();
  back.close();
});

/** Sends pieces and closes, sometimes by a reset. */
function visit(to: number, data: Buffer, rng: (below: number) => number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ port: to, host: '127.0.0.1', noDelay: true }, () => {
      const cut = rng(data.length + 1);
      socket.write(data.subarray(0, cut));
      if (rng(8) === 0) socket.resetAndDestroy();
      else socket.end(data.subarray(cut));
    });
    socket.on('error', () => {}).on('close', () => resolve());
    socket.resume();
  });
}

const metric = async (name: string): Promise<number> => {
  const response = await fetch(`http://127.0.0.1:${port.http}/metrics`, { headers: { connection: 'close' } });
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(await response.text())?.[1]);
};

test.skipIf(!ours)(
  'mutated first bytes leave no connection open',
  async () => {
    for (let seed = 1; seed <= ROUNDS; seed += 30) {
      const batch = Array.from({ length: 30 }, (_, n) => {
        const rng = random(seed + n);
        return visit(port[KINDS[rng(KINDS.length)]], mutate(SEEDS[rng(SEEDS.length)], rng), rng);
      });
      await Promise.all(batch);
    }
    // the connection that sends the query counts as one
    while ((await metric('gannet_front_connections')) > 1);
    const log = front.read('error.log');
    expect(log).not.toMatch(/uncaught|unhandled|\[alert\]|\[crit\]/);
    expect(log).not.toMatch(/exited on signal/);
  },
  60_000,
);
