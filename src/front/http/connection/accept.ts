// Data that a listening socket passes on with each accepted connection.
import type { ProxyInfo } from '../model/connection-start.ts';
import type { HttpMain, ListenSocket, VirtualHosts } from '../model/types.ts';
import type { HttpConnection } from './http-connection.ts';

export interface AcceptHooks {
  /** whether the limit of connections is reached, so that a new one is closed */
  full?(): boolean;
  /** called for each new connection (debug_connection) */
  opened?(conn: HttpConnection): void;
}

export interface Http2Accept {
  http: HttpMain;
  listen: ListenSocket;
  hosts: VirtualHosts;
  proxy: ProxyInfo | null;
  hooks: AcceptHooks;
}
