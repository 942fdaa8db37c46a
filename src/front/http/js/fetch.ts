// `ngx.fetch()`: requests from handlers to other servers, under the js_fetch_* settings of the location.

import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { type SecureVersion, type TLSSocket, connect as tlsConnect } from 'node:tls';
import { present } from '../../../common/present.ts';

export interface FetchConf {
  /** Maximum time between two reads, ms. */
  timeoutMs: number;
  maxResponseBytes: number;
  verify: boolean;
  verifyDepth: number;
  /** null for the authorities that Node knows. */
  ca: Buffer | null;
  /** Revoked certificates; null for none. */
  crl: Buffer | null;
  ciphers: string;
  versions: { minVersion?: SecureVersion; maxVersion?: SecureVersion };
  /** Number of idle connections to keep open, 0 for none. */
  keepalive: number;
  keepaliveTimeoutMs: number;
  /** `http://user:password@host:port`, '' for none. */
  proxy: string;
  /** Resolves names with `resolver`; null to use the system's resolver. */
  lookup: LookupFunction | null;
}

export interface FetchInit {
  method?: string;
  headers?: Record<string, string> | [string, string][] | Headers;
  body?: string | Uint8Array;
  verify?: boolean;
  max_response_body_size?: number;
}

/** Statuses of responses without a body, whatever their header says. */
const BODILESS = new Set([101, 204, 205, 304]);

/** A pair of agents for each keepalive setting. */
const agents = new Map<string, { http: HttpAgent; https: HttpsAgent }>();

function agentsOf({ keepalive, keepaliveTimeoutMs }: FetchConf): { http: HttpAgent; https: HttpsAgent } {
  const key = `${keepalive}:${keepaliveTimeoutMs}`;
  let pair = agents.get(key);
  if (!pair) {
    const options = { keepAlive: keepalive > 0, maxFreeSockets: Math.max(1, keepalive), timeout: keepaliveTimeoutMs };
    agents.set(key, (pair = { http: new HttpAgent(options), https: new HttpsAgent(options) }));
  }
  return pair;
}

/** @returns the response with its whole body @throws Error: connection failed, timeout, response too large, untrusted certificate */
export async function fetchUnder(conf: FetchConf, target: string, init: FetchInit = {}): Promise<Response> {
  const url = new URL(target);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new TypeError(`unsupported URL schema "${url.protocol}"`);
  const headers = Object.fromEntries(new Headers(init.headers as Record<string, string> | undefined));
  if (url.username !== '') {
    headers.authorization ??= `Basic ${Buffer.from(`${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`).toString('base64')}`;
  }
  const body = init.body === undefined ? null : Buffer.from(init.body as string);
  const method = (init.method ?? 'GET').toUpperCase();
  if (body) headers['content-length'] = String(body.length);
  const options: RequestOptions = {
    method,
    headers,
    path: url.pathname + url.search,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    lookup: conf.lookup ?? undefined,
  };
  if (url.port !== '') options.port = url.port;
  const tls = {
    rejectUnauthorized: init.verify ?? conf.verify,
    ca: conf.ca ?? undefined,
    crl: conf.crl ?? undefined,
    ciphers: conf.ciphers,
    ...conf.versions,
  };
  const { http, https } = agentsOf(conf);
  let request: ClientRequest;
  if (conf.proxy !== '') {
    const proxy = new URL(conf.proxy);
    const authorization = proxyAuthorization(proxy);
    if (url.protocol === 'http:') {
      Object.assign(options, { host: proxy.hostname, port: proxy.port || 80, path: url.href, agent: http });
      options.headers = { host: url.host, ...headers, ...authorization };
      request = httpRequest(options);
    } else {
      const tunnel = await openTunnel(proxy, url, authorization, conf);
      const secure = tlsConnect({ ...tls, socket: tunnel, servername: url.hostname });
      request = httpsRequest({ ...options, agent: false, createConnection: () => secure });
    }
  } else request = url.protocol === 'http:' ? httpRequest({ ...options, agent: http }) : httpsRequest({ ...options, ...tls, agent: https });
  return answerOf(request, body, conf, init.max_response_body_size ?? conf.maxResponseBytes);
}

function answerOf(request: ClientRequest, body: Buffer | null, conf: FetchConf, maxBytes: number): Promise<Response> {
  return new Promise((resolve, reject) => {
    request.setTimeout(conf.timeoutMs, () => request.destroy(new Error('fetch timed out')));
    request.on('error', reject);
    request.on('response', (answer) => {
      if (chainDepth(answer) > conf.verifyDepth) {
        request.destroy(new Error('certificate chain too long'));
        return;
      }
      const parts: Buffer[] = [];
      let bytes = 0;
      answer.on('data', (data: Buffer) => {
        bytes += data.length;
        if (bytes <= maxBytes) parts.push(data);
        else {
          reject(new Error('fetch response body is too large'));
          request.destroy();
        }
      });
      answer.on('error', reject);
      answer.on('aborted', () => reject(new Error('fetch response ended early')));
      answer.on('end', () => {
        const headers = new Headers();
        for (let n = 0; n + 1 < answer.rawHeaders.length; n += 2) headers.append(answer.rawHeaders[n], answer.rawHeaders[n + 1]);
        const status = present(answer.statusCode);
        const content = BODILESS.has(status) ? null : Buffer.concat(parts);
        resolve(new Response(content, { status: status < 200 ? 502 : status, statusText: answer.statusMessage, headers }));
      });
    });
    request.end(body ?? undefined);
  });
}

/** Maximum number of intermediate certificates. */
function chainDepth({ socket }: IncomingMessage): number {
  if (!('getPeerCertificate' in socket)) return 0;
  let depth = 0;
  let at = (socket as TLSSocket).getPeerCertificate(true);
  while (at?.issuerCertificate && at.issuerCertificate !== at && at.issuerCertificate.fingerprint256 !== at.fingerprint256 && depth < 20) {
    at = at.issuerCertificate;
    depth++;
  }
  return depth;
}

function proxyAuthorization(proxy: URL): Record<string, string> {
  if (proxy.username === '') return {};
  const text = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(text).toString('base64')}` };
}

function openTunnel(proxy: URL, url: URL, headers: Record<string, string>, { timeoutMs, lookup }: FetchConf): Promise<Socket> {
  const target = `${url.hostname}:${url.port || 443}`;
  return new Promise((resolve, reject) => {
    const connect = httpRequest({
      ...{ host: proxy.hostname, port: proxy.port || 80, method: 'CONNECT', path: target, agent: false, lookup: lookup ?? undefined },
      headers: { host: target, ...headers },
    });
    connect.setTimeout(timeoutMs, () => connect.destroy(new Error('fetch timed out')));
    connect.on('error', reject);
    connect.on('connect', (answer, socket) => {
      if (answer.statusCode === 200) resolve(socket as Socket);
      else {
        socket.destroy();
        reject(new Error(`proxy answered ${answer.statusCode}`));
      }
    });
    connect.end();
  });
}
