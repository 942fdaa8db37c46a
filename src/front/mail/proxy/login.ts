// Logs in to the back end in place of the client.
import { connect, type Socket } from 'node:net';
import { setDeadline, type Timed, unwatch, watch } from '../../../http/wire/deadlines.ts';
import { systemError } from '../../system-error.ts';
import type { BackEnd } from '../auth/auth-http.ts';
import { mailCore } from '../core.ts';
import type { LoginScript, MailSession } from '../model.ts';
import { mailProxy } from './conf.ts';
import { proxyHeader } from './proxy-header.ts';

/** `first`: sent to the client first. `refusal`: sent before its connection is closed; null if the back end sent nothing to pass on. */
export type LoginResult = { socket: Socket; first: Buffer } | { refusal: string | null };

export class BackEndLogin implements Timed {
  deadlineMs = Infinity;
  readonly #session: MailSession;
  readonly #script: LoginScript;
  readonly #socket: Socket;
  readonly #done: (result: LoginResult) => void;
  #received: Buffer = Buffer.alloc(0);
  #step = 0;
  #over = false;

  constructor(session: MailSession, backEnd: BackEnd, script: LoginScript, done: (result: LoginResult) => void) {
    this.#session = session;
    this.#script = script;
    this.#done = done;
    this.#socket = connect({ host: backEnd.host, port: backEnd.port, allowHalfOpen: true, noDelay: true });
    this.#socket.on('error', this.#onError);
    this.#socket.on('data', this.#onData);
    this.#socket.on('end', this.#onEnd);
    const { proxy_protocol: version } = mailProxy.conf(session.loc);
    if (version !== 'off') this.#socket.write(proxyHeader(session, version));
    this.#socket.once('connect', () => (session.action = 'reading response from upstream'));
    watch(this);
    setDeadline(this, mailCore.conf(session.loc).timeout);
  }

  readonly #onError = (error: NodeJS.ErrnoException): void => {
    this.#session.log('error', `${error.syscall === 'connect' ? 'connect()' : 'recv()'} failed (${systemError(error)})`);
    this.#finish({ refusal: null });
  };

  readonly #onEnd = (): void => {
    this.#session.log('error', 'upstream prematurely closed connection');
    this.#finish({ refusal: null });
  };

  timedOut(): void {
    this.#session.log('info', `upstream timed out (${systemError('ETIMEDOUT')})`);
    this.#finish({ refusal: null });
  }

  readonly #onData = (data: Buffer): void => {
    if (this.#over) return;
    this.#received = this.#received.length === 0 ? data : Buffer.concat([this.#received, data]);
    const reply = this.#script.findReply(this.#received, this.#step === 0);
    if (reply) {
      this.#take(reply);
      return;
    }
    if (this.#received.length < mailProxy.conf(this.#session.loc).proxy_buffer) return;
    this.#session.action = 'reading response from upstream';
    this.#session.log('error', `upstream sent too long response line: "${this.#received.latin1Slice()}"`);
    this.#finish({ refusal: null });
  };

  #take({ start, end }: { start: number; end: number }): void {
    const { steps, success } = this.#script;
    this.#session.action = 'reading response from upstream';
    if (!steps[this.#step].accepts(this.#received.latin1Slice(start, end))) {
      this.#refused(start, end);
      return;
    }
    this.#step++;
    if (this.#step === steps.length) {
      this.#finish({ socket: this.#socket, first: success === null ? this.#received : Buffer.from(success, 'latin1') });
      return;
    }
    const { send, action } = steps[this.#step];
    this.#session.action = action;
    if (/[\r\n\0]/.test(send.slice(0, -2))) {
      this.#session.log('error', 'login contains a line break or a zero byte');
      this.#finish({ refusal: null });
      return;
    }
    this.#received = Buffer.alloc(0);
    this.#socket.write(send, 'latin1');
  }

  #refused(start: number, end: number): void {
    const passes = mailProxy.conf(this.#session.loc).proxy_pass_error_message;
    const reply = this.#received.latin1Slice(start, end - 2);
    const { tag } = this.#script;
    const text = tag !== '' && reply.startsWith(tag) ? reply.slice(tag.length) : reply;
    this.#session.log(passes ? 'info' : 'error', `upstream sent invalid response: "${text}"`);
    this.#finish({ refusal: passes ? this.#received.latin1Slice(0, end) : null });
  }

  #finish(result: LoginResult): void {
    if (this.#over) return;
    this.#over = true;
    unwatch(this);
    const socket = this.#socket;
    if ('refusal' in result) this.#close();
    else {
      socket.pause();
      socket.off('data', this.#onData);
      socket.off('end', this.#onEnd);
      socket.off('error', this.#onError);
    }
    this.#done(result);
  }

  #close(): void {
    this.#socket.off('error', this.#onError).on('error', () => {});
    this.#socket.destroy();
  }

  /** Called when the client has disconnected. */
  cancel(): void {
    this.#over = true;
    unwatch(this);
    this.#close();
  }
}
