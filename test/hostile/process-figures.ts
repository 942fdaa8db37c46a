// Figures of a process that Linux provides: memory, and the processor time of its threads.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const TICK_MS = 10;

/** Resident memory in bytes, now and at most since `resetPeak`. 0 if the process is gone. */
export function residentBytes(pid: number): { now: number; peak: number } {
  const status = read(`/proc/${pid}/status`);
  const figure = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) * 1024;
  return { now: figure('VmRSS'), peak: figure('VmHWM') };
}

/** Starts a new peak of resident memory. */
export function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // The process is gone, or the kernel does not allow it: the peak is then that of the whole run.
  }
}

/** Processor time of each thread by its id, in milliseconds. */
export function threadTimes(pid: number): Map<string, number> {
  const times = new Map<string, number>();
  for (const thread of threads(pid)) {
    const stat = read(`/proc/${pid}/task/${thread}/stat`);
    // The name in parentheses may contain spaces. User and system time are fields 14 and 15.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    times.set(thread, (Number(fields[11]) + Number(fields[12])) * TICK_MS || 0);
  }
  return times;
}

/** Processor time in milliseconds: of the machine as a whole, and the part that was not idle. */
export function machineTimes(): { total: number; busy: number } {
  // user nice system idle iowait irq softirq steal; the guest times that follow are contained in user and nice.
  const ticks = (read('/proc/stat').split('\n')[0] ?? '').split(/\s+/).slice(1, 9).map(Number);
  const total = ticks.reduce((sum, count) => sum + count, 0);
  return { total: total * TICK_MS, busy: (total - (ticks[3] ?? 0) - (ticks[4] ?? 0)) * TICK_MS };
}

/** Processor time of a process in milliseconds. */
export function processMs(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS || 0;
}

/** Processor time of the thread that worked most between two readings, in milliseconds. */
export function busiestThreadMs(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): number {
  return Math.max(0, ...[...after].map(([thread, ms]) => ms - (before.get(thread) ?? 0)));
}

function threads(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
