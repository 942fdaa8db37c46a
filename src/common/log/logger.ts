// The error log: JSON lines, each with a level.
import { type LineSink, STDERR_SINK } from './log-file.ts';

/** From the least to the most severe. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export class Logger {
  readonly #sink: LineSink;
  readonly #lowest: number;
  readonly #thread: string;

  /** @param thread  name of the logging thread: `main`, `http-1` */
  constructor(level: LogLevel = 'info', sink: LineSink = STDERR_SINK, thread = 'main') {
    this.#lowest = LOG_LEVELS.indexOf(level);
    this.#sink = sink;
    this.#thread = thread;
  }

  debug(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.#log(0, message, fields);
  }

  info(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.#log(1, message, fields);
  }

  warn(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.#log(2, message, fields);
  }

  /** An Error among the fields is logged with its stack. */
  error(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.#log(3, message, fields);
  }

  #log(level: number, message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    if (level < this.#lowest) return;
    const line: Record<string, unknown> = { time: new Date().toISOString(), level: LOG_LEVELS[level], thread: this.#thread, message };
    for (const [name, value] of Object.entries(fields)) line[name] = value instanceof Error ? (value.stack ?? value.message) : value;
    this.#sink.write(JSON.stringify(line));
  }

  reopen(): void {
    this.#sink.reopen();
  }
}
