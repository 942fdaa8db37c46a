// Syslog over UDP or a unix datagram socket: `<PRI>Mon DD HH:MM:SS host tag: message` (RFC 3164), in nginx's form.
import { createSocket, type Socket } from 'node:dgram';
import { hostname } from 'node:os';
import { LEVELS, type Level, type LogSink } from './error-log.ts';

const FACILITIES =
  'kern user mail daemon auth intern lpr news uucp clock authpriv ftp ntp audit alert cron local0 local1 local2 local3 local4 local5 local6 local7'.split(
    ' ',
  );
const SEVERITIES = ['emerg', 'alert', 'crit', 'error', 'warn', 'notice', 'info', 'debug'];
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const two = (n: number) => String(n).padStart(2, '0');

/** Parses the text after `syslog:`. @throws string in nginx's words */
export class SyslogSink implements LogSink {
  readonly key: string;
  #host = '';
  #port = 514;
  #facility = FACILITIES.indexOf('local7');
  #severity = SEVERITIES.indexOf('info');
  #tag = 'nginx';
  #withHost = true;
  #socket: Socket | null = null;

  constructor(text: string) {
    this.key = text;
    for (const part of text.split(',')) {
      if (part.startsWith('server=')) this.#readServer(part.slice(7));
      else if (part.startsWith('facility=')) {
        this.#facility = FACILITIES.indexOf(part.slice(9));
        if (this.#facility < 0) throw `unknown syslog facility "${part.slice(9)}"`;
      } else if (part.startsWith('severity=')) {
        this.#severity = SEVERITIES.indexOf(part.slice(9));
        if (this.#severity < 0) throw `unknown syslog severity "${part.slice(9)}"`;
      } else if (part.startsWith('tag=')) {
        this.#tag = part.slice(4);
        if (this.#tag.length > 32) throw 'syslog tag length exceeds 32';
        if (!/^\w*$/.test(this.#tag)) throw 'syslog "tag" only allows alphanumeric characters and underscore';
      } else if (part === 'nohostname') this.#withHost = false;
      else throw `unknown syslog parameter "${part}"`;
    }
    if (!this.#host) throw 'no syslog server specified';
  }

  #readServer(text: string): void {
    if (this.#host) throw 'duplicate syslog "server"';
    if (text.startsWith('unix:')) throw 'syslog over a unix socket is not supported';
    const m = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(text);
    if (!m) throw `invalid syslog server "${text}"`;
    this.#host = m[1].replace(/^\[|\]$/g, '');
    this.#port = Number(m[2] ?? 514);
  }

  /** A line of an error log is sent with its own level, a line of an access log with the configured severity. */
  write(line: string, level?: Level): void {
    const severity = level === undefined ? this.#severity : LEVELS.indexOf(level);
    const d = new Date();
    const time = `${MONTHS[d.getMonth()]} ${String(d.getDate()).padStart(2)} ${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
    const body = line.endsWith('\n') ? line.slice(0, -1) : line;
    const host = this.#withHost ? `${hostname()} ` : '';
    if (!this.#socket) {
      this.#socket = createSocket(this.#host.includes(':') ? 'udp6' : 'udp4');
      this.#socket.on('error', () => this.close());
      this.#socket.unref();
    }
    const packet = Buffer.from(`<${this.#facility * 8 + severity}>${time} ${host}${this.#tag}: ${body}`, 'latin1');
    this.#socket.send(packet, this.#port, this.#host, () => {});
  }

  reopen(): void {}

  close(): void {
    this.#socket?.close();
    this.#socket = null;
  }
}
