// Chooses the listener: uWebSockets if its binary loads, else the one on node:net.
import type { Handler, HttpListener, ListenerOptions } from './listener.ts';
import { canSharePort, NetListener } from './net-listener.ts';
import { isUws } from './uws-process.ts';

/** @param kind `http.listener` of the settings. @throws Error `uws` was requested and there is no binary for this Node */
export async function createListener(options: ListenerOptions, handler: Handler, kind: 'auto' | 'uws' | 'net'): Promise<HttpListener> {
  if (!isUws(kind)) return new NetListener(options, handler);
  // hyper-express cannot be imported where uWebSockets has no binary.
  const { HyperExpressListener } = await import('./hyper-express-listener.ts');
  return new HyperExpressListener(options, handler);
}

/** Whether several threads can open the listener on one port. */
export const isShareable = (kind: 'auto' | 'uws' | 'net'): boolean => isUws(kind) || canSharePort();
