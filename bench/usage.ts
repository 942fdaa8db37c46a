/** Ends a bench that was called without what it needs. */
export function usage(text: string): never {
  process.stderr.write(`usage: ${text}\n`);
  process.exit(2);
}
