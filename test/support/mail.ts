/** Peers of a mail proxy: a client that reads lines, an authentication server, and back ends with the commands that a login needs. */
import { createServer as createHttp, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import tls from 'node:tls';

const LOOPBACK = '127.0.0.1';

/** A client; it waits for lines, and for the end of the connection. */
export class LineClient {
  #received = '';
  #ended = false;
  #wake: (() => void) | undefined;
  static readonly #open = new Set<LineClient>();

  greeting = '';

  private constructor(public socket: Socket) {
    LineClient.#open.add(this);
    this.#attach(socket);
  }

  /** Closes the connections that the last test left open. */
  static closeAll(): void {
    for (const client of LineClient.#open) client.close();
    LineClient.#open.clear();
  }

  #attach(socket: Socket): void {
    socket.on('data', (data) => {
      this.#received += data.toString('latin1');
      this.#wake?.();
    });
    const end = (): void => {
      this.#ended = true;
      this.#wake?.();
    };
    socket.on('end', end).on('close', end).on('error', end);
  }

  /** @param first  sent before anything is read */
  static open(port: number, first = ''): Promise<LineClient> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: LOOPBACK, allowHalfOpen: true }, () => {
        if (first !== '') socket.write(first, 'latin1');
        resolve(new LineClient(socket));
      });
      socket.once('error', reject);
    });
  }

  static openTls(port: number, options: tls.ConnectionOptions = {}): Promise<LineClient> {
    return new Promise((resolve, reject) => {
      const socket = tls.connect({ port, host: LOOPBACK, rejectUnauthorized: false, ...options }, () => resolve(new LineClient(socket)));
      socket.once('error', reject);
    });
  }

  /** Continues over TLS. */
  async startTls(options: tls.ConnectionOptions = {}): Promise<tls.TLSSocket> {
    const { socket } = this;
    socket.removeAllListeners('data').removeAllListeners('end').removeAllListeners('close');
    const secure = await new Promise<tls.TLSSocket>((resolve, reject) => {
      const made = tls.connect({ socket, rejectUnauthorized: false, ...options }, () => resolve(made));
      made.once('error', reject);
    });
    this.socket = secure;
    this.#attach(secure);
    return secure;
  }

  send(text: string): void {
    this.socket.write(text, 'latin1');
  }

  /** The next line without its end; `EOF` once the connection has ended. */
  async line(): Promise<string> {
    for (;;) {
      const end = this.#received.indexOf('\r\n');
      if (end >= 0) {
        const line = this.#received.slice(0, end);
        this.#received = this.#received.slice(end + 2);
        return line;
      }
      if (this.#ended) return `EOF${this.#received}`;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Sends a command and reads one line. */
  ask(command: string): Promise<string> {
    this.send(`${command}\r\n`);
    return this.line();
  }

  /** Lines up to the one that matches, which is the last. */
  async lines(last: RegExp): Promise<string[]> {
    const lines: string[] = [];
    for (;;) {
      const line = await this.line();
      lines.push(line);
      if (last.test(line) || line.startsWith('EOF')) return lines;
    }
  }

  /** Everything up to the end of the connection. */
  async rest(): Promise<string> {
    while (!this.#ended) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.#received;
  }

  close(): void {
    this.socket.destroy();
  }
}

/** An authentication server. `answer` returns the fields of its response, from those of the request. */
export async function authServer(
  answer: (request: IncomingHttpHeaders) => Record<string, string>,
): Promise<{ server: Server; port: number }> {
  const server = createHttp((req, res) => {
    res.writeHead(200, answer(req.headers));
    res.end();
  });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  return { server, port: (server.address() as AddressInfo).port };
}

/** A back end that answers line by line. */
export interface FakeBackEnd {
  port: number;
  /** all lines received, of all connections */
  lines: string[];
  close(): void;
}

/** @param answer  the reply to a line, '' for none, null to close */
export async function backEnd(greeting: string, answer: (line: string) => string | null): Promise<FakeBackEnd> {
  const lines: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    socket.write(greeting, 'latin1');
    let held = '';
    socket.on('data', (data) => {
      held += data.toString('latin1');
      for (let end = held.indexOf('\n'); end >= 0; end = held.indexOf('\n')) {
        const line = held.slice(0, end).replace(/\r$/, '');
        held = held.slice(end + 1);
        lines.push(line);
        const reply = answer(line);
        if (reply === null) socket.end();
        else if (reply !== '') socket.write(reply, 'latin1');
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    lines,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Logs in every user except `bad`, then echoes its input. The user `many` gets untagged lines, too. */
export function imapBackEnd(): Promise<FakeBackEnd> {
  let tag = '';
  let step = 0;
  let user = '';
  return backEnd('* OK fake ready\r\n', (line) => {
    const login = /^(\S+) LOGIN \{\d+\}$/.exec(line);
    if (login) {
      [, tag] = login;
      step = 1;
      return '+ go ahead\r\n';
    }
    if (step === 1) {
      user = line.replace(/ \{\d+\}$/, '');
      step = 2;
      return `${user === 'many' ? '* CAPABILITY IMAP4rev1\r\n' : ''}+ go ahead\r\n`;
    }
    if (step === 2) {
      step = 0;
      if (user === 'bad') return `${tag} NO rejected by the back end\r\n`;
      return `${user === 'many' ? '* CAPABILITY IMAP4rev1 IDLE\r\n* OK note\r\n' : ''}${tag} OK logged in\r\n`;
    }
    return `${line.split(' ')[0]} OK got ${line}\r\n`;
  });
}

export const pop3BackEnd = (): Promise<FakeBackEnd> =>
  backEnd('+OK fake ready\r\n', (line) => (line === 'USER bad' ? '-ERR rejected by the back end\r\n' : `+OK got ${line}\r\n`));

export const smtpBackEnd = (): Promise<FakeBackEnd> =>
  backEnd('220 fake ESMTP\r\n', (line) => {
    if (/^EHLO/.test(line)) return '250-fake\r\n250-PIPELINING\r\n250 8BITMIME\r\n';
    if (/^XCLIENT/.test(line)) return '220 fake ESMTP\r\n';
    if (/^AUTH PLAIN AGJhZA/.test(line)) return '535 5.7.8 rejected by the back end\r\n';
    if (/^AUTH/.test(line)) return '235 2.7.0 fine\r\n';
    if (/^RCPT TO:<bad/.test(line)) return '550 5.1.1 no such user\r\n';
    return `250 2.0.0 got ${line}\r\n`;
  });
