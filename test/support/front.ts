/**
 * Starts the built front on a configuration in a temporary folder, and stops it. Needs `npm run build:ts` before.
 * With FRONT_BINARY=/usr/sbin/nginx the same tests run against nginx, to check that they expect nginx's behaviour;
 * `ours` marks those of features that nginx does not have.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach } from 'vitest';
import { freePort } from './free-port.ts';

const binary = process.env.FRONT_BINARY || undefined;
/** for tests of what nginx does not have: `test.skipIf(!ours)` */
export const ours = !binary;

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

const TEMP = 'proxy_temp_path temp; fastcgi_temp_path temp; uwsgi_temp_path temp; scgi_temp_path temp;';

export class Front {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'gannet-front-'));
  private child: ChildProcess | undefined;
  stderr = '';

  /** @param command  another server with nginx's command line, in place of the built front */
  constructor(private readonly command = binary) {}

  write(name: string, text: string | Buffer): void {
    writeFileSync(path.join(this.folder, name), text);
  }

  read(name: string): string {
    return readFileSync(path.join(this.folder, name), 'latin1');
  }

  /** @param http  directives of `http { }` */
  config(http: string, main = ''): void {
    this.write(
      'nginx.conf',
      `user root; pid nginx.pid; daemon off; error_log error.log info; ${main} ${/\bevents\b/.test(main) ? '' : 'events { }'}\nhttp { root ${this.folder}; access_log access.log; client_body_temp_path body; ${TEMP} ${http} }\n`,
    );
  }

  /** @throws Error the server ended instead of starting */
  async start(): Promise<void> {
    const main = path.join(root, 'dist/front/main.js');
    if (!existsSync(main)) throw new Error('dist is missing: npm run build:ts');
    const args = ['-p', this.folder, '-c', 'nginx.conf', '-e', 'error.log'];
    const child = spawn(this.command ?? process.execPath, this.command ? args : [main, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
    this.child = child;
    child.stderr!.on('data', (data) => (this.stderr += data));
    const ended = new Promise<never>((_, reject) => child.once('exit', (code) => reject(new Error(`exit ${code}: ${this.stderr}`))));
    ended.catch(() => {});
    await Promise.race([ended, this.until(() => existsSync(path.join(this.folder, 'nginx.pid')))]);
  }

  /** Waits for a condition that an external event fulfils. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  signal(name: NodeJS.Signals): void {
    this.child?.kill(name);
  }

  /** Stops gracefully. @returns exit status */
  async stop(): Promise<number | null> {
    const { child } = this;
    this.child = undefined;
    if (!child || child.exitCode !== null) return child?.exitCode ?? null;
    const code = new Promise<number | null>((resolve) => child.once('exit', resolve));
    child.kill('SIGQUIT');
    return code;
  }

  async dispose(): Promise<void> {
    await this.stop();
    // A worker whose master failed to start writes its last log line after the master has ended.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}

/** Created by `frontForEach` for the running test: a front that is not started yet, a port for it, and one for its back end. */
export let front: Front;
export let port = 0;
export let back = 0;

/** Gives each test of the file its own `front`, `port` and `back`; the front ends with the test. */
export function frontForEach(): void {
  beforeEach(async () => {
    front = new Front();
    port = await freePort();
    back = await freePort();
  });
  afterEach(() => front.dispose());
}

/** Sends raw bytes and reads to the end of the connection. */
export function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let out = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'));
    socket.on('data', (data) => (out += data.toString('latin1')));
    socket.on('end', () => socket.end());
    socket.on('close', () => resolve(out));
    socket.on('error', reject);
  });
}

/** An HTTP/1.0 request, closed by the server. */
export const get = (port: number, uri: string, headers = ''): Promise<string> =>
  raw(port, `GET ${uri} HTTP/1.0\nHost: localhost\n${headers}\n`);

export const bodyOf = (answer: string): string => answer.slice(answer.indexOf('\r\n\r\n') + 4);
export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
/** Value of the first header of that name. */
export const headerOf = (answer: string, name: string): string | undefined =>
  new RegExp(`^${name}: (.*)\\r$`, 'im').exec(answer.slice(0, answer.indexOf('\r\n\r\n') + 2))?.[1];

/** A TCP server of the test; the handler gets all data of a connection so far each time more arrives. */
export function serveRaw(port: number, handler: (text: string, socket: Socket) => void): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer((socket) => {
      let text = '';
      socket.on('error', () => {});
      socket.on('data', (data) => {
        text += data.toString('latin1');
        handler(text, socket);
      });
    });
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
