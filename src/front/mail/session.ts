// A client's session: its commands up to the login, the authentication request, and the connection to the back end.
// One class: each step continues with the socket, timer and buffered commands of the step before, and any of them may end the session.
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { setDeadline, type Timed, unwatch, watch } from '../../http/wire/deadlines.ts';
import { closed, opened, originOf, type TrackedConnection } from '../http/connection/client-connections.ts';
import type { ProxyInfo } from '../http/model/connection-start.ts';
import type { ListenSocket, TlsInfo, VirtualHosts } from '../http/model/types.ts';
import { isTrusted } from '../http/modules/access/trusted.ts';
import { systemError } from '../system-error.ts';
import { AuthRequest, authServerName, type BackEnd, backEndOf } from './auth/auth-http.ts';
import type { AuthAnswer } from './auth/response.ts';
import { ClientSession } from './client-session.ts';
import { InputBuffer } from './commands/input-buffer.ts';
import { IMPROPER_PIPELINING } from './commands/smtp.ts';
import { mailCore } from './core.ts';
import type { ClientDialog, Credentials, MailMain, MailProtocol, Outcome } from './model.ts';
import { BackEndLogin } from './proxy/login.ts';
import { Relay } from './proxy/relay.ts';
import { mailRealip } from './realip.ts';

/** Secures a client's connection (tls-session.ts, which is loaded only if the configuration needs it). */
export type Securer = (session: MailConnection, raw: Socket) => void;

export interface Accepted {
  mail: MailMain;
  listen: ListenSocket;
  hosts: VirtualHosts;
  protocol: MailProtocol;
  secure: Securer | null;
}

/** A server that answers WAIT forever must not keep a session forever. */
const MAX_WAITS = 1000;

export class MailConnection extends ClientSession implements TrackedConnection, Timed {
  readonly mail: MailMain;
  deadlineMs = Infinity;
  // TrackedConnection
  readonly request = null;
  readonly hasPartialHead = false;

  readonly #secure: Securer | null;
  #socket: Socket;
  #dialog: ClientDialog | null = null;
  readonly #input = new InputBuffer();
  /** state that determines how input is handled */
  #stage: 'waiting' | 'greeting delayed' | 'commands' | 'over' = 'waiting';
  /** the client will send nothing more */
  #ended = false;
  #errors = 0;
  #attempts = 0;
  #waits = 0;
  /** request, login or relay in progress */
  #work: { cancel(): void } | null = null;
  /** what happens at the deadline */
  #whenDue: () => void = () => this.#timedOut();

  constructor({ mail, listen, hosts, protocol, secure }: Accepted, socket: Socket) {
    super(hosts, protocol, originOf(socket, listen));
    this.mail = mail;
    this.#secure = secure;
    this.#socket = socket;
    opened(this);
    watch(this);
    socket.on('error', this.#onError);
    socket.on('close', this.#onClose);
  }

  /** @param proxy  from the PROXY protocol header; null if it names no client, or there is none */
  start(proxy: ProxyInfo | null): void {
    if (this.#stage === 'over') return;
    this.proxy = proxy;
    const trusted = mailRealip.conf(this.loc).set_real_ip_from;
    if (proxy && trusted && isTrusted(trusted, this.remoteAddr)) {
      this.remoteAddr = proxy.addr;
      this.remotePort = proxy.port;
    }
    if (this.hosts.options.ssl && this.#secure) {
      this.action = 'SSL handshaking';
      this.#leaveTo(this.#secure);
    } else void this.#begin();
  }

  /** Called if the connection does not start with a valid PROXY protocol header. */
  brokenHeader(): void {
    this.#finish();
  }

  // ---------------------------------------------------------------- TLS

  /** Lets the handshake read from the socket. */
  #leaveTo(secure: Securer): void {
    const socket = this.#socket;
    socket.pause();
    socket.off('data', this.#onData);
    socket.off('end', this.#onEnd);
    secure(this, socket);
  }

  /** Called when the TLS handshake has succeeded. @param refusal  sent to a client whose certificate is not accepted */
  secured(socket: TLSSocket, tls: TlsInfo, refusal: string | null): void {
    if (this.#stage === 'over') {
      socket.destroy();
      return;
    }
    const raw = this.#socket;
    raw.off('error', this.#onError).on('error', () => {});
    this.#socket = socket;
    socket.on('error', this.#onError);
    socket.on('close', this.#onClose);
    this.tls = tls;
    if (refusal !== null) this.#quitWith(refusal);
    else if (this.startedTls) {
      this.#listen();
      this.#readCommands();
    } else void this.#begin();
  }

  // ---------------------------------------------------------------- greeting

  async #begin(): Promise<void> {
    const { protocol, loc } = this;
    this.action = 'sending client greeting line';
    this.#dialog = protocol.start(this);
    if (protocol.findHost) {
      this.host = await protocol.findHost(this);
      if (this.#isOver) return;
    }
    this.#listen();
    const delayMs = protocol.greetingDelayMs(loc);
    if (delayMs === 0) {
      this.#greet();
      return;
    }
    this.#stage = 'greeting delayed';
    this.action = 'in delay pipelining state';
    this.#wait(delayMs, () => this.#greet());
    this.#socket.resume();
  }

  #greet(): void {
    if (!this.#dialog) return;
    this.#send(this.#dialog.greeting());
    this.#wait(mailCore.conf(this.loc).timeout);
    this.#readCommands();
  }

  /** Calls `due` after `ms`. */
  #wait(ms: number, due: () => void = () => this.#timedOut()): void {
    this.#whenDue = due;
    setDeadline(this, ms);
  }

  timedOut(): void {
    this.#whenDue();
  }

  #timedOut(): void {
    this.log('info', `client timed out (${systemError('ETIMEDOUT')})`);
    this.#finish();
  }

  // ---------------------------------------------------------------- commands

  #listen(): void {
    this.#socket.on('data', this.#onData);
    this.#socket.on('end', this.#onEnd);
  }

  #readCommands(): void {
    this.#dialog?.restart();
    this.action = 'in auth state';
    this.#stage = 'commands';
    this.#socket.resume();
    this.#run();
  }

  readonly #onData = (data: Buffer): void => {
    if (this.#stage === 'greeting delayed') {
      const text = data.subarray(0, this.#dialog?.bufferSize).latin1Slice();
      this.log('info', `client was rejected before greeting: "${text}"`);
      this.#quitWith(IMPROPER_PIPELINING);
      return;
    }
    if (this.#stage === 'over') return;
    this.#input.append(data);
    this.#run();
  };

  readonly #onEnd = (): void => {
    this.#ended = true;
    if (this.#stage === 'greeting delayed') this.#finish();
    else this.#run();
  };

  readonly #onDrain = (): void => {
    if (this.#stage !== 'commands') return;
    this.#socket.resume();
    this.#run();
  };

  /** Executes the received commands, and sends their replies together. */
  #run(): void {
    const socket = this.#socket;
    socket.cork();
    this.#runCommands();
    socket.uncork();
  }

  /** Pauses while the client does not read replies, and stops when it logs in. */
  #runCommands(): void {
    while (this.#stage === 'commands' && this.#dialog) {
      if (this.#socket.writableNeedDrain) {
        this.#socket.pause();
        this.#socket.once('drain', this.#onDrain);
        return;
      }
      const outcome = this.#dialog.read(this.#input);
      if (outcome.act === 'more') {
        if (this.#ended) this.#finish();
        return;
      }
      this.#carryOut(outcome);
    }
  }

  #carryOut(outcome: Exclude<Outcome, { act: 'more' }>): void {
    switch (outcome.act) {
      case 'reply':
        if (outcome.quit || (outcome.malformed && this.#countError())) this.#quitWith(outcome.text);
        else this.#send(outcome.text);
        return;
      case 'too long':
        this.#tooLong(outcome.text);
        return;
      case 'starttls':
        this.#startTls(outcome.text);
        return;
      case 'login':
        this.#pause();
        this.login = outcome.credentials.user;
        this.#attempts++;
        this.#waits = 0;
        this.#authenticate(outcome.credentials);
    }
  }

  /** @returns true if there were too many */
  #countError(): boolean {
    if (++this.#errors < mailCore.conf(this.loc).max_errors) return false;
    this.log('info', 'client sent too many invalid commands');
    return true;
  }

  #tooLong(text: string): void {
    this.log('info', `client sent too long command "${this.#input.bytes().subarray(0, this.#dialog?.bufferSize).latin1Slice()}"`);
    this.#quitWith(text);
  }

  /** Drops input that arrived before the handshake, because it was not protected. */
  #startTls(text: string): void {
    this.#pause();
    this.#input.clear();
    this.startedTls = true;
    this.action = 'in starttls state';
    this.#socket.write(text, 'latin1', (error) => {
      if (error || this.#isOver || !this.#secure) return;
      this.#input.clear();
      this.#leaveTo(this.#secure);
    });
  }

  #pause(): void {
    this.#stage = 'waiting';
    this.#socket.pause();
  }

  // ---------------------------------------------------------------- login

  #authenticate(credentials: Credentials): void {
    this.deadlineMs = Infinity;
    this.action = 'in http auth state';
    this.#work = new AuthRequest(this, credentials, this.#attempts, (answer) => {
      this.#work = null;
      if (answer) this.#answered(answer, credentials);
      else this.#fail();
    });
  }

  #answered(answer: AuthAnswer, credentials: Credentials): void {
    if (answer.user !== null) this.login = answer.user;
    if (answer.status === 'WAIT') {
      if (++this.#waits > MAX_WAITS) this.#fail();
      else if (answer.waitSeconds === 0) this.#authenticate(credentials);
      else this.#wait(answer.waitSeconds * 1000, () => this.#authenticate(credentials));
      return;
    }
    if (answer.status !== null && answer.status !== 'OK') {
      this.#refuse(answer.status, answer);
      return;
    }
    const backEnd = backEndOf(this, answer);
    if (!backEnd) this.#fail();
    else this.#connect(backEnd, credentials.method, answer.pass ?? (credentials.method === 'plain' ? credentials.secret : null));
  }

  #refuse(message: string, { waitSeconds, errorCode }: AuthAnswer): void {
    this.log('info', `client login failed: "${message}"`);
    const text = this.#dialog?.refusal(message, errorCode) ?? '';
    if (waitSeconds === 0) {
      this.#quitWith(text);
      return;
    }
    this.#wait(waitSeconds * 1000, () => {
      this.#send(text);
      this.#wait(mailCore.conf(this.loc).timeout);
      this.#readCommands();
    });
  }

  #connect(backEnd: BackEnd, method: Credentials['method'], password: string | null): void {
    const script = this.#dialog?.loginScript(method, password);
    if (!script) return;
    if (script.needsPassword && password === null) {
      this.log('error', `${authServerName(this)} did not send password`);
      this.#fail();
      return;
    }
    this.backEnd = backEnd;
    this.action = 'connecting to upstream';
    this.#work = new BackEndLogin(this, backEnd, script, (result) => {
      this.#work = null;
      if ('refusal' in result) this.#quitWith(result.refusal ?? this.protocol.internalError);
      else this.#relay(result.socket, result.first);
    });
  }

  #relay(backEnd: Socket, first: Buffer): void {
    const socket = this.#socket;
    this.note('info', 'client logged in');
    socket.off('data', this.#onData);
    socket.off('end', this.#onEnd);
    this.action = 'proxying';
    unwatch(this);
    this.#dialog = null;
    this.#work = new Relay(this, socket, backEnd, () => this.#finish());
    socket.write(first);
    if (this.#input.length > 0) backEnd.write(this.#input.takeAll());
    if (this.#ended) this.#work.cancel();
  }

  // ---------------------------------------------------------------- end

  get #isOver(): boolean {
    return this.#stage === 'over';
  }

  #send(text: string): void {
    if (!this.#isOver) this.#socket.write(text, 'latin1');
  }

  #fail(): void {
    this.#quitWith(this.protocol.internalError);
  }

  /** Sends a last reply. */
  #quitWith(text: string): void {
    this.#send(text);
    this.#finish();
  }

  /** Closes the connection, once everything is sent. */
  #finish(): void {
    if (this.#isOver) return;
    this.#stage = 'over';
    this.#work?.cancel();
    this.#work = null;
    this.#input.clear();
    const socket = this.#socket;
    // unread input would make the system reset the connection, so it is dropped
    socket.resume();
    socket.destroySoon();
    // the client may not read what is sent to it
    watch(this);
    this.#wait(mailCore.conf(this.loc).timeout, () => socket.destroy());
  }

  readonly #onError = (error: Error): void => {
    if (!this.#isOver) this.log('info', `recv() failed (${systemError(error)})`);
    this.#finish();
  };

  readonly #onClose = (): void => {
    // the plain socket below TLS closes after the secure one
    if (!this.#socket.destroyed) return;
    this.#finish();
    unwatch(this);
    closed(this);
  };

  /** The TLS handshake failed. @param problem  null if the client left */
  handshakeFailed(problem: string | null): void {
    if (this.#isOver) return;
    if (problem !== null) this.log('info', `SSL_do_handshake() failed (${problem})`);
    this.#finish();
  }

  // A session in progress continues while the worker exits.
  closeWhenIdle(): void {}

  destroy(): void {
    if (!this.#isOver && this.#work) this.log('info', 'shutdown timeout');
    this.#finish();
    this.#socket.destroy();
  }
}
