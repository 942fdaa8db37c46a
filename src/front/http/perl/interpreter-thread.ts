// Entry of the thread that runs the Perl interpreter of an event loop (interpreter.ts). Frames arrive and leave on a port. While a handler waits for
// an answer the thread blocks, so it is woken by `signals`: [frames sent to the event loop, frames sent to this thread].
import { type MessagePort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { EngineHost, EngineOptions, Frame, PerlEngine } from './engine.ts';

export interface ThreadData {
  port: MessagePort;
  signals: Int32Array;
  options: EngineOptions;
}

/** What the thread sends besides frames. */
export type ThreadNote = { pid: number | null } | { log: 'warn' | 'error'; text: string } | { failed: string };

const { port, signals, options } = workerData as ThreadData;

function post(message: Frame | ThreadNote): void {
  port.postMessage(message);
  Atomics.add(signals, 0, 1);
  Atomics.notify(signals, 0);
}

/** frames that arrived while the interpreter was running, but not waiting: it may be reading a file */
const inbox: Frame[] = [];
let isRunning = false;

const host: EngineHost = {
  exchange(frame) {
    post(frame);
    for (;;) {
      const early = inbox.shift();
      if (early !== undefined) return early;
      const seen = Atomics.load(signals, 1);
      const received = receiveMessageOnPort(port) as { message: Frame } | undefined;
      if (received) return received.message;
      Atomics.wait(signals, 1, seen);
    }
  },
  log: (level, text) => post({ log: level, text }),
};

const start = async (): Promise<PerlEngine> =>
  options.engine === 'wasm'
    ? (await import('./wasm-engine.ts')).startWasm(options, host)
    : (await import('./process-engine.ts')).startProcess(options, host);

start().then(
  (engine) => {
    post({ pid: engine.pid });
    const run = (frame: Frame): void => {
      isRunning = true;
      engine
        .dispatch(frame)
        .then(post, (error: Error) => post({ failed: error.message }))
        .finally(() => {
          isRunning = false;
          const next = inbox.shift();
          if (next !== undefined) run(next);
        });
    };
    port.on('message', (frame: Frame) => {
      if (isRunning) inbox.push(frame);
      else run(frame);
    });
  },
  (error: Error) => post({ failed: error.message }),
);
