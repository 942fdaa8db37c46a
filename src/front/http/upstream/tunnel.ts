/** An upgraded connection or CONNECT: bytes both ways, with backpressure, until one side ends. */
import { ERROR, OK } from '../request/codes.ts';
import type { Upstream } from './upstream.ts';

export class UpstreamTunnel {
  active = false;

  constructor(private readonly u: Upstream) {}

  open(): void {
    const { r } = this.u;
    this.u.clearTimer();
    this.u.sender.requestSent = true;
    this.u.headerDone = true;
    this.u.upgrade = true;
    this.u.state.status = 200;
    this.u.state.headerMs = this.u.state.connectMs;
    r.out.status = 200;
    r.upgraded = true;
    const rc = r.sendHeader();
    if (rc !== OK) {
      this.u.finish(rc);
      return;
    }
    this.start();
  }

  start(): void {
    const { r, conn } = this.u;
    this.active = true;
    r.keepalive = false;
    r.upgraded = true;
    r.output([], false, true);
    const client = r.conn;
    client.tunnel = (data) => this.toPeer(data);
    client.tunnelEnd = () => {
      if (conn && !conn.ended) conn.socket.end();
      this.u.finish(OK);
    };
    r.main.onAbort = () => this.u.finish(OK);
    const early = client.takeInput();
    if (early.length > 0) this.toPeer(early);
    this.u.setTimer(this.u.conf.readTimeoutMs);
    client.resumeReading();
  }

  private toPeer(data: Buffer): void {
    if (!this.u.conn || this.u.conn.ended) return;
    this.u.setTimer(this.u.conf.readTimeoutMs);
    if (!this.u.conn.write(data)) this.u.r.conn.pauseReading();
  }

  toClient(data: Buffer): void {
    this.u.setTimer(this.u.conf.readTimeoutMs);
    this.u.state.responseLength += data.length;
    const rc = this.u.r.output([data], false, true);
    if (rc === ERROR) {
      this.u.finish(OK);
      return;
    }
    if (this.u.r.blocked) {
      this.u.conn?.socket.pause();
      this.u.r.conn.output.whenWritable(() => this.u.conn?.socket.resume());
    }
  }

  end(): void {
    if (this.u.r.conn.output.blocked) {
      this.u.r.conn.output.whenWritable(() => this.u.finish(OK));
      return;
    }
    this.u.finish(OK);
  }
}
