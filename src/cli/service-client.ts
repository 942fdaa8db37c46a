// HTTP client of the commands that need a running service.
import http from 'node:http';
import https from 'node:https';
import { type Arguments, flagValue, UsageError } from './arguments.ts';

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
   * @throws UsageError the URL is not an http or https URL
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

  /**
   * Sends JSON and parses the response.
   * @throws Error the service's reason, or what to do if there is no service
   */
  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await this.send(method, path, body === undefined ? undefined : JSON.stringify(body)).catch((error: Error) => {
      throw new Error(`no response from the service: ${error.message}; start one with \`gannet serve\`, or name its address with --url`);
    });
    const answer = parseJson(response.text);
    if (response.status < 300) return answer as T;
    throw new Error(reasonOf(answer) ?? `HTTP ${response.status}: ${response.text.slice(0, 500)}`);
  }

  close(): void {
    this.#agent.destroy();
  }
}

interface ErrorCause {
  readonly reason?: unknown;
  readonly root_cause?: readonly ErrorCause[];
  readonly caused_by?: ErrorCause;
}

/** Why a request failed: the reason of its root cause, which names more than "all shards failed", and of what caused it; null if it has none. */
function reasonOf(answer: unknown): string | null {
  const error = (answer as { error?: ErrorCause | string } | null)?.error;
  if (typeof error === 'string') return error;
  const reasons = new Set<string>();
  const add = ({ reason }: ErrorCause): unknown => typeof reason === 'string' && reasons.add(reason);
  if (error) add(error.root_cause?.[0] ?? error);
  for (let cause = error?.caused_by; cause !== undefined; cause = cause.caused_by) add(cause);
  return reasons.size === 0 ? null : [...reasons].join(': ');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Runs `action` with a client for --url and --user. @returns its exit code; prints a message and returns 1 if the service refuses or does
 * not respond
 */
export async function withClient(args: Arguments, action: (client: ServiceClient) => Promise<number>): Promise<number> {
  const client = new ServiceClient(flagValue(args, 'url') ?? DEFAULT_URL, flagValue(args, 'user'));
  try {
    return await action(client);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    process.stderr.write(`gannet: ${error instanceof Error ? error.message : error}\n`);
    return 1;
  } finally {
    client.close();
  }
}
