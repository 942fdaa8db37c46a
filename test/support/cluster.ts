// NATS servers and nodes of a cluster on loopback, for integration tests. Needs `npm run build`, and nats-server on the PATH.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from './free-port.ts';
import { untilAnswering } from './service.ts';

const root = path.resolve(import.meta.dirname, '../..');

export const HAS_NATS = spawnSync('nats-server', ['--version']).status === 0;

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

export class TestCluster {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'gannet-cluster-'));
  readonly nodes: ClusterNodeProcess[] = [];
  readonly #nats: { child: ChildProcess; port: number }[] = [];

  /** Starts one NATS server and `count` nodes. */
  static async start(count: number): Promise<TestCluster> {
    const cluster = new TestCluster();
    try {
      await cluster.startNats();
      for (let number = 1; number <= count; number++) await cluster.addNode(`node-${number}`);
      await Promise.all(cluster.nodes.map((node) => node.start()));
      await cluster.until(async () => (await cluster.nodes[0].ok('GET', '/_cluster/health')).number_of_nodes === count);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  async startNats(): Promise<void> {
    const port = this.#nats[0]?.port ?? (await freePort());
    const store = path.join(this.folder, 'nats');
    mkdirSync(store, { recursive: true });
    const child = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', store], { stdio: 'ignore' });
    this.#nats[0] = { child, port };
  }

  get natsUrl(): string {
    return `nats://127.0.0.1:${this.#nats[0].port}`;
  }

  async endNats(name: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    await Promise.all(
      this.#nats.map(async ({ child }) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.kill(name);
        await ended;
      }),
    );
  }

  async addNode(name: string, flags: readonly string[] = []): Promise<ClusterNodeProcess> {
    const [port, transport] = [await freePort(), await freePort()];
    const node = new ClusterNodeProcess(name, port, [
      `--node.name=${name}`,
      `--http.port=${port}`,
      `--path.data=${path.join(this.folder, name)}`,
      `--path.config=${this.folder}`,
      '--log.level=warn',
      '--threads=2',
      `--cluster.nats.servers=${this.natsUrl}`,
      '--cluster.nats.replicas=1',
      '--cluster.secret=a secret of the test cluster',
      `--transport.port=${transport}`,
      ...flags,
    ]);
    this.nodes.push(node);
    return node;
  }

  /** Polls a condition; errors of it count as false. @throws Error after a minute */
  async until(condition: () => Promise<boolean>): Promise<void> {
    const until = Date.now() + 60_000;
    for (;;) {
      const isTrue = await condition().catch(() => false);
      if (isTrue) return;
      if (Date.now() > until)
        throw new Error(`not true after a minute: ${condition}\n${this.nodes.map(({ errors }) => errors).join('\n')}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.end('SIGKILL')));
    await this.endNats();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
