// access_log and log_format: one line per request, buffered, compressed, conditional, to files or syslog.

import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import { present } from '../../../../common/present.ts';
import { ANY_COUNT, custom, HSL, HTTP, LIMIT_EXCEPT, LOCATION_IF } from '../../../config/directive.ts';
import { parseSize, parseTimeMs } from '../../../config/values.ts';
import { AppendFile } from '../../../log/append-file.ts';
import { SyslogSink } from '../../../log/syslog.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import { parseValue, type Value } from '../../config/value.ts';
import type { HttpMain, Request, VariableDef } from '../../model/types.ts';
import { OK } from '../../request/codes.ts';
import { type LogCache, parseLogCache, writeScripted } from './scripted-logs.ts';

type Escape = 'default' | 'json' | 'none' | 'w3c';

interface LogFormat {
  name: string;
  render(r: Request): string;
  /** Written first to a new file (`#Fields` of the W3C format). */
  header?: string;
}

const DEFAULT_ESCAPED = /[\x00-\x1f"\\\x7f-\xff]/g;
const JSON_ESCAPED = /[\x00-\x1f"\\]/g;
const JSON_SHORT: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\b': '\\b', '\f': '\\f', '"': '\\"', '\\': '\\\\' };

function escapeText(text: string, escape: Escape): string {
  if (escape === 'none') return text;
  if (escape === 'json') {
    return text.replace(JSON_ESCAPED, (c) => JSON_SHORT[c] ?? `\\u00${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
  }
  if (escape === 'w3c') return text.replace(/[\s"]+/g, '+');
  return text.replace(DEFAULT_ESCAPED, (c) => `\\x${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}

/** Variables whose value at the time of logging counts, even if they were evaluated before. */
const LIVE = new Set(['pipe', 'status', 'bytes_sent', 'body_bytes_sent']);

function compileFormat(name: string, text: string, escape: Escape, lookup: (name: string) => VariableDef): LogFormat {
  const parts = parseValue(text, lookup, false).parts.map((part) =>
    typeof part === 'string' ? part : (part as { variable: VariableDef }).variable,
  );
  const missing = escape === 'default' || escape === 'w3c' ? '-' : '';
  return {
    name,
    render(r) {
      let line = '';
      for (const part of parts) {
        if (typeof part === 'string') {
          line += part;
          continue;
        }
        const value = part.volatile || LIVE.has(part.name) ? part.get(r) : r.variable(part);
        line += value === null ? missing : value === '' && escape === 'w3c' ? '-' : escapeText(value, escape);
      }
      return line;
    },
  };
}

const COMBINED = '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"';

/** Variables for the standard fields of the W3C extended format. */
const W3C_FIELDS: Record<string, string> = {
  date: '$date_w3c',
  time: '$time_w3c',
  'c-ip': '$remote_addr',
  'c-port': '$remote_port',
  's-ip': '$server_addr',
  's-port': '$server_port',
  's-computername': '$hostname',
  's-sitename': '$server_name',
  'cs-method': '$request_method',
  'cs-uri': '$request_uri',
  'cs-uri-stem': '$uri',
  'cs-uri-query': '$args',
  'cs-username': '$remote_user',
  'cs-version': '$server_protocol',
  'cs-host': '$host',
  'sc-status': '$status',
  'sc-bytes': '$bytes_sent',
  'cs-bytes': '$request_length',
  'time-taken': '$request_time',
  bytes: '$body_bytes_sent',
};

/** `log_format NAME escape=w3c FIELD...`: a field list such as `date time c-ip cs-method cs(User-Agent) sc-status`. */
function compileW3c(f: HttpFrame, name: string, fields: string[], lookup: (name: string) => VariableDef): LogFormat {
  const texts = fields.map((field) => {
    const header = /^(cs|sc)\(([\w-]+)\)$/.exec(field);
    if (header) return `$${header[1] === 'cs' ? 'http' : 'sent_http'}_${header[2].toLowerCase().replace(/-/g, '_')}`;
    return W3C_FIELDS[field] ?? f.fail(`unknown W3C field "${field}"`);
  });
  const format = compileFormat(name, texts.join(' '), 'w3c', lookup);
  const now = new Date().toISOString();
  format.header = `#Version: 1.0\n#Date: ${now.slice(0, 10)} ${now.slice(11, 19)}\n#Fields: ${fields.join(' ')}\n`;
  return format;
}

function parseFormat(f: HttpFrame): undefined {
  const { main } = f.scope;
  const [name, ...rest] = f.args;
  const key = `log_format:${name}`;
  if (main.registry.has(key)) f.fail(`duplicate "log_format" name "${name}"`);
  const lookup = (n: string) => main.variables.lookup(n);
  let escape: Escape = 'default';
  if (rest[0]?.startsWith('escape=')) {
    const word = present(rest.shift()).slice(7);
    if (word !== 'default' && word !== 'json' && word !== 'none' && word !== 'w3c') f.fail(`unknown log format escaping "${word}"`);
    escape = word;
  }
  try {
    const format =
      escape === 'w3c'
        ? compileW3c(
            f,
            name,
            rest.flatMap((w) => w.split(/\s+/)),
            lookup,
          )
        : compileFormat(name, rest.join(''), escape, lookup);
    main.registry.set(key, format);
  } catch (error) {
    if (typeof error === 'string') f.fail(error);
    throw error;
  }
  return undefined;
}

interface LogBuffer {
  bytes: number;
  /** Buffered lines are written after this time; 0: only when the buffer is full. */
  flushMs: number;
  /** 0 for no compression. */
  gzipLevel: number;
}

/** A log file, with a buffer if any of the directives that name it has one. */
class LogFile extends AppendFile {
  buffer: LogBuffer | undefined;
  #held: string[] = [];
  #heldBytes = 0;
  #timer: NodeJS.Timeout | undefined;

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
        this.#timer = undefined;
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

interface Target {
  format: LogFormat;
  file?: LogFile;
  syslog?: SyslogSink;
  /** Path with variables. */
  script?: Value;
  condition?: Value;
}

/** Files of a configuration by path: levels that name the same path share one object. */
function filesOf(main: HttpMain): Map<string, LogFile> {
  let files = main.registry.get(FILES) as Map<string, LogFile> | undefined;
  if (!files) main.registry.set(FILES, (files = new Map()));
  return files;
}

function fileOf(main: HttpMain, name: string, header = ''): LogFile {
  const files = filesOf(main);
  let file = files.get(name);
  if (!file) files.set(name, (file = new LogFile(name, header)));
  return file;
}
const FILES = 'access_log_files';

/** Opens the files, so that an unwritable path prevents the start. @throws NodeJS.ErrnoException with `path` */
export function openAccessLogs(main: HttpMain): void {
  for (const file of filesOf(main).values()) file.open();
}

/** Paths of the files that are opened at the start. */
export const accessLogPaths = (main: HttpMain): string[] => [...filesOf(main).keys()];

export function flushAccessLogs(main: HttpMain): void {
  for (const file of filesOf(main).values()) file.flush();
}

export function reopenAccessLogs(main: HttpMain): void {
  for (const file of filesOf(main).values()) file.reopen();
}

export function closeAccessLogs(main: HttpMain): void {
  for (const file of filesOf(main).values()) file.close();
}

function parseAccessLog(f: HttpFrame, previous: Target[] | 'off' = []): Target[] | 'off' {
  const [where, ...rest] = f.args;
  if (where === 'off') {
    if (rest.length > 0) f.fail(`invalid parameter "${rest[0]}"`);
    return 'off';
  }
  const { main } = f.scope;
  const targets = previous === 'off' ? [] : previous;
  const formatName = rest.shift() ?? 'combined';
  const format = main.registry.get(`log_format:${formatName}`) as LogFormat | undefined;
  if (!format) f.fail(`unknown log format "${formatName}"`);
  const target: Target = { format };
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

function logRequest(r: Request): number {
  const conf = accessLogModule.conf(r.loc);
  const targets = conf.access_log;
  if (targets === 'off' || targets === undefined) return OK;
  for (const target of targets) {
    if (target.condition) {
      const value = target.condition.eval(r);
      if (value === '' || value === '0') continue;
    }
    const line = target.format.render(r);
    if (target.syslog) {
      target.syslog.write(line);
      continue;
    }
    if (target.file) {
      target.file.writeLine(`${line}\n`);
      continue;
    }
    writeScripted(r, present(target.script).eval(r), line, target.format.header ?? '', conf.open_log_file_cache);
  }
  return OK;
}

export const accessLogModule = defineModule(
  'access_log',
  {
    log_format: custom<undefined>(HTTP, [2, ANY_COUNT], undefined, parseFormat, { repeats: true }),
    access_log: custom<Target[] | 'off' | undefined>(HSL | LOCATION_IF | LIMIT_EXCEPT, [1, ANY_COUNT], undefined, parseAccessLog, {
      repeats: true,
      defaultText: 'logs/access.log combined',
    }),
    open_log_file_cache: custom<LogCache | undefined>(HSL, [1, 4], undefined, parseLogCache, { defaultText: 'off' }),
  },
  {
    init(main) {
      main.phases.log.push(logRequest);
    },
    finish(conf, loc) {
      if (loc.kind !== 'http' || conf.access_log !== undefined) return;
      // A configuration without access_log writes the combined format to logs/access.log.
      const name = path.join(present(reading.main).paths.prefix, 'logs/access.log');
      conf.access_log = [{ format: present(reading.combined), file: fileOf(present(reading.main), name) }];
    },
  },
);

/** The configuration being read. */
const reading: { main: HttpMain | undefined; combined: LogFormat | undefined } = { main: undefined, combined: undefined };

/** Registers the predefined format; called before directives are read. */
export function registerCombined(main: HttpMain): void {
  const combined = compileFormat('combined', COMBINED, 'default', (name) => main.variables.lookup(name));
  main.registry.set('log_format:combined', combined);
  reading.main = main;
  reading.combined = combined;
}
