// `gannet password`: reads a password and prints its hash, for `security.users`.
import { hashPassword } from '../../security/password-hash.ts';
import { checkFlags, parseArguments } from '../arguments.ts';
import { readPassword } from '../read-password.ts';

export async function passwordCommand(argv: string[]): Promise<number> {
  checkFlags(parseArguments(argv), []);
  process.stdout.write(`${await hashPassword(await readPassword())}\n`);
  return 0;
}
