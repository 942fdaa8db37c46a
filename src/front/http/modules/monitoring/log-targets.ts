// access_log: the files, syslog servers and scripted paths that lines go to, buffered, compressed, conditional.
import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import { present } from '../../../../common/present.ts';
import { parseSize, parseTimeMs } from '../../../config/values.ts';
import { AppendFile } from '../../../log/append-file.ts';
import { SyslogSink } from '../../../log/syslog.ts';
import type { BlockFrame } from '../../config/module.ts';
import { isTrue, type Value } from '../../config/value.ts';
import type { BlockMain, Session } from '../../model/types.ts';
import type { LogFormat } from './log-format.ts';

interface LogBuffer {
  bytes: number;
  /** Buffered lines are written after this time; 0: only when the buffer is full. */
  flushMs: number;
  /** 0 for no compression. */
  gzipLevel: number;
}

/** A log file, with a buffer if any of the directives that name it has one. */
class LogFile extends AppendFile {
  buffer: LogBuffer | null = null;
  #held: string[] = [];
  #heldBytes = 0;
  #timer: NodeJS.Timeout | null = null;

  writeLine(line: string): void {
    const { buffer } = this;
    if (!buffer) {
      this.write(line);
      return;
    }
    if (this.#heldBytes + line.length > buffer.bytes) this.flush();
    this.#held.push(line);
    this.#heldBytes += line.length;
    if (buffer.flushMs > 0 && !this.#timer) {
      this.#timer = setTimeout(() => {
        this.#timer = null;
        this.flush();
      }, buffer.flushMs);
      this.#timer.unref();
    }
  }

  flush(): void {
    if (this.#held.length === 0) return;
    const text = this.#held.join('');
    const level = present(this.buffer).gzipLevel;
    this.#held = [];
    this.#heldBytes = 0;
    this.write(level > 0 ? gzipSync(Buffer.from(text, 'latin1'), { level }) : text);
  }

  override close(): void {
    this.flush();
    super.close();
  }

  override reopen(): void {
    this.flush();
    super.reopen();
  }
}

export interface LogTarget {
  format: LogFormat;
  file?: LogFile;
  syslog?: SyslogSink;
  /** Path with variables. */
  script?: Value;
  condition?: Value;
}

/** Files of a configuration by path: levels that name the same path share one object. */
function filesOf(main: BlockMain): Map<string, LogFile> {
  let files = main.registry.get(FILES) as Map<string, LogFile> | undefined;
  if (!files) main.registry.set(FILES, (files = new Map()));
  return files;
}

export function fileOf(main: BlockMain, name: string, header = ''): LogFile {
  const files = filesOf(main);
  let file = files.get(name);
  if (!file) files.set(name, (file = new LogFile(name, header)));
  return file;
}
const FILES = 'access_log_files';

/** Opens the files, so that an unwritable path prevents the start. @throws NodeJS.ErrnoException with `path` */
export function openAccessLogs(main: BlockMain): void {
  for (const file of filesOf(main).values()) file.open();
}

/** Paths of the files that are opened at the start. */
export const accessLogPaths = (main: BlockMain): string[] => [...filesOf(main).keys()];

export function flushAccessLogs(main: BlockMain): void {
  for (const file of filesOf(main).values()) file.flush();
}

export function reopenAccessLogs(main: BlockMain): void {
  for (const file of filesOf(main).values()) file.reopen();
}

export function closeAccessLogs(main: BlockMain): void {
  for (const file of filesOf(main).values()) file.close();
}

/** `access_log PATH [FORMAT [PARAMETERS]]`, added to the targets of the same level. @param standard  name of the format if none is given, null: it must be given */
export function parseAccessLog(
  f: BlockFrame,
  previous: LogTarget[] | 'off' = [],
  standard: string | null = 'combined',
): LogTarget[] | 'off' {
  const [where, ...rest] = f.args;
  if (where === 'off') {
    if (rest.length > 0) f.fail(`invalid parameter "${rest[0]}"`);
    return 'off';
  }
  const { main } = f.scope;
  const targets = previous === 'off' ? [] : previous;
  const formatName = rest.shift() ?? standard;
  if (formatName === null) return f.fail('log format is not specified');
  const format = main.registry.get(`log_format:${formatName}`) as LogFormat | undefined;
  if (!format) f.fail(`unknown log format "${formatName}"`);
  const target: LogTarget = { format };
  const buffer: LogBuffer = { bytes: 0, flushMs: 0, gzipLevel: 0 };
  for (const word of rest) {
    if (word.startsWith('buffer=')) {
      buffer.bytes = parseSize(word.slice(7)) || f.fail(`invalid buffer size "${word.slice(7)}"`);
    } else if (word.startsWith('flush=')) {
      buffer.flushMs = parseTimeMs(word.slice(6)) || f.fail(`invalid flush time "${word.slice(6)}"`);
    } else if (word === 'gzip' || word.startsWith('gzip=')) {
      buffer.bytes ||= 64 * 1024;
      buffer.gzipLevel = word === 'gzip' ? 1 : Number(word.slice(5));
      if (!(buffer.gzipLevel >= 1 && buffer.gzipLevel <= 9)) f.fail(`invalid compression level "${word.slice(5)}"`);
    } else if (word.startsWith('if=')) target.condition = f.scope.value(word.slice(3));
    else f.fail(`invalid parameter "${word}"`);
  }
  if (buffer.flushMs && !buffer.bytes) f.fail(`no buffer is defined for access_log "${where}"`);
  if (where.startsWith('syslog:')) {
    if (buffer.bytes) f.fail('parameters are not supported by syslog');
    try {
      target.syslog = new SyslogSink(where.slice(7));
    } catch (error) {
      f.fail(String(error));
    }
  } else if (where.includes('$')) {
    if (buffer.bytes) f.fail('buffered logs cannot have variables in name');
    target.script = f.scope.value(where);
  } else {
    const file = fileOf(main, f.scope.path(where), format.header);
    if (buffer.bytes && file.buffer && !isDeepStrictEqual(buffer, file.buffer))
      f.fail(`access_log "${where}" already defined with conflicting parameters`);
    if (buffer.bytes) file.buffer = buffer;
    target.file = file;
  }
  return [...targets, target];
}

/**
 * Writes a line to each target whose condition holds.
 * @param writeScripted  writes to a path with variables
 */
export function writeLogs(
  r: Session,
  targets: readonly LogTarget[],
  writeScripted: (path: string, line: string, header: string) => void,
): void {
  for (const { condition, format, syslog, file, script } of targets) {
    if (condition && !isTrue(condition.eval(r))) continue;
    const line = format.render(r);
    if (syslog) syslog.write(line);
    else if (file) file.writeLine(`${line}\n`);
    else writeScripted(present(script).eval(r), line, format.header ?? '');
  }
}
