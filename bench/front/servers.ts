// The servers that the front benches compare: started on a configuration, found by their worker, and stopped.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runScript } from '../rivals/run-script.ts';

const TICKS = 100;

/** The installed nginx, else the one of bench/rivals; null if neither can run. */
export function nginxBinary(): string | null {
  if (existsSync('/usr/sbin/nginx')) return '/usr/sbin/nginx';
  const { problem, output } = runScript('nginx', ['binary']);
  if (problem) process.stderr.write(`nginx skipped: ${problem}\n`);
  return problem ? null : output.trim();
}

/** The line that loads nginx's stream module, '' if it is part of the binary; null if there is none. */
export function streamModule(nginx: string): string | null {
  const built = execFileSync('sh', ['-c', `"${nginx}" -V 2>&1`], { encoding: 'utf8' });
  if (/--with-stream(\s|$)/.test(built)) return '';
  const folder = /--modules-path=(\S+)/.exec(built)?.[1] ?? '';
  const unpacked = path.resolve(path.dirname(nginx), '../..', `.${folder}`, 'ngx_stream_module.so');
  const found = [unpacked, path.join(folder, 'ngx_stream_module.so')].find((file) => existsSync(file));
  return found ? `load_module ${found};` : null;
}

/** The worker of a master: nginx has cache processes besides. */
function workerOf(pid: number): number {
  const children = readdirSync('/proc').filter((d) => /^\d+$/.test(d) && parentOf(d) === pid);
  const title = (child: string) => readFileSync(`/proc/${child}/cmdline`, 'latin1');
  return Number(children.find((child) => !/cache (manager|loader)/.test(title(child))) ?? pid);
}
function parentOf(pid: string): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return -1;
  }
}
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}
export const rssMb = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;

export interface Running {
  name: string;
  port: number;
  child: ChildProcess;
  worker: number;
}

/** 30 seconds, for a busy machine */
const START_TURNS = 600;

/** @param text  its configuration, written to `NAME.conf` */
export async function start(name: string, command: string, args: string[], folder: string, port: number, text: string): Promise<Running> {
  writeFileSync(path.join(folder, `${name}.conf`), text);
  const child = spawn(command, args, { stdio: 'inherit' });
  const pidFile = path.join(folder, `${name}.pid`);
  for (let n = 0; !existsSync(pidFile) && n < START_TURNS && child.exitCode === null; n++)
    await new Promise((resolve) => setTimeout(resolve, 50));
  if (!existsSync(pidFile)) {
    // it would keep its port
    child.kill('SIGKILL');
    throw new Error(`${name} did not start`);
  }
  return { name, port, child, worker: workerOf(child.pid!) };
}

export async function stop({ child }: Running): Promise<void> {
  child.kill('SIGQUIT');
  await new Promise((resolve) => child.once('exit', resolve));
}
