// The types that the stream server is built around: its configuration, a session, and the functions that serve one.
import type { Socket } from 'node:net';
import type { Table } from '../config/directive.ts';
import { defineModule } from '../http/config/module.ts';
import {
  BlockMain,
  type HttpModule,
  type ListenSocket,
  type Request,
  type Server,
  type Session,
  type VariableDef,
  type VirtualHosts,
} from '../http/model/types.ts';
import type { ReadBuffers } from '../http/upstream/connection/read-buffers.ts';

/** Serves a session in a phase. Returns DECLINED (next handler), OK (next phase), AGAIN (until `resume`), or a status that ends it. */
export type StreamHandler = (s: StreamSession) => number;

/** Inspects the first bytes of the client. Returns AGAIN to be called with more bytes or until `resume`, otherwise like a StreamHandler. */
export type PrereadHandler = (s: StreamSession, data: Buffer) => number;

/** Produces the response and ends the session. */
export type ContentHandler = (s: StreamSession) => void;

export type Direction = 'up' | 'down';

/** Changes what passes between the client and the content handler. */
export interface StreamFilter {
  /** whether it currently filters the bytes of a direction */
  handles(direction: Direction): boolean;
  /** @param last  the sender closed its side; `data` is empty @returns the replacement of the data */
  pass(direction: Direction, data: Buffer, last: boolean): Buffer[];
  /** set by the content handler: passes on data that the filter produces at other times */
  emit: ((direction: Direction, data: Buffer) => void) | null;
}

/** entry of `BlockMain.registry`: some server passes connections to others */
export const PASS_USED = 'pass:used';

/** `stream { }`; its zonePrefix is `stream:` */
export class StreamMain extends BlockMain {
  readonly postAccept: StreamHandler[] = [];
  readonly preaccess: StreamHandler[] = [];
  readonly access: StreamHandler[] = [];
  readonly preread: PrereadHandler[] = [];
  /** make the filters of a session; undefined: none */
  readonly filters: ((s: StreamSession) => StreamFilter | null)[] = [];
  readonly log: ((s: StreamSession) => void)[] = [];

  /** some server passes connections to others */
  get passes(): boolean {
    return this.registry.has(PASS_USED);
  }
}

/** Like defineModule, for a module of `stream { }`. */
export const defineStreamModule = <T extends Table>(
  name: string,
  table: T,
  parts: Partial<Pick<HttpModule<T, StreamMain>, 'init' | 'finish' | 'variables' | 'families' | 'start'>> = {},
): HttpModule<T, StreamMain> => defineModule<T, StreamMain>(name, table, parts);

/** One attempt at a peer: source of `$upstream_*` and of the log. Times are ms, -1: not reached. */
export interface AttemptState {
  peer: string;
  startMs: number;
  connectMs: number;
  firstByteMs: number;
  sessionMs: number;
  bytesReceived: number;
  bytesSent: number;
}

/** A connection of a client, or a flow of datagrams from one address (classes TcpSession and UdpSession). */
export interface StreamSession extends Session {
  readonly stream: StreamMain;
  readonly listen: ListenSocket;
  readonly udp: boolean;
  /** the servers that share its address */
  readonly hosts: VirtualHosts;
  /** 0 until the session ends */
  status: number;
  /** bytes from and to the client */
  bytesReceived: number;
  bytesSent: number;
  done: boolean;
  /** run when the session ends, before it is logged */
  cleanups: (() => void)[];
  /** state of modules, by their index */
  readonly ctx: unknown[];
  /** attempts at peers */
  readonly attempts: AttemptState[];
  /** in the order that upward data passes them */
  filters: readonly StreamFilter[];
  /** name in log lines, '' for none */
  upstreamName: string;
  /** the current action, for log lines */
  action: string;
  /** every log line already contains the action */
  readonly upstream: null;
  /** Continues with the configuration of another server at the same address. */
  useServer(server: Server): void;
  /** Continues a phase whose handler returned AGAIN. @param rc  as returned by the handler */
  resume(rc: number): void;
  /** Sets a variable that the configuration assigns. */
  assign(def: VariableDef, value: string): void;
  /** Logs a self-contained line at level `info`. @param message  called if a log accepts the level */
  note(message: () => string): void;
  /** Sends to the client; over UDP one datagram. */
  send(data: Buffer): void;
  /** Ends the session: 200, or the status of a failure. */
  finalize(status: number): void;
}

/** Receives what a client sends over TCP, after the first bytes. */
export interface ClientConsumer {
  /** @param data  in memory that the next read overwrites if the session has `buffers` */
  onClientData(data: Buffer): void;
  /** the client sends no more, or the connection is closed; may be called again */
  onClientEnd(): void;
  /** more can be sent after `write` returned false */
  onClientDrain(): void;
  /** a small write that had to wait was accepted by the system */
  onClientFlushed(): void;
}

/** The interface of a TCP session for content handlers. */
export interface ClientStream extends StreamSession {
  /** to pause, to resume and to end; its events are the session's, which passes them to the consumer */
  readonly socket: Socket;
  /** chooses the memory that the consumer's data is in; null if each piece has memory of its own */
  readonly buffers: ReadBuffers | null;
  /** Bytes to the client that the system has not accepted yet. */
  readonly unsent: number;
  /** Passes on what the client sends. */
  consume(consumer: ClientConsumer): void;
  /** Sends. @returns false: wait for `drain` of the socket before sending more */
  write(data: Buffer): boolean;
  /** some bytes were read and not consumed yet */
  readonly hasPreread: boolean;
  /** Consumes them. */
  takePreread(): Buffer;
  /** Ends the session, and returns its socket for another one, with the bytes that were read put back. */
  release(): Socket;
}

/** The interface of a UDP session for content handlers. */
export interface DatagramFlow extends StreamSession {
  /** Passes each datagram of the client to `take`, starting at once with those that have arrived. */
  receive(take: (data: Buffer) => void): void;
  /** The next datagram from the client's address starts another session. */
  retire(): void;
}

/**
 * The session that a variable of this block is evaluated for. The type of variables is that of http: BaseSession.evaluate passes sessions as
 * requests, and only variables of this block get here.
 */
export const sessionOf = (r: Request): StreamSession => r as Session as StreamSession;

export const stateOf = <T>(s: StreamSession, module: { readonly index: number }): T | null =>
  (s.ctx[module.index] as T | undefined) ?? null;
export const setState = (s: StreamSession, module: { readonly index: number }, value: unknown): void => {
  s.ctx[module.index] = value;
};

/** Reasons why a session ends, as `$status` shows them. */
export const STATUS = { ok: 200, badRequest: 400, forbidden: 403, internalError: 500, badGateway: 502, unavailable: 503 } as const;

const NOTHING: Buffer = Buffer.alloc(0);

/** The output of all filters for some data. @param last  the sender closed its side */
export function filtered({ filters }: StreamSession, direction: Direction, data: Buffer, last = false): Buffer[] {
  // a datagram may be empty
  let chunks = last && data.length === 0 ? [] : [data];
  for (const filter of direction === 'up' ? filters : filters.toReversed()) {
    if (!filter.handles(direction)) continue;
    const passed = chunks.flatMap((chunk) => filter.pass(direction, chunk, false));
    chunks = last ? [...passed, ...filter.pass(direction, NOTHING, true)] : passed;
  }
  return chunks;
}
