// The service process: main part, http workers, signals. A parent process (bin/gannet) starts it and restarts it if it dies.
import type { Settings } from '../config/settings.ts';
import { isUws, probePort, setMaxHeaderSize } from '../http/uws-process.ts';
import { Cors } from '../rest/core/cors.ts';
import type { ClusterLink } from './cluster/cluster-link.ts';
import { checkInBackground } from './main/background-check.ts';
import { MainNode } from './main/main-node.ts';
import type { LogNotice } from './messages/messages.ts';
import { mainOptions } from './open-node.ts';
import { startHttpWorker } from './reading/http-worker.ts';
import { checkTls, checkUsers, reloadOnSignal } from './security-settings.ts';
import { releaseMemoryWhenIdle } from './threads/idle-memory.ts';
import type { NodeOptions } from './threads/node-options.ts';
import { dropSpareThread, startThread } from './threads/start-thread.ts';
import type { ThreadData } from './threads/thread.ts';
import { threadCounts } from './threads/thread-counts.ts';
import { listenerFor, tlsOptions } from './threads/tls-settings.ts';

export interface Service {
  readonly port: number;
  /** `http://host:port` or `https://host:port`. */
  readonly address: string;
  readonly usesUws: boolean;
  /** Finishes requests in flight, flushes, closes, and exits the process with code 0. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly settings: Settings;
  readonly onLog: (level: LogNotice['level'], message: string) => void;
  readonly reopenLogs: () => void;
  /** Reads the settings as at the start. @throws SettingError */
  readonly reread: () => Settings;
}

/** Delay between the first http worker being ready, or the first index being created, and the start of the others and of a lane. */
const OTHER_WORKERS_AFTER_MS = 100;

/** Attempts to get the port, which a stopping predecessor may still hold. nginx uses the same number. */
const PORT_TRIES = 5;
const PORT_RETRY_MS = 500;

/** Resolves when requests are answered. @throws ApiError the directory is in use, or its metadata is corrupt; Error: the port is in use */
export async function startService({ settings: given, onLog, reopenLogs, reread }: ServiceOptions): Promise<Service> {
  const tls = tlsOptions(given);
  const settings = { ...given, 'http.listener': listenerFor(given, tls) };
  // The uWebSockets binary reads this from the process environment when it creates its first listener; workers only have a copy of the environment.
  setMaxHeaderSize(settings['http.max_header_size']);
  // Built here only to validate the settings, since an error in this thread stops the start with its reason.
  new Cors(settings);
  await checkTls(settings, onLog);
  const host = settings['http.host'];
  const port = await findPort(host, settings['http.port'], onLog);
  const { listeners, inProcess, lanes } = threadCounts(settings);
  if (inProcess) dropSpareThread();
  const options = mainOptions({ ...settings, 'http.port': port }, inProcess, onLog, lanes);
  const main = new MainNode(options, await linkOf(options, onLog));
  let stopping: Promise<void> | null = null;
  let closeFirst = (): void => process.exit(0);
  let endCheck = (): void => undefined;
  const stop = async () => {
    endCheck();
    // Heavy requests are failed, since the workers wait for all that are in flight.
    await main.lanes?.stop();
    await main.broadcast({ type: 'stop' });
    await main.stop();
    closeFirst();
  };
  const address = `${tls === null ? 'http' : 'https'}://${host}:${port}`;
  const service = { port, address, usesUws: isUws(settings['http.listener']), stop: () => (stopping ??= stop()) };
  // Installed before the first answer, after which a caller may send a signal.
  handleStopSignals(service, () => stopping !== null, onLog);
  reloadOnSignal(main, settings, reread, onLog);
  process.on('SIGUSR1', () => {
    reopenLogs();
    main.reopenLogs();
    main.broadcast({ type: 'reopenLogs' }).catch((error) => onLog('error', `logs not reopened: ${error.message}`));
  });
  try {
    checkUsers(settings, main.securityRecords, onLog);
    const addWorker = (number: number) =>
      main.startReader((parts) => {
        const data: ThreadData = {
          role: 'http',
          number,
          ...parts,
          module: main.module,
          options: main.threadOptions,
          laneLoad: main.lanes?.load,
        };
        // The first worker runs in this thread, which saves an isolate: the start is faster and the process smaller.
        if (number === 0) {
          closeFirst = startHttpWorker(data, main.store);
          return null;
        }
        return startThread(data);
      });
    // The first worker loads while the indexers open the shards. The others start later, so that they do not compete for the cores.
    await main.start(() => addWorker(0));
    const publishAddress = settings['http.publish_address'] || `${host}:${port}`;
    const start = { type: 'start', publishAddress } as const;
    await main.startLink(publishAddress);
    await main.broadcast(start);
    main.lanes?.open(start);
    const addOthers = () => {
      if (stopping !== null) return;
      main.lanes?.warm();
      for (let number = 1; number < listeners; number++) {
        main.welcome(addWorker(number), start).catch((error) => onLog('error', `http worker failed to start: ${error.stack}`));
      }
    };
    setTimeout(() => main.breaker.setBase(), OTHER_WORKERS_AFTER_MS).unref();
    // After a delay, since loading them would take a core from the first requests.
    main.onFirstIndex(() => setTimeout(addOthers, OTHER_WORKERS_AFTER_MS).unref());
  } catch (error) {
    await main.stop();
    throw error;
  }
  if (!main.isStoreChecked) endCheck = checkInBackground(main, options.dataPath);
  releaseMemoryWhenIdle();
  return service;
}

/** The node's link to its cluster. What belongs to clusters is loaded here, by nodes that are in one. */
async function linkOf(options: NodeOptions, onLog: ServiceOptions['onLog']): Promise<ClusterLink | undefined> {
  if (options.settings['cluster.nats.servers'].length === 0) return undefined;
  const { connectCluster } = await import('./cluster/jetstream-link.ts');
  return connectCluster(options, (reason) => onLog('warn', `waiting for NATS: ${reason}`));
}

/** Stops the service on SIGTERM and, without a parent process, on Ctrl-C; a second Ctrl-C exits at once. */
function handleStopSignals(service: Service, isStopping: () => boolean, onLog: ServiceOptions['onLog']): void {
  // Ctrl-C also reaches the parent process, which forwards it as SIGTERM and kills this process at the second one.
  const hasParent = process.env._GANNET_PARENT !== undefined;
  if (hasParent) process.on('SIGINT', () => undefined);
  for (const signal of hasParent ? (['SIGTERM'] as const) : (['SIGINT', 'SIGTERM'] as const)) {
    process.on(signal, () => {
      if (isStopping()) {
        if (hasParent) return;
        process.exit(130);
      }
      service.stop().catch((error) => {
        onLog('error', `stop failed: ${error.stack}`);
        process.exit(1);
      });
    });
  }
}

/** Chooses the port. @returns a port on which no process listens */
async function findPort(host: string, wanted: number, onLog: ServiceOptions['onLog']): Promise<number> {
  for (let tries = 1; ; tries++) {
    try {
      return await probePort(host, wanted);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || tries === PORT_TRIES) throw error;
      if (tries === 1) onLog('warn', `${host}:${wanted} is in use, trying again for ${((PORT_TRIES - 1) * PORT_RETRY_MS) / 1000} s`);
      await new Promise((resolve) => setTimeout(resolve, PORT_RETRY_MS));
    }
  }
}
