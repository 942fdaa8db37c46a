// An upgraded connection or CONNECT: bytes in both directions, with backpressure, until one side closes.

import type { Request } from '../../model/types.ts';
import type { UpstreamState } from '../../model/upstream-state.ts';
import { ERROR, OK } from '../../request/codes.ts';
import type { UpstreamConf } from '../conf.ts';
import type { PeerConnection } from '../connection/connect.ts';

/** The exchange whose connections are joined. */
export interface TunnelOwner {
  readonly r: Request;
  readonly conf: UpstreamConf;
  readonly conn: PeerConnection | null;
  readonly state: UpstreamState;
  setTimer(ms: number): void;
  finish(rc: number): void;
}

export class UpstreamTunnel {
  readonly #u: TunnelOwner;

  constructor(u: TunnelOwner) {
    this.#u = u;
  }

  start(): void {
    const { r, conn, conf } = this.#u;
    r.keepalive = false;
    r.upgraded = true;
    r.output([], false, true);
    const client = r.conn;
    client.tunnel = (data) => this.#toPeer(data);
    client.tunnelEnd = () => {
      if (conn && !conn.ended) conn.socket.end();
      this.#u.finish(OK);
    };
    r.main.onAbort = () => this.#u.finish(OK);
    const early = client.takeInput();
    if (early.length > 0) this.#toPeer(early);
    this.#u.setTimer(conf.readTimeoutMs);
    client.resumeReading();
  }

  #toPeer(data: Buffer): void {
    const { conn, conf, r } = this.#u;
    if (!conn || conn.ended) return;
    this.#u.setTimer(conf.readTimeoutMs);
    if (!conn.write(data)) r.conn.pauseReading();
  }

  toClient(data: Buffer): void {
    const { conf, r, state } = this.#u;
    this.#u.setTimer(conf.readTimeoutMs);
    state.responseLength += data.length;
    const rc = r.output([data], false, true);
    if (rc === ERROR) {
      this.#u.finish(OK);
      return;
    }
    if (r.blocked) {
      this.#u.conn?.socket.pause();
      r.conn.output.whenWritable(() => this.#u.conn?.socket.resume());
    }
  }

  /** The peer closed: what it sent is delivered first. */
  end(): void {
    const { output } = this.#u.r.conn;
    if (output.blocked) output.whenWritable(() => this.#u.finish(OK));
    else this.#u.finish(OK);
  }
}
