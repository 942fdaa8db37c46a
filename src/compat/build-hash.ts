// The hash of the build that the service reports, of the form that clients expect: forty hexadecimal digits.
import { createHash } from 'node:crypto';

const known = new Map<string, string>();

/** The same for every node that reports this version. */
export function buildHash(version: string): string {
  const found = known.get(version) ?? createHash('sha1').update(`gannet ${version}`).digest('hex');
  known.set(version, found);
  return found;
}
