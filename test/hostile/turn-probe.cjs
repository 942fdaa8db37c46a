// Preloaded into every thread of a service by the hostile test: writes each long turn of the event loop of a thread with a listener to a file.
// A turn is measured in processor time of its thread, so that other work on the machine does not count. Only on Linux.
//   GANNET_TURN_FILE=/path   one line per turn: milliseconds, and the program of the thread
const { closeSync, openSync, readSync, writeSync } = require('node:fs');
const path = require('node:path');
const { isMainThread, workerData } = require('node:worker_threads');

/** Turns below this are not written. */
const LONG_MS = 10;

const file = process.env.GANNET_TURN_FILE;
// A worker thread knows its program only after its preloaded modules.
if (file) setImmediate(start);

function start() {
  const program = path.basename(process.argv[1] ?? '');
  // A thread of src/node/answering-thread.ts has its role as data; lanes have no listener.
  if (isMainThread ? program.startsWith('service-') : workerData === 'http') watch(file, program);
}

function watch(target, name) {
  // Of this thread: the first number is its processor time in nanoseconds.
  const statistics = openSync('/proc/thread-self/schedstat', 'r');
  const output = openSync(target, 'a');
  const buffer = Buffer.alloc(64);
  const usedMs = () => Number(buffer.toString('latin1', 0, readSync(statistics, buffer, 0, 64, 0)).split(' ', 1)[0]) / 1e6;
  let before = usedMs();
  setInterval(() => {
    const now = usedMs();
    if (now - before >= LONG_MS) writeSync(output, `${(now - before).toFixed(1)} ${name}\n`);
    before = now;
  }, 1).unref();
  process.once('exit', () => closeSync(output));
}
