// The service process: main part, http workers, signals. A parent process (bin/gannet) starts it and starts it again if it dies.
import type { Settings } from '../config/settings.ts';
import { probePort, setMaxHeaderSize } from '../http/uws-process.ts';
import { BasicAuth } from '../rest/auth/basic-auth.ts';
import { Cors } from '../rest/core/cors.ts';
import { startHttpWorker } from './http-worker.ts';
import { releaseMemoryWhenIdle } from './idle-memory.ts';
import { MainNode } from './main-node.ts';
import type { LogNotice } from './messages.ts';
import { mainOptions } from './open-node.ts';
import { dropSpareThread, startThread } from './start-thread.ts';
import type { ThreadData } from './thread.ts';
import { threadCounts } from './thread-counts.ts';

export interface Service {
  readonly port: number;
  /** Finishes requests in flight, flushes, closes; ends the process with code 0. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly settings: Settings;
  readonly onLog: (level: LogNotice['level'], message: string) => void;
  readonly reopenLogs: () => void;
}

/** Time between the first answer that can be given and the start of the http workers beside the first. */
const OTHER_WORKERS_AFTER_MS = 100;

/** What stops may hold the port for a moment, if its parent was killed or somebody starts the next one early; nginx tries as often. */
const PORT_TRIES = 5;
const PORT_RETRY_MS = 500;

/** Resolves when requests are answered. @throws ApiError: directory in use, corrupt metadata; Error: the port is taken */
export async function startService({ settings, onLog, reopenLogs }: ServiceOptions): Promise<Service> {
  // Read by the uWebSockets binary when the first listener is made; workers have a copy of the environment that it never sees.
  setMaxHeaderSize(settings['http.max_header_size']);
  // What http workers build of the settings is tried here, where an error ends the start with its reason.
  new BasicAuth(settings);
  new Cors(settings);
  const host = settings['http.host'];
  const port = await findPort(host, settings['http.port'], onLog);
  const { listeners, inProcess } = threadCounts(settings);
  if (inProcess) dropSpareThread();
  const options = mainOptions({ ...settings, 'http.port': port }, inProcess, onLog);
  const main = new MainNode(options);
  let stopping: Promise<void> | null = null;
  let closeFirst = (): void => process.exit(0);
  const stop = async () => {
    await main.broadcast({ type: 'stop' });
    await main.stop();
    closeFirst();
  };
  const service = { port, stop: () => (stopping ??= stop()) };
  // Before the first answer: whoever sees it may send a signal.
  // Ctrl-C and the end of a terminal reach the parent process, too, which passes them on as SIGTERM and kills at the second.
  const hasParent = process.env._GANNET_PARENT !== undefined;
  if (hasParent) for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  for (const signal of hasParent ? (['SIGTERM'] as const) : (['SIGINT', 'SIGTERM'] as const)) {
    process.on(signal, () => {
      if (stopping) {
        if (hasParent) return;
        process.exit(130);
      }
      service.stop().catch((error) => {
        onLog('error', `stop failed: ${error.stack}`);
        process.exit(1);
      });
    });
  }
  process.on('SIGUSR1', () => {
    reopenLogs();
    main.broadcast({ type: 'reopenLogs' }).catch((error) => onLog('error', `logs not reopened: ${error.message}`));
  });
  try {
    const addWorker = (number: number) =>
      main.startReader((parts) => {
        const data: ThreadData = { role: 'http', number, ...parts, module: main.module, options: main.threadOptions };
        // The first one has this thread: a start waits for one isolate less, and the process is smaller by it.
        if (number === 0) {
          closeFirst = startHttpWorker(data, main.store);
          return null;
        }
        return startThread(data);
      });
    // It loads while the indexers open the shards; the others, which would only take their cores, come when it answers.
    await main.start(() => addWorker(0));
    const publishAddress = settings['http.publish_address'] || `${host}:${port}`;
    const start = { type: 'start', publishAddress } as const;
    await main.broadcast(start);
    // Loading takes a core from the first requests: whoever waited for the start is served first.
    setTimeout(() => {
      for (let number = 1; number < listeners && stopping === null; number++) {
        main.welcome(addWorker(number), start).catch((error) => onLog('error', `http worker failed to start: ${error.stack}`));
      }
    }, OTHER_WORKERS_AFTER_MS).unref();
  } catch (error) {
    await main.stop();
    throw error;
  }
  releaseMemoryWhenIdle();
  return service;
}

/** @returns the port to listen on, which nobody does now */
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
