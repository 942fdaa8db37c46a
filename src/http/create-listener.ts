// Chooses the listener: uWebSockets where its binary loads, else the own one on node:net.
import { HyperExpressListener } from './hyper-express-listener.ts';
import type { Handler, HttpListener, ListenerOptions } from './listener.ts';
import { NetListener } from './net-listener.ts';
import { hasUwsBinary } from './uws-guards.ts';

/** @param kind `http.listener` of the settings. @throws Error `uws` was asked for and there is no binary for this Node */
export function createListener(options: ListenerOptions, handler: Handler, kind: 'auto' | 'uws' | 'net'): HttpListener {
  const isUws = kind === 'uws' || (kind === 'auto' && hasUwsBinary());
  return isUws ? new HyperExpressListener(options, handler) : new NetListener(options, handler);
}
