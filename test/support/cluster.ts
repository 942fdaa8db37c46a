// NATS servers and nodes of a cluster on loopback, for integration tests. Needs `npm run build`, and nats-server on the PATH.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { FaultyNetwork } from './faulty-network.ts';
import { freePort } from './free-port.ts';
import { NatsServers } from './nats.ts';
import { untilAnswering } from './service.ts';

const root = path.resolve(import.meta.dirname, '../..');

interface Answer {
  readonly status: number;
  readonly body: any;
}

export class ClusterNodeProcess {
  readonly name: string;
  readonly url: string;
  readonly #flags: readonly string[];
  #child: ChildProcess | null = null;
  errors = '';

  constructor(name: string, port: number, flags: readonly string[]) {
    this.name = name;
    this.url = `http://127.0.0.1:${port}`;
    this.#flags = flags;
  }

  /** Null if it does not run. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [path.join(root, 'dist/service/service-process.js'), ...this.#flags], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    this.errors = '';
    child.stderr?.on('data', (chunk) => {
      this.errors += chunk;
    });
    await untilAnswering(this.url, child, () => this.errors);
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  /** Ends the process and waits for it. */
  async end(name: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const child = this.#child;
    if (child === null) return null;
    this.#child = null;
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    child.kill(name);
    return ended;
  }

  async request(method: string, target: string, body?: unknown): Promise<Answer> {
    const isText = typeof body === 'string';
    const answer = await fetch(this.url + target, {
      method,
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
      headers: body === undefined ? {} : { 'content-type': isText ? 'application/x-ndjson' : 'application/json' },
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') && text !== '';
    return { status: answer.status, body: isJson ? JSON.parse(text) : text };
  }

  /** @throws Error the status is not 2xx */
  async ok(method: string, target: string, body?: unknown): Promise<any> {
    const answer = await this.request(method, target, body);
    if (answer.status >= 300) throw new Error(`${method} ${target} on ${this.name}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}

export interface ClusterShape {
  readonly nodes: number;
  /** NATS servers, which form one NATS cluster; every log is stored on each. */
  readonly natsServers?: number;
  /** Whether connections between the processes can be interrupted. */
  readonly isFaulty?: boolean;
  /** Settings of each node. */
  readonly flags?: readonly string[];
}

export class TestCluster {
  readonly folder: string;
  readonly nodes: ClusterNodeProcess[] = [];
  readonly nats: NatsServers;
  readonly network: FaultyNetwork | null;
  readonly #flags: readonly string[];
  #natsPorts: number[] = [];

  private constructor(folder: string, nats: NatsServers, { isFaulty = false, flags = [] }: ClusterShape) {
    this.folder = folder;
    this.nats = nats;
    this.network = isFaulty ? new FaultyNetwork(() => this.#pids()) : null;
    this.#flags = flags;
  }

  static async start(shape: ClusterShape): Promise<TestCluster> {
    const folder = mkdtempSync(path.join(tmpdir(), 'gannet-cluster-'));
    const cluster = new TestCluster(folder, await NatsServers.prepare(folder, shape.natsServers ?? 1), shape);
    try {
      await cluster.#connectNats();
      await cluster.nats.start();
      for (let number = 1; number <= shape.nodes; number++) await cluster.addNode(`node-${number}`);
      await Promise.all(cluster.nodes.map((node) => node.start()));
      await cluster.until(async () => (await cluster.nodes[0].ok('GET', '/_cluster/health')).number_of_nodes === shape.nodes);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** Puts proxies before the ports of the NATS servers. */
  async #connectNats(): Promise<void> {
    const { nats, network } = this;
    const servers = Array.from({ length: nats.count }, (_, at) => at);
    this.#natsPorts = servers.map((at) => nats.portOf(at));
    if (network === null) return;
    this.#natsPorts = await Promise.all(servers.map((at) => network.gate(`nats-${at + 1}`, nats.portOf(at))));
    const routePorts = await Promise.all(servers.map((at) => network.gate(`nats-${at + 1}`, nats.routePortOf(at))));
    nats.configure({ routePort: (server) => routePorts[server] });
  }

  #pids(): Map<string, number> {
    const pids = new Map<string, number>();
    for (const { name, pid } of this.nodes) if (pid !== null) pids.set(name, pid);
    for (let at = 0; at < this.nats.count; at++) {
      const pid = this.nats.pidOf(at);
      if (pid !== null) pids.set(`nats-${at + 1}`, pid);
    }
    return pids;
  }

  /** The streams, with the sequence of their first message. */
  async streams(): Promise<Array<{ name: string; first: number }>> {
    const connection = await connect({ servers: `nats://127.0.0.1:${this.nats.portOf(0)}` });
    try {
      const streams = (await jetstreamManager(connection)).streams.list();
      const found: Array<{ name: string; first: number }> = [];
      for await (const { config, state } of streams) found.push({ name: config.name, first: state.first_seq });
      return found;
    } finally {
      await connection.close();
    }
  }

  async addNode(name: string, flags: readonly string[] = []): Promise<ClusterNodeProcess> {
    const [port, transport] = [await freePort(), await freePort()];
    const published = this.network === null ? transport : await this.network.gate(name, transport);
    const node = new ClusterNodeProcess(name, port, [
      `--node.name=${name}`,
      `--http.port=${port}`,
      `--path.data=${path.join(this.folder, name)}`,
      `--path.config=${this.folder}`,
      '--log.level=warn',
      '--threads=2',
      `--cluster.nats.servers=${this.#natsPorts.map((natsPort) => `nats://127.0.0.1:${natsPort}`).join(',')}`,
      `--cluster.nats.replicas=${this.nats.count}`,
      '--cluster.secret=a secret of the test cluster',
      `--transport.port=${transport}`,
      `--transport.publish_address=127.0.0.1:${published}`,
      ...this.#flags,
      ...flags,
    ]);
    this.nodes.push(node);
    return node;
  }

  /** Polls a condition; errors of it count as false. @throws Error it is not true in time */
  async until(condition: () => Promise<boolean>, limitMs = 60_000): Promise<void> {
    const until = Date.now() + limitMs;
    for (;;) {
      const isTrue = await condition().catch(() => false);
      if (isTrue) return;
      if (Date.now() > until)
        throw new Error(`not true after ${limitMs / 1000} s: ${condition}\n${this.nodes.map(({ errors }) => errors).join('\n')}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.end('SIGKILL')));
    await this.nats.endAll();
    await this.network?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
