// Parent process of the service in JavaScript: for npm's shim of the command and for systems without a shell. bin/gannet does the same in sh,
// which costs 2 ms and 1 MB instead of a Node process with 50 ms and 40 MB; a change here belongs there as well.
import { type ChildProcess, spawn } from 'node:child_process';
import { isatty } from 'node:tty';
import { fileURLToPath } from 'node:url';

/**
 * Exit codes after which the service is not restarted, because a new start would end the same way: success, wrong call or setting, data
 * directory in use or port taken, NODE_OPTIONS that Node refuses.
 */
const FINAL_EXIT_CODES = [0, 2, 78, 9];
/** An exit within this time of the start counts as a failed start; the parent gives up after several in a row. */
const QUICK_EXIT_MS = 2000;
const MAX_QUICK_EXITS = 5;
const HEAP_FLAGS = '--max-old-space-size=768 --max-semi-space-size=8';
const STDIN = 0;
const IS_WINDOWS = process.platform === 'win32';

/** Runs the service and restarts it after a crash: acknowledged writes are in the log, so a restart loses nothing. */
export class Supervisor {
  /** Resolves with the service's exit code when it is not restarted. */
  readonly exited: Promise<number>;
  readonly #argv: readonly string[];
  #service: ChildProcess | null = null;
  #signals = 0;

  /** @param argv arguments of `gannet serve` */
  constructor(argv: readonly string[]) {
    this.#argv = argv;
    this.exited = this.#run();
  }

  /** Starts a clean shutdown, unless one is under way. */
  stop(): void {
    if (this.#signals === 0) this.#signal();
  }

  /** Passes the signals of this process on to the service. */
  forwardSignals(): void {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => this.#signal());
    const hadTerminal = isatty(STDIN);
    // SIGHUP stops the service if its terminal was closed; otherwise it reloads users, roles and certificates.
    process.on('SIGHUP', () => (hadTerminal && !isatty(STDIN) ? this.#signal() : this.#service?.kill('SIGHUP')));
    if (!IS_WINDOWS) process.on('SIGUSR1', () => this.#service?.kill('SIGUSR1'));
  }

  /** The first signal starts a clean shutdown, the second kills the service. */
  #signal(): void {
    this.#signals++;
    this.#service?.kill(this.#signals > 1 ? 'SIGKILL' : 'SIGTERM');
  }

  async #run(): Promise<number> {
    let quickExits = 0;
    for (let diedOf: string | null = null; ; ) {
      const startedMs = Date.now();
      const { code, signal } = await this.#runOnce(diedOf);
      diedOf = signal ?? String(code);
      if (FINAL_EXIT_CODES.includes(code) || this.#signals > 0) return code;
      quickExits = Date.now() - startedMs < QUICK_EXIT_MS ? quickExits + 1 : 0;
      if (quickExits >= MAX_QUICK_EXITS) {
        process.stderr.write(`service died ${quickExits} times right after its start, giving up\n`);
        return code;
      }
      process.stderr.write(`service died (exit code ${code}), restarting it\n`);
    }
  }

  /** @param diedOf  exit code or signal of the service before. @returns the exit code, 1 for a signal. @throws Error Node could not be started */
  #runOnce(diedOf: string | null): Promise<{ code: number; signal: string | null }> {
    const service = spawn(process.execPath, [serviceFile(), ...this.#argv], {
      // A session of its own: Ctrl-C reaches this process alone, which passes it on once. On Windows this would open a console.
      detached: !IS_WINDOWS,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: serviceEnvironment(diedOf),
    });
    this.#service = service;
    return new Promise((resolve, reject) => {
      service.once('error', reject);
      service.once('exit', (code, signal) => resolve({ code: code ?? 1, signal }));
    });
  }
}

const serviceFile = (): string => fileURLToPath(new URL('../../dist/service/service-process.js', import.meta.url));

/** The reasons are in bin/gannet. */
function serviceEnvironment(diedOf: string | null): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _, ...environment } = process.env;
  return {
    MALLOC_ARENA_MAX: '2',
    MALLOC_MMAP_THRESHOLD_: '1048576',
    _GANNET_PARENT: String(process.pid),
    ...environment,
    NODE_OPTIONS: `${HEAP_FLAGS} ${process.env.NODE_OPTIONS ?? ''}`,
    ...(diedOf !== null && { _GANNET_RESTARTED: diedOf }),
  };
}
