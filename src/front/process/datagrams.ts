// Bound UDP sockets as descriptors for the worker: node:dgram has no public call for a socket that nothing reads from.
import { createSocket } from 'node:dgram';
import type { ListenSocket } from '../http/model/types.ts';

interface DatagramHandle {
  fd: number;
  recvStop(): void;
  getsockname(out: object): number;
  close(): void;
}

/** Addresses in the configuration are literal: the callback runs at once, and `bind` with it. */
const literal = (host: string, _options: unknown, done: (error: null, address: string, family: number) => void): void =>
  done(null, host, host.includes(':') ? 6 : 4);

/** @returns the handle, or the error code of libuv */
export function bindDatagrams({ host, port, options }: ListenSocket): DatagramHandle | number {
  const v6 = host.includes(':');
  const socket = createSocket({
    type: v6 ? 'udp6' : 'udp4',
    ipv6Only: v6 && options.ipv6Only,
    lookup: literal,
  });
  let failed = 0;
  socket.on('error', (error: NodeJS.ErrnoException) => {
    failed = error.errno ?? -1;
  });
  socket.bind({ address: host, port, exclusive: true });
  if (failed !== 0) return failed;
  const handle = handleOf(socket);
  if (!handle) throw new Error('this version of Node does not reveal the descriptor of a UDP socket');
  // only the worker may read: datagrams received here would be lost
  handle.recvStop();
  return handle;
}

function handleOf(socket: object): DatagramHandle | null {
  const key = Object.getOwnPropertySymbols(socket).find((symbol) => symbol.description === 'state symbol');
  return (key && (socket as Record<symbol, { handle?: DatagramHandle } | undefined>)[key]?.handle) ?? null;
}
