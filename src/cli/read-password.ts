// Reads a password: from a terminal without showing it, otherwise the first line of standard input.
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { UsageError } from './arguments.ts';

/** @throws UsageError nothing was entered, or the repetition differs */
export async function readPassword(): Promise<string> {
  const password = process.stdin.isTTY ? await askTwice() : await firstLine();
  if (password === '') throw new UsageError('the password is empty');
  return password;
}

async function askTwice(): Promise<string> {
  const password = await ask('password: ');
  if ((await ask('again: ')) !== password) throw new UsageError('the passwords differ');
  return password;
}

function ask(question: string): Promise<string> {
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      lines.removeAllListeners('close');
      lines.close();
      process.stderr.write('\n');
      settle();
    };
    lines.on('SIGINT', () => finish(() => reject(new UsageError('no password was entered'))));
    lines.on('close', () => reject(new UsageError('no password was entered')));
    lines.question('', (answer) => finish(() => resolve(answer)));
  });
}

async function firstLine(): Promise<string> {
  const lines = createInterface({ input: process.stdin, terminal: false });
  for await (const line of lines) {
    lines.close();
    return line;
  }
  throw new UsageError('no password on standard input');
}
