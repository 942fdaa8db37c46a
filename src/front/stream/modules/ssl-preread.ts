// ssl_preread: names and protocols of a ClientHello that is passed on without ending TLS here.
import { flag, HS } from '../../config/directive.ts';
import type { VariableDef } from '../../http/model/types.ts';
import { AGAIN, DECLINED } from '../../http/request/codes.ts';
import { type ClientHello, parseClientHello } from '../../http/tls/client-hello.ts';
import { defineStreamModule, type StreamSession, sessionOf, setState, stateOf } from '../model.ts';

const shown = (name: string, show: (hello: ClientHello) => string): VariableDef => ({
  name,
  get(r) {
    const hello = stateOf<ClientHello>(sessionOf(r), streamSslPreread);
    return hello ? show(hello) : null;
  },
});

const table = { ssl_preread: flag(HS, false) };

export const streamSslPreread = defineStreamModule('stream_ssl_preread', table, {
  init(main) {
    main.preread.push(readHello);
  },
  variables: [
    shown('ssl_preread_server_name', (hello) => hello.serverName),
    shown('ssl_preread_alpn_protocols', (hello) => hello.alpn.join(',')),
    shown('ssl_preread_protocol', (hello) => hello.protocol),
  ],
});

function readHello(s: StreamSession, data: Buffer): number {
  if (!streamSslPreread.conf(s.loc).ssl_preread || s.udp || stateOf(s, streamSslPreread)) return DECLINED;
  if (data.length === 0) return AGAIN;
  const hello = parseClientHello(data);
  if (hello === 'more') return AGAIN;
  if (!hello) return DECLINED;
  setState(s, streamSslPreread, hello);
  const server = hello.serverName === '' ? null : s.hosts.find(hello.serverName, s);
  if (server) s.useServer(server);
  return DECLINED;
}
