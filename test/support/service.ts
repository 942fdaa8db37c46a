// A real service process for integration tests: built code, a data directory of its own, a free port.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from './free-port.ts';
import { checkResponse } from './response-check.ts';

const root = path.resolve(import.meta.dirname, '../..');
const START_TIMEOUT_MS = 20_000;

export interface TestService {
  readonly url: string;
  readonly port: number;
  readonly data: string;
  readonly process: ChildProcess;
  /** Pid of the service process, a child of `process`. */
  servicePid(): number;
  request(
    method: string,
    target: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; headers: Headers; body: any }>;
  /** Stops gracefully and, by default, removes the data. @returns the exit code */
  stop(options?: { keepData?: boolean }): Promise<number | null>;
}

/** Starts `gannet serve` (by `command`, if given) and waits until it answers. Needs `npm run build`. */
export async function startService(
  flags: readonly string[] = [],
  data = mkdtempSync(path.join(tmpdir(), 'gannet-service-')),
  [command, ...first]: readonly string[] = [path.join(root, 'bin/gannet')],
): Promise<TestService> {
  const port = await freePort();
  const child = spawn(command, [...first, 'serve', `--http.port=${port}`, `--path.data=${data}`, '--log.level=warn', ...flags], {
    cwd: data,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  const url = `http://127.0.0.1:${port}`;
  // Other servers than Elasticsearch 8 have other types.
  const checksTypes = !flags.some((flag) => flag.includes('compat.'));
  await untilAnswering(url, child, () => errors);
  return {
    url,
    port,
    data,
    process: child,
    servicePid: () => Number(readFileSync(path.join(data, 'node.lock'), 'utf8').split(' ')[0]),
    async request(method, target, body, headers = {}) {
      const isText = typeof body === 'string';
      const answer = await fetch(url + target, {
        method,
        body: body === undefined ? undefined : isText ? (body as string) : JSON.stringify(body),
        headers: { ...(body === undefined ? {} : { 'content-type': isText ? 'application/x-ndjson' : 'application/json' }), ...headers },
      });
      const text = await answer.text();
      const isJson = answer.headers.get('content-type')?.includes('json') && text !== '';
      const json = isJson ? JSON.parse(text) : text;
      if (isJson && checksTypes) {
        const problems = await checkResponse(method, target, answer.status, json);
        if (problems.length > 0) throw new Error(`clients cannot decode the response of ${method} ${target}:\n${problems.join('\n')}`);
      }
      return { status: answer.status, headers: answer.headers, body: json };
    },
    async stop({ keepData = false } = {}) {
      const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
      if (child.exitCode === null) child.kill('SIGTERM');
      const code = child.exitCode ?? (await ended);
      if (!keepData) rmSync(data, { recursive: true, force: true });
      return code;
    },
  };
}

/** Resolves when the service answers. @throws Error it ended, or does not answer in time */
export async function untilAnswering(url: string, child: ChildProcess | null = null, errors: () => string = () => ''): Promise<void> {
  const until = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      await fetch(`${url}/`, { method: 'HEAD' });
      return;
    } catch {
      if (child && child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}: ${errors()}`);
      if (Date.now() > until) throw new Error(`the service does not answer: ${errors()}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
