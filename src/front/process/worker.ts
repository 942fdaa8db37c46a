/** Entry of a worker process: builds the configuration it is sent, serves, and ends when told or when its master is gone. */
import { setPriority } from 'node:os';
import path from 'node:path';
import { buildHttp } from '../http/build.ts';
import type { HttpMain } from '../http/conf.ts';
import { beginExit, connections } from '../http/connection.ts';
import { flushAccessLogs, openAccessLogs, reopenAccessLogs } from '../http/modules/access-log.ts';
import { configFiles } from '../http/pem.ts';
import { type Listening, listenAll } from '../http/server.ts';
import { type ErrorLog, levelRank, logTo } from '../log/error-log.ts';
import { LogTargets } from '../log/targets.ts';
import { debugMatcher } from './debug-connection.ts';
import { type MainConf, readMain } from './main-conf.ts';
import type { FromWorker, StartMessage, ToWorker } from './messages.ts';

const send = (message: FromWorker): void => {
  process.send?.(message, () => {});
};

let http: HttpMain | undefined;
let listening: Listening | undefined;
let logs: readonly ErrorLog[] = [];
let conf: MainConf;
const targets = new LogTargets();
let ending = false;

async function start(message: StartMessage): Promise<void> {
  for (const [file, data] of message.files) configFiles.set(file, Buffer.from(data));
  const resolve = (name: string) => path.resolve(message.prefix, name);
  conf = readMain(message.nodes, targets, resolve);
  if (conf.errorLogs.length === 0) conf.errorLogs.push({ sink: targets.file(resolve(message.errorLog)), level: levelRank('error') });
  logs = conf.errorLogs;
  if (conf.http) {
    http = await buildHttp({
      node: conf.http,
      paths: { prefix: message.prefix, conf: message.confPrefix },
      logs: targets,
      mainLogs: logs,
      inherited: message.zones,
    });
    openAccessLogs();
    for (const module of http.modules) await module.start?.(http);
  }
  targets.open();
  dropPrivileges();
  if (http) {
    const debugged = debugMatcher(conf.debugConnections);
    listening = await listenAll(http, message.fds, {
      opened: (conn) => {
        if (debugged?.(conn.remoteAddr))
          conn.debugLogs = conn.hosts.defaultServer.root.errorLogs.map((log) => ({ ...log, level: levelRank('debug') }));
        conn.log('debug', `accept: ${conn.remoteAddr}:${conn.remotePort} fd`);
      },
    });
  }
  send({ type: 'ready' });
}

function dropPrivileges(): void {
  if (conf.workerPriority !== 0) setPriority(conf.workerPriority);
  if (process.getuid?.() !== 0) return;
  const user = conf.user ?? { name: 'nobody', group: 'nogroup' };
  if (user.name === 'root') return;
  process.setgid!(user.group);
  (process as unknown as { initgroups(user: string, group: string): void }).initgroups(user.name, user.group);
  process.setuid!(user.name);
}

function exit(code: number): void {
  flushAccessLogs();
  logTo(logs, 'notice', 'exit');
  process.exit(code);
}

function quit(): void {
  if (ending) return;
  ending = true;
  logTo(logs, 'notice', 'gracefully shutting down');
  process.title = 'gannet: worker process is shutting down';
  listening?.close();
  if (conf?.workerShutdownTimeoutMs > 0) {
    setTimeout(() => {
      for (const conn of connections) conn.destroy();
      exit(0);
    }, conf.workerShutdownTimeoutMs);
  }
  beginExit(() => setImmediate(() => exit(0)));
}

/** State of all zones, for the workers of the next configuration. */
function exportZones(): Map<string, unknown> {
  const zones = new Map<string, unknown>();
  for (const [key, value] of http?.registry ?? []) {
    const state = (value as { exportState?(): unknown } | undefined)?.exportState?.();
    if (state !== undefined) zones.set(key, state);
  }
  return zones;
}

process.on('message', (message: ToWorker) => {
  switch (message.type) {
    case 'start':
      start(message).catch((error) => {
        send({ type: 'failed', message: (error as Error).message });
        setTimeout(() => process.exit(2), 50);
      });
      break;
    case 'quit':
      quit();
      break;
    case 'reopen':
      reopenAccessLogs();
      targets.reopen();
      break;
    case 'export':
      send({ type: 'zones', zones: exportZones() });
      break;
  }
});
process.on('disconnect', () => exit(0));
process.on('SIGTERM', () => exit(0));
process.on('SIGINT', () => exit(0));
process.on('SIGQUIT', quit);
process.on('SIGHUP', () => {});
process.on('SIGUSR1', () => {
  reopenAccessLogs();
  targets.reopen();
});
process.on('SIGUSR2', () => {});
process.on('SIGWINCH', () => {});
process.on('uncaughtException', (error) => {
  logTo(logs, 'crit', `uncaught: ${error.stack ?? error}`.replace(/\n\s*/g, ' | '));
});
process.on('unhandledRejection', (error) => {
  logTo(logs, 'crit', `unhandled: ${(error as Error)?.stack ?? error}`.replace(/\n\s*/g, ' | '));
});
process.title = 'gannet: worker process';
send({ type: 'booted' });
