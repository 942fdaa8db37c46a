// `gannet password`: reads a password from standard input and prints its hash, for `security.users`.
import { createInterface } from 'node:readline';
import { hashPassword } from '../security/password-hash.ts';
import { checkFlags, parseArguments, UsageError } from './arguments.ts';

export async function passwordCommand(argv: string[]): Promise<number> {
  checkFlags(parseArguments(argv), []);
  if (process.stdin.isTTY) process.stderr.write('password: ');
  const lines = createInterface({ input: process.stdin, terminal: false });
  for await (const line of lines) {
    if (line === '') throw new UsageError('the password is empty');
    process.stdout.write(`${await hashPassword(line)}\n`);
    lines.close();
    return 0;
  }
  throw new UsageError('no password on standard input');
}
