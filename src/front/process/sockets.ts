// Listening sockets: bound by the master, kept across reloads and binary upgrades, inherited by workers as descriptors.
import { chmodSync, closeSync, unlinkSync } from 'node:fs';
import net from 'node:net';
import { present } from '../../common/present.ts';
import { internalsOf } from '../../http/wire/stream-binding.ts';
import type { ListenSocket } from '../http/model/types.ts';
import { systemError } from '../system-error.ts';
import { bindDatagrams } from './datagrams.ts';

interface Handle {
  fd: number;
  close(): void;
  getsockname?(out: object): number;
  unref?(): void;
}

/** node:net's function for a bound but not yet listening handle; a number is a libuv error. */
type CreateHandle = (address: string, port: number, type: number, fd?: number, flags?: number) => Handle | number;
const createHandle = present(internalsOf<{ _createServerHandle: CreateHandle }>(net)._createServerHandle);

const UV_TCP_IPV6ONLY = 1;

export class BindError extends Error {}

export class BoundSockets {
  readonly #handles = new Map<string, { handle: Handle | null; fd: number; path: string }>();

  /** Sockets handed over by the previous master: `key=fd;...`. */
  adopt(text: string): void {
    for (const item of text.split(';').filter(Boolean)) {
      const at = item.lastIndexOf('=');
      const key = item.slice(0, at);
      this.#handles.set(key, { handle: null, fd: Number(item.slice(at + 1)), path: key.startsWith('unix:') ? key.slice(5) : '' });
    }
  }

  inheritText(fds: number[]): string {
    return [...this.#handles.keys()].map((key, n) => `${key}=${fds[n]}`).join(';');
  }

  /** Binds new sockets; obsolete ones stay open until `drop`. @throws BindError */
  bind(sockets: readonly ListenSocket[]): void {
    const made: string[] = [];
    try {
      for (const socket of sockets) {
        if (this.#handles.has(socket.key)) continue;
        this.#handles.set(socket.key, this.#open(socket));
        made.push(socket.key);
      }
    } catch (error) {
      for (const key of made) this.#close(key);
      throw error;
    }
  }

  #open(socket: ListenSocket): { handle: Handle; fd: number; path: string } {
    const type = socket.path ? -1 : socket.host.includes(':') ? 6 : 4;
    const flags = type === 6 && socket.options.ipv6Only ? UV_TCP_IPV6ONLY : 0;
    const handle = socket.path
      ? createHandle(socket.path, -1, -1)
      : socket.options.udp
        ? bindDatagrams(socket)
        : createHandle(socket.host, socket.port, type, undefined, flags);
    const name = socket.path ? `unix:${socket.path}` : `${type === 6 ? `[${socket.host}]` : socket.host}:${socket.port}`;
    const check = typeof handle === 'number' ? handle : (handle.getsockname?.({}) ?? 0);
    if (typeof handle === 'number' || check !== 0) {
      if (typeof handle !== 'number') handle.close();
      throw new BindError(`bind() to ${name} failed (${systemError(check)})`);
    }
    if (socket.path) chmodSync(socket.path, 0o666);
    return { handle, fd: handle.fd, path: socket.path };
  }

  /** @param isLast  no other process listens, so the file of a unix socket is removed */
  #close(key: string, isLast = true): void {
    const entry = this.#handles.get(key);
    this.#handles.delete(key);
    if (entry?.handle) entry.handle.close();
    else if (entry) closeSync(entry.fd);
    if (entry?.path && isLast) {
      try {
        unlinkSync(entry.path);
      } catch {
        // Already removed.
      }
    }
  }

  /** Closes sockets that are not in the current configuration. */
  drop(wanted: ReadonlySet<string>): void {
    for (const key of [...this.#handles.keys()]) if (!wanted.has(key)) this.#close(key);
  }

  list(): { key: string; fd: number }[] {
    return [...this.#handles].map(([key, { fd }]) => ({ key, fd }));
  }

  /** @param isLast  false if another master took them over: the files of unix sockets stay */
  closeAll(isLast: boolean): void {
    for (const key of [...this.#handles.keys()]) this.#close(key, isLast);
  }
}
