// Properties of a client's session, and its log lines.
import type { Origin } from '../http/connection/client-connections.ts';
import type { ProxyInfo } from '../http/model/connection-start.ts';
import type { Loc, TlsInfo, VirtualHosts } from '../http/model/types.ts';
import { type Level, logTo } from '../log/error-log.ts';
import { addressText } from './listen.ts';
import type { Envelope, MailProtocol, MailSession } from './model.ts';

/** Longest message in the log, characters. */
const MAX_LOGGED = 2048;

export class ClientSession implements MailSession {
  readonly loc: Loc;
  readonly protocol: MailProtocol;
  readonly hosts: VirtualHosts;
  remoteAddr: string;
  remotePort: number;
  readonly localAddr: string;
  readonly localPort: number;
  proxy: ProxyInfo | null = null;
  tls: TlsInfo | null = null;
  login = '';
  host = '';
  readonly envelope: Envelope = { helo: '', extended: false, from: '', to: '' };
  salt = '';
  action = '';
  protected startedTls = false;
  /** chosen by the authentication server */
  protected backEnd: { readonly name: string } | null = null;
  readonly #id: number;

  constructor(hosts: VirtualHosts, protocol: MailProtocol, { id, remoteAddr, remotePort, localAddr, localPort }: Origin) {
    this.loc = hosts.defaultServer.root;
    this.protocol = protocol;
    this.hosts = hosts;
    this.#id = id;
    this.remoteAddr = remoteAddr;
    this.remotePort = remotePort;
    this.localAddr = localAddr;
    this.localPort = localPort;
    const client = remoteAddr.startsWith('unix:') ? remoteAddr : addressText({ host: remoteAddr, port: remotePort, path: '' });
    if (this.loc.debug) this.log('debug', `accept: ${client}`);
    logTo(this.loc.errorLogs, 'info', `client ${client} connected to ${addressText(hosts.options)}`, id);
  }

  log(level: Level, message: string): void {
    this.#write(level, message, this.action);
  }

  note(level: Level, message: string): void {
    this.#write(level, message, '');
  }

  #write(level: Level, message: string, action: string): void {
    const logs = this.loc.errorLogs;
    if (logs.length === 0) return;
    const tail = level === 'debug' ? '' : (action === '' ? '' : ` while ${action}`) + this.#tail();
    // parts of it are controlled by remote peers
    const line = (message.slice(0, MAX_LOGGED) + tail).replace(/[\0-\x1f\x7f]/g, '_');
    logTo(logs, level, line, this.#id);
  }

  #tail(): string {
    const client = `, client: ${this.remoteAddr}${this.startedTls ? ' using starttls' : ''}`;
    const login = this.login === '' ? '' : `, login: "${this.login}"`;
    return `${client}, server: ${addressText(this.hosts.options)}${login}${this.backEnd ? `, upstream: ${this.backEnd.name}` : ''}`;
  }
}
