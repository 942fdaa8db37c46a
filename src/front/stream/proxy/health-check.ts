// health_check: active checks of the peers that a server proxies to, over TCP or UDP, and `match`: the data to send and the response to
// expect.
//   match redis { send "PING\r\n"; expect "+PONG"; }      match dns { send \x00\x01...; expect ~ "^\x00\x01"; }
//   server { proxy_pass cache; health_check interval=2s fails=2 match=redis; }
// Without a match a connection that opens is enough; over UDP a match with both is needed.
import { createSocket } from 'node:dgram';
import { connect, type Socket } from 'node:net';
import tls from 'node:tls';
import { present } from '../../../common/present.ts';
import { ANY_COUNT, block, custom, HS, HTTP, msec, SERVER } from '../../config/directive.ts';
import { Regex } from '../../config/regex.ts';
import { failAt } from '../../config/syntax.ts';
import type { BlockFrame } from '../../http/config/module.ts';
import type { HttpModule } from '../../http/model/types.ts';
import { DEFAULT_CHECK, type HealthCheck, HealthChecker, readCheckParameter } from '../../http/upstream/peers/health.ts';
import type { Peer } from '../../http/upstream/peers/peer.ts';
import { realGroup } from '../../http/upstream/peers/runtime-group.ts';
import { defineStreamModule, type StreamMain } from '../model.ts';
import { tlsConfOf } from './conf.ts';
import { streamProxy } from './proxy-pass.ts';

interface Match {
  /** empty: nothing is sent */
  send: Buffer;
  /** whether the received data matches; null if nothing is expected */
  expect: ((received: string) => boolean) | null;
}
interface Check extends HealthCheck {
  udp: boolean;
}

const CONNECTS: Match = { send: Buffer.alloc(0), expect: null };
/** Number of bytes of a response that are examined. */
const MAX_ANSWER = 64 * 1024;

/** Text with `\xHH` for bytes, as latin1. */
const unescaped = (text: string): string => text.replace(/\\x([0-9A-Fa-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));

const matchesOf = (main: StreamMain): Map<string, Match> => {
  let map = main.registry.get('health:matches') as Map<string, Match> | undefined;
  if (!map) main.registry.set('health:matches', (map = new Map()));
  return map;
};

function parseMatch(f: BlockFrame<StreamMain>): undefined {
  const [name] = f.args;
  const matches = matchesOf(f.scope.main);
  if (matches.has(name)) f.fail(`duplicate match "${name}"`);
  const match: Match = { ...CONNECTS };
  for (const node of present(f.node.children)) {
    const { args } = node;
    if (node.name === 'send' && args.length === 1) match.send = Buffer.from(unescaped(args[0]), 'latin1');
    else if (node.name === 'expect' && args.length === 1) {
      const wanted = unescaped(args[0]);
      match.expect = (received) => received.includes(wanted);
    } else if (node.name === 'expect' && args.length === 2 && args[0] === '~') {
      let regex: Regex;
      try {
        regex = new Regex(args[1]);
      } catch (error) {
        return failAt(node, `invalid regular expression "${args[1]}": ${(error as Error).message}`);
      }
      match.expect = (received) => regex.exec(received) !== null;
    } else
      failAt(
        node,
        node.name === 'send' || node.name === 'expect' ? `invalid arguments in "${node.name}"` : `unknown directive "${node.name}"`,
      );
  }
  matches.set(name, match);
  return undefined;
}

function parseCheck(f: BlockFrame<StreamMain>, previous: Check[] = []): Check[] {
  const check: Check = { ...DEFAULT_CHECK, udp: false };
  for (const word of f.args) {
    if (word === 'udp') check.udp = true;
    else if (!readCheckParameter(f, check, word)) f.fail(`invalid parameter "${word}"`);
  }
  if (check.persistent && !check.mandatory) f.fail('"persistent" requires "mandatory"');
  const { main } = f.scope;
  f.scope.later(() => {
    const match = check.match === '' ? CONNECTS : matchesOf(main).get(check.match);
    if (!match) f.fail(`match "${check.match}" is not found`);
    if (check.udp && (match.send.length === 0 || !match.expect)) f.fail('"udp" requires a "match" with "send" and "expect"');
  });
  return [...previous, check];
}

const table = {
  match: block<undefined>(HTTP, 1, undefined, parseMatch),
  health_check: custom<Check[] | null>(SERVER, [0, ANY_COUNT], null, parseCheck, { repeats: true, merge: (_, own) => own }),
  health_check_timeout: msec(HS, '5s'),
};

export const streamHealthCheck: HttpModule<typeof table, StreamMain> = defineStreamModule('stream_health_check', table, {
  init(main) {
    for (const { root, place } of main.servers) {
      if (streamHealthCheck.conf(root).health_check && !streamProxy.conf(root).proxy_pass)
        throw `"health_check" needs a "proxy_pass" without variables in server in ${place}`;
    }
  },
  start(main) {
    for (const { root } of main.servers) {
      const { health_check: checks, health_check_timeout: timeoutMs } = streamHealthCheck.conf(root);
      const target = streamProxy.conf(root).proxy_pass;
      if (!checks || !target) continue;
      const secure = tlsConfOf(root) !== null;
      for (const check of checks) {
        const match = matchesOf(main).get(check.match) ?? CONNECTS;
        const probe = (peer: Peer, done: (why: string) => void): void =>
          check.udp ? askUdp(peer, check.port, match, timeoutMs, done) : askTcp(peer, check.port, match, timeoutMs, secure, done);
        new HealthChecker(check, realGroup(target), root.errorLogs, probe).start(main);
      }
    }
  },
});

/** Calls back once, and closes what was opened. */
function once(close: () => void, timeoutMs: number, done: (why: string) => void): (why: string) => void {
  let over = false;
  const end = (why: string): void => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    close();
    done(why);
  };
  const timer = setTimeout(() => end('timed out'), timeoutMs);
  timer.unref();
  return end;
}

function askTcp(
  { address }: Peer,
  port: number,
  { send, expect }: Match,
  timeoutMs: number,
  secure: boolean,
  done: (why: string) => void,
): void {
  const target = address.path ? { path: address.path } : { host: address.host, port: port || address.port };
  let received = '';
  const opened = (): void => {
    if (send.length > 0) socket.write(send);
    if (!expect) end('');
  };
  // The check tests availability, not identity, so the certificate is not verified.
  const socket: Socket = secure ? tls.connect({ ...target, rejectUnauthorized: false }, opened) : connect(target, opened);
  const end = once(() => socket.destroy(), timeoutMs, done);
  socket.on('error', (error) => end(error.message));
  socket.on('data', (data: Buffer) => {
    received += data.latin1Slice();
    if (expect?.(received)) end('');
    else if (received.length > MAX_ANSWER) end('answer does not match');
  });
  socket.on('close', () => end(expect ? 'answer does not match' : 'connection closed'));
}

function askUdp({ address }: Peer, port: number, { send, expect }: Match, timeoutMs: number, done: (why: string) => void): void {
  const { host } = address;
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  const end = once(() => socket.close(), timeoutMs, done);
  socket.on('error', (error) => end(error.message));
  socket.on('message', (data) => end(expect?.(data.latin1Slice()) ? '' : 'answer does not match'));
  socket.connect(port || address.port, host, () => socket.send(send));
}
