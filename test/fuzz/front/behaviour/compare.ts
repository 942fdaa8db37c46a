/** Runs the same cases on nginx and on the front, one after the other in the same folder and on the same port, and reports where they differ. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { connect, type Server } from 'node:net';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Protocol, startBackend } from './backend.ts';

/** A virtual server and requests to it. */
export interface Case {
  area: string;
  /** directives of `http { }` */
  http?: string;
  /** directives of `server { }` */
  server: string;
  /**
   * raw requests, without their `Host` and `X-Id`; one that starts with `@MS ` is sent this many milliseconds later, one that starts
   * with `&` at the same time as the next */
  requests: string[];
  /** responses of back ends to `X-Answer: n` */
  answers?: string[];
}

export interface Difference {
  area: string;
  /** the case's configuration */
  config: string;
  request: string;
  nginx: string;
  front: string;
}

export const NGINX = [process.env.BEHAVIOUR_NGINX ?? '', '/usr/sbin/nginx', '/usr/local/sbin/nginx'].find(
  (file) => file !== '' && spawnSync(file, ['-v']).status === 0,
);

const isOld = (/nginx\/1\.(\d+)/.exec(NGINX ? spawnSync(NGINX, ['-v'], { encoding: 'latin1' }).stderr : '')?.[1] ?? '0') < '31';

/** What an HTTP back end received, as nginx 1.31 sends it: Host first, no Connection in HTTP/1.0, no Proxy-Connection. */
function plainSeen(seen: string): string {
  if (!isOld) return seen;
  const host = /^Host: .*\r\n/m.exec(seen)?.[0] ?? '';
  return seen
    .replace(host, '')
    .replace(/^(?:Connection: close|Proxy-Connection: .*)\r\n/gm, '')
    .replace('\r\n', () => `\r\n${host}`);
}

/** Placeholders in configurations for ports of back ends. */
const BACKENDS: Record<string, Protocol> = {
  HTTP: 'http',
  HTTP2: 'http',
  ABORT: 'http',
  FASTCGI: 'fastcgi',
  SCGI: 'scgi',
  UWSGI: 'uwsgi',
  MEMCACHED: 'memcached',
};

const WAIT_MS = 2500;
const LOG =
  "log_format full '$http_x_id|$request|$status|$body_bytes_sent|$bytes_sent|$request_length|$uri|$args|$upstream_status|$upstream_cache_status|$sent_http_content_type|$remote_user|$request_completion|$upstream_addr|$upstream_response_length|$gzip_ratio|$http_referer';";

export interface Site {
  files: Record<string, string | Buffer>;
  folders: string[];
}

interface Run {
  answers: string[][];
  access: Map<string, string[]>;
  errors: Map<string, string[]>;
  seen: Map<string, string[]>;
}

/** A set of cases in one folder. */
export class Comparison {
  private readonly servers: Server[] = [];
  private readonly ports: Record<string, number> = {};
  private seen = new Map<string, string[]>();
  private current = '';

  constructor(
    private readonly folder: string,
    private readonly port: number,
    private readonly site: Site,
    private readonly front: string[],
  ) {}

  async open(): Promise<void> {
    for (const [name, protocol] of Object.entries(BACKENDS)) {
      const { port, server } = await startBackend(protocol, (seen, index) => this.answer(name, seen, index));
      this.servers.push(server);
      this.ports[name] = port;
    }
  }

  close(): void {
    for (const server of this.servers) server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private cases: Case[] = [];

  private answer(name: string, received: string, index: string | undefined): Buffer | 'close' {
    const seen = name.startsWith('HTTP') ? plainSeen(received) : received;
    const id = /^X-Id: (\S+)\r/m.exec(seen)?.[1] ?? this.current;
    const list = this.seen.get(id) ?? [];
    this.seen.set(id, list);
    list.push(`${name} ${seen}`);
    if (name === 'ABORT') return 'close';
    const [at] = this.current.split('.');
    const text = this.cases[Number(at)]?.answers?.[Number(index ?? 0)];
    if (text === 'CLOSE') return 'close';
    const plain = name.startsWith('HTTP')
      ? 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n{SEEN}'
      : 'Content-Type: text/plain\r\n\r\n{SEEN}';
    return Buffer.from((text ?? plain).replaceAll('{SEEN}', () => seen).replaceAll('{NAME}', name), 'latin1');
  }

  private render(text: string): string {
    return text
      .replace(/\bPORT_(\w+)\b/g, (_, name) => String(this.ports[name] ?? 1))
      .replaceAll('PORT', String(this.port))
      .replaceAll('FOLDER', this.folder);
  }

  private text(cases: Case[], indices: number[]): string {
    const parts = indices.map((n) => {
      const { http = '', server } = cases[n];
      return this.render(
        `${http.replaceAll('CASE', `c${n}`)}\nserver { listen 127.0.0.1:PORT; server_name c${n}; access_log access.log full; \n${server.replaceAll('CASE', `c${n}`)}\n}\n`,
      );
    });
    return `daemon off; user root; pid nginx.pid; error_log error.log info; worker_processes 1; events { }
http { root ${this.folder}/html; ${LOG} access_log off; client_body_temp_path body; proxy_temp_path temp; fastcgi_temp_path temp; uwsgi_temp_path temp; scgi_temp_path temp;
proxy_http_version 1.0; keepalive_timeout 5s; lingering_timeout 1s; client_header_timeout 2s; client_body_timeout 2s; types { text/html html; text/css css; text/plain txt; application/json json; image/gif gif; }
server { listen 127.0.0.1:${this.port} default_server; server_name ""; return 444; }
${parts.join('')}}\n`;
  }

  private prepare(config: string): void {
    rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(path.join(this.folder, 'html'), { recursive: true, mode: 0o755 });
    const fixed = new Date('2024-05-06T07:08:09Z');
    for (const folder of this.site.folders) mkdirSync(path.join(this.folder, 'html', folder), { recursive: true });
    for (const [name, data] of Object.entries(this.site.files)) {
      const file = path.join(this.folder, 'html', name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, data);
      utimesSync(file, fixed, fixed);
    }
    for (const folder of ['', ...this.site.folders]) utimesSync(path.join(this.folder, 'html', folder), fixed, fixed);
    writeFileSync(path.join(this.folder, 'nginx.conf'), config);
  }

  private static readonly ARGS = ['-c', 'nginx.conf', '-e', 'error.log'];

  private check(command: string[]): string {
    const { status, stderr } = spawnSync(command[0], [...command.slice(1), '-t', '-p', `${this.folder}/`, ...Comparison.ARGS], {
      encoding: 'latin1',
    });
    return status === 0 ? '' : stderr || `status ${status}`;
  }

  private async start(command: string[]): Promise<ChildProcess> {
    const child = spawn(command[0], [...command.slice(1), '-p', `${this.folder}/`, ...Comparison.ARGS], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr!.on('data', (data) => (stderr += data));
    while (!existsSync(path.join(this.folder, 'nginx.pid'))) {
      if (child.exitCode !== null) throw new Error(`${command[0]} ended: ${stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return child;
  }

  private request(text: string): Promise<string> {
    return new Promise((resolve) => {
      let out = '';
      const socket = connect(this.port, '127.0.0.1', () => socket.write(text, 'latin1'));
      const timer = setTimeout(() => {
        out += '(left open)';
        socket.destroy();
      }, WAIT_MS);
      socket.on('data', (data) => (out += data.toString('latin1')));
      socket.on('error', (error) => (out += `(${(error as NodeJS.ErrnoException).code})`));
      socket.on('close', () => {
        clearTimeout(timer);
        resolve(out);
      });
    });
  }

  private async run(command: string[], cases: Case[], indices: number[]): Promise<Run> {
    this.prepare(this.text(cases, indices));
    this.seen = new Map();
    this.cases = cases;
    const child = await this.start(command);
    const answers: string[][] = [];
    const errors = new Map<string, string[]>();
    try {
      for (const n of indices) {
        const list: Promise<string>[] = [];
        for (const [m, request] of cases[n].requests.entries()) {
          this.current = `${n}.${m}`;
          const [mark, parallel, pause = '0'] = /^(&?)(?:@(\d+) )?/.exec(request) ?? [''];
          if (pause !== '0') await new Promise((resolve) => setTimeout(resolve, Number(pause)));
          const text = request.slice(mark.length);
          const named = text.includes('\nHost:') ? text : text.replace(/\r?\n/, (end) => `${end}Host: c${n}${end}`);
          const before = readFileSync(path.join(this.folder, 'error.log')).length;
          const answer = this.request(this.render(named.replace(/\r?\n/, (end) => `${end}X-Id: ${n}.${m}${end}`)));
          list.push(answer);
          if (parallel) continue;
          await Promise.all(list);
          const lines = readFileSync(path.join(this.folder, 'error.log')).subarray(before);
          errors.set(
            this.current,
            latinLines(lines)
              .filter((line) => !/\[notice\] \d+#\d+: [^*]/.test(line))
              .map(plainError),
          );
        }
        answers.push(await Promise.all(list));
      }
    } finally {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGQUIT');
      await ended;
    }
    const access = new Map<string, string[]>();
    for (const line of latinLines(readFileSync(path.join(this.folder, 'access.log')))) {
      const id = line.slice(0, line.indexOf('|'));
      access.set(id, [...(access.get(id) ?? []), line]);
    }
    return { answers, access, errors, seen: this.seen };
  }

  /** @returns differences; cases that nginx refuses to start with are left out, and counted in `refused` */
  async compare(cases: Case[]): Promise<{ differences: Difference[]; refused: Difference[]; requests: number }> {
    const refused: Difference[] = [];
    const indices: number[] = [];
    for (const [n, one] of cases.entries()) {
      this.prepare(this.text(cases, [n]));
      const message = this.check([NGINX!]);
      if (message === '') indices.push(n);
      else refused.push({ area: one.area, config: this.text(cases, [n]), request: '', nginx: message, front: '' });
    }
    const differences: Difference[] = [];
    const nginx = await this.run([NGINX!], cases, indices);
    let front: Run;
    try {
      front = await this.run(this.front, cases, indices);
    } catch (error) {
      differences.push({ area: 'start', config: this.text(cases, indices), request: '', nginx: 'starts', front: String(error) });
      return { differences, refused, requests: 0 };
    }
    let requests = 0;
    for (const [k, n] of indices.entries()) {
      for (const [m, request] of cases[n].requests.entries()) {
        requests++;
        const id = `${n}.${m}`;
        const side = (run: Run): string =>
          [
            plainAnswer(run.answers[k][m]),
            ...(run.access.get(id)?.map((line) => plainAccess(line, run.answers[k][m])) ?? ['(not logged)']),
            ...(run.errors.get(id) ?? []).sort(),
            ...(run.seen.get(id) ?? []).map((text) => `seen: ${text}`),
          ]
            .join('\n')
            .replaceAll(this.folder, 'FOLDER')
            .replace(
              /:(\d{4,5})\b/g,
              (all, port) => `:${Object.entries(this.ports).find(([, p]) => p === Number(port))?.[0] ?? all.slice(1)}`,
            )
            // nginx counts FastCGI's records too
            .replace(/(127\.0\.0\.1:FASTCGI\|)\d+/g, '$1~')
            // newer versions of nginx name the host whatever is configured
            .replace(/^HTTP_HOST=.*\n/gm, '')
            .replaceAll(' while sending to client', '')
            .replace(/(temporary file FOLDER\/temp\/)\d+/g, '$1-');
        const [a, b] = [side(nginx), side(front)];
        if (a !== b)
          differences.push({ area: cases[n].area, config: `${cases[n].http ?? ''}\n${cases[n].server}`, request, nginx: a, front: b });
      }
    }
    return { differences, refused, requests };
  }
}

const latinLines = (bytes: Buffer): string[] =>
  bytes
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '');

/** Without time, process and connection. */
function plainError(line: string): string {
  return line.replace(/^\S+ \S+ (\[\w+\]) \d+#\d+: (\*\d+ )?/, '$1 ').replace(/excess: [\d.]+/, 'excess: -');
}

/** Removes differences between servers and runs; joins chunks and decodes gzip. */
function plainAnswer(answer: string): string {
  const goOn = 'HTTP/1.1 100 Continue\r\n\r\n';
  if (answer.startsWith(goOn)) return `(100)${plainAnswer(answer.slice(goOn.length))}`;
  const end = answer.indexOf('\r\n\r\n');
  if (end < 0) return answer;
  let head = answer.slice(0, end);
  let body = answer.slice(end + 4);
  if (/^transfer-encoding: chunked/im.test(head)) body = joinChunks(body);
  if (/^content-encoding: gzip/im.test(head)) {
    try {
      body = `(gzip) ${gunzipSync(Buffer.from(body.replace(/\(trailer\)\r\n$/, ''), 'latin1')).toString('latin1')}`;
    } catch {
      body += '(broken gzip)';
    }
  }
  head = head.replace(/^(Date|Expires): .*\r?$/gim, '$1: -').replace(/^Server: nginx.*$/m, 'Server: nginx');
  head = head
    // Five characters are 30 of the 32 bits of userid_service: the bits after them are the clock's, its fastest first with `userid v1`.
    .replace(/^(Set-Cookie: \w+=[A-Za-z0-9+/]{5})[^;]*/m, '$1-')
    .replace(/; expires=\w{3}, \d\d-\w{3}-\d\d [\d:]+ GMT/, '; expires=-');
  return `${head}\n\n${body.replace(/<center>nginx\/[\d.]+<\/center>/g, '<center>nginx</center>')}`.replace(/\b0{8}\d{12}\b/g, 'BOUNDARY');
}

function joinChunks(text: string): string {
  let out = '';
  for (let at = 0; ; ) {
    const line = /^([0-9a-f]+)\r\n/.exec(text.slice(at, at + 20));
    if (!line) return `${out}(broken chunks)${text.slice(at)}`;
    const size = Number.parseInt(line[1], 16);
    at += line[0].length;
    if (size === 0) return `${out}(trailer)${text.slice(at)}`;
    out += text.slice(at, at + size);
    at += size + 2;
  }
}

/** Sizes of what was sent depend on how the body was cut into chunks, and on the compressor. */
function plainAccess(line: string, answer: string): string {
  const fields = line.split('|');
  const [head] = answer.replace(/^HTTP\/1.1 100 Continue\r\n\r\n/, '').split('\r\n\r\n', 1);
  if (/^(?:transfer-encoding: chunked|content-encoding: gzip)/im.test(head)) fields[3] = fields[4] = fields[15] = '~';
  return fields.join('|').replace(/\b0{8}\d{12}\b/g, 'BOUNDARY');
}
