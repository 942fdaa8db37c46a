// Resource limits of a worker process: Node has no call for them, so tools of util-linux set them from outside before the worker serves.
import { type ChildProcess, spawnSync } from 'node:child_process';
import type { MainConf } from './main-conf.ts';

/** Applies worker_rlimit_* and worker_cpu_affinity. `report` gets a line for each that failed. */
export function limitWorker({ pid }: ChildProcess, { rlimits, cpus }: MainConf, report: (message: string) => void): void {
  const run = (what: string, command: string, args: string[]): void => {
    const { status, stderr, error } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8', timeout: 5000 });
    if (status !== 0) report(`${what} failed (${error?.message ?? stderr.trim()})`);
  };
  if (rlimits.nofile !== undefined) run('setrlimit(RLIMIT_NOFILE)', 'prlimit', ['--pid', `${pid}`, `--nofile=${rlimits.nofile}`]);
  if (rlimits.core !== undefined) run('setrlimit(RLIMIT_CORE)', 'prlimit', ['--pid', `${pid}`, `--core=${rlimits.core}`]);
  if (cpus.length > 0) run('sched_setaffinity()', 'taskset', ['-a', '-cp', cpus.join(','), `${pid}`]);
}
