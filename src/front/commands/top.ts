// `gannet front top`: connections, requests, upstreams, caches and zones of a running front, from the api of its configuration.
import http from 'node:http';
import https from 'node:https';
import { parseArgs } from 'node:util';
import { runLiveScreen } from '../../common/terminal/live-screen.ts';
import { renderTop, type Sample } from './top-screen.ts';

const DEFAULT_URL = 'http://127.0.0.1:8081/api/';
const SECTIONS = ['connections', 'requests', 'upstreams', 'caches', 'server_zones', 'location_zones', 'resolvers'] as const;
const STREAM_SECTIONS = ['upstreams', 'server_zones', 'resolvers'] as const;
const TIMEOUT_MS = 5000;
const MAX_RESPONSE_BYTES = 64 << 20;

const HELP = `usage: gannet front top [URL] [--interval SECONDS] [--once]
  shows what a running front does: connections, requests by location, upstreams, caches, zones
  URL         of a location with the directive api (${DEFAULT_URL}); NAME:PASSWORD@ in it for auth_basic
  --interval  seconds between two updates (1)
  --once      print one report, over one interval, as without a terminal
`;

class TopError extends Error {}

/** @returns exit code: 0, 1 if the front does not respond, 2 for a usage error */
export async function topCommand(argv: string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args: argv,
      allowPositionals: true,
      options: { interval: { type: 'string' }, once: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    });
    if (values.help) {
      process.stdout.write(HELP);
      return 0;
    }
    const intervalMs = Number(values.interval ?? 1) * 1000;
    if (!(intervalMs >= 100 && intervalMs <= 3_600_000)) throw new TopError('--interval must be from 0.1 to 3600 seconds');
    const api = new FrontApi(positionals[0] ?? DEFAULT_URL);
    return await runLiveScreen<Sample>({
      sample: () => api.sample(),
      render: renderTop,
      intervalMs,
      once: values.once === true,
    });
  } catch (error) {
    const isUsage = error instanceof TopError || (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS');
    if (!isUsage) throw error;
    process.stderr.write(`gannet front top: ${(error as Error).message}\n${HELP}`);
    return 2;
  }
}

/** Reads the sections of an api; a section that the front does not have is null. */
class FrontApi {
  readonly #url: URL;

  /** @throws TopError not a URL */
  constructor(text: string) {
    const url = text.includes('://') ? text : `http://${text}`;
    if (!URL.canParse(url)) throw new TopError(`"${text}" is not a URL`);
    this.#url = new URL(url);
    if (this.#url.protocol !== 'http:' && this.#url.protocol !== 'https:') throw new TopError(`"${text}" is not an http or https URL`);
    if (!this.#url.pathname.endsWith('/')) this.#url.pathname += '/';
  }

  /** @throws Error the response is not that of an api */
  async sample(): Promise<Sample> {
    const read = async (sections: readonly string[], folder = ''): Promise<Record<string, unknown>> =>
      Object.fromEntries(await Promise.all(sections.map(async (name) => [name, await this.#get(folder + name)])));
    return {
      url: this.#url.origin + this.#url.pathname,
      http: await read(SECTIONS),
      stream: await read(STREAM_SECTIONS, 'stream/'),
    } as Sample;
  }

  /** null for 404 */
  async #get(section: string): Promise<unknown> {
    const { status, text } = await this.#request(new URL(section, this.#url));
    if (status === 404 && section !== 'connections') return null;
    if (status !== 200)
      throw new Error(`${this.#url.origin}${this.#url.pathname}${section} responded with ${status}: is it a location with "api"?`);
    try {
      return JSON.parse(text);
    } catch {
      throw new Error(`${this.#url.origin}${this.#url.pathname}${section} did not respond with JSON: is it a location with "api"?`);
    }
  }

  #request(url: URL): Promise<{ status: number; text: string }> {
    const { get } = url.protocol === 'https:' ? https : http;
    return new Promise((resolve, reject) => {
      const request = get(url, { timeout: TIMEOUT_MS }, (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > MAX_RESPONSE_BYTES) request.destroy(new Error('the response is too large'));
          else chunks.push(chunk);
        });
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }));
      });
      request.on('timeout', () => request.destroy(new Error(`no response within ${TIMEOUT_MS / 1000} s`)));
      request.on('error', (error) => reject(new Error(`${url.origin}: ${error.message || (error as NodeJS.ErrnoException).code}`)));
    });
  }
}
