// Checks bcrypt hashes of users that come from Elasticsearch. Node has no bcrypt, and that of the package bcryptjs would hold up an event loop for 100 ms
// and more, so it runs in a thread, which ends when it is idle.
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

/** The form of a bcrypt hash; its group is the cost factor. */
export const BCRYPT_HASH = /^\$2[aby]?\$(\d\d)\$[A-Za-z0-9./]{53}$/;

const IDLE_MS = 30_000;

const CODE = `
const { parentPort, workerData } = require('node:worker_threads');
const bcrypt = require(workerData);
parentPort.on('message', ({ id, password, hash }) => {
  let isRight = false;
  try {
    isRight = bcrypt.compareSync(password, hash);
  } catch {}
  parentPort.postMessage({ id, isRight });
});
`;

interface Checker {
  readonly worker: Worker;
  readonly waiting: Map<number, { resolve: (isRight: boolean) => void; reject: (error: Error) => void }>;
  idle: NodeJS.Timeout | null;
}

let checker: Checker | null = null;
let nextId = 0;

/** @param hash  in the form of BCRYPT_HASH. @throws Error the thread died */
export function verifyBcrypt(password: string, hash: string): Promise<boolean> {
  checker ??= startChecker();
  const { worker, waiting, idle } = checker;
  if (idle !== null) clearTimeout(idle);
  checker.idle = null;
  worker.ref();
  const id = nextId++;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    // bcryptjs names the version with an `a` or `b`; PHP's `y` is the same algorithm.
    worker.postMessage({ id, password, hash: hash.replace(/^\$2y?\$/, '$2b$') });
  });
}

function startChecker(): Checker {
  const worker = new Worker(CODE, { eval: true, workerData: createRequire(import.meta.url).resolve('bcryptjs'), execArgv: [] });
  const started: Checker = { worker, waiting: new Map(), idle: null };
  const end = (error: Error): void => {
    if (checker === started) checker = null;
    for (const { reject } of started.waiting.values()) reject(error);
    started.waiting.clear();
  };
  worker.on('error', end);
  worker.on('exit', () => end(new Error('the thread that checks passwords ended')));
  worker.on('message', ({ id, isRight }: { id: number; isRight: boolean }) => {
    started.waiting.get(id)?.resolve(isRight);
    started.waiting.delete(id);
    if (started.waiting.size > 0) return;
    worker.unref();
    started.idle = setTimeout(() => {
      if (checker === started) checker = null;
      void worker.terminate();
    }, IDLE_MS);
    started.idle.unref();
  });
  return started;
}
