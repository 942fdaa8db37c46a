// The files of the console (`/_console/`): built from src/console into dist/console, compressed, and read when a browser asks for them.
// They are public, since they contain only the program, which requests all data from the APIs with the user's credentials.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { HttpReply, HttpRequest } from '../http/listener.ts';
import { acceptsGzip } from './core/response.ts';

const PREFIX = '/_console';
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  svg: 'image/svg+xml',
  wasm: 'application/wasm',
};
/**
 * In index.html, replaced by a value for each response: it makes the content security policy allow the `<style>` element that the editor
 * adds.
 */
const NONCE = '__NONCE__';
/** esbuild adds the hash of the content to the names of these files. */
const HASHED = /-[A-Z0-9]{8}\.\w+$/;

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** A status and the bytes sent, for the log of requests. */
export interface PageAnswer {
  readonly status: number;
  readonly sentBytes: number;
}

export class ConsolePages {
  readonly #folder: string;

  /** @param folder  by default the console that was built with the service */
  constructor(folder = fileURLToPath(new URL('../../dist/console/', import.meta.url))) {
    this.#folder = folder;
  }

  /**
   * Whether `answer` handles the request. Browsers that request `/` are redirected to the console; other clients get the name of the
   * service.
   */
  takes(http: HttpRequest): boolean {
    const { path } = http;
    if (path.length > 1) return path.startsWith(PREFIX) && (path.length === PREFIX.length || path[PREFIX.length] === '/');
    return http.method === 'GET' && http.header('accept')?.includes('text/html') === true && this.#has('index.html');
  }

  answer(http: HttpRequest, reply: HttpReply, headers: Readonly<Record<string, string | string[]>>): PageAnswer {
    const send = (status: number, more: Readonly<Record<string, string>>, body: string | Uint8Array = ''): PageAnswer => {
      const sent = http.method === 'HEAD' ? '' : body;
      if (!reply.aborted) reply.send(status, { ...headers, ...SECURITY_HEADERS, ...more }, sent);
      return { status, sentBytes: sent.length };
    };
    if (http.method !== 'GET' && http.method !== 'HEAD') return send(405, { allow: 'GET,HEAD' });
    // Relative, so that the console works below a prefix of a proxy as well.
    if (http.path === '/') return send(302, { location: '_console/', vary: 'accept', 'cache-control': 'no-store' });
    if (http.path === PREFIX) return send(301, { location: '_console/' });
    const name = http.path.slice(PREFIX.length + 1) || 'index.html';
    if (!this.#has(name)) return send(404, { 'content-type': 'text/plain; charset=utf-8' }, `There is no file [${name}].\n`);
    const packed = readFileSync(`${this.#folder}${name}.gz`);
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
    if (name === 'index.html') {
      const nonce = randomBytes(16).toString('base64');
      const page = gunzipSync(packed).toString('utf8').replaceAll(NONCE, nonce);
      return send(200, { 'content-type': type, 'cache-control': 'no-store', 'content-security-policy': policy(nonce) }, page);
    }
    const common = {
      'content-type': type,
      'cache-control': HASHED.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
    };
    return acceptsGzip(http.header('accept-encoding'))
      ? send(200, { ...common, 'content-encoding': 'gzip' }, packed)
      : send(200, common, gunzipSync(packed));
  }

  /** Looked up for each request, since a build replaces the files of a running service. */
  #has(name: string): boolean {
    return /^\w[\w.-]*$/.test(name) && existsSync(`${this.#folder}${name}.gz`);
  }
}
