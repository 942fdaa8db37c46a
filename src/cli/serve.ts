// `gannet serve` started by Node: the service and its parent process are those of bin/gannet.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Runs until the service has ended for good. @param argv arguments of `gannet serve`. @returns the exit code */
export function serveCommand(argv: readonly string[]): Promise<number> {
  const child = spawn(fileURLToPath(new URL('../../bin/gannet', import.meta.url)), ['serve', ...argv], {
    // A session of its own: Ctrl-C reaches this process alone, which passes it on once.
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, _GANNET_PARENT: String(process.pid), _GANNET_NODE: process.execPath },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGUSR1'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}
