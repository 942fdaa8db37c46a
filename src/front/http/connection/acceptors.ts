// The server of each listening socket of this event loop, for stream's `pass`, which hands connections from one to another.
import type { Socket } from 'node:net';
import type { ListenSocket } from '../model/types.ts';

type Acceptor = (socket: Socket) => void;

const acceptors = new Map<string, Acceptor>();

/** The server of a listening socket. */
export function serveWith(listen: ListenSocket, accept: Acceptor): void {
  acceptors.set(listen.key, accept);
}

/** The server for an address: that of its own socket, or of a wildcard socket with the same port. */
export function acceptorAt(address: { host: string; port: number; path: string }): Acceptor | null {
  const { host, port, path } = address;
  if (path) return acceptors.get(`unix:${path}`) ?? null;
  return acceptors.get(`tcp:${host}:${port}`) ?? acceptors.get(host.includes(':') ? `tcp::::${port}` : `tcp:0.0.0.0:${port}`) ?? null;
}
