// Entry of the thread in which PasswordChecker checks passwords, one at a time.
import { parentPort } from 'node:worker_threads';
import type { CheckRequest } from './checker.ts';
import { matchesCrypt } from './crypt.ts';

const port = parentPort;
if (port === null) throw new Error('check-thread must run as a worker thread');
port.on('message', ({ password, stored }: CheckRequest) => {
  port.postMessage(matchesCrypt(Buffer.from(password.buffer, password.byteOffset, password.byteLength), stored));
});
