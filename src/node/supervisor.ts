// The parent process of a service: starts it, passes signals on, and starts it again when it dies by itself. uWebSockets aborts the whole
// process when a thread dies that has a listener; acknowledged writes are in the log, so a new start loses nothing.
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Exit codes after which a new start would fail the same way: a bad flag or setting; data directory in use, port taken. */
const EXIT_BAD_CALL = 2;
export const EXIT_FATAL_START = 78;
/** Deaths within this time of their start count as failed starts; so many in a row end the parent. */
const QUICK_DEATH_MS = 2000;
const MAX_QUICK_DEATHS = 5;

/**
 * Runs until the service has ended for good. Loads nothing by itself: settings are read by the service.
 * @param argv arguments of `gannet serve`
 * @returns the exit code
 */
export function supervise(argv: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    let child: ChildProcess;
    let signals = 0;
    let quickDeaths = 0;
    const start = () => {
      const startedMs = Date.now();
      // A session of its own: Ctrl-C reaches the parent alone, which passes it on once.
      child = spawn(process.execPath, [fileURLToPath(new URL('../service/service-process.js', import.meta.url)), ...argv], {
        detached: true,
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      child.on('exit', (code, signal) => {
        if (code === 0 || code === EXIT_BAD_CALL || code === EXIT_FATAL_START || signals > 0) return resolve(code ?? 1);
        quickDeaths = Date.now() - startedMs < QUICK_DEATH_MS ? quickDeaths + 1 : 0;
        if (quickDeaths >= MAX_QUICK_DEATHS) {
          process.stderr.write(`service died ${quickDeaths} times right after its start, giving up\n`);
          return resolve(code ?? 1);
        }
        process.stderr.write(`service died (${signal ?? `exit code ${code}`}), starting it again\n`);
        start();
      });
    };
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        signals++;
        child.kill('SIGTERM');
      });
    }
    process.on('SIGUSR1', () => child.kill('SIGUSR1'));
    start();
  });
}
