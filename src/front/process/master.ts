// The master process: reads the configuration, binds sockets, keeps a worker process running, and handles signals.
//   HUP reload · USR1 reopen logs · USR2 new binary · WINCH stop workers · QUIT graceful shutdown · TERM, INT fast shutdown
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigError } from '../config/syntax.ts';
import type { ListenSocket } from '../http/model/types.ts';
import { accessLogPaths, closeAccessLogs, reopenAccessLogs } from '../http/modules/monitoring/log-targets.ts';
import { configFiles } from '../http/tls/pem.ts';
import { type ErrorLog, type Level, logTo } from '../log/error-log.ts';
import { NGINX_VERSION } from '../version.ts';
import type { Options } from './command-line.ts';
import { type Cycle, loadCycle, type Places } from './cycle.ts';
import { giveFiles } from './folders.ts';
import { loopCount } from './main-conf.ts';
import { FATAL_EXIT_CODE, type FromWorker, type StartMessage, type ToWorker } from './messages.ts';
import { BindError, BoundSockets } from './sockets.ts';
import { limitWorker } from './worker-limits.ts';

const INHERIT_ENV = 'GANNET_FRONT_SOCKETS';
const FIRST_FD = 4;
const RESPAWN_LIMIT = 5;

const socketsOf = (cycle: Cycle): ListenSocket[] => cycle.blocks.flatMap((block) => block.sockets);

interface Worker {
  child: ChildProcess;
  ready: boolean;
  /** A shutdown was requested. */
  retiring: boolean;
  /** Replaces a worker that ended by itself. */
  isRestart: boolean;
  generation: number;
}

const MAX_TIMER_MS = 2 ** 31 - 1;

/** Maximum of libuv. */
const MAX_POOL_THREADS = 1024;

/**
 * no-allocation-site-pretenuring: objects die with their request. V8 takes those that survive while the server is young for long-lived ones and
 *   allocates them in the old generation from then on, where each keeps its young neighbours alive until the next full collection
 *   [proxying 23.5 k -> 30.5 k per CPU second].
 * no-parallel-scavenge: little survives a young collection, so its helper threads cost more than they save, and with other processes on all cores all requests
 *   wait until the last helper has been scheduled [pause 0.5 -> 0.3 ms; with twelve such processes on two cores 8.0 -> 2.4 ms].
 */
const WORKER_V8_FLAGS = ['--no-allocation-site-pretenuring', '--no-parallel-scavenge'];

export class Master {
  #workers = new Set<Worker>();
  readonly #sockets = new BoundSockets();
  #cycle!: Cycle;
  #generation = 0;
  #ending = false;
  #resolveExit!: (code: number) => void;
  #pidFile = '';
  #respawns: number[] = [];
  #reloading = false;
  #reloadAgain = false;
  #upgrade: ChildProcess | null = null;

  readonly #options: Options;
  readonly #places: Places;

  constructor(options: Options, places: Places) {
    this.#options = options;
    this.#places = places;
  }

  #log(level: Level, message: string): void {
    logTo(this.#cycle?.main.errorLogs ?? ([] as ErrorLog[]), level, message);
  }

  /** Runs until the server exits. @returns exit status */
  async run(): Promise<number> {
    const done = new Promise<number>((resolve) => {
      this.#resolveExit = resolve;
    });
    // Neither signals nor sockets keep the process alive while it has no worker.
    const alive = setInterval(() => {}, MAX_TIMER_MS);
    try {
      await this.#start();
      return await done;
    } finally {
      clearInterval(alive);
    }
  }

  async #start(): Promise<void> {
    this.#cycle = await loadCycle(this.#options, this.#places);
    if (this.#cycle.main.workingDirectory) process.chdir(this.#cycle.main.workingDirectory);
    this.#giveLogs();
    this.#adoptSockets();
    await this.#bindWithRetries();
    this.#log('notice', `using the "epoll" event method`);
    for (const notice of this.#cycle.main.notices) this.#log('notice', notice);
    this.#log('notice', `nginx/${NGINX_VERSION}`);
    this.#log('notice', 'start worker processes');
    this.#listenSignals();
    process.title = 'gannet: master process';
    const failure = await this.#startGeneration(new Map());
    if (this.#ending) return;
    if (failure !== null) {
      this.#sockets.closeAll(true);
      throw new ConfigError(failure);
    }
    this.#writePid();
  }

  #adoptSockets(): void {
    const text = process.env[INHERIT_ENV];
    delete process.env[INHERIT_ENV];
    if (!text) return;
    this.#sockets.adopt(text);
    this.#log('notice', `using inherited sockets from "${text}"`);
  }

  async #bindWithRetries(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        this.#sockets.bind(socketsOf(this.#cycle));
        return;
      } catch (error) {
        if (!(error instanceof BindError)) throw error;
        this.#log('emerg', error.message);
        if (!error.message.includes('(98:') || attempt >= 5) throw new ConfigError(attempt > 1 ? 'still could not bind()' : error.message);
        process.stderr.write(`nginx: [emerg] ${error.message}\n`);
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  }

  // ---------------------------------------------------------------- workers

  #spawnChild(list: { key: string; fd: number }[]): ChildProcess {
    const own = fileURLToPath(import.meta.url);
    const folder = path.dirname(own);
    // The worker is always this compiled file, even if the master runs from the bundle.
    const candidates = [
      path.join(folder, own.endsWith('.ts') ? 'worker.ts' : 'worker.js'),
      path.join(folder, '../front/process/worker.js'),
    ];
    const file = candidates.find((c) => existsSync(c)) ?? candidates[0];
    const env: NodeJS.ProcessEnv = { ...process.env };
    for (const { name, value } of this.#cycle.main.env) if (value !== null) env[name] = value;
    if (this.#cycle.main.poolThreads > 0) env.UV_THREADPOOL_SIZE = String(Math.min(this.#cycle.main.poolThreads, MAX_POOL_THREADS));
    return spawn(process.execPath, [...process.execArgv, ...WORKER_V8_FLAGS, file], {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc', ...list.map((s) => s.fd)],
      serialization: 'advanced',
      env,
    });
  }

  /** Starts the worker of the current cycle. @returns the reason if it could not start */
  #startGeneration(zones: Map<string, unknown>): Promise<string | null> {
    this.#generation++;
    return this.#startWorker(zones, false);
  }

  /** Starts the worker again that has ended. One that cannot start leaves none, as nginx's fatal exit codes do: the next reload starts another. */
  async #restartWorker(): Promise<void> {
    if (this.#ending) return;
    const failure = await this.#startWorker(new Map(), true);
    if (failure !== null && !this.#ending) this.#log('emerg', failure);
  }

  /** One process with as many event loops as worker_processes: they share memory, and each has its own descriptors. */
  #startWorker(zones: Map<string, unknown>, isRestart: boolean): Promise<string | null> {
    const list = this.#sockets.list();
    const count = loopCount(this.#cycle.main);
    const child = this.#spawnChild(Array.from({ length: count }, () => list).flat());
    const fds = Array.from({ length: count }, (_, loop) =>
      Object.fromEntries(list.map(({ key }, n) => [key, FIRST_FD + loop * list.length + n])),
    );
    const worker: Worker = { child, ready: false, retiring: false, isRestart, generation: this.#generation };
    this.#workers.add(worker);
    this.#log('notice', `start worker process ${child.pid}`);
    limitWorker(child, this.#cycle.main, (message) => this.#log('alert', message));
    const { nodes } = this.#cycle;
    return new Promise((resolve) => {
      let failure = `worker process ${child.pid} could not start`;
      child.on('message', (message: FromWorker) => {
        if (message.type === 'booted') {
          const start: StartMessage = {
            type: 'start',
            nodes,
            prefix: this.#places.prefix,
            confPrefix: this.#places.confPrefix,
            errorLog: this.#places.errorLog,
            fds,
            zones,
            files: configFiles,
          };
          this.#tell(worker, start);
        } else if (message.type === 'ready') {
          worker.ready = true;
          resolve(null);
        } else if (message.type === 'failed') failure = message.message;
        else if (message.type === 'zones') this.#onZones?.(message.zones);
      });
      // A failed worker exits at once; its failure is reported after it has exited.
      child.on('exit', (code, signal) => {
        this.#workers.delete(worker);
        resolve(failure);
        this.#workerExited(worker, code, signal);
      });
      child.on('error', () => {});
    });
  }

  #onZones: ((zones: Map<string, unknown>) => void) | null = null;

  #tell(worker: Worker, message: ToWorker): void {
    if (worker.child.connected) worker.child.send(message, () => {});
  }

  #workerExited(worker: Worker, code: number | null, signal: string | null): void {
    const { pid } = worker.child;
    if (signal) this.#log(this.#ending || worker.retiring ? 'notice' : 'alert', `worker process ${pid} exited on signal ${signal}`);
    else this.#log(code === 0 ? 'notice' : 'alert', `worker process ${pid} exited with code ${code}`);
    if (this.#ending) {
      if (this.#workers.size === 0) this.#exit(0);
      return;
    }
    if (worker.retiring || !(worker.ready || worker.isRestart)) return;
    if (code === FATAL_EXIT_CODE) {
      this.#log('alert', `worker process ${pid} exited with fatal code ${code} and cannot be respawned`);
      return;
    }
    const now = Date.now();
    this.#respawns = this.#respawns.filter((t) => now - t < 10_000);
    this.#respawns.push(now);
    const delay = this.#respawns.length > RESPAWN_LIMIT ? 1000 : 0;
    setTimeout(() => void this.#restartWorker(), delay);
  }

  // ---------------------------------------------------------------- signals

  #listenSignals(): void {
    process.on('SIGHUP', () => void this.#reload());
    process.on('SIGUSR1', () => this.#reopen());
    process.on('SIGUSR2', () => this.#upgradeBinary());
    process.on('SIGWINCH', () => this.#retire(() => true));
    process.on('SIGQUIT', () => this.#end('quit'));
    process.on('SIGTERM', () => this.#end('term'));
    process.on('SIGINT', () => this.#end('term'));
  }

  #end(how: 'quit' | 'term'): void {
    this.#log(
      'notice',
      `signal ${how === 'quit' ? '3 (SIGQUIT)' : '15 (SIGTERM)'} received, ${how === 'quit' ? 'shutting down' : 'exiting'}`,
    );
    this.#ending = true;
    // No connection may wait in the queue of a socket that no worker accepts from.
    this.#sockets.closeAll(!this.#upgrade);
    for (const worker of this.#workers) {
      if (how === 'quit' && worker.ready) this.#tell(worker, { type: 'quit' });
      else worker.child.kill('SIGTERM');
    }
    if (this.#workers.size === 0) this.#exit(0);
  }

  #exit(code: number): void {
    this.#log('notice', 'exit');
    this.#sockets.closeAll(!this.#upgrade);
    if (this.#pidFile) {
      try {
        unlinkSync(this.#pidFile);
      } catch {
        // Already removed.
      }
    }
    this.#resolveExit(code);
  }

  #retire(which: (worker: Worker) => boolean): void {
    for (const worker of this.#workers) {
      if (!which(worker)) continue;
      worker.retiring = true;
      this.#tell(worker, { type: 'quit' });
    }
  }

  #reopen(): void {
    this.#log('notice', 'reopening logs');
    this.#cycle.targets.reopen();
    this.#cycle.blocks.forEach(reopenAccessLogs);
    this.#giveLogs();
    for (const worker of this.#workers) this.#tell(worker, { type: 'reopen' });
  }

  /** The workers write to the log files under their own user. */
  #giveLogs(): void {
    const user = this.#cycle.main.user?.name ?? 'nobody';
    if (process.getuid?.() !== 0 || user === 'root') return;
    const files = [...this.#cycle.targets.paths(), ...this.#cycle.blocks.flatMap(accessLogPaths)];
    giveFiles(files, user, (message) => this.#log('emerg', message));
  }

  async #reload(): Promise<void> {
    if (this.#ending) return;
    if (this.#reloading) {
      this.#reloadAgain = true;
      return;
    }
    this.#reloading = true;
    this.#log('notice', 'reconfiguring');
    try {
      const cycle = await loadCycle(this.#options, this.#places);
      // A signal to end may have closed the sockets that a new worker would inherit.
      if (this.#ending) return;
      this.#sockets.bind(socketsOf(cycle));
      const old = this.#cycle;
      const zones = await this.#collectZones();
      if (this.#ending) return;
      this.#cycle = cycle;
      this.#giveLogs();
      const before = this.#generation;
      const failure = await this.#startGeneration(zones);
      if (this.#ending) return;
      if (failure !== null) {
        this.#cycle = old;
        throw new ConfigError(failure);
      }
      this.#movePid();
      this.#retire((worker) => worker.generation <= before);
      old.targets.close();
      old.blocks.forEach(closeAccessLogs);
      this.#sockets.drop(new Set(socketsOf(cycle).map((s) => s.key)));
    } catch (error) {
      this.#log('emerg', (error as Error).message);
    } finally {
      this.#reloading = false;
    }
    if (!this.#reloadAgain || this.#ending) return;
    // A reload requested during the last one counts, too.
    this.#reloadAgain = false;
    await this.#reload();
  }

  /** State of the zones in the current worker. */
  #collectZones(): Promise<Map<string, unknown>> {
    const worker = [...this.#workers].find((w) => w.ready && !w.retiring);
    if (!worker) return Promise.resolve(new Map());
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(new Map()), 2000);
      this.#onZones = (zones) => {
        clearTimeout(timer);
        resolve(zones);
      };
      this.#tell(worker, { type: 'export' });
    });
  }

  #upgradeBinary(): void {
    if (this.#upgrade) return;
    const list = this.#sockets.list();
    const fds = list.map((_, n) => 3 + n);
    try {
      renameSync(this.#pidFile, `${this.#pidFile}.oldbin`);
    } catch {
      return;
    }
    const pidBefore = this.#pidFile;
    this.#pidFile = `${pidBefore}.oldbin`;
    this.#upgrade = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
      stdio: ['inherit', 'inherit', 'inherit', ...list.map((s) => s.fd)],
      env: { ...process.env, [INHERIT_ENV]: this.#sockets.inheritText(fds) },
    });
    this.#log('notice', `start new binary process ${this.#upgrade.pid}`);
    this.#upgrade.on('exit', () => {
      this.#upgrade = null;
      if (this.#ending) return;
      renameSync(this.#pidFile, pidBefore);
      this.#pidFile = pidBefore;
    });
  }

  // ---------------------------------------------------------------- pid file

  #writePid(): void {
    this.#pidFile = path.resolve(this.#places.prefix, this.#cycle.main.pidFile);
    mkdirSync(path.dirname(this.#pidFile), { recursive: true });
    writeFileSync(this.#pidFile, `${process.pid}\n`);
  }

  #movePid(): void {
    const next = path.resolve(this.#places.prefix, this.#cycle.main.pidFile);
    if (next === this.#pidFile) return;
    const previous = this.#pidFile;
    this.#writePid();
    unlinkSync(previous);
  }
}
