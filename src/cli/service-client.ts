// Plain HTTP to a running service, for the commands that need one.
import http from 'node:http';
import https from 'node:https';
import { UsageError } from './arguments.ts';

export interface ServiceAnswer {
  readonly status: number;
  readonly text: string;
}

export class ServiceClient {
  readonly #url: URL;
  readonly #agent: http.Agent;
  readonly #headers: Record<string, string> = {};

  /** @throws UsageError the URL is none of http or https */
  constructor(url: string, user: string | undefined, connections = 2) {
    try {
      this.#url = new URL(url);
    } catch {
      throw new UsageError(`[${url}] is no URL`);
    }
    if (this.#url.protocol !== 'http:' && this.#url.protocol !== 'https:') throw new UsageError(`[${url}] is no http URL`);
    const options = { keepAlive: true, maxSockets: connections };
    this.#agent = this.#url.protocol === 'https:' ? new https.Agent(options) : new http.Agent(options);
    const credentials =
      user ?? (this.#url.username ? `${decodeURIComponent(this.#url.username)}:${decodeURIComponent(this.#url.password)}` : undefined);
    if (credentials !== undefined) this.#headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  }

  /** @throws Error no connection */
  send(method: string, path: string, body?: string | Buffer, contentType = 'application/json'): Promise<ServiceAnswer> {
    const base = this.#url.pathname.replace(/\/$/, '');
    const headers: Record<string, string> = { ...this.#headers };
    if (body !== undefined) {
      headers['content-type'] = contentType;
      headers['content-length'] = String(Buffer.byteLength(body));
    }
    const { request } = this.#url.protocol === 'https:' ? https : http;
    return new Promise((resolve, reject) => {
      const outgoing = request(
        { host: this.#url.hostname, port: this.#url.port || undefined, path: base + path, method, headers, agent: this.#agent },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }));
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
