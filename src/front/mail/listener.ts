// Listening sockets of `mail { }` in an event loop.
import { createServer, type Socket } from 'node:net';
import { present } from '../../common/present.ts';
import { serveWith } from '../http/connection/acceptors.ts';
import { readProxyHeader } from '../http/connection/proxy-protocol.ts';
import type { ListenSocket, VirtualHosts } from '../http/model/types.ts';
import { imap } from './commands/imap.ts';
import { pop3 } from './commands/pop3.ts';
import { smtp } from './commands/smtp.ts';
import { mailCore } from './core.ts';
import type { MailMain } from './model.ts';
import { type Accepted, MailConnection, type Securer } from './session.ts';
import { usesTls } from './ssl.ts';

const PROTOCOLS = { imap, pop3, smtp };

export interface MailListening {
  close(): void;
}

/** @param full  whether the limit of connections is reached */
export async function listenMail(mail: MailMain, fds: Record<string, number>, full: () => boolean): Promise<MailListening> {
  const secure = mail.servers.some(usesTls) ? (await import('./tls-session.ts')).secureSession : null;
  const open = await Promise.all(mail.sockets.map((socket) => listen(mail, socket, fds[socket.key], secure ?? null, full)));
  return {
    close: () => {
      for (const listening of open) listening.close();
    },
  };
}

function listen(mail: MailMain, socket: ListenSocket, fd: number, secure: Securer | null, full: () => boolean): Promise<MailListening> {
  const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true });
  const accept = (raw: Socket): void => {
    if (full()) {
      raw.destroy();
      return;
    }
    const hosts = hostsAt(socket, raw);
    const protocol = PROTOCOLS[present(mailCore.conf(hosts.defaultServer.root).protocol)];
    serve({ mail, listen: socket, hosts, protocol, secure }, raw);
  };
  server.on('connection', accept);
  serveWith(socket, accept);
  server.on('error', () => {});
  return new Promise((resolve) => {
    server.listen({ fd, backlog: socket.options.backlog } as { fd: number }, () => resolve(server));
  });
}

function hostsAt({ hosts, byAddress }: ListenSocket, raw: Socket): VirtualHosts {
  if (byAddress.size === 0) return hosts;
  const local = raw.localAddress ?? '';
  return byAddress.get(local.startsWith('::ffff:') ? local.slice(7) : local) ?? hosts;
}

function serve(accepted: Accepted, raw: Socket): void {
  const { options } = accepted.hosts;
  if (options.keepAlive) raw.setKeepAlive(true, options.keepAlive.idleSeconds * 1000);
  const session = new MailConnection(accepted, raw);
  if (!options.proxyProtocol) {
    session.start(null);
    return;
  }
  session.action = 'reading PROXY protocol';
  raw.resume();
  readProxyHeader(
    raw,
    (proxy) => {
      if (proxy === 'invalid') session.brokenHeader();
      else session.start(proxy ?? null);
    },
    (message) => session.log('error', message),
    mailCore.conf(session.loc).timeout,
  );
}
