// Asks the authentication server about a login: one HTTP/1.0 request on a connection of its own.
import { connect, isIP, type Socket } from 'node:net';
import { setDeadline, type Timed, unwatch, watch } from '../../../http/wire/deadlines.ts';
import { makeAddress } from '../../http/config/addresses.ts';
import { systemError } from '../../system-error.ts';
import type { Credentials, MailSession } from '../model.ts';
import { mailAuthHttp } from './conf.ts';
import { authRequest } from './request.ts';
import { type AuthAnswer, headEnd, parseAuthResponse } from './response.ts';

/** Longest head of a response. */
const MAX_HEAD_BYTES = 16_384;

/** A back end chosen by the authentication server. */
export interface BackEnd {
  /** `ADDRESS:PORT`, as named */
  name: string;
  host: string;
  port: number;
}

/** A request in progress. */
export class AuthRequest implements Timed {
  deadlineMs = Infinity;
  readonly #session: MailSession;
  readonly #socket: Socket;
  readonly #name: string;
  readonly #done: (answer: AuthAnswer | null) => void;
  #received: Buffer = Buffer.alloc(0);
  #over = false;

  /** @param done  gets the response, or null after the reason was logged */
  constructor(session: MailSession, credentials: Credentials, attempt: number, done: (answer: AuthAnswer | null) => void) {
    this.#session = session;
    this.#done = done;
    const { auth_http: server, auth_http_timeout } = mailAuthHttp.conf(session.loc);
    const { host, port, path, name } = server?.address ?? makeAddress('', 0);
    this.#name = name;
    this.#socket = connect(path ? { path } : { host, port });
    this.#socket.on('error', (error: NodeJS.ErrnoException) =>
      this.#fail(`${error.syscall === 'connect' ? 'connect()' : 'recv()'} failed (${systemError(error)})`),
    );
    this.#socket.on('data', (data) => this.#take(data));
    this.#socket.on('end', () => this.#fail(`auth http server ${name} prematurely closed connection`));
    this.#socket.write(authRequest(session, credentials, attempt), 'latin1');
    watch(this);
    setDeadline(this, auth_http_timeout);
  }

  #take(data: Buffer): void {
    if (this.#over) return;
    this.#received = Buffer.concat([this.#received, data]);
    const end = headEnd(this.#received);
    if (end < 0) {
      if (this.#received.length > MAX_HEAD_BYTES) this.#fail(`auth http server ${this.#name} sent too long header in response`);
      return;
    }
    const answer = end > MAX_HEAD_BYTES ? null : parseAuthResponse(this.#received.latin1Slice(0, end));
    if (answer) this.#finish(answer);
    else this.#fail(`auth http server ${this.#name} sent invalid header in response`);
  }

  timedOut(): void {
    this.#fail(`auth http server ${this.#name} timed out (${systemError('ETIMEDOUT')})`);
  }

  #fail(message: string): void {
    if (this.#over) return;
    this.#session.log('error', message);
    this.#finish(null);
  }

  #finish(answer: AuthAnswer | null): void {
    this.cancel();
    this.#done(answer);
  }

  /** Called when the client has disconnected. */
  cancel(): void {
    this.#over = true;
    unwatch(this);
    this.#socket.destroy();
  }
}

/** The authentication server in log lines. */
export const authServerName = ({ loc }: MailSession): string => `auth http server ${mailAuthHttp.conf(loc).auth_http?.address?.name ?? ''}`;

/** The back end in a response. @returns null after logging the reason if there is none */
export function backEndOf(session: MailSession, { server, port }: AuthAnswer): BackEnd | null {
  const auth = authServerName(session);
  if (!server || !port) {
    session.log('error', `${auth} did not send server or port`);
    return null;
  }
  const host = server.replace(/^\[(.*)\]$/s, '$1');
  if (!isIP(host)) {
    session.log('error', `${auth} sent invalid server address:"${server}"`);
    return null;
  }
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65535) {
    session.log('error', `${auth} sent invalid server port:"${port}"`);
    return null;
  }
  return { name: `${server}:${port}`, host, port: Number(port) };
}
