// `listen`: addresses and options, the sockets to open, and the servers that answer on each.
import { parseSize, parseTimeSec } from '../../config/values.ts';
import type { ListenOptions } from '../model/connection-start.ts';
import type { BlockMain, ListenSocket, Server } from '../model/types.ts';
import { HostTable } from './host-table.ts';
import type { BlockFrame } from './module.ts';

const DEFAULT_BACKLOG = 511;

/** Address part: `port`, `host`, `host:port`, `[v6]:port`, `unix:path`, with port ranges `a-b`. @param defaultPort  null: a port must be given */
function parseAddress(
  text: string,
  defaultPort: string | null,
  fail: (m: string) => never,
): { host: string; ports: number[]; path: string } {
  if (text.startsWith('unix:')) {
    if (text.length === 5) fail(`no path in the unix domain socket "${text}"`);
    return { host: '', ports: [0], path: text.slice(5) };
  }
  const m = /^(?:(\d+(?:-\d+)?)|(\[[0-9A-Fa-f:.]+\]|\*|[^:[\]]+)(?::(\d+(?:-\d+)?))?)$/.exec(text);
  if (!m) fail(`invalid host or port in "${text}" of the "listen" directive`);
  const port = m[1] ?? m[3] ?? defaultPort;
  if (port === null) fail(`no port in "${text}" of the "listen" directive`);
  const range = port.split('-').map(Number);
  const [first, last = first] = range;
  if (first < 1 || last > 65535 || last < first) fail(`invalid port in "${text}" of the "listen" directive`);
  const ports: number[] = [];
  for (let port = first; port <= last; port++) ports.push(port);
  let host = m[2] ?? '*';
  if (host.startsWith('[')) host = canonicalV6(host.slice(1, -1));
  else if (host === '*') host = '0.0.0.0';
  else if (host === 'localhost') host = '127.0.0.1';
  else if (!/^\d+\.\d+\.\d+\.\d+$/.test(host)) fail(`host not found in "${text}" of the "listen" directive`);
  return { host, ports, path: '' };
}

const canonicalV6 = (text: string): string => new URL(`http://[${text}]/`).hostname.slice(1, -1);

/** What `listen` means in a kind of block. */
export interface ListenRules {
  /** null if an address must have a port */
  defaultPort: string | null;
  /** handles parameters that are specific to this kind of block; returns false for others */
  readOption(f: BlockFrame, options: ListenOptions, word: string): boolean;
  /** message for an address that the server already has */
  duplicate?(options: ListenOptions): string;
}

export function parseListen(f: BlockFrame, rules: ListenRules): void {
  const server = f.scope.server ?? f.fail('"listen" directive is not allowed here');
  const address = parseAddress(f.args[0], rules.defaultPort, (m) => f.fail(m));
  const base: ListenOptions = {
    text: f.args[0],
    host: address.host,
    port: 0,
    path: address.path,
    isDefault: false,
    ssl: false,
    http2: false,
    proxyProtocol: false,
    backlog: DEFAULT_BACKLOG,
    ipv6Only: true,
    bind: false,
    reuseport: false,
    keepAlive: null,
  };
  for (const word of f.args.slice(1)) if (!rules.readOption(f, base, word)) readOption(f, base, word);
  for (const port of address.ports) {
    const options = { ...base, port };
    if (server.listens.some((l) => keyOf(l) === keyOf(options))) {
      f.fail(rules.duplicate?.(options) ?? `a duplicate listen ${f.args[0]}`);
    }
    server.listens.push(options);
  }
}

/** `listen` of http. */
export const HTTP_LISTEN: ListenRules = {
  defaultPort: '80',
  readOption(f, options, word) {
    if (word === 'quic') f.fail('the "quic" parameter is not supported');
    if (word !== 'http2') return false;
    f.scope.warn('the "listen ... http2" directive is deprecated, use the "http2" directive instead');
    options.http2 = true;
    return true;
  },
};

const WITH_VALUE = new Set(['backlog', 'rcvbuf', 'sndbuf', 'fastopen', 'ipv6only', 'so_keepalive']);

function readOption(f: BlockFrame, o: ListenOptions, word: string): void {
  const [name, value] = word.includes('=') ? [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)] : [word, undefined];
  if (value === undefined && WITH_VALUE.has(name)) f.fail(`invalid parameter "${word}"`);
  switch (name) {
    case 'default_server':
    case 'default':
      o.isDefault = true;
      return;
    case 'ssl':
      o.ssl = true;
      return;
    case 'proxy_protocol':
      o.proxyProtocol = true;
      return;
    case 'bind':
      o.bind = true;
      return;
    case 'deferred':
      warnIgnored(f, name);
      o.bind = true;
      return;
    case 'reuseport':
      o.reuseport = true;
      o.bind = true;
      return;
    case 'backlog':
      if (!/^[1-9]\d*$/.test(value ?? '')) f.fail(`invalid backlog "${word}"`);
      o.backlog = Number(value);
      o.bind = true;
      return;
    case 'rcvbuf':
    case 'sndbuf':
      if (!parseSize(value ?? '')) f.fail(`invalid ${name} "${word}"`);
      warnIgnored(f, name);
      o.bind = true;
      return;
    case 'fastopen':
      if (!/^\d+$/.test(value ?? '')) f.fail(`invalid ${name} "${word}"`);
      warnIgnored(f, name);
      o.bind = true;
      return;
    case 'ipv6only':
      if (value !== 'on' && value !== 'off') f.fail(`invalid ipv6only flags "${value}"`);
      o.ipv6Only = value === 'on';
      o.bind = true;
      return;
    case 'so_keepalive': {
      if (value === 'on') o.keepAlive = { idleSeconds: 0 };
      else if (value !== 'off') {
        const [idle, interval, count, ...rest] = (value ?? '').split(':');
        const seconds = (text: string | null) => (text === '' ? 0 : parseTimeSec(text ?? ''));
        const idleSeconds = seconds(idle ?? null);
        const good = idleSeconds !== null && seconds(interval ?? null) !== null && /^\d*$/.test(count ?? 'x') && rest.length === 0;
        if (!good || value === '::') return f.fail(`invalid so_keepalive value: "${value}"`);
        o.keepAlive = { idleSeconds };
      }
      o.bind = true;
      return;
    }
    case 'multipath':
      f.fail('the "multipath" parameter is not supported: Node cannot make sockets of MPTCP');
      break;
    case 'accept_filter':
      f.scope.warn(`accept filters "${word}" are not supported on this platform, ignored`);
      return;
    default:
      f.fail(`invalid parameter "${word}"`);
  }
}

/** Warns about a socket option that Node cannot set. */
function warnIgnored(f: BlockFrame, name: string): void {
  f.scope.warn(`the "${name}" parameter of the "listen" directive is not supported on this platform, ignored`);
}

/** Identifies the socket of an address. */
const keyOf = (o: ListenOptions): string => (o.path ? `unix:${o.path}` : `${o.udp ? 'udp' : 'tcp'}:${o.host}:${o.port}`);

/** A server without `listen` answers on the standard port. */
export function addDefaultListen(server: Server): void {
  if (server.listens.length > 0) return;
  const port = process.getuid?.() === 0 ? 80 : 8000;
  server.listens.push({
    ...{ text: `*:${port}`, host: '0.0.0.0', port, path: '', isDefault: false, ssl: false, http2: false, proxyProtocol: false },
    ...{ backlog: DEFAULT_BACKLOG, ipv6Only: true, bind: false, reuseport: false, keepAlive: null },
  });
}

/** Groups servers by address; a wildcard socket also serves the addresses of its port that need no socket of their own. */
export function collectSockets(main: BlockMain, warn: (message: string) => void): void {
  const groups = new Map<string, HostTable>();
  for (const server of main.servers) {
    for (const options of server.listens) addToGroup(groups, server, options, warn);
  }
  const wildcards = [...groups.values()].filter((g) => g.options.host === '0.0.0.0' || g.options.host === '::');
  for (const [key, hosts] of groups) {
    const { options } = hosts;
    const wild = wildcards.find(
      (w) =>
        w !== hosts &&
        !options.path &&
        w.options.udp === options.udp &&
        w.options.port === options.port &&
        w.options.host.includes(':') === options.host.includes(':'),
    );
    if (wild && !options.bind) continue;
    main.sockets.push(makeSocket(key, hosts));
  }
  for (const socket of main.sockets) {
    if (socket.host !== '0.0.0.0' && socket.host !== '::') continue;
    for (const hosts of groups.values()) {
      const { options } = hosts;
      if (options.port === socket.port && options.udp === socket.options.udp && !options.path && hosts !== socket.hosts)
        socket.byAddress.set(options.host, hosts);
    }
  }
}

function makeSocket(key: string, hosts: HostTable): ListenSocket {
  const { host, port, path } = hosts.options;
  return { key, host, port, path, options: hosts.options, byAddress: new Map(), hosts };
}

function addToGroup(groups: Map<string, HostTable>, server: Server, options: ListenOptions, warn: (message: string) => void): void {
  const key = keyOf(options);
  let group = groups.get(key);
  if (!group) {
    group = new HostTable(options);
    group.defaultServer = server;
    groups.set(key, group);
  } else {
    const { options: first } = group;
    if (options.isDefault) {
      if (first.isDefault) throw `a duplicate default server for ${options.text}`;
      group.defaultServer = server;
      first.isDefault = true;
    }
    first.ssl ||= options.ssl;
    first.http2 ||= options.http2;
    first.proxyProtocol ||= options.proxyProtocol;
    first.bind ||= options.bind;
  }
  group.servers.push(server);
  for (const name of group.addNames(server)) warn(`conflicting server name "${name}" on ${options.text}, ignored`);
}
