// HTTP client of the commands that need a running service.
import http from 'node:http';
import https from 'node:https';
import { UsageError } from './arguments.ts';

/** Where a service listens by default. */
export const DEFAULT_URL = 'http://127.0.0.1:9200';

export interface ServiceResponse {
  readonly status: number;
  readonly text: string;
}

export class ServiceClient {
  readonly #url: URL;
  readonly #agent: http.Agent;
  readonly #headers: Record<string, string> = {};

  /**
   * @param user `NAME:PASSWORD`; null uses those of the URL, if any
   * @throws UsageError the URL is not one of http or https
   */
  constructor(url: string, user: string | null, connections = 2) {
    if (!URL.canParse(url)) throw new UsageError(`[${url}] is not a URL`);
    this.#url = new URL(url);
    if (this.#url.protocol !== 'http:' && this.#url.protocol !== 'https:') throw new UsageError(`[${url}] is not an http or https URL`);
    const options = { keepAlive: true, maxSockets: connections };
    this.#agent = this.#url.protocol === 'https:' ? new https.Agent(options) : new http.Agent(options);
    const { username, password } = this.#url;
    const credentials = user ?? (username ? `${decodeURIComponent(username)}:${decodeURIComponent(password)}` : null);
    if (credentials !== null) this.#headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  }

  /** @throws Error the connection failed */
  send(method: string, path: string, body?: string | Buffer, contentType = 'application/json'): Promise<ServiceResponse> {
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
