// The audit log: refused requests and changes of users, roles and API keys, and optionally granted requests, as JSON lines with the field
// names of Elasticsearch's audit log. Its cost is bounded: an attacker who is refused repeatedly can neither fill the disk nor block the
// event loop.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { type LineSink, LogFile } from '../../common/log/log-file.ts';
import type { AuditEvent } from '../../config/audit-events.ts';
import type { ApiError } from '../../errors/api-error.ts';
import type { Caller } from '../../security/caller.ts';

const FILE_NAME = 'audit.json';
/** Limits of lines per second on average, and in a burst. Lines beyond are only counted. */
const LINES_PER_SECOND = 100;
const BURST_LINES = 1000;
const MAX_FIELD_CHARS = 1000;
/** Maximum number of index names in a line. */
const MAX_INDICES = 20;

export interface AuditSettings {
  readonly 'path.logs': string;
  readonly 'security.audit.enabled': boolean;
  readonly 'security.audit.logfile.events.include': readonly AuditEvent[];
  readonly 'security.audit.logfile.events.exclude': readonly AuditEvent[];
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
  if (folder === '' || !settings['security.audit.enabled']) return null;
  const events = new Set(settings['security.audit.logfile.events.include']);
  for (const event of settings['security.audit.logfile.events.exclude']) events.delete(event);
  return new AuditLog(new LogFile(path.join(folder, FILE_NAME)), events, node);
}

export class AuditLog {
  readonly #sink: LineSink;
  readonly #events: ReadonlySet<AuditEvent>;
  readonly #node: () => AuditNode;
  #allowance = BURST_LINES;
  #atMs = Date.now();
  #suppressed = 0;

  /** @param node  read for each line, since the cluster is not known at the start */
  constructor(sink: LineSink, events: ReadonlySet<AuditEvent>, node: () => AuditNode) {
    this.#sink = sink;
    this.#events = events;
    this.#node = node;
  }

  /** Logs an error if it refuses the request for security reasons. */
  refused(request: AuditedRequest, error: ApiError): void {
    if (error.type !== 'security_exception') return;
    if (error.status === 401) {
      const event = request.authorization === undefined ? 'anonymous_access_denied' : 'authentication_failed';
      this.#write(request, event, { 'event.type': 'rest', 'event.action': event, ...attemptedName(request) });
    } else if (error.status === 403) {
      const event = error.refusal?.runAs === undefined ? 'access_denied' : 'run_as_denied';
      this.#write(request, event, { 'event.type': 'rest', 'event.action': event, ...deniedFields(error) });
    }
  }

  /** Whether `granted` writes anything. */
  get logsGranted(): boolean {
    return this.#events.has('authentication_success') || this.#events.has('access_granted');
  }

  /** Logs that the sender was authenticated, and that the action was granted in principle: names in the request are checked later. */
  granted(request: AuditedRequest, action: string): void {
    if (request.caller === null) return;
    const isLogged = (event: AuditEvent): boolean => this.#events.has(event);
    if (isLogged('authentication_success')) this.#writeNow(request, { 'event.type': 'rest', 'event.action': 'authentication_success' });
    if (isLogged('access_granted')) this.#writeNow(request, { 'event.type': 'rest', 'event.action': 'access_granted', action });
  }

  /** Logs a change of users, roles or API keys. */
  changed(request: AuditedRequest, action: string, details: Readonly<Record<string, unknown>>): void {
    this.#write(request, 'security_config_change', { 'event.type': 'security_config_change', 'event.action': action, ...details });
  }

  reopen(): void {
    this.#sink.reopen();
  }

  close(): void {
    this.#sink.close();
  }

  /** Writes the event unless it is excluded or there are too many. */
  #write(request: AuditedRequest, name: AuditEvent, fields: Readonly<Record<string, unknown>>): void {
    if (!this.#events.has(name)) return;
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
    this.#writeNow(request, fields);
  }

  #writeNow(request: AuditedRequest, fields: Readonly<Record<string, unknown>>): void {
    this.#sink.write(this.#line(Date.now(), { ...fields, ...userFields(request.caller), ...requestFields(request) }));
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
function attemptedName({ authorization }: AuditedRequest): Record<string, unknown> {
  if (authorization === undefined) return {};
  const [scheme, value = ''] = authorization.slice(0, 8192).split(/ +/);
  const name = Buffer.from(value, 'base64').toString('utf8').split(':', 1)[0];
  const field = scheme.toLowerCase() === 'basic' ? 'user.name' : scheme.toLowerCase() === 'apikey' ? 'apikey.id' : null;
  return field === null ? {} : { [field]: cut(name) };
}

function deniedFields({ refusal }: ApiError): Record<string, unknown> {
  if (refusal === null) return {};
  const { action, indices, runAs } = refusal;
  return {
    action,
    ...(indices.length === 0 ? {} : { indices: indices.slice(0, MAX_INDICES).map(cut) }),
    ...(runAs === undefined ? {} : { 'user.run_as.name': runAs }),
  };
}

function cut(text: string): string {
  return text.length > MAX_FIELD_CHARS ? `${text.slice(0, MAX_FIELD_CHARS)}...` : text;
}
