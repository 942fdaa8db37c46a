/** TLS listeners. */
import type { Socket } from 'node:net';
import type { HttpMain, ListenSocket, VirtualHosts } from './conf.ts';
import type { Connection } from './connection.ts';
import type { AcceptHooks } from './server.ts';

export class TlsListener {
  constructor(_http: HttpMain, hosts: VirtualHosts) {
    throw new Error(`the "ssl" parameter of "listen ${hosts.options.text}" is not supported`);
  }
  accept(_raw: Socket, _socket: ListenSocket, _proxy: Connection['proxy'], _hooks: AcceptHooks): void {}
}
