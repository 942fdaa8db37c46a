// Connections between processes on loopback that can be interrupted per pair and direction. A gate is a proxy before the port of one process; which process
// has connected to it is found in /proc, so this works on Linux only.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import net from 'node:net';
import { freePort } from './free-port.ts';

/** One direction of a connection. Data and the end of the connection wait while the direction is interrupted. */
class Flow {
  readonly from: string;
  readonly to: string;
  readonly #source: net.Socket;
  readonly #sink: net.Socket;
  readonly #isCut: () => boolean;
  #isEnded = false;
  #isClosed = false;

  constructor(names: { from: string; to: string }, source: net.Socket, sink: net.Socket, isCut: () => boolean) {
    this.from = names.from;
    this.to = names.to;
    this.#source = source;
    this.#sink = sink;
    this.#isCut = isCut;
    source.on('data', (chunk) => {
      if (!sink.write(chunk)) source.pause();
    });
    sink.on('drain', () => this.update());
    source.on('end', () => {
      this.#isEnded = true;
      this.update();
    });
    source.on('close', () => {
      this.#isClosed = true;
      this.update();
    });
    this.update();
  }

  /** Continues or stops after a change. */
  update(): void {
    if (this.#isCut()) return void this.#source.pause();
    if (this.#isClosed && !this.#isEnded) return void this.#sink.destroy();
    if (this.#isEnded) return void this.#sink.end();
    if (!this.#sink.writableNeedDrain) this.#source.resume();
  }
}

export class FaultyNetwork {
  readonly #pids: () => ReadonlyMap<string, number>;
  readonly #servers: net.Server[] = [];
  readonly #sockets = new Set<net.Socket>();
  readonly #flows = new Set<Flow>();
  readonly #waiting = new Set<() => void>();
  readonly #cuts = new Set<string>();

  /** @param pids  process of each name */
  constructor(pids: () => ReadonlyMap<string, number>) {
    this.#pids = pids;
  }

  /** @returns the port of a new proxy before a port of a process */
  async gate(to: string, port: number): Promise<number> {
    const gate = await freePort();
    const server = net.createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => this.#accept(socket, to, port));
    this.#servers.push(server);
    await new Promise<void>((resolve) => server.listen(gate, '127.0.0.1', resolve));
    return gate;
  }

  /** Interrupts one direction between two processes. */
  cut(from: string, to: string): void {
    this.#cuts.add(`${from} ${to}`);
    this.#update();
  }

  /** Restores all directions. Data that was held back arrives. */
  heal(): void {
    this.#cuts.clear();
    this.#update();
  }

  async close(): Promise<void> {
    for (const server of this.#servers) server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #update(): void {
    for (const retry of [...this.#waiting]) retry();
    for (const flow of this.#flows) flow.update();
  }

  #isCut(from: string, to: string): boolean {
    return this.#cuts.has(`${from} ${to}`);
  }

  #accept(dialer: net.Socket, to: string, port: number): void {
    this.#sockets.add(dialer);
    dialer.on('error', () => undefined);
    dialer.on('close', () => this.#sockets.delete(dialer));
    const from = processOfPort(dialer.remotePort ?? 0, this.#pids()) ?? '?';
    const connect = () => {
      // A connection needs both directions.
      if (this.#isCut(from, to) || this.#isCut(to, from)) return void this.#waiting.add(connect);
      this.#waiting.delete(connect);
      if (!dialer.destroyed) this.#join(dialer, from, to, port);
    };
    connect();
  }

  #join(dialer: net.Socket, from: string, to: string, port: number): void {
    const target = net.connect({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true });
    dialer.setNoDelay(true);
    this.#sockets.add(target);
    target.on('error', () => dialer.destroy());
    const flows = [
      new Flow({ from, to }, dialer, target, () => this.#isCut(from, to)),
      new Flow({ from: to, to: from }, target, dialer, () => this.#isCut(to, from)),
    ];
    for (const flow of flows) this.#flows.add(flow);
    let open = 2;
    const onClose = () => {
      if (--open > 0) return;
      for (const flow of flows) this.#flows.delete(flow);
    };
    dialer.on('close', onClose);
    target.on('close', () => {
      this.#sockets.delete(target);
      onClose();
    });
  }
}

/** The name of the process with a TCP socket of a local port. */
function processOfPort(port: number, pids: ReadonlyMap<string, number>): string | null {
  const inode = inodeOf(port);
  if (inode === null) return null;
  for (const [name, pid] of pids) if (hasSocket(pid, inode)) return name;
  return null;
}

const INODE_COLUMN = 9;

function inodeOf(port: number): string | null {
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n')) {
    const columns = line.trim().split(/\s+/);
    if (columns[1] === local) return columns[INODE_COLUMN];
  }
  return null;
}

function hasSocket(pid: number, inode: string): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((fd) => isLink(`${folder}/${fd}`, `socket:[${inode}]`));
  } catch {
    return false;
  }
}

function isLink(file: string, target: string): boolean {
  try {
    return readlinkSync(file) === target;
  } catch {
    return false;
  }
}
