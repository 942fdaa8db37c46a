// Requests to the service that serves this page, with the credentials of the user.
import { Cell, isStringOrNull, keptCell, tabStorage } from './cell.ts';

export interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed body; undefined if it is not JSON. */
  readonly json: unknown;
  /** From sending the request to the last byte of the response. */
  readonly ms: number;
  /** Length of the body before compression. */
  readonly bytes: number;
}

/** A response with an error status. */
export class RequestError extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(reasonOf(answer.json) ?? `${answer.status} ${answer.statusText}`);
    this.answer = answer;
  }
}

/** URL of the service, including the path prefix if a proxy adds one; ends with `/`. */
export const serviceUrl = new URL('../', location.href.replace(/[?#].*$/, '').replace(/[^/]*$/, '')).href;

/** The `Authorization` header of this tab; null without credentials. */
export const credentials = keptCell<string | null>('credentials', null, isStringOrNull, tabStorage());

/** Whether the service has refused a request for lack of credentials since the last login. */
export const needsLogin = new Cell(false);

/**
 * Sends a request. The browser's own login dialog never opens, since credentials are omitted.
 * @param path  begins with `/`; may have a query
 * @throws TypeError the service cannot be reached; DOMException AbortError
 */
export async function send(method: string, path: string, body?: string, options: SendOptions = {}): Promise<Answer> {
  const started = performance.now();
  const headers: Record<string, string> = { accept: 'application/json, text/plain;q=0.5, */*;q=0.1' };
  if (body !== undefined) headers['content-type'] = options.contentType ?? 'application/json';
  const authorization = options.authorization ?? credentials.value;
  if (authorization !== null) headers.authorization = authorization;
  const response = await fetch(new URL(path.replace(/^\/+/, './'), serviceUrl), {
    method,
    headers,
    body,
    credentials: 'omit',
    signal: options.signal,
    cache: 'no-store',
  });
  const text = await response.text();
  if (response.status === 401 && options.authorization === undefined) needsLogin.set(true);
  return {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
    text,
    json: response.headers.get('content-type')?.includes('json') ? parsed(text) : undefined,
    ms: performance.now() - started,
    bytes: new Blob([text]).size,
  };
}

export interface SendOptions {
  readonly signal?: AbortSignal;
  readonly contentType?: string;
  /** Authorization used instead of the credentials of the tab. */
  readonly authorization?: string | null;
}

/** Sends a request with a JSON body. @returns the parsed body. @throws RequestError an error status */
export async function call<T>(method: string, path: string, body?: unknown, options: SendOptions = {}): Promise<T> {
  const answer = await send(method, path, body === undefined ? undefined : JSON.stringify(body), options);
  if (answer.status >= 400) throw new RequestError(answer);
  return answer.json as T;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The reason of an error in the service's form. */
export function reasonOf(json: unknown): string | null {
  if (typeof json !== 'object' || json === null || !('error' in json)) return null;
  const { error } = json;
  if (typeof error === 'string') return error;
  if (typeof error !== 'object' || error === null) return null;
  const causes: string[] = [];
  for (let at: unknown = error; typeof at === 'object' && at !== null; at = 'caused_by' in at ? at.caused_by : null)
    if ('reason' in at && typeof at.reason === 'string' && !causes.includes(at.reason)) causes.push(at.reason);
  return causes.length > 0 ? causes.join(': ') : null;
}

/** Encodes a name such as `my index` as a path segment. */
export const pathPart = (name: string): string => encodeURIComponent(name);
