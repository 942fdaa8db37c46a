// Entry of the worker process: one event loop in the main thread and one thread for each further loop of worker_processes, so that all share the
// memory of zones. Exits on request or when its master is gone.

import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { present } from '../../common/present.ts';
import { internalsOf } from '../../http/wire/stream-binding.ts';
import { logTo } from '../log/error-log.ts';
import { beginLoop, sharedMemories } from '../zone/memory.ts';
import { makeFolders } from './folders.ts';
import { EventLoop } from './loop.ts';
import {
  FATAL_EXIT_CODE,
  type FromLoop,
  type FromWorker,
  type LoopData,
  type StartMessage,
  type ToLoop,
  type ToWorker,
} from './messages.ts';

const send = (message: FromWorker): void => {
  process.send?.(message, () => {});
};

const eventLoop = new EventLoop();
const threads = new Set<Worker>();

async function start(message: StartMessage): Promise<void> {
  const count = message.fds.length;
  beginLoop(0, count);
  await eventLoop.build(message);
  const listening = Array.from({ length: count - 1 }, (_, n) =>
    startThread({ start: message, index: n + 1, count, memories: sharedMemories() }),
  );
  const further = await Promise.all(listening);
  dropPrivileges();
  await Promise.all([eventLoop.listen(message.fds[0]), ...further.map((listen) => listen())]);
  send({ type: 'ready' });
}

/** Starts an additional event loop. @returns a function that makes it accept, once it has read the configuration */
function startThread(data: LoopData): Promise<() => Promise<void>> {
  const own = fileURLToPath(import.meta.url);
  const thread = new Worker(own.replace(/worker(\.[jt]s)$/, 'loop-thread$1'), { workerData: data });
  threads.add(thread);
  thread.on('exit', (code) => {
    threads.delete(thread);
    // The memory is unusable if a thread died while holding its lock, so the master starts a new process.
    if (code !== 0) exit(1);
    endWhenAlone();
  });
  return new Promise((resolve, reject) => {
    let ready: (() => void) | null;
    thread.on('error', (error) => {
      logTo(eventLoop.logs, 'alert', `event loop ${data.index} failed: ${error.message}`);
      reject(error);
    });
    thread.on('message', (message: FromLoop) => {
      if (message.type === 'failed') reject(new Error(message.message));
      else if (message.type === 'ready') ready?.();
      else {
        resolve(
          () =>
            new Promise<void>((done) => {
              ready = done;
              thread.postMessage({ type: 'listen' } satisfies ToLoop);
            }),
        );
      }
    });
  });
}

const tellThreads = (message: ToLoop): void => {
  for (const thread of threads) thread.postMessage(message);
};

/** Sets user and group for all threads at once; their logs are open by now. */
function dropPrivileges(): void {
  const { conf } = eventLoop;
  if (conf.workerPriority !== 0) setPriority(conf.workerPriority);
  const user = process.getuid?.() === 0 ? (conf.user ?? { name: 'nobody', group: 'nogroup' }) : null;
  const changes = user !== null && user.name !== 'root';
  makeFolders(eventLoop.folders(changes), changes ? user.name : null, (message) => logTo(eventLoop.logs, 'crit', message));
  if (!changes) return;
  present(process.setgid)(user.group);
  present(internalsOf<{ initgroups(user: string, group: string): void }>(process).initgroups)(user.name, user.group);
  present(process.setuid)(user.name);
}

function exit(code: number): never {
  eventLoop.flush();
  logTo(eventLoop.logs, 'notice', 'exit');
  process.exit(code);
}

let quitting = false;
let ownDone = false;

function quit(): void {
  if (quitting) return;
  quitting = true;
  process.title = 'gannet: worker process is shutting down';
  tellThreads({ type: 'quit' });
  eventLoop.quit(() => {
    ownDone = true;
    endWhenAlone();
  });
}

function endWhenAlone(): void {
  if (ownDone && threads.size === 0) exit(0);
}

function reopen(): void {
  eventLoop.reopen();
  tellThreads({ type: 'reopen' });
}

process.on('message', (message: ToWorker) => {
  switch (message.type) {
    case 'start':
      // The master logs the reason.
      start(message).catch((error) => {
        const failure: FromWorker = { type: 'failed', message: error instanceof Error ? error.message : String(error) };
        process.send?.(failure, () => process.exit(FATAL_EXIT_CODE));
      });
      break;
    case 'quit':
      quit();
      break;
    case 'reopen':
      reopen();
      break;
    case 'export':
      send({ type: 'zones', zones: eventLoop.exportZones() });
      break;
  }
});
process.on('disconnect', () => exit(0));
process.on('SIGTERM', () => exit(0));
process.on('SIGINT', () => exit(0));
process.on('SIGQUIT', quit);
process.on('SIGHUP', () => {});
process.on('SIGUSR1', reopen);
process.on('SIGUSR2', () => {});
process.on('SIGWINCH', () => {});
eventLoop.catchAll();
process.title = 'gannet: worker process';
send({ type: 'booted' });
