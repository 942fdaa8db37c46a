// Sinks for the arguments of error_log; levels that name the same target share a sink.

import { parseSize } from '../config/values.ts';
import { type ErrorLog, FileSink, LEVELS, type Level, type LogSink, levelRank, MemorySink, StderrSink } from './error-log.ts';
import { SyslogSink } from './syslog.ts';

export class LogTargets {
  readonly sinks = new Map<string, LogSink>();

  #sink(key: string, make: () => LogSink): LogSink {
    let sink = this.sinks.get(key);
    if (!sink) this.sinks.set(key, (sink = make()));
    return sink;
  }

  file(path: string): LogSink {
    return this.#sink(path, () => new FileSink(path));
  }

  /** @returns null for levels that log nothing */
  parse(args: string[], fail: (message: string) => never, resolve: (path: string) => string): ErrorLog | null {
    const [where, levelText, extra] = args;
    let level: Level = 'error';
    if (levelText !== undefined) {
      if (levelText.startsWith('debug_')) level = 'debug';
      else if (!LEVELS.includes(levelText as Level)) fail(`invalid log level "${levelText}"`);
      else level = levelText as Level;
    }
    if (extra !== undefined && !extra.startsWith('debug_')) fail(`invalid log level "${extra}"`);
    let sink: LogSink;
    if (where === 'stderr') sink = this.#sink('stderr', () => new StderrSink());
    else if (where.startsWith('memory:')) {
      const bytes = parseSize(where.slice(7));
      if (!bytes) fail(`invalid buffer size "${where.slice(7)}"`);
      sink = this.#sink(where, () => new MemorySink(bytes));
    } else if (where.startsWith('syslog:')) {
      try {
        sink = this.#sink(where, () => new SyslogSink(where.slice(7)));
      } catch (error) {
        fail(String(error));
      }
    } else sink = this.file(resolve(where));
    return { sink, level: levelRank(level) };
  }

  /** Opens all files. @throws NodeJS.ErrnoException */
  open(): void {
    for (const sink of this.sinks.values()) if (sink instanceof FileSink) sink.open();
  }

  /** Paths of the files. */
  paths(): string[] {
    return [...this.sinks.values()].flatMap((sink) => (sink instanceof FileSink ? [sink.path] : []));
  }

  close(): void {
    for (const sink of this.sinks.values()) sink.close();
  }

  reopen(): void {
    for (const sink of this.sinks.values()) sink.reopen();
  }
}
