// The types that the mail proxy is built around: its configuration, a client's session, and the interfaces of the protocols.
import type { Table } from '../config/directive.ts';
import { defineModule } from '../http/config/module.ts';
import type { ProxyInfo } from '../http/model/connection-start.ts';
import { BlockMain, type HttpModule, type Loc, type TlsInfo } from '../http/model/types.ts';
import type { Level } from '../log/error-log.ts';
import type { InputBuffer } from './commands/input-buffer.ts';

/** `mail { }`; its zonePrefix is `mail:` */
export class MailMain extends BlockMain {}

/** As defineModule, for a module of `mail { }`. */
export const defineMailModule = <T extends Table>(
  name: string,
  table: T,
  parts: Partial<Pick<HttpModule<T, MailMain>, 'finish'>> = {},
): HttpModule<T, MailMain> => defineModule<T, MailMain>(name, table, parts);

/** Name for the authentication server of the method by which the client logged in: LOGIN, USER and PASS, and AUTH LOGIN are `plain`, too. */
export type AuthMethod = 'plain' | 'apop' | 'cram-md5' | 'external' | 'none';

/** The credentials of a client. Strings hold bytes (latin1). */
export interface Credentials {
  method: AuthMethod;
  user: string;
  /** the password, or the digest of a challenge */
  secret: string;
}

/** What an SMTP client sent before it was passed on to a back end. */
export interface Envelope {
  helo: string;
  /** EHLO was used */
  extended: boolean;
  /** whole MAIL and RCPT commands, '' if there were none */
  from: string;
  to: string;
}

/** The result of a client's next command. */
export type Outcome =
  | { act: 'more' }
  /** `malformed`: counts for max_errors; `quit`: the connection is closed once the text is sent */
  | { act: 'reply'; text: string; malformed?: boolean; quit?: boolean }
  /** the command does not fit into the buffer; the text is sent before the connection is closed */
  | { act: 'too long'; text: string }
  | { act: 'starttls'; text: string }
  | { act: 'login'; credentials: Credentials };

/** The dialog with a client before it is passed on, in one of the protocols. It sends nothing itself. */
export interface ClientDialog {
  /** size of the buffer for commands, bytes */
  readonly bufferSize: number;
  greeting(): string;
  /** Starts to read commands: after the greeting, after the TLS handshake of STARTTLS, after a failed login. */
  restart(): void;
  /** Reads a command, and removes it from the input. */
  read(input: InputBuffer): Outcome;
  /** Reply to a command that is malformed or too long. */
  invalid(): string;
  /** Reply to a login that the authentication server refused. @param code  from Auth-Error-Code, '' if there is none */
  refusal(message: string, code: string): string;
  /** The steps of logging in to the back end. @param password  null: there is none */
  loginScript(method: AuthMethod, password: string | null): LoginScript;
}

/** One exchange with a back end. */
export interface LoginStep {
  /** the current action, for log lines */
  action: string;
  /** '' for the greeting, which the back end sends by itself */
  send: string;
  /** whether the reply, a whole one, permits to continue */
  accepts(reply: string): boolean;
}

export interface LoginScript {
  steps: LoginStep[];
  /**
   * Position of the reply in the received bytes; null if it is incomplete.
   * @param received  starts at a line
   * @param isGreeting  it is the greeting
   */
  findReply(received: Buffer, isGreeting: boolean): { start: number; end: number } | null;
  /** sent to the client after the login; null: the last reply of the back end is */
  success: string | null;
  needsPassword: boolean;
  /** precedes replies, and is left out in the log */
  tag: string;
}

/** A mail protocol, as seen by sessions. */
export interface MailProtocol {
  readonly name: 'imap' | 'pop3' | 'smtp';
  /** ports that imply it */
  readonly ports: readonly number[];
  readonly internalError: string;
  readonly certificateError: string;
  readonly noCertificate: string;
  /** time before the greeting in which the client must not send anything */
  greetingDelayMs(loc: Loc): number;
  /** Looks up the client's name before the greeting; null if the protocol does not need it. */
  readonly findHost: ((session: MailSession) => Promise<string>) | null;
  start(session: MailSession): ClientDialog;
}

/** A client's session, as seen by the protocols, the authentication request and the proxy (class MailConnection). */
export interface MailSession {
  readonly loc: Loc;
  readonly protocol: MailProtocol;
  readonly remoteAddr: string;
  readonly remotePort: number;
  readonly localAddr: string;
  readonly localPort: number;
  /** from a PROXY protocol header */
  readonly proxy: ProxyInfo | null;
  readonly tls: TlsInfo | null;
  /** name of the user, for log lines and for the back end */
  login: string;
  /** name of an SMTP client by the DNS, '' in other protocols */
  host: string;
  readonly envelope: Envelope;
  /** challenge of APOP and CRAM-MD5, '' if there is none */
  salt: string;
  /** the current action, for log lines */
  action: string;
  log(level: Level, message: string): void;
  /** Like `log`, but without the action. */
  note(level: Level, message: string): void;
}
