// An event loop of a worker process: reads its configuration, accepts and serves connections, shuts down gracefully.
import path from 'node:path';
import { buildHttp } from '../http/build/build.ts';
import { core } from '../http/config/core.ts';
import { beginExit, connections } from '../http/connection/client-connections.ts';
import { type Listening, listenAll } from '../http/connection/server.ts';
import { stats } from '../http/connection/stats.ts';
import type { BlockMain, HttpMain } from '../http/model/types.ts';
import { flushAccessLogs, openAccessLogs, reopenAccessLogs } from '../http/modules/monitoring/log-targets.ts';
import type { TempFolder } from '../http/request/body.ts';
import { configFiles } from '../http/tls/pem.ts';
import { type ErrorLog, levelRank, logTo } from '../log/error-log.ts';
import { LogTargets } from '../log/targets.ts';
import type { MailListening } from '../mail/listener.ts';
import type { MailMain } from '../mail/model.ts';
import type { StreamListening } from '../stream/listener.ts';
import type { StreamMain } from '../stream/model.ts';
import { openBus } from '../zone/bus.ts';
import { loop } from '../zone/memory.ts';
import { debugMatcher } from './debug-connection.ts';
import { type MainConf, readMain } from './main-conf.ts';
import type { StartMessage } from './messages.ts';

export class EventLoop {
  conf!: MainConf;
  logs: readonly ErrorLog[] = [];
  #http: HttpMain | null = null;
  #stream: StreamMain | null = null;
  #mail: MailMain | null = null;
  #listening: (Listening | StreamListening | MailListening)[] = [];
  readonly #targets = new LogTargets();
  #ending = false;

  /** Reads the configuration and starts the background tasks of modules. @throws ConfigError */
  async build(message: StartMessage): Promise<void> {
    for (const [file, data] of message.files) configFiles.set(file, Buffer.from(data));
    const resolve = (name: string) => path.resolve(message.prefix, name);
    const conf = readMain(message.nodes, this.#targets, resolve, () => {});
    this.conf = conf;
    if (conf.errorLogs.length === 0)
      conf.errorLogs.push({ sink: this.#targets.file(resolve(message.errorLog)), level: levelRank('error') });
    this.logs = conf.errorLogs;
    const input = {
      paths: { prefix: message.prefix, conf: message.confPrefix },
      logs: this.#targets,
      mainLogs: this.logs,
      eventLoops: loop.count,
      // The master has reported it.
      warn: () => {},
    };
    stats.begin((message.zones.get('stats') as number[] | undefined) ?? null);
    if (conf.http) {
      this.#http = await buildHttp({ ...input, node: conf.http, inherited: message.zones });
      this.#http.registry.set('stats', stats);
    }
    if (conf.stream) {
      const { buildStream } = await import('../stream/build.ts');
      this.#stream = await buildStream({ ...input, node: conf.stream, inherited: withoutPrefix(message.zones, STREAM_ZONES) });
      this.#http?.registry.set('stream', this.#stream);
    }
    if (conf.mail) {
      const { buildMail } = await import('../mail/build.ts');
      this.#mail = await buildMail({ ...input, node: conf.mail, inherited: withoutPrefix(message.zones, MAIL_ZONES) });
    }
    for (const block of this.#blocks) openAccessLogs(block);
    if (this.#blocks.length > 0) openBus();
    for (const block of this.#blocks) for (const module of block.modules) await module.start?.(block);
    this.#targets.open();
  }

  /** Starts accepting on sockets that the master bound. */
  async listen(fds: Record<string, number>): Promise<void> {
    const debugged = debugMatcher(this.conf.debugConnections);
    const limit = this.conf.workerConnections;
    if (this.conf.stallMs > 0) watchStalls(this.conf.stallMs, (ms) => logTo(this.logs, 'warn', `event loop iteration took ${ms} ms`));
    const full = (): boolean => {
      if (connections.size < limit) return false;
      logTo(this.logs, 'alert', `${limit} worker_connections are not enough`);
      return true;
    };
    if (this.#stream) this.#listening.push(await (await import('../stream/listener.ts')).listenStream(this.#stream, fds, full));
    if (this.#mail) this.#listening.push(await (await import('../mail/listener.ts')).listenMail(this.#mail, fds, full));
    if (!this.#http) return;
    const listening = await listenAll(this.#http, fds, {
      full,
      opened: (conn) => {
        if (debugged?.(conn.remoteAddr))
          conn.debugLogs = conn.hosts.defaultServer.root.errorLogs.map((log) => ({ ...log, level: levelRank('debug') }));
        conn.log('debug', `accept: ${conn.remoteAddr}:${conn.remotePort} fd`);
      },
    });
    this.#listening.push(listening);
  }

  get #blocks(): BlockMain[] {
    return [this.#http, this.#stream, this.#mail].filter((block) => block !== null);
  }

  /** Stops accepting; `done` is called when the last connection is closed or worker_shutdown_timeout has passed. */
  quit(done: () => void): void {
    if (this.#ending) return;
    this.#ending = true;
    logTo(this.logs, 'notice', 'gracefully shutting down');
    for (const listening of this.#listening) listening.close();
    const timeoutMs = this.conf?.workerShutdownTimeoutMs ?? 0;
    if (timeoutMs > 0) {
      setTimeout(() => {
        for (const conn of connections) conn.destroy();
        done();
      }, timeoutMs);
    }
    beginExit(() => setImmediate(done));
  }

  /** Folders that it writes to. @param withDefaults  include default folders of temporary files */
  folders(withDefaults: boolean): Set<string> {
    if (!this.#http) return new Set();
    const folders = new Set(this.#http.folders);
    if (!withDefaults) return folders;
    for (const [name, value] of Object.entries(core.conf(this.#http.loc))) {
      if (name.endsWith('_temp_path')) folders.add((value as TempFolder).path);
    }
    return folders;
  }

  reopen(): void {
    for (const block of this.#blocks) reopenAccessLogs(block);
    this.#targets.reopen();
  }

  /** Writes buffered log lines. */
  flush(): void {
    for (const block of this.#blocks) flushAccessLogs(block);
  }

  /** State of all zones, for the workers of the next configuration. */
  exportZones(): Map<string, unknown> {
    const zones = new Map<string, unknown>();
    for (const block of this.#blocks) {
      for (const [key, value] of block.registry) {
        const state = (value as { exportState?(): unknown } | undefined)?.exportState?.();
        if (state !== undefined) zones.set(block.zonePrefix + key, state);
      }
    }
    return zones;
  }

  /** Logs uncaught errors without ending the process: an error in one connection must not affect the others. */
  catchAll(): void {
    process.on('uncaughtException', (error) => {
      logTo(this.logs, 'crit', `uncaught: ${error.stack ?? error}`.replace(/\n\s*/g, ' | '));
    });
    process.on('unhandledRejection', (error) => {
      logTo(this.logs, 'crit', `unhandled: ${(error as Error)?.stack ?? error}`.replace(/\n\s*/g, ' | '));
    });
  }
}

/** prefixes of the zones of `stream { }` and `mail { }` among exported zones */
const STREAM_ZONES = 'stream:';
const MAIL_ZONES = 'mail:';

const withoutPrefix = (zones: ReadonlyMap<string, unknown>, prefix: string): Map<string, unknown> =>
  new Map([...zones].filter(([key]) => key.startsWith(prefix)).map(([key, state]) => [key.slice(prefix.length), state]));

/** Logs iterations of the event loop that take longer than `thresholdMs`, measured by the delay of a timer. */
function watchStalls(thresholdMs: number, report: (ms: number) => void): void {
  const everyMs = Math.max(10, Math.min(thresholdMs, 1000));
  let before = performance.now();
  setInterval(() => {
    const now = performance.now();
    const late = Math.round(now - before - everyMs);
    before = now;
    if (late > thresholdMs) report(late);
  }, everyMs).unref();
}
