// The audit log: refused requests and changes of users, roles and API keys, as JSON lines with the field names of Elasticsearch's audit log.
// Its cost is bounded: an attacker who is refused often fills neither the disk nor the time of the event loop.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { type LineSink, LogFile } from '../../common/log-file.ts';
import type { ApiError } from '../../errors/api-error.ts';
import type { Caller } from '../../security/caller.ts';

const FILE_NAME = 'audit.json';
/** Lines per second in the long run, and at once. Those beyond are counted. */
const LINES_PER_SECOND = 100;
const BURST_LINES = 1000;
const MAX_FIELD_CHARS = 1000;

export interface AuditSettings {
  readonly 'path.logs': string;
  readonly 'security.audit.enabled': boolean;
}

/** Constant fields of all lines. */
export interface AuditNode {
  readonly clusterName: string;
  readonly clusterUuid: string;
  readonly nodeName: string;
  readonly nodeId: string;
}

/** The request that an event belongs to. */
export interface AuditedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly remoteAddress: string;
  readonly opaqueId: string | undefined;
  readonly authorization: string | undefined;
  readonly caller: Caller | null;
}

/** Opens the log; null without `path.logs`, or if it is turned off. @throws Error the file cannot be opened */
export function openAuditLog(settings: AuditSettings, node: () => AuditNode): AuditLog | null {
  const folder = settings['path.logs'];
  return folder === '' || !settings['security.audit.enabled'] ? null : new AuditLog(new LogFile(path.join(folder, FILE_NAME)), node);
}

export class AuditLog {
  readonly #sink: LineSink;
  readonly #node: () => AuditNode;
  #allowance = BURST_LINES;
  #atMs = Date.now();
  #suppressed = 0;

  /** @param node  read for each line, since the cluster is not known at the start */
  constructor(sink: LineSink, node: () => AuditNode) {
    this.#sink = sink;
    this.#node = node;
  }

  /** Logs an error if it refuses the request for security reasons. */
  refused(request: AuditedRequest, error: ApiError): void {
    if (error.type !== 'security_exception') return;
    if (error.status === 401) this.#write(request, { 'event.type': 'rest', ...failedAuthentication(request) });
    else if (error.status === 403) this.#write(request, { 'event.type': 'rest', 'event.action': 'access_denied', ...deniedAction(error) });
  }

  /** Logs a change of users, roles or API keys. */
  changed(request: AuditedRequest, action: string, details: Readonly<Record<string, unknown>>): void {
    this.#write(request, { 'event.type': 'security_config_change', 'event.action': action, ...details });
  }

  reopen(): void {
    this.#sink.reopen();
  }

  close(): void {
    this.#sink.close();
  }

  #write(request: AuditedRequest, event: Readonly<Record<string, unknown>>): void {
    const now = Date.now();
    this.#allowance = Math.min(BURST_LINES, this.#allowance + ((now - this.#atMs) * LINES_PER_SECOND) / 1000);
    this.#atMs = now;
    if (this.#allowance < 1) {
      this.#suppressed++;
      return;
    }
    this.#allowance--;
    if (this.#suppressed > 0) {
      this.#sink.write(this.#line(now, { 'event.type': 'audit', 'event.action': 'suppressed', count: this.#suppressed }));
      this.#suppressed = 0;
    }
    this.#sink.write(this.#line(now, { ...event, ...userFields(request.caller), ...requestFields(request) }));
  }

  #line(nowMs: number, fields: Readonly<Record<string, unknown>>): string {
    const { clusterName, clusterUuid, nodeName, nodeId } = this.#node();
    return JSON.stringify({
      type: 'audit',
      timestamp: new Date(nowMs).toISOString().replace('.', ',').replace('Z', '+0000'),
      'cluster.name': clusterName,
      'cluster.uuid': clusterUuid,
      'node.name': nodeName,
      'node.id': nodeId,
      ...fields,
    });
  }
}

function requestFields({ method, path: urlPath, query, remoteAddress, opaqueId }: AuditedRequest): Record<string, unknown> {
  return {
    'origin.type': 'rest',
    'origin.address': remoteAddress,
    'url.path': cut(urlPath),
    ...(query === '' ? {} : { 'url.query': cut(query) }),
    'request.method': method,
    'request.id': randomUUID(),
    ...(opaqueId === undefined ? {} : { opaque_id: cut(opaqueId) }),
  };
}

function userFields(caller: Caller | null): Record<string, unknown> {
  if (caller === null) return {};
  const { username, roles, apiKey } = caller.identity;
  return {
    'authentication.type': apiKey === null ? 'REALM' : 'API_KEY',
    'user.name': username,
    'user.realm': caller.realm.name,
    'user.roles': roles,
    ...(apiKey === null ? {} : { 'apikey.id': apiKey.id, 'apikey.name': apiKey.name }),
  };
}

/** Who tried to authenticate, without secrets. */
function failedAuthentication({ authorization }: AuditedRequest): Record<string, unknown> {
  if (authorization === undefined) return { 'event.action': 'anonymous_access_denied' };
  const [scheme, value = ''] = authorization.slice(0, 8192).split(/ +/);
  const name = Buffer.from(value, 'base64').toString('utf8').split(':', 1)[0];
  const field = scheme.toLowerCase() === 'basic' ? 'user.name' : scheme.toLowerCase() === 'apikey' ? 'apikey.id' : null;
  return { 'event.action': 'authentication_failed', ...(field === null ? {} : { [field]: cut(name) }) };
}

/** The action and the indices that the message of a refusal names. */
function deniedAction({ reason }: ApiError): Record<string, unknown> {
  const action = /^action \[([^\]]*)\]/.exec(reason ?? '')?.[1];
  const indices = / on indices \[([^\]]*)\]/.exec(reason ?? '')?.[1];
  return {
    ...(action === undefined ? {} : { action }),
    ...(indices === undefined ? {} : { indices: cut(indices).split(',') }),
  };
}

function cut(text: string): string {
  return text.length > MAX_FIELD_CHARS ? `${text.slice(0, MAX_FIELD_CHARS)}...` : text;
}
