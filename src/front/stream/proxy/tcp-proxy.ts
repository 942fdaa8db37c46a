// Passes a client's connection to a back end: connects, and joins both sides with backpressure, rates and timeouts.
import type { Socket } from 'node:net';
import tls from 'node:tls';
import { setDeadline } from '../../../http/wire/deadlines.ts';
import { type ConnectionEvents, PeerConnection, type TlsSettings } from '../../http/upstream/connection/connect.ts';
import { type ReadBuffers, withCopy } from '../../http/upstream/connection/read-buffers.ts';
import { upstreamTls } from '../../http/upstream/connection/tls.ts';
import type { UpstreamGroup } from '../../http/upstream/peers/group.ts';
import { sslError, systemError } from '../../system-error.ts';
import { type ClientConsumer, type ClientStream, filtered, STATUS } from '../model.ts';
import { endpoint } from '../session.ts';
import { Attempts } from './attempts.ts';
import { bindAddress, type ProxyConf, rateOf, tlsConfOf } from './conf.ts';
import { HeldBack } from './held-back.ts';

/** A read of at least this size makes the next one use a larger buffer. */
const LARGE_READ = 24 * 1024;
const EMPTY: Buffer = Buffer.alloc(0);
const TIMED_OUT = '110: Connection timed out';

export class TcpProxy implements ClientConsumer, ConnectionEvents {
  readonly #s: ClientStream;
  readonly #client: Socket;
  readonly #conf: ProxyConf;
  readonly #attempts: Attempts;
  readonly #defaultName: string;
  #conn: PeerConnection | null = null;
  #connected = false;
  /** bytes of the client from before the connection was open */
  #early: Buffer[] = [];
  #earlyBytes = 0;
  /** of those, the bytes that count as received when the connection is open, as in nginx, which does not read them before */
  #unread = 0;
  /** header of the PROXY protocol, which is sent together with the first bytes */
  #greeting = '';
  #clientEnded = false;
  #peerEnded = false;
  /** `#whenWritten` waits for the last bytes of the client, or of the peer */
  #clientFlush = false;
  #peerFlush = false;
  readonly #up: HeldBack | null = null;
  readonly #down: HeldBack | null = null;

  /** @param name  back end as configured */
  constructor(s: ClientStream, conf: ProxyConf, group: UpstreamGroup, name: string) {
    this.#s = s;
    this.#client = s.socket;
    this.#conf = conf;
    this.#defaultName = group.explicit ? group.name : name;
    this.#attempts = new Attempts(s, conf, group);
    const uploadRate = rateOf(s, conf.proxy_upload_rate);
    const downloadRate = rateOf(s, conf.proxy_download_rate);
    const { proxy_buffer_size: size } = conf;
    if (uploadRate > 0) {
      this.#up = new HeldBack(
        uploadRate,
        size,
        (data) => this.#toPeer(data),
        () => this.#settle(),
      );
    }
    if (downloadRate > 0) {
      this.#down = new HeldBack(
        downloadRate,
        size,
        (data) => this.#toClient(data),
        () => this.#settle(),
      );
    }
    for (const filter of s.filters) filter.emit = (direction, data) => (direction === 'up' ? this.#upward(data) : this.#downward(data));
    s.cleanups.push(() => this.#end());
  }

  /** Starts: reads from the client, and tries the first peer. */
  connect(): void {
    const preread = this.#s.takePreread();
    if (preread.length > 0) this.#fromClient(preread, true);
    const client = this.#client;
    this.#s.consume(this);
    if (client.isPaused() && this.#up?.empty !== false) client.resume();
    if (client.readableEnded || client.destroyed) this.onClientEnd();
    if (!this.#s.done) this.#tryPeer();
  }

  // ---------------------------------------------------------------- the way to a peer

  #tryPeer(): void {
    const s = this.#s;
    const peer = this.#attempts.next();
    if (!peer) return;
    const conf = this.#conf;
    let settings: TlsSettings | null = null;
    const tlsConf = tlsConfOf(s.loc);
    if (tlsConf) {
      settings = upstreamTls(s, tlsConf, this.#defaultName);
      const { options } = settings;
      const names = conf.proxy_ssl_alpn?.map((name) => name.eval(s)).filter((name) => name !== '') ?? [];
      if (names.length > 0) settings.options = () => ({ ...options(), ALPNProtocols: names });
      try {
        settings.prepare();
      } catch (error) {
        s.log('error', `cannot load certificate: ${(error as Error).message}`);
        s.finalize(STATUS.internalError);
        return;
      }
    }
    const header = conf.proxy_protocol ? proxyHeader(s) : '';
    // it precedes the handshake
    const greeting = settings ? header : '';
    this.#greeting = settings ? '' : header;
    try {
      this.#conn = new PeerConnection(peer.address, bindAddress(s, conf), settings, conf.proxy_socket_keepalive, tls, greeting, true);
    } catch (error) {
      s.log('crit', `connect() to ${peer.name} failed (${systemError(error)})`);
      this.#retry();
      return;
    }
    this.#conn.bytesSent += greeting.length;
    this.#conn.events = this;
    setDeadline(this.#conn, conf.proxy_connect_timeout);
  }

  #retry(): void {
    this.#noteSent();
    this.#conn?.destroy();
    this.#conn = null;
    if (this.#attempts.mayRetry()) this.#tryPeer();
  }

  onConnect(): void {
    const s = this.#s;
    const conn = this.#conn;
    if (!conn || s.done) return;
    this.#attempts.connected();
    this.#connected = true;
    s.action = 'proxying connection';
    s.note(() => {
      const { localAddress = '', localPort = 0 } = conn.socket;
      return `proxy ${conn.address.path ? 'unix:' : endpoint(localAddress, localPort)} connected to ${conn.address.name}`;
    });
    setDeadline(conn, this.#conf.proxy_timeout);
    const early = this.#early;
    this.#early = [];
    this.#earlyBytes = 0;
    s.bytesReceived += this.#unread;
    this.#unread = 0;
    if (this.#greeting !== '') early.unshift(Buffer.from(this.#greeting, 'latin1'));
    if (early.length > 0) this.#toPeer(early.length === 1 ? early[0] : Buffer.concat(early));
    if (!this.#clientEnded && this.#client.isPaused() && !this.#up) this.#client.resume();
    this.#settle();
  }

  // ---------------------------------------------------------------- from the client

  onClientData(data: Buffer): void {
    const { buffers } = this.#s;
    if (buffers) this.#fromBuffers(data, buffers);
    else this.#fromClient(data);
  }

  /** @param data  in memory that the next read overwrites */
  #fromBuffers(data: Buffer, buffers: ReadBuffers): void {
    if (!this.#connected || this.#up || this.#s.filters.length > 0) {
      this.#fromClient(Buffer.from(data));
      return;
    }
    buffers.expectsMore = data.length >= LARGE_READ;
    const held = (bytes: Buffer): boolean => {
      this.#fromClient(bytes);
      return (this.#conn?.unsent ?? 0) > 0;
    };
    if (data.buffer === buffers.ownMemory) buffers.retained = held(data);
    else withCopy(data, held);
  }

  #fromClient(data: Buffer, isPreread = false): void {
    const s = this.#s;
    if (s.done) return;
    if (!this.#connected && !isPreread) {
      s.bytesReceived -= data.length;
      this.#unread += data.length;
    } else if (this.#conn && this.#connected) setDeadline(this.#conn, this.#conf.proxy_timeout);
    if (this.#s.filters.length === 0) this.#upward(data);
    else for (const chunk of filtered(this.#s, 'up', data)) this.#upward(chunk);
  }

  #upward(data: Buffer): void {
    if (this.#s.done) return;
    if (this.#up) {
      this.#client.pause();
      this.#up.push(data);
    } else this.#toPeer(data);
  }

  #toPeer(data: Buffer): void {
    const conn = this.#conn;
    if (!conn || !this.#connected) {
      this.#early.push(data);
      this.#earlyBytes += data.length;
      if (this.#earlyBytes >= this.#conf.proxy_buffer_size) this.#client.pause();
      return;
    }
    if (conn.ended && !this.#conf.proxy_half_close) return;
    if (!conn.write(data)) this.#client.pause();
    setDeadline(conn, this.#conf.proxy_timeout);
  }

  onClientEnd(): void {
    if (this.#clientEnded || this.#s.done) return;
    for (const chunk of filtered(this.#s, 'up', EMPTY, true)) this.#upward(chunk);
    this.#clientEnded = true;
    this.#settle();
  }

  // ---------------------------------------------------------------- from the peer

  onData(data: Buffer): void {
    const conn = this.#conn;
    if (!conn || this.#s.done) return;
    this.#attempts.received(data.length);
    setDeadline(conn, this.#conf.proxy_timeout);
    if (this.#s.filters.some((filter) => filter.handles('down'))) {
      for (const chunk of filtered(this.#s, 'down', Buffer.from(data))) this.#downward(chunk);
      return;
    }
    const shared = conn.reads === 'shared';
    if (this.#down) {
      conn.socket.pause();
      this.#down.push(conn.reads === 'fresh' ? data : Buffer.from(data));
      return;
    }
    conn.buffers.expectsMore = data.length >= LARGE_READ;
    if (shared) {
      withCopy(data, (copy) => {
        this.#toClient(copy);
        return this.#s.unsent > 0;
      });
    } else {
      this.#toClient(data);
      if (conn.reads === 'own') conn.buffers.retained = this.#s.unsent > 0;
    }
  }

  #downward(data: Buffer): void {
    if (this.#s.done) return;
    if (this.#down) {
      this.#conn?.socket.pause();
      this.#down.push(data);
    } else this.#toClient(data);
  }

  #toClient(data: Buffer): void {
    const s = this.#s;
    if (s.done || this.#client.destroyed) return;
    if (!s.write(data)) this.#conn?.socket.pause();
  }

  onEnd(error?: Error): void {
    const s = this.#s;
    if (s.done) return;
    if (!this.#connected) {
      const failure = connectFailure(error ?? null);
      if (failure.includes('SSL')) s.action = 'SSL handshaking to upstream';
      s.log('error', failure);
      this.#retry();
      return;
    }
    if (error) {
      this.#noteSent();
      s.action = 'proxying and reading from upstream';
      s.log('error', `recv() failed (${systemError(error)})`);
      s.action = 'proxying connection';
    }
    for (const chunk of filtered(s, 'down', EMPTY, true)) this.#downward(chunk);
    this.#peerEnded = true;
    this.#settle();
  }

  onDrain(): void {
    if (this.#s.done) return;
    if (this.#conn) setDeadline(this.#conn, this.#conf.proxy_timeout);
    if (this.#up?.empty !== false) this.#client.resume();
    this.#settle();
  }

  onClientDrain(): void {
    const conn = this.#conn;
    if (this.#s.done || !conn) return;
    if (this.#connected) setDeadline(conn, this.#conf.proxy_timeout);
    if (this.#down?.empty !== false) conn.socket.resume();
    this.#settle();
  }

  onClientFlushed(): void {
    this.#settle();
  }

  onFlushed(): void {
    this.#settle();
  }

  onTimeout(): void {
    const s = this.#s;
    if (s.done) return;
    if (!this.#connected) {
      s.log('error', `upstream timed out (${TIMED_OUT})`);
      this.#retry();
      return;
    }
    this.#noteSent();
    s.log('info', `connection timed out (${TIMED_OUT})`);
    s.finalize(STATUS.ok);
  }

  // ---------------------------------------------------------------- the end

  /** Resumes reads that waited for bytes to be sent, and ends completed directions. */
  #settle(): void {
    const s = this.#s;
    const conn = this.#conn;
    if (s.done) return;
    if (this.#up?.empty && !this.#clientEnded && this.#connected && (conn?.unsent ?? 0) === 0) this.#client.resume();
    if (this.#down?.empty && !this.#peerEnded && this.#s.unsent === 0) conn?.socket.resume();
    if (!this.#clientEnded && !this.#peerEnded) return;
    const early = !this.#connected && this.#early.length > 0;
    const toPeer = early || this.#up?.empty === false || (conn !== null && !conn.socket.destroyed && conn.unsent > 0);
    const toClient = this.#down?.empty === false || (!this.#client.destroyed && this.#s.unsent > 0);
    if (toClient && !this.#peerFlush) this.#peerFlush = this.#whenWritten(this.#client);
    if (toPeer && conn && this.#connected && !this.#clientFlush) this.#clientFlush = this.#whenWritten(conn.socket);
    if (this.#conf.proxy_half_close) {
      if (this.#clientEnded && this.#peerEnded && !toPeer && !toClient) this.#finish();
      else if (this.#clientEnded && !toPeer && this.#connected) conn?.socket.end();
      else if (this.#peerEnded && !toClient) this.#client.end();
      return;
    }
    // data that one side sent before it closed still reaches the other
    if ((this.#clientEnded || !toClient) && (this.#peerEnded || !toPeer)) this.#finish();
  }

  /** Settles again when everything written to the socket is on its way: it emits no event for writes that it took at once. */
  #whenWritten(socket: Socket): true {
    if (!socket.writableEnded) socket.write(EMPTY, () => this.#settle());
    return true;
  }

  #finish(): void {
    const s = this.#s;
    this.#noteSent();
    const { bytesReceived = 0, bytesSent = 0 } = this.#attempts.state ?? {};
    s.note(
      () =>
        `${this.#peerEnded ? 'upstream' : 'client'} disconnected, bytes from/to client:${s.bytesReceived}/${s.bytesSent}` +
        `, bytes from/to upstream:${bytesReceived}/${bytesSent}`,
    );
    s.finalize(STATUS.ok);
  }

  #noteSent(): void {
    if (this.#conn) this.#attempts.state.bytesSent = this.#conn.bytesSent;
  }

  /** Called when the session has ended. */
  #end(): void {
    this.#noteSent();
    this.#up?.stop();
    this.#down?.stop();
    this.#attempts.release('ok');
    this.#conn?.finish();
  }
}

/** The log message for a connection that cannot be opened. */
function connectFailure(error: Error | null): string {
  if (!error) return 'peer closed connection in SSL handshake';
  const { syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined)
    return error.message.startsWith('upstream SSL') ? error.message : `SSL_do_handshake() failed (${sslError(error)})`;
  return `${syscall === 'connect' ? 'connect()' : 'recv()'} failed (${systemError(error)})`;
}

/** Header of the PROXY protocol, version 1. */
function proxyHeader({ conn }: ClientStream): string {
  const { remoteAddr, remotePort, localAddr, localPort } = conn;
  if (remoteAddr.startsWith('unix:') || localAddr.startsWith('unix:')) return 'PROXY UNKNOWN\r\n';
  const family = remoteAddr.includes(':') ? 'TCP6' : 'TCP4';
  return `PROXY ${family} ${remoteAddr} ${localAddr} ${remotePort} ${localPort}\r\n`;
}
