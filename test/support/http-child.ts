// Starts test/support/http-echo-server.ts and speaks raw HTTP to it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';

const SCRIPT = path.join(path.dirname(fileURLToPath(import.meta.url)), 'http-echo-server.ts');

export interface HttpChild {
  readonly port: number;
  readonly process: ChildProcess;
  /** Resolves when stdout has held this line. */
  line(text: string): Promise<void>;
  /** Stops the process gracefully; resolves to the exit code or signal. */
  stop(): Promise<number | string>;
}

export async function startHttpChild(kind: 'uws' | 'net', limits: readonly number[] = []): Promise<HttpChild> {
  const port = await freePort();
  const child = spawn(process.execPath, ['--import', 'tsx', SCRIPT, String(port), kind, ...limits.map(String)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, UWS_HTTP_MAX_HEADERS_SIZE: '16384' },
  });
  let seen = '';
  const waiting: Array<() => void> = [];
  child.stdout!.on('data', (data) => {
    seen += data;
    for (const check of [...waiting]) check();
  });
  const line = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (seen.split('\n').includes(text)) resolve();
      };
      waiting.push(check);
      child.once('exit', (code, signal) => reject(new Error(`child ended: ${code ?? signal}`)));
      check();
    });
  await line('ready');
  return {
    port,
    process: child,
    line,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode ?? child.signalCode ?? '';
      const exited = once(child, 'exit');
      child.stdin!.write('stop\n');
      const [code, signal] = await exited;
      return code ?? signal;
    },
  };
}

/**
 * Sends bytes unchanged; resolves to everything received until the peer closed, `until` arrived, or `quietMs` passed without data (a busy machine
 * may take seconds, also between two pieces of a response). */
export function rawExchange(port: number, data: string | Buffer, options: { until?: RegExp; quietMs?: number } = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = net.connect(port, '127.0.0.1', () => socket.write(data));
    let timer: NodeJS.Timeout | null = null;
    const finish = (): void => {
      if (timer) clearTimeout(timer);
      socket.destroy();
      resolve(received);
    };
    const arm = (): void => {
      if (timer) clearTimeout(timer);
      timer = setTimeout(finish, options.quietMs ?? 10_000);
    };
    arm();
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      received += chunk;
      if (options.until?.test(received)) finish();
      else arm();
    });
    socket.on('close', finish);
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? finish() : reject(error),
    );
  });
}
