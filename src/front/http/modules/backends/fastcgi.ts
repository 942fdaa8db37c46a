// fastcgi_pass.
import { again, custom, flag, HSL, type Table, text } from '../../../config/directive.ts';
import { capture, type Regex } from '../../../config/regex.ts';
import { compileRegex } from '../../config/compile-regex.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import type { HttpModule, Request } from '../../model/types.ts';
import { cacheTable } from '../../upstream/cache/cache-conf.ts';
import { responseTable, sharedTable } from '../../upstream/conf.ts';
import { CgiParser, type Param, paramDirective, requestParams } from '../../upstream/protocol/cgi.ts';
import { InvalidResponse, type ParserSink, type ResponseParser } from '../../upstream/protocol/protocol.ts';
import { confOf, hosts, paramsOf, passDirective, protocolFor, remember, run, skipsBody } from './gateway.ts';

const FCGI = { BEGIN: 1, END: 3, PARAMS: 4, STDIN: 5, STDOUT: 6, STDERR: 7 };

function record(type: number, content: Buffer): Buffer[] {
  const padding = (8 - (content.length & 7)) & 7;
  const head = Buffer.from([1, type, 0, 1, content.length >> 8, content.length & 255, padding, 0]);
  return padding ? [head, content, Buffer.alloc(padding)] : [head, content];
}

function lengthBytes(n: number): Buffer {
  return n < 128 ? Buffer.from([n]) : Buffer.from([(n >>> 24) | 0x80, (n >> 16) & 255, (n >> 8) & 255, n & 255]);
}

/** Reads records; STDOUT goes to the CGI parser, STDERR to the log. */
export class FastCgiParser implements ResponseParser {
  #held: Buffer = Buffer.alloc(0);
  readonly #inner: CgiParser;
  #ended = false;
  #stdoutEnded = false;

  readonly #sink: ParserSink;
  readonly #stderr: (text: string) => void;
  readonly #keep: boolean;

  constructor(sink: ParserSink, options: { maxHeader: number; bodyless: boolean }, stderr: (text: string) => void, keep: boolean) {
    this.#sink = sink;
    this.#stderr = stderr;
    this.#keep = keep;
    this.#inner = new CgiParser(sink, options);
    this.#inner.atEnd = false;
  }

  feed(data: Buffer): void {
    this.#held = this.#held.length === 0 ? data : Buffer.concat([this.#held, data]);
    while (this.#held.length >= 8 && !this.#ended) {
      const held = this.#held;
      if (held[0] !== 1) throw new InvalidResponse(`upstream sent unsupported FastCGI protocol version: ${held[0]}`);
      const length = held.readUInt16BE(4);
      const total = 8 + length + held[6];
      const type = held[1];
      if (type !== FCGI.STDOUT && type !== FCGI.STDERR && type !== FCGI.END)
        throw new InvalidResponse(`upstream sent invalid FastCGI record type: ${type}`);
      // Data of a long record is passed on as it arrives.
      if (held.length < total) {
        if (type === FCGI.STDOUT && length > 0 && held.length > 8 && this.#inner.started) this.#passPart(held, length);
        return;
      }
      this.#held = held.subarray(total);
      this.#take(type, held.subarray(8, 8 + length));
    }
  }

  #passPart(held: Buffer, length: number): void {
    const available = Math.min(length, held.length - 8);
    const part = held.subarray(8, 8 + available);
    const left = length - available;
    const head = Buffer.from(held.subarray(0, 8));
    head.writeUInt16BE(left, 4);
    this.#held = Buffer.concat([head, held.subarray(8 + available)]);
    this.#inner.feed(part);
  }

  #take(type: number, content: Buffer): void {
    if (type === FCGI.STDERR) {
      if (content.length > 0) this.#stderr(content.latin1Slice().replace(/[\r\n]+$/, ''));
      return;
    }
    if (type === FCGI.STDOUT) {
      if (content.length === 0) this.#stdoutEnded = true;
      else this.#inner.feed(content);
      return;
    }
    this.#ended = true;
    if (!this.#inner.started) throw new InvalidResponse('upstream sent unexpected FastCGI record: 3');
    this.#finish(this.#keep && this.#held.length === 0);
  }

  #finish(keepalive: boolean): void {
    if (this.#inner.end()) this.#sink.complete(keepalive);
    else this.#sink.complete(false);
  }

  end(): boolean {
    return (this.#ended || this.#stdoutEnded) && this.#inner.end();
  }
}

const protocolOf = protocolFor((conf) => ({
  name: 'fastcgi',
  keepsAlive: conf.values.fastcgi_keep_conn === true,
  requestHead: (x) => {
    const parts: Buffer[] = record(FCGI.BEGIN, Buffer.from([0, 1, conf.values.fastcgi_keep_conn ? 1 : 0, 0, 0, 0, 0, 0]));
    const bytes: Buffer[] = [];
    for (const [name, value] of requestParams(x, conf.params, conf.upstream.passRequestHeaders)) {
      bytes.push(lengthBytes(name.length), lengthBytes(value.length), Buffer.from(name + value, 'latin1'));
    }
    const all = Buffer.concat(bytes);
    for (let pos = 0; pos < all.length; pos += 65_528) parts.push(...record(FCGI.PARAMS, all.subarray(pos, pos + 65_528)));
    parts.push(...record(FCGI.PARAMS, Buffer.alloc(0)));
    return parts;
  },
  wrapBody: (_, data) => {
    const parts: Buffer[] = [];
    for (let pos = 0; pos < data.length; pos += 65_528) parts.push(...record(FCGI.STDIN, data.subarray(pos, pos + 65_528)));
    return parts;
  },
  endBody: () => record(FCGI.STDIN, Buffer.alloc(0)),
  parser: (x, sink) =>
    new FastCgiParser(
      sink,
      { maxHeader: conf.upstream.bufferSize, bodyless: skipsBody(x) },
      (message) => {
        x.r.log('error', `FastCGI sent in stderr: "${message}" while reading response header from upstream`);
        const caught = conf.values.fastcgi_catch_stderr as string[] | undefined;
        if (caught?.some((word) => message.includes(word))) throw new InvalidResponse('upstream stderr matched fastcgi_catch_stderr');
      },
      conf.values.fastcgi_keep_conn === true,
    ),
}));

function fastcgiHandler(r: Request): number {
  splitPath(r);
  const conf = confOf('fastcgi', r.loc);
  return run(r, conf, protocolOf(conf));
}

interface PathInfo {
  script: string;
  info: string;
}

function splitPath(r: Request): PathInfo | null {
  const known = r.getCtx<PathInfo>(fastcgiModule);
  if (known) return known;
  const regex = (fastcgiModule.conf(r.loc) as Record<string, unknown>).fastcgi_split_path_info as Regex | undefined;
  if (!regex) return null;
  const captures = regex.exec(r.uri);
  const result: PathInfo = captures
    ? { script: capture(captures, 1) ?? '', info: capture(captures, 2) ?? '' }
    : { script: r.uri, info: '' };
  r.setCtx(fastcgiModule, result);
  return result;
}

export const fastcgiModule: HttpModule = defineModule(
  'fastcgi',
  {
    fastcgi_pass: passDirective('fastcgi', fastcgiHandler),
    fastcgi_param: paramDirective(),
    fastcgi_index: text(HSL, ''),
    fastcgi_keep_conn: flag(HSL, false),
    fastcgi_split_path_info: again(
      custom<Regex | null>(HSL, 1, null, (f: HttpFrame) => {
        const regex = compileRegex(f, f.args[0]);
        if (regex.groupCount !== 2) f.fail(`pattern "${f.args[0]}" must have 2 captures`);
        return regex;
      }),
    ),
    fastcgi_catch_stderr: custom<string[] | null>(HSL, 1, null, (f: HttpFrame, previous = []) => [...previous, f.args[0]], {
      repeats: true,
    }),
    ...sharedTable('fastcgi'),
    ...responseTable('fastcgi'),
    ...cacheTable('fastcgi'),
  } as Table,
  {
    finish(conf, loc) {
      const c = conf as Record<string, unknown>;
      remember('fastcgi', c, loc, { params: paramsOf((c.fastcgi_param as Param[] | undefined) ?? null, hosts) });
    },
    variables: [
      {
        name: 'fastcgi_script_name',
        volatile: true,
        get: (r): string => {
          const split = splitPath(r);
          const script = split?.script ?? r.uri;
          const { fastcgi_index } = fastcgiModule.conf(r.loc) as { fastcgi_index?: string };
          return script.endsWith('/') && !split ? script + (fastcgi_index ?? '') : script;
        },
      },
      { name: 'fastcgi_path_info', volatile: true, get: (r): string => splitPath(r)?.info ?? '' },
    ],
  },
);
