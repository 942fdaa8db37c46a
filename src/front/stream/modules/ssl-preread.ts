// ssl_preread: names and protocols of a ClientHello that is passed on without terminating TLS.
import { flag, HS } from '../../config/directive.ts';
import type { VariableDef } from '../../http/model/types.ts';
import { AGAIN, DECLINED } from '../../http/request/codes.ts';
import { ClientHello, parseClientHello } from '../../http/tls/client-hello.ts';
import { defineStreamModule, type StreamSession, sessionOf, setState, stateOf } from '../model.ts';

/** Properties of a client that has sent the beginning of a handshake: names are empty until the message is complete. */
interface Preread {
  hello: ClientHello;
  complete: boolean;
}

const shown = (name: string, show: (hello: ClientHello) => string): VariableDef => ({
  name,
  volatile: true,
  get(r) {
    const state = stateOf<Preread>(sessionOf(r), streamSslPreread);
    return state ? show(state.hello) : null;
  },
});

const table = { ssl_preread: flag(HS, false) };

export const streamSslPreread = defineStreamModule('stream_ssl_preread', table, {
  init(main) {
    main.preread.push(readHello);
  },
  variables: [
    shown('ssl_preread_server_name', (hello) => hello.sentName),
    shown('ssl_preread_alpn_protocols', (hello) => hello.alpn.join(',')),
    shown('ssl_preread_protocol', (hello) => hello.protocol),
  ],
});

function readHello(s: StreamSession, data: Buffer): number {
  if (!streamSslPreread.conf(s.loc).ssl_preread || s.udp || stateOf<Preread>(s, streamSslPreread)?.complete) return DECLINED;
  if (data.length === 0) return AGAIN;
  const hello = parseClientHello(data);
  if (hello === 'more') {
    if (!stateOf(s, streamSslPreread)) setState(s, streamSslPreread, { hello: new ClientHello(), complete: false } satisfies Preread);
    return AGAIN;
  }
  setState(s, streamSslPreread, hello && ({ hello, complete: true } satisfies Preread));
  if (!hello) return DECLINED;
  const server = hello.serverName === '' ? null : s.hosts.find(hello.serverName, s);
  if (server) s.useServer(server);
  return DECLINED;
}
