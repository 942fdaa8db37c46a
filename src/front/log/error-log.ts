// error_log: targets, levels, lines. `YYYY/MM/DD HH:MM:SS [level] PID#TID: *CONN message`

import { writeSync } from 'node:fs';
import { present } from '../../common/present.ts';
import { loop } from '../zone/memory.ts';
import { AppendFile } from './append-file.ts';

export const LEVELS = ['emerg', 'alert', 'crit', 'error', 'warn', 'notice', 'info', 'debug'] as const;
export type Level = (typeof LEVELS)[number];
const RANK = Object.fromEntries(LEVELS.map((level, n) => [level, n])) as Record<Level, number>;

export const levelRank = (level: Level): number => RANK[level];

/** A target of lines: a file, standard error, a ring buffer in memory, or syslog. */
export interface LogSink {
  key: string;
  /** `line` ends with a newline. */
  write(line: string, level: Level): void;
  reopen(): void;
  close(): void;
}

export interface ErrorLog {
  sink: LogSink;
  level: number;
}

export class FileSink extends AppendFile implements LogSink {
  get key(): string {
    return this.path;
  }
}

export class StderrSink implements LogSink {
  readonly key = 'stderr';
  write(line: string): void {
    try {
      writeSync(2, line, null, 'latin1');
    } catch {
      // Standard error is closed.
    }
  }
  reopen(): void {}
  close(): void {}
}

/** `error_log memory:SIZE`: the newest lines, shown by the api of a location that logs there. */
export class MemorySink implements LogSink {
  readonly key = 'memory';
  readonly #lines: string[] = [];
  #held = 0;
  constructor(readonly sizeBytes: number) {}
  write(line: string): void {
    this.#lines.push(line);
    this.#held += line.length;
    while (this.#held > this.sizeBytes && this.#lines.length > 0) this.#held -= present(this.#lines.shift()).length;
  }
  text(): string {
    return this.#lines.join('');
  }
  reopen(): void {}
  close(): void {}
}

let stamp = '';
let stampSecond = -1;
const two = (n: number) => (n < 10 ? `0${n}` : String(n));

/** `YYYY/MM/DD HH:MM:SS` in local time. */
function logTime(): string {
  const now = Date.now();
  const second = Math.floor(now / 1000);
  if (second !== stampSecond) {
    const d = new Date(now);
    stampSecond = second;
    stamp = `${d.getFullYear()}/${two(d.getMonth() + 1)}/${two(d.getDate())} ${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
  }
  return stamp;
}

/** Writes to every log whose level admits it; `connection` 0 omits the number. */
export function logTo(logs: readonly ErrorLog[], level: Level, message: string, connection = 0): void {
  const rank = RANK[level];
  let line = '';
  for (const log of logs) {
    if (log.level < rank) continue;
    line ||= `${logTime()} [${level}] ${process.pid}#${loop.index}: ${connection ? `*${connection} ` : ''}${message}\n`;
    log.sink.write(line, level);
  }
}

export function admits(logs: readonly ErrorLog[], level: Level): boolean {
  const rank = RANK[level];
  for (const log of logs) if (log.level >= rank) return true;
  return false;
}
