// Passes the datagrams of a client to a back end, and its responses to the client.
import { createSocket, type Socket } from 'node:dgram';
import { setDeadline, type Timed, unwatch, watch } from '../../../http/wire/deadlines.ts';
import type { UpstreamGroup } from '../../http/upstream/peers/group.ts';
import { systemError } from '../../system-error.ts';
import { type DatagramFlow, filtered, STATUS } from '../model.ts';
import { Attempts } from './attempts.ts';
import { bindAddress, type ProxyConf, rateOf } from './conf.ts';
import { Pacer } from './throttle.ts';

/** Addresses of peers are literal, so nothing is looked up. */
const literal = (
  host: string,
  _options: unknown,
  done: (error: NodeJS.ErrnoException | null, address: string, family: number) => void,
): void => done(null, host, host.includes(':') ? 6 : 4);

export class UdpProxy implements Timed {
  deadlineMs = Infinity;
  readonly #s: DatagramFlow;
  readonly #conf: ProxyConf;
  readonly #attempts: Attempts;
  #socket: Socket | null = null;
  #connected = false;
  /** datagrams of the client from before the socket was ready */
  #early: Buffer[] = [];
  /** datagrams from the client and from the peer */
  #requests = 0;
  #responses = 0;
  readonly #up: Pacer | null = null;
  readonly #down: Pacer | null = null;
  #failed = false;

  constructor(s: DatagramFlow, conf: ProxyConf, group: UpstreamGroup) {
    this.#s = s;
    this.#conf = conf;
    this.#attempts = new Attempts(s, conf, group);
    const uploadRate = rateOf(s, conf.proxy_upload_rate);
    const downloadRate = rateOf(s, conf.proxy_download_rate);
    if (uploadRate > 0) this.#up = new Pacer(uploadRate);
    if (downloadRate > 0) this.#down = new Pacer(downloadRate);
    for (const filter of s.filters) filter.emit = (direction, data) => (direction === 'up' ? this.#upward(data) : this.#downward(data));
    watch(this);
    s.cleanups.push(() => this.#end());
  }

  connect(): void {
    this.#tryPeer();
    if (!this.#s.done) this.#s.receive((data) => this.#fromClient(data));
  }

  #tryPeer(): void {
    const s = this.#s;
    const peer = this.#attempts.next();
    if (!peer) return;
    if (peer.address.path) {
      s.log('error', 'datagrams to unix domain sockets are not supported by this server');
      s.finalize(STATUS.internalError);
      return;
    }
    const { host, port } = peer.address;
    const socket = createSocket({ type: host.includes(':') ? 'udp6' : 'udp4', lookup: literal });
    this.#socket = socket;
    socket.on('error', (error) => this.#peerFailed(socket, error));
    socket.on('message', (data) => this.#fromPeer(data));
    const bind = bindAddress(s, this.#conf);
    const open = (): void => {
      socket.connect(port, host, () => {
        if (this.#socket === socket && !s.done) this.#ready(peer.name);
      });
    };
    if (bind) socket.bind(bind.port, bind.address, open);
    else open();
  }

  #ready(name: string): void {
    const s = this.#s;
    this.#connected = true;
    this.#attempts.connected();
    s.action = 'proxying connection';
    s.note(() => {
      const { address, port } = this.#socket?.address() ?? { address: '', port: 0 };
      return `udp proxy ${address}:${port} connected to ${name}`;
    });
    setDeadline(this, this.#conf.proxy_timeout);
    const early = this.#early;
    this.#early = [];
    for (const data of early) this.#toPeer(data);
  }

  #fromClient(data: Buffer): void {
    const { proxy_requests: limit } = this.#conf;
    this.#requests++;
    // the client's next datagram starts another session
    if (limit > 0 && this.#requests >= limit) this.#s.retire();
    for (const chunk of filtered(this.#s, 'up', data)) this.#upward(chunk);
  }

  #upward(data: Buffer): void {
    if (this.#s.done) return;
    if (this.#up) this.#up.push(data.length, () => this.#toPeer(data));
    else this.#toPeer(data);
  }

  #toPeer(data: Buffer): void {
    if (!this.#connected) {
      this.#early.push(data);
      return;
    }
    setDeadline(this, this.#conf.proxy_timeout);
    this.#attempts.state.bytesSent += data.length;
    this.#socket?.send(data, (error) => {
      if (error && !this.#s.done) this.#peerFailed(this.#socket, error);
      else this.#settle();
    });
  }

  #fromPeer(data: Buffer): void {
    const s = this.#s;
    if (s.done) return;
    setDeadline(this, this.#conf.proxy_timeout);
    this.#attempts.received(data.length);
    this.#responses++;
    const chunks = filtered(s, 'down', data);
    for (const chunk of chunks) this.#downward(chunk);
    if (chunks.length === 0) this.#settle();
  }

  #downward(data: Buffer): void {
    const s = this.#s;
    if (s.done) return;
    const pass = (): void => {
      s.send(data);
      this.#settle();
    };
    if (this.#down) this.#down.push(data.length, pass);
    else pass();
  }

  #peerFailed(socket: Socket | null, error: Error): void {
    const s = this.#s;
    if (s.done || socket !== this.#socket) return;
    if (this.#connected) s.action = 'proxying and reading from upstream';
    s.log('error', `${this.#connected ? 'recv()' : 'connect()'} failed (${systemError(error)})`);
    if (!this.#connected) {
      this.#socket?.close();
      this.#socket = null;
      if (this.#attempts.mayRetry()) this.#tryPeer();
      return;
    }
    this.#failed = true;
    s.finalize(STATUS.ok);
  }

  /** Ends the session if the expected answers have arrived. */
  #settle(): void {
    const s = this.#s;
    const { proxy_requests: requests, proxy_responses: responses } = this.#conf;
    if (s.done || (requests > 0 && this.#requests < requests)) return;
    if (this.#responses < responses * this.#requests || this.#up?.idle === false || this.#down?.idle === false) return;
    this.#finish('done');
  }

  timedOut(): void {
    const s = this.#s;
    if (s.done) return;
    const { proxy_responses: responses } = this.#conf;
    if (responses === Infinity || this.#responses >= responses * this.#requests) {
      this.#finish('timed out');
      return;
    }
    s.log('error', 'upstream timed out (110: Connection timed out)');
    this.#failed = true;
    s.finalize(STATUS.badGateway);
  }

  #finish(how: 'done' | 'timed out'): void {
    const s = this.#s;
    const { bytesReceived, bytesSent } = this.#attempts.state;
    s.note(
      () =>
        `udp ${how}, packets from/to client:${this.#requests}/${this.#responses}` +
        `, bytes from/to client:${s.bytesReceived}/${s.bytesSent}, bytes from/to upstream:${bytesReceived}/${bytesSent}`,
    );
    s.finalize(STATUS.ok);
  }

  #end(): void {
    unwatch(this);
    this.#up?.stop();
    this.#down?.stop();
    this.#attempts.release(this.#failed ? 'failed' : 'ok');
    this.#socket?.close();
    this.#socket = null;
  }
}
