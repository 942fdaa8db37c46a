// NATS servers with JetStream on loopback, alone or as one NATS cluster; nats-server must be on the PATH.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from './free-port.ts';

export const HAS_NATS = spawnSync('nats-server', ['--version']).status === 0;

const START_TIMEOUT_MS = 60_000;
const RETRY_MS = 50;

/** Where other processes reach a server: a proxy may stand before each of its ports. */
export interface NatsAddresses {
  /** Port for the routes of the other servers. */
  readonly routePort: (server: number) => number;
}

interface Server {
  readonly port: number;
  readonly routePort: number;
  readonly monitorPort: number;
  readonly config: string;
  child: ChildProcess | null;
}

export class NatsServers {
  readonly #servers: Server[];

  private constructor(servers: Server[]) {
    this.#servers = servers;
  }

  /** Chooses ports for the servers, whose data and configuration are stored in a folder. None of them is started. */
  static async prepare(folder: string, count: number): Promise<NatsServers> {
    const servers: Server[] = [];
    for (let number = 1; number <= count; number++) {
      const [port, routePort, monitorPort] = [await freePort(), await freePort(), await freePort()];
      servers.push({ port, routePort, monitorPort, config: path.join(folder, `nats-${number}.conf`), child: null });
    }
    const prepared = new NatsServers(servers);
    prepared.configure({ routePort: (server) => servers[server].routePort });
    return prepared;
  }

  /** Writes the configuration of each server. Those that run keep theirs. */
  configure({ routePort }: NatsAddresses): void {
    for (const [at, server] of this.#servers.entries()) {
      const store = server.config.replace(/\.conf$/, '');
      mkdirSync(store, { recursive: true });
      const others = this.#servers.map((_, other) => other).filter((other) => other !== at);
      const cluster = [
        'cluster {',
        '  name: test',
        `  listen: "127.0.0.1:${server.routePort}"`,
        `  cluster_advertise: "127.0.0.1:${routePort(at)}"`,
        // Otherwise clients learn addresses that are not in their configuration.
        '  no_advertise: true',
        `  routes: [${others.map((other) => `"nats-route://127.0.0.1:${routePort(other)}"`).join(', ')}]`,
        '}',
      ];
      const lines = [
        `server_name: "nats-${at + 1}"`,
        `listen: "127.0.0.1:${server.port}"`,
        `http: "127.0.0.1:${server.monitorPort}"`,
        // As examples/cluster/nats-server.conf.
        'ping_interval: "2s"',
        'ping_max: 2',
        `jetstream { store_dir: "${store}" }`,
        ...(others.length === 0 ? [] : cluster),
      ];
      writeFileSync(server.config, `${lines.join('\n')}\n`);
    }
  }

  get count(): number {
    return this.#servers.length;
  }

  portOf(server: number): number {
    return this.#servers[server].port;
  }

  routePortOf(server: number): number {
    return this.#servers[server].routePort;
  }

  /** Null if the server does not run. */
  pidOf(server: number): number | null {
    return this.#servers[server].child?.pid ?? null;
  }

  /** Starts the servers that do not run, and resolves when JetStream has a leader. */
  async start(): Promise<void> {
    for (const at of this.#servers.keys()) this.launch(at);
    const until = Date.now() + START_TIMEOUT_MS;
    while (!(await this.#haveLeader())) {
      if (Date.now() > until) throw new Error('JetStream does not elect a leader');
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  /** Starts a server without waiting for it; does nothing if it runs. */
  launch(at: number): void {
    const server = this.#servers[at];
    if (server.child !== null) return;
    const child = spawn('nats-server', ['-c', server.config], { stdio: 'ignore' });
    server.child = child;
    child.once('exit', () => {
      if (server.child === child) server.child = null;
    });
  }

  async #haveLeader(): Promise<boolean> {
    const answers = await Promise.all(
      this.#servers.map(async ({ monitorPort }) => {
        const answer = await fetch(`http://127.0.0.1:${monitorPort}/jsz`).catch(() => null);
        if (answer === null || !answer.ok) return false;
        const { meta_cluster } = (await answer.json()) as { meta_cluster?: { leader?: string; cluster_size?: number } };
        return this.count === 1 || (Boolean(meta_cluster?.leader) && meta_cluster?.cluster_size === this.count);
      }),
    );
    return answers.every((isTrue) => isTrue);
  }

  signal(server: number, name: NodeJS.Signals): void {
    this.#servers[server].child?.kill(name);
  }

  /** Ends a server and waits for it. */
  async end(at: number, name: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const { child } = this.#servers[at];
    if (child === null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(name);
    await ended;
  }

  async endAll(): Promise<void> {
    await Promise.all(this.#servers.map((_, at) => this.end(at)));
  }
}
