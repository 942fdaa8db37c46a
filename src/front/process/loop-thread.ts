// Entry of a thread that runs an additional event loop of a worker process.

import { parentPort, workerData } from 'node:worker_threads';
import { present } from '../../common/present.ts';
import { beginLoop } from '../zone/memory.ts';
import { EventLoop } from './loop.ts';
import type { FromLoop, LoopData, ToLoop } from './messages.ts';

const { start, index, count, memories } = workerData as LoopData;
const port = present(parentPort);
const send = (message: FromLoop): void => port.postMessage(message);
const failed = (error: unknown): void => send({ type: 'failed', message: (error as Error).message });

beginLoop(index, count, memories);
const eventLoop = new EventLoop();
eventLoop.catchAll();

port.on('message', (message: ToLoop) => {
  switch (message.type) {
    case 'listen':
      eventLoop.listen(start.fds[index]).then(() => send({ type: 'ready' }), failed);
      break;
    case 'quit':
      eventLoop.quit(() => {
        eventLoop.flush();
        process.exit(0);
      });
      break;
    case 'reopen':
      eventLoop.reopen();
      break;
  }
});
eventLoop.build(start).then(() => send({ type: 'built' }), failed);
