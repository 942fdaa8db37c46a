// Sends hostile cases to a service, one at a time, next to the canary, and judges each.
import { type ChildProcess, fork } from 'node:child_process';
import http from 'node:http';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { startService, type TestService } from '../support/service.ts';
import type { CanaryReport } from './canary.ts';
import { fillIndices } from './dataset.ts';
import { bodyOf, type HostileCase } from './hostile-case.ts';
import { busiestThreadMs, machineTimes, processMs, resetPeak, residentBytes, threadTimes } from './process-figures.ts';
import { TurnLog } from './turn-log.ts';

/** After this long without an answer a request has failed. */
const PATIENCE_MS = 20_000;
/** A service that does not answer the canary for this long after the hostile request ended is restarted. */
const RECOVERY_MS = 5000;
const QUIET_MS = 100;
/** Errors of definitions of analyzers and of `_analyze` that Elasticsearch 8.15 and 7.10 answer with 500, too. */
const STATED_500 = new Set(['illegal_state_exception', 'runtime_exception']);
const WITH_STATED_500 = new Set(['analysis', 'index definition']);

export interface CaseResult {
  readonly case: HostileCase;
  /** 0 without an answer. */
  readonly status: number;
  /** Type of the error, `timed_out` for a partial answer, else empty. */
  readonly type: string;
  readonly answerMs: number;
  /** Latencies of the canary during the request, in milliseconds. */
  readonly canary: readonly number[];
  /** Processor time of the thread that worked most. */
  readonly busiestMs: number;
  /** Longest turn of the event loop of a thread with a listener, in processor time; short ones count as 0. */
  readonly turnMs: number;
  /** Processor time of the machine during the case, and the part that other programs used: with them, latencies mean nothing. */
  readonly machineMs: number;
  readonly foreignMs: number;
  readonly peakBytes: number;
  readonly afterBytes: number;
  /** Faults; empty if the case passed. */
  readonly faults: readonly Fault[];
}

/** `died` the process; `silent` no answer; `late` after its own timeout; `stuck` the canary does not recover; `500` an internal error. */
export type Fault = 'died' | 'silent' | 'late' | 'stuck' | '500';

export class HostileRunner {
  readonly #flags: readonly string[];
  readonly #documents: number;
  readonly #turns: TurnLog;
  #service: TestService;
  #canary: ChildProcess;

  private constructor(service: TestService, canary: ChildProcess, turns: TurnLog, flags: readonly string[], documents: number) {
    this.#service = service;
    this.#canary = canary;
    this.#turns = turns;
    this.#flags = flags;
    this.#documents = documents;
  }

  /** @param documents  of the hostile index */
  static async start(flags: readonly string[], documents: number): Promise<HostileRunner> {
    const turns = new TurnLog();
    const service = await turns.observe(() => startService(flags));
    await fillIndices(service, documents);
    return new HostileRunner(service, await startCanary(service), turns, flags, documents);
  }

  async run(hostile: HostileCase): Promise<CaseResult> {
    const body = bodyOf(hostile);
    await takeSamples(this.#canary);
    const pid = this.#service.servicePid();
    resetPeak(pid);
    this.#turns.take();
    const times = threadTimes(pid);
    const machine = this.#machine(pid);
    const started = performance.now();
    const copies = Array.from({ length: hostile.copies ?? 1 }, () => send(this.#service.port, hostile, body));
    const answers = await Promise.all(copies);
    const answerMs = performance.now() - started;
    const { samples, recovered } = await this.#untilQuiet();
    const busiestMs = busiestThreadMs(times, threadTimes(pid));
    const turnMs = Math.max(0, ...this.#turns.take());
    const memory = residentBytes(pid);
    const machineAfter = this.#machine(pid);
    const machineMs = machineAfter.total - machine.total;
    const foreignMs = Math.max(0, machineAfter.foreign - machine.foreign);
    const died = !this.#isAlive(pid);
    const faults: Fault[] = [];
    if (died) faults.push('died');
    else if (answers.some(({ status }) => status === 0)) faults.push('silent');
    if (!recovered) faults.push('stuck');
    if (answers.some(({ status, type }) => status === 500 && !(WITH_STATED_500.has(hostile.family) && STATED_500.has(type))))
      faults.push('500');
    if (hostile.timeoutMs !== undefined && answerMs > hostile.timeoutMs + 1000) faults.push('late');
    if (died || !recovered) await this.#restart();
    const { status, type } = answers[0];
    const [peakBytes, afterBytes] = [memory.peak, memory.now];
    const figures = { busiestMs, turnMs, machineMs, foreignMs, peakBytes, afterBytes };
    return { case: hostile, status, type, answerMs, canary: samples, ...figures, faults };
  }

  /** Processor time of the machine, and that of programs other than the service, the canary and this one. */
  #machine(pid: number): { total: number; foreign: number } {
    const { total, busy } = machineTimes();
    const own = [pid, this.#canary.pid ?? 0, process.pid].reduce((sum, each) => sum + processMs(each), 0);
    return { total, foreign: busy - own };
  }

  async stop(): Promise<void> {
    this.#canary.disconnect();
    await this.#service.stop();
    this.#turns.close();
  }

  /** Samples until the canary is answered again; not `recovered` if that takes too long. */
  async #untilQuiet(): Promise<{ samples: number[]; recovered: boolean }> {
    const samples: number[] = [];
    const until = performance.now() + RECOVERY_MS;
    for (;;) {
      const report = await takeSamples(this.#canary);
      samples.push(...report.samples);
      if (report.oldestMs < QUIET_MS) return { samples, recovered: true };
      if (performance.now() > until) return { samples: [...samples, report.oldestMs], recovered: false };
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  #isAlive(pid: number): boolean {
    try {
      return residentBytes(pid).now > 0 && this.#service.servicePid() === pid;
    } catch {
      return false;
    }
  }

  async #restart(): Promise<void> {
    this.#canary.disconnect();
    try {
      process.kill(this.#service.servicePid(), 'SIGKILL');
    } catch {
      // It has ended already.
    }
    await this.#service.stop();
    this.#service = await this.#turns.observe(() => startService(this.#flags));
    await fillIndices(this.#service, this.#documents);
    this.#canary = await startCanary(this.#service);
  }
}

/** Resolves when the canary listens: messages sent earlier would be lost. */
function startCanary({ url }: TestService): Promise<ChildProcess> {
  const program = path.join(import.meta.dirname, 'canary.ts');
  const canary = fork(program, [`${url}/canary/_search`], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return new Promise((resolve) => canary.once('message', () => resolve(canary)));
}

function takeSamples(canary: ChildProcess): Promise<CanaryReport> {
  return new Promise((resolve) => {
    canary.once('message', (report) => resolve(report as CanaryReport));
    canary.send('take');
  });
}

/** Sends a request on a connection of its own. Never rejects. @returns status 0 without an answer */
function send(port: number, { line, headers }: HostileCase, body: string | Buffer | null): Promise<{ status: number; type: string }> {
  const [method, target] = splitLine(line);
  return new Promise((resolve) => {
    const nothing = (): void => resolve({ status: 0, type: '' });
    const type = body === null ? {} : { 'content-type': 'application/json' };
    const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const options = { host: '127.0.0.1', port, method, path: target, agent: false as const, headers: { ...type, ...length, ...headers } };
    const request = http.request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.once('end', () => {
        clearTimeout(patience);
        const bytes = Buffer.concat(chunks);
        const text = response.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
        resolve({ status: response.statusCode ?? 0, type: typeOf(text) });
      });
      response.once('error', nothing);
    });
    const patience = setTimeout(() => {
      nothing();
      request.destroy();
    }, PATIENCE_MS);
    request.once('error', () => {
      clearTimeout(patience);
      nothing();
    });
    request.end(body ?? undefined);
  });
}

function splitLine(line: string): [string, string] {
  const space = line.indexOf(' ');
  return [line.slice(0, space), line.slice(space + 1).trimStart()];
}

/** The first error type that an answer names. */
function typeOf(text: Buffer): string {
  const head = text.subarray(0, 4000).toString();
  if (/"timed_out"\s*:\s*true/.test(head)) return 'timed_out';
  return /"type"\s*:\s*"(\w+_(?:exception|clauses))"/.exec(head)?.[1] ?? /"type"\s*:\s*"(\w+)"/.exec(head)?.[1] ?? '';
}
