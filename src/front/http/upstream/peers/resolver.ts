// DNS client of `resolver`: A, AAAA and SRV over UDP (TCP when truncated), with responses cached for their TTL.
import { createSocket, type Socket } from 'node:dgram';
import { connect } from 'node:net';
import { type ResolverCounts, resolverCounts, TIMED_OUT } from '../../config/resolver-counts.ts';
import type { ResolverConf } from '../../model/resolver.ts';
import {
  type DnsResponse,
  decodeResponse,
  encodeQuery,
  isDnsName,
  isResponse,
  type QueryType,
  reverseName,
  type SrvRecord,
  TYPE_A,
  TYPE_AAAA,
  TYPE_PTR,
} from './dns-message.ts';

const MAX_CNAMES = 5;
const RESEND_MS = 5000;
const MAX_NAMES = 1000;

export interface Answer {
  addresses: string[];
  srv: SrvRecord[];
  /** of an address */
  names: string[];
  ttlSeconds: number;
}

export class ResolveError extends Error {
  constructor(
    readonly code: number,
    name: string,
  ) {
    super(`${name} could not be resolved ${reasonOf(code)}`);
  }

  /** `(3: Host not found)` */
  get reason(): string {
    return reasonOf(this.code);
  }
}
export const NXDOMAIN = 3;
const CODES: Record<number, string> = {
  1: 'Format error',
  2: 'Server failure',
  3: 'Host not found',
  4: 'Unimplemented',
  5: 'Operation refused',
  110: 'Operation timed out',
};

const reasonOf = (code: number): string => `(${code}: ${CODES[code] ?? 'Unknown error'})`;

interface Pending {
  name: string;
  type: QueryType;
  deadline: number;
  timer: NodeJS.Timeout | null;
  /** index of the server to query next */
  server: number;
  waiters: { resolve(answer: DnsResponse): void; reject(error: Error): void }[];
}

export class Resolver {
  readonly #sockets = new Map<number, Socket>();
  readonly #pending = new Map<number, Pending>();
  readonly #byName = new Map<string, Pending>();
  readonly #cache = new Map<string, { answer: Answer; untilMs: number }>();
  #nextServer = 0;
  #nextId = Math.floor(Math.random() * 65536);

  readonly #counts: ResolverCounts | null = null;

  constructor(readonly conf: ResolverConf) {
    if (conf.zone) this.#counts = resolverCounts(conf.zone);
  }

  /** Addresses of a name, IPv4 and IPv6 as configured. @throws ResolveError */
  resolve(name: string, timeoutMs: number): Promise<Answer> {
    const types: QueryType[] = [];
    if (this.conf.ipv4) types.push(TYPE_A);
    if (this.conf.ipv6) types.push(TYPE_AAAA);
    return this.lookup(name, types, timeoutMs);
  }

  /** The first name of an address. @throws ResolveError */
  async reverse(address: string, timeoutMs: number): Promise<string> {
    const { names } = await this.lookup(reverseName(address), [TYPE_PTR], timeoutMs);
    return names[0];
  }

  /**
   * Records of all `types`. As in nginx, an error for one type is an error for the name; an alias is followed only if there are no
   * other records, and if the aliases of two types differ, the last one applies.
   * @throws ResolveError
   */
  async lookup(name: string, types: readonly QueryType[], timeoutMs: number): Promise<Answer> {
    const key = `${types.join()}:${name.toLowerCase()}`;
    const cached = this.#cache.get(key);
    if (cached && cached.untilMs > Date.now()) return cached.answer;
    const server = this.#nextServer++ % this.conf.servers.length;
    let target = name;
    let ttlSeconds = 0x7fffffff;
    for (let hops = 0; hops < MAX_CNAMES; hops++) {
      if (!isDnsName(target)) break;
      const raws = await Promise.all(types.map((type) => this.#ask(target, type, timeoutMs, server)));
      const failed = raws.find((raw) => raw.code !== 0);
      if (failed) throw new ResolveError(failed.code, name);
      ttlSeconds = Math.min(ttlSeconds, ...raws.map((raw) => raw.ttl));
      const answer: Answer = {
        addresses: raws.flatMap((raw) => raw.addresses),
        srv: raws.flatMap((raw) => raw.srv),
        names: raws.flatMap((raw) => raw.names),
        ttlSeconds,
      };
      if (answer.addresses.length + answer.srv.length + answer.names.length > 0) {
        this.#remember(key, answer);
        return answer;
      }
      const { cname } = raws[raws.length - 1];
      if (!cname) break;
      target = cname;
    }
    throw new ResolveError(NXDOMAIN, name);
  }

  #remember(key: string, answer: Answer): void {
    const validMs = this.conf.validMs ?? answer.ttlSeconds * 1000;
    this.#cache.set(key, { answer, untilMs: Date.now() + validMs });
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size <= MAX_NAMES) break;
      this.#cache.delete(oldest);
    }
  }

  /** @param server  index of the server queried first */
  #ask(name: string, type: QueryType, timeoutMs: number, server: number): Promise<DnsResponse> {
    return new Promise((resolve, reject) => {
      const key = `${type}:${name}`;
      const same = this.#byName.get(key);
      if (same) {
        same.waiters.push({ resolve, reject });
        return;
      }
      do this.#nextId = (this.#nextId + 1) & 0xffff;
      while (this.#pending.has(this.#nextId));
      const id = this.#nextId;
      const pending: Pending = { name, type, deadline: Date.now() + timeoutMs, timer: null, server, waiters: [{ resolve, reject }] };
      this.#counts?.asked(type);
      this.#pending.set(id, pending);
      this.#byName.set(key, pending);
      this.#send(id, pending);
    });
  }

  #finish(id: number, pending: Pending, result: DnsResponse | Error): void {
    this.#pending.delete(id);
    this.#byName.delete(`${pending.type}:${pending.name}`);
    this.#counts?.answered(result instanceof Error ? TIMED_OUT : result.code);
    if (pending.timer) clearTimeout(pending.timer);
    for (const waiter of pending.waiters) {
      if (result instanceof Error) waiter.reject(result);
      else waiter.resolve(result);
    }
  }

  #send(id: number, pending: Pending): void {
    const left = pending.deadline - Date.now();
    if (left <= 0) {
      this.#finish(id, pending, new ResolveError(TIMED_OUT, pending.name));
      return;
    }
    const index = pending.server;
    pending.server = (index + 1) % this.conf.servers.length;
    const server = this.conf.servers[index];
    this.#socketFor(index).send(encodeQuery(id, pending.name, pending.type), server.port, server.host, () => {});
    pending.timer = setTimeout(() => this.#send(id, pending), Math.min(left, RESEND_MS));
    pending.timer.unref();
  }

  #socketFor(index: number): Socket {
    let socket = this.#sockets.get(index);
    if (socket) return socket;
    socket = createSocket(this.conf.servers[index].host.includes(':') ? 'udp6' : 'udp4');
    socket.on('message', (packet) => this.#receive(packet, index));
    socket.on('error', () => {});
    socket.unref();
    this.#sockets.set(index, socket);
    return socket;
  }

  #receive(packet: Buffer, index: number): void {
    if (!isResponse(packet)) return;
    const id = packet.readUInt16BE(0);
    const pending = this.#pending.get(id);
    if (!pending) return;
    const answer = decodeResponse(packet, pending.type);
    if (!answer || answer.name.toLowerCase() !== pending.name.replace(/\.$/, '').toLowerCase()) return;
    if (answer.truncated) {
      this.#askTcp(id, pending, index);
      return;
    }
    this.#finish(id, pending, answer);
  }

  #askTcp(id: number, pending: Pending, index: number): void {
    const { host, port } = this.conf.servers[index];
    const body = encodeQuery(id, pending.name, pending.type);
    const socket = connect(port, host, () => socket.write(Buffer.concat([Buffer.from([body.length >> 8, body.length & 255]), body])));
    let held = Buffer.alloc(0);
    socket.unref();
    socket.setTimeout(RESEND_MS, () => socket.destroy());
    socket.on('error', () => {});
    socket.on('data', (data) => {
      held = Buffer.concat([held, data]);
      if (held.length < 2 || held.length < 2 + held.readUInt16BE(0)) return;
      socket.destroy();
      const answer = decodeResponse(held.subarray(2), pending.type);
      if (answer && this.#pending.get(id) === pending) this.#finish(id, pending, answer);
    });
  }
}

const resolvers = new Map<string, Resolver>();

/** One resolver per configuration. */
export function resolverFor(conf: ResolverConf): Resolver {
  const key = JSON.stringify(conf);
  let resolver = resolvers.get(key);
  if (!resolver) resolvers.set(key, (resolver = new Resolver(conf)));
  return resolver;
}
