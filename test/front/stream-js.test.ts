/** Handlers in `stream { }`: decisions in the access and preread phases, filters, variables, and data shared with http. */
import { createSocket } from 'node:dgram';
import { connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { Front, ours } from '../support/front.ts';

const front = new Front();
const ACCESS = ['allow', 'deny', 'decline', 'later', 'promise', 'throws', 'rejects', 'silent', 'code', 'wrong'] as const;
const PREREAD = ['line', 'timer', 'fails'] as const;
const FILTER = ['swap', 'binary', 'nothing', 'breaks', 'late', 'inject'] as const;
const NAMES = [
  ...ACCESS,
  ...PREREAD,
  ...FILTER,
  'set',
  'shared',
  'returned',
  'periodic',
  'echo',
  'http',
  'status',
  'udp',
  'udpEcho',
  'slow',
] as const;
const port = {} as Record<(typeof NAMES)[number], number>;
let echo: Server;
const udpEcho = createSocket('udp4');

const MODULE = `
  export const allow = (s) => s.allow();
  export const deny = (s) => s.deny();
  export const decline = (s) => s.decline();
  export const later = (s) => { setTimeout(() => s.done(), 1); };
  export async function promise(s) { await null; s.variables.note = 'seen ' + s.remoteAddress; s.allow(); }
  export const throws = () => { throw new Error('access fell over'); };
  export async function rejects() { throw new Error('access gave up'); }
  export async function silent() {}
  export const code = (s) => s.done(503);
  export const wrong = (s) => s.done(1000);

  let line = '';
  export function lineOf(s) { s.on('upload', (data) => { const at = data.indexOf('\\n'); if (at >= 0) { line = data.slice(0, at); s.done(); } }); }
  export const seen = () => line;
  export const timer = (s) => { setTimeout(() => s.done(), 1); };
  export function fails(s) { s.on('upload', () => { throw new Error('preread fell over'); }); }
  export const never = (s) => { s.on('upload', () => {}); };

  export function swap(s) {
    s.on('upload', (data, flags) => s.send(data.toUpperCase()));
    s.on('download', (data, flags) => s.send(flags.last ? '<end>' : '[' + data + ']'));
  }
  export function binary(s) { s.on('downstream', (data) => s.send(Buffer.from(data).reverse())); }
  export const nothing = (s) => { s.on('upload', (data) => { if (!data.includes('skip')) s.send(data); }); };
  export const breaks = (s) => { s.on('download', () => { throw new Error('filter fell over'); }); };
  export const late = (s) => { s.on('upload', (data) => { setTimeout(() => s.send('late ' + data, { from_upstream: false }), 1); }); };
  export function inject(s) { s.on('upload', (data) => { s.send('first '); s.send(data); s.off('upload'); }); }
  export const mark = (s) => { s.on('download', (data, flags) => { if (!flags.last) s.send(data + '!'); }); };

  export const address = (s) => 'address=' + s.remoteAddress + ' ' + s.variables.remote_addr + ' ' + s.rawVariables.protocol.length;
  export const bytes = () => Buffer.from([0xaa, 0xbb]);
  export const chosen = (s) => { s.setReturnValue('chosen'); };
  export const unknown = (s) => String(s.variables.no_such);
  export const fault = () => { throw new Error('set fell over'); };
  export async function tick(s) { ngx.shared.counts.incr('ticks', 1); s.log('tick ' + s.variables.protocol); }
  export const never_ends = () => new Promise(() => {});
  export const stops = () => { throw new Error('tick fell over'); };
  export const count = () => ngx.shared.counts.incr('n', 1);
  export const show = (r) => r.return(200, 'n=' + ngx.shared.counts.get('n'));
`;

beforeAll(async () => {
  for (const name of NAMES) port[name] = await freePort();
  echo = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {}).on('data', (data) => socket.write(data));
    socket.on('end', () => socket.end());
  });
  await new Promise<void>((resolve) => echo.listen(port.echo, '127.0.0.1', resolve));
  udpEcho.on('message', (data, from) => udpEcho.send(data, from.port, from.address));
  await new Promise<void>((resolve) => udpEcho.bind(port.udpEcho, '127.0.0.1', resolve));
  front.write('guard.mjs', MODULE);
  const proxy = `proxy_pass 127.0.0.1:${port.echo};`;
  const server = (name: (typeof NAMES)[number], text: string, kind = ''): string =>
    `server { listen 127.0.0.1:${port[name]} ${kind}; ${text} }\n`;
  front.config(
    `js_import guard from guard.mjs; server { listen 127.0.0.1:${port.http}; location / { js_content guard.show; } }`,
    `stream {
      js_import guard from guard.mjs; js_var $note none; js_shared_dict_zone zone=counts:32k type=number;
      js_set $seen guard.seen nocache; js_set $address guard.address; js_set $bytes guard.bytes; js_set $chosen guard.chosen;
      js_set $unknown guard.unknown; js_set $fault guard.fault; js_set $count guard.count nocache;
      log_format brief "$server_port $status $note";
      access_log sessions.log brief;
      ${ACCESS.map((name) => server(name, `js_access guard.${name}; return "OK $note";`)).join('')}
      ${server('line', 'js_preread guard.lineOf; return $seen;')}
      ${server('timer', `js_preread guard.timer; ${proxy}`)}
      ${server('fails', `js_preread guard.fails; ${proxy}`)}
      ${server('slow', `preread_timeout 100ms; js_preread guard.never; ${proxy}`)}
      ${FILTER.map((name) => server(name, `js_filter guard.${name}; proxy_half_close on; ${proxy}`)).join('')}
      ${server('set', 'return "$address|$bytes|$chosen|$unknown|$fault";')}
      ${server('periodic', 'js_periodic guard.tick interval=20ms jitter=5ms worker_affinity=all; js_periodic guard.stops interval=20ms; js_periodic guard.never_ends interval=20ms; js_periodic guard.tick interval=1h; return x;')}
      ${server('shared', 'return $count;')}
      ${server('returned', 'js_filter guard.mark; return text;')}
      ${server('udp', `js_preread guard.timer; js_filter guard.mark; proxy_responses 1; proxy_pass 127.0.0.1:${port.udpEcho};`, 'udp')}
    }`,
  );
  if (ours) await front.start();
});
afterAll(async () => {
  await front.dispose();
  echo.close();
  udpEcho.close();
});

/** Sends text, closes its side, and returns everything received. */
function exchange(to: number, text = ''): Promise<string> {
  return new Promise((resolve) => {
    let out = '';
    const socket = connect({ port: to, host: '127.0.0.1', allowHalfOpen: true }, () => socket.end(text));
    socket.on('error', () => {}).on('data', (data) => (out += data.latin1Slice()));
    socket.on('end', () => resolve(out)).on('close', () => resolve(out));
  });
}
const logged = async (name: (typeof NAMES)[number]): Promise<string> => {
  const line = new RegExp(`^${port[name]} (.*)$`, 'm');
  await front.until(() => line.test(front.read('sessions.log')));
  return line.exec(front.read('sessions.log'))![1];
};

describe.skipIf(!ours)('access', () => {
  test.each(['allow', 'decline', 'later'] as const)('%s lets the session continue', async (name) => {
    expect(await exchange(port[name])).toBe('OK none');
  });

  test('an async handler may wait, and write variables', async () => {
    expect(await exchange(port.promise)).toBe('OK seen 127.0.0.1');
    expect(await logged('promise')).toBe('200 seen 127.0.0.1');
  });

  test.each([
    ['deny', '403'],
    ['code', '503'],
    ['throws', '500'],
    ['rejects', '500'],
    ['silent', '500'],
    ['wrong', '500'],
  ] as const)('%s ends the session with %s', async (name, status) => {
    expect(await exchange(port[name])).toBe('');
    expect(await logged(name)).toMatch(new RegExp(`^${status} `));
  });
});

describe.skipIf(!ours)('preread', () => {
  test('sees everything that has arrived so far', async () => {
    const answer = await new Promise<string>((resolve) => {
      let out = '';
      const socket = connect(port.line, '127.0.0.1', () => {
        socket.write('first ');
        socket.write('line\nrest');
      });
      socket.on('error', () => {}).on('data', (data) => (out += String(data)));
      socket.on('close', () => resolve(out));
    });
    expect(answer).toBe('first line');
  });

  test('may continue without reading bytes', async () => {
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(port.timer, '127.0.0.1', () => socket.write('data'));
      socket
        .on('error', () => {})
        .on('data', (data) => {
          resolve(String(data));
          socket.destroy();
        });
    });
    expect(answer).toBe('data');
  });

  test('ends sessions on errors and without a decision in time', async () => {
    expect(await exchange(port.fails, 'x')).toBe('');
    expect(await logged('fails')).toMatch(/^500 /);
    const socket = connect(port.slow, '127.0.0.1');
    await new Promise((resolve) =>
      socket
        .on('error', () => {})
        .on('close', resolve)
        .resume(),
    );
    expect(await logged('slow')).toMatch(/^(500|200) /);
  });
});

describe.skipIf(!ours)('filter', () => {
  test('changes both directions, and adds to the end', async () => {
    expect(await exchange(port.swap, 'abc')).toBe('[ABC]<end>');
  });
  test('works on bytes', async () => {
    expect(await exchange(port.binary, 'abc')).toBe('cba');
  });
  test('may drop data', async () => {
    expect(await exchange(port.nothing, 'skip this')).toBe('');
    expect(await exchange(port.nothing, 'keep this')).toBe('keep this');
  });
  test('sends later in the direction that it names', async () => {
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(port.late, '127.0.0.1', () => socket.write('word'));
      socket
        .on('error', () => {})
        .on('data', (data) => {
          resolve(String(data));
          socket.destroy();
        });
    });
    expect(answer).toBe('late word');
  });
  test('is left out after off()', async () => {
    expect(await exchange(port.inject, 'abc')).toBe('first abc');
  });
  test('ends the session when it throws', async () => {
    expect(await exchange(port.breaks, 'abc')).toBe('');
    await front.until(() => front.read('error.log').includes('filter fell over'));
    expect(await logged('breaks')).toMatch(/^500 /);
  });
  test('applies to the output of return', async () => {
    expect(await exchange(port.returned)).toBe('text!');
  });
  test('applies to datagrams, after an asynchronous preread', async () => {
    const client = createSocket('udp4');
    const answer = new Promise<string>((resolve) => client.once('message', (data) => resolve(String(data))));
    client.send('ping', port.udp, '127.0.0.1');
    expect(await answer).toBe('ping!');
    client.close();
  });
});

test.skipIf(!ours)('js_set reads sessions and variables, and returns text or bytes', async () => {
  expect(await exchange(port.set)).toBe('address=127.0.0.1 127.0.0.1 3|\xaa\xbb|chosen|undefined|');
  expect(front.read('error.log')).toMatch(/js exception: .*set fell over/);
});

test.skipIf(!ours)('dictionaries are shared with handlers of http', async () => {
  expect(await exchange(port.shared)).toBe('1');
  expect(await exchange(port.shared)).toBe('2');
  expect(await (await fetch(`http://127.0.0.1:${port.http}/`)).text()).toBe('n=2');
});

test.skipIf(!ours)('js_periodic repeats a function, logs what it throws, and does not start it twice', async () => {
  const lines = (part: RegExp): number => (front.read('error.log').match(part) ?? []).length;
  await front.until(() => lines(/js: tick TCP/g) > 3 && lines(/js exception: .*tick fell over/g) > 1);
  await front.until(() => lines(/js periodic "guard.never_ends" is still running/g) > 1);
  expect(await exchange(port.periodic)).toBe('x');
});

test.skipIf(!ours).each([
  ['js_periodic', 'method name is required'],
  ['js_periodic a.b interval=0', 'invalid parameter "interval=0"'],
  ['js_periodic a.b jitter=x', 'invalid parameter "jitter=x"'],
  ['js_periodic a.b worker_affinity=01', 'the number of "worker_processes" is not equal to the size of "worker_affinity" mask'],
  ['js_periodic a.b worker_affinity=012', 'invalid character "2" in "worker_affinity="'],
])('%s is refused', async (text, why) => {
  const other = new Front();
  other.config('', `worker_processes 3; stream { server { listen 127.0.0.1:${await freePort()}; ${text}; return x; } }`);
  await expect(other.start()).rejects.toThrow(why);
  await other.dispose();
});
