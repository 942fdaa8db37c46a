// A flow of datagrams from one address and port of a client.
import type { Socket } from 'node:dgram';
import { setDeadline, type Timed, unwatch, watch } from '../../http/wire/deadlines.ts';
import type { Origin } from '../http/connection/client-connections.ts';
import type { ListenSocket, VirtualHosts } from '../http/model/types.ts';
import { AGAIN } from '../http/request/codes.ts';
import { streamCore } from './core.ts';
import { type DatagramFlow, STATUS, type StreamMain } from './model.ts';
import { BaseSession } from './session.ts';

export class UdpSession extends BaseSession implements DatagramFlow, Timed {
  readonly udp = true;
  deadlineMs = Infinity;
  #prereading = false;
  readonly #socket: Socket;
  readonly #forget: () => void;
  /** datagrams that were not read yet */
  #waiting: Buffer[] = [];
  #take: ((data: Buffer) => void) | null = null;
  /** port that responses are sent to, even if the configuration replaces the client's address */
  readonly #port: number;
  readonly #address: string;

  /** @param forget  called when later datagrams no longer belong to this session */
  constructor(stream: StreamMain, listen: ListenSocket, hosts: VirtualHosts, socket: Socket, origin: Origin, forget: () => void) {
    super(stream, listen, hosts, origin, null);
    this.#socket = socket;
    this.#forget = forget;
    this.#port = origin.remotePort;
    this.#address = origin.remoteAddr;
  }

  /** @param first  the datagram that began the flow */
  start(first: Buffer): void {
    this.datagram(first);
    this.admit(() => this.#preread(first));
  }

  #preread(data: Buffer): void {
    const rc = this.preread(data);
    if (rc !== AGAIN) {
      this.#endPreread(rc);
      return;
    }
    if (this.#prereading) return;
    this.#prereading = true;
    this.waitFor((later) => this.#endPreread(later));
    watch(this);
    setDeadline(this, streamCore.conf(this.loc).preread_timeout);
  }

  #endPreread(rc: number): void {
    if (this.#prereading) unwatch(this);
    this.#prereading = false;
    if (rc >= 200) this.finalize(rc);
    else if (!this.done) this.runContent();
  }

  timedOut(): void {
    this.#endPreread(STATUS.ok);
  }

  datagram(data: Buffer): void {
    this.bytesReceived += data.length;
    if (this.#take) this.#take(data);
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(data);
    if (this.#prereading) this.#preread(data);
  }

  receive(take: (data: Buffer) => void): void {
    this.#take = take;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const data of waiting) if (!this.done) take(data);
  }

  retire(): void {
    this.#forget();
  }

  send(data: Buffer): void {
    this.bytesSent += data.length;
    this.#socket.send(data, this.#port, this.#address, this.#sent);
  }

  readonly #sent = (error: Error | null): void => {
    if (error && !this.done) this.logFailure('info', 'sendto()', error);
  };

  protected close(): void {
    unwatch(this);
    this.#forget();
  }
}

/** Datagrams kept while the back end is being resolved. */
const MAX_WAITING = 64;
