// Access log (combined format or JSON lines) and slow log. Lines are built after the reply was sent and buffered by the files.
import path from 'node:path';
import { type LineSink, LogFile } from '../../common/log/log-file.ts';
import type { Settings } from '../../config/settings.ts';

export interface RequestRecord {
  readonly remoteAddress: string;
  readonly user: string | null;
  readonly method: string;
  /** Path with query, as sent. */
  readonly uri: string;
  readonly status: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
  readonly tookMs: number;
  readonly referer: string | undefined;
  readonly userAgent: string | undefined;
  readonly opaqueId: string | undefined;
  /** Start of the request body, for the slow log. */
  readonly body: string | null;
}

export type LogSettings = Pick<Settings, 'path.logs' | 'log.access' | 'log.slow.threshold'>;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export class RequestLog {
  readonly #access: LineSink | null;
  readonly #isJson: boolean;
  readonly #slow: LineSink | null;
  readonly #slowMs: number;

  /** Opens `access.log` and `slow.log` in `path.logs`; without that setting neither is written. @throws Error a file cannot be opened */
  constructor(settings: LogSettings) {
    const folder = settings['path.logs'];
    this.#access = folder !== '' && settings['log.access'] !== 'off' ? new LogFile(path.join(folder, 'access.log')) : null;
    this.#isJson = settings['log.access'] === 'json';
    this.#slowMs = settings['log.slow.threshold'];
    this.#slow = folder !== '' && this.#slowMs >= 0 ? new LogFile(path.join(folder, 'slow.log')) : null;
  }

  /** True if requests are logged at all. */
  get isOn(): boolean {
    return this.#access !== null || this.#slow !== null;
  }

  get wantsBodies(): boolean {
    return this.#slow !== null;
  }

  add(record: RequestRecord): void {
    if (this.#access) this.#access.write(this.#isJson ? jsonLine(record) : combinedLine(record, new Date()));
    if (this.#slow && record.tookMs >= this.#slowMs) this.#slow.write(jsonLine(record, record.body ?? undefined));
  }

  /** Reopens the files by name after a rotation (SIGUSR1). */
  reopen(): void {
    this.#access?.reopen();
    this.#slow?.reopen();
  }

  close(): void {
    this.#access?.close();
    this.#slow?.close();
  }
}

function jsonLine(record: RequestRecord, body?: string): string {
  return JSON.stringify({
    time: new Date().toISOString(),
    remote: record.remoteAddress,
    user: record.user ?? undefined,
    method: record.method,
    uri: record.uri,
    status: record.status,
    bytes: record.sentBytes,
    request_bytes: record.receivedBytes,
    took_ms: Math.round(record.tookMs * 1000) / 1000,
    referer: record.referer,
    user_agent: record.userAgent,
    opaque_id: record.opaqueId,
    body,
  });
}

/** A line in Apache's combined format. Characters that could forge a line or a field are written as \xHH, as nginx does. */
function combinedLine(record: RequestRecord, now: Date): string {
  const two = (n: number): string => String(n).padStart(2, '0');
  const time = `${two(now.getUTCDate())}/${MONTHS[now.getUTCMonth()]}/${now.getUTCFullYear()}:${two(now.getUTCHours())}:${two(now.getUTCMinutes())}:${two(now.getUTCSeconds())} +0000`;
  const request = `${record.method} ${record.uri} HTTP/1.1`;
  return `${record.remoteAddress} - ${record.user ? escapeField(record.user) : '-'} [${time}] "${escapeField(request)}" ${record.status} ${record.sentBytes} "${escapeField(record.referer ?? '-')}" "${escapeField(record.userAgent ?? '-')}"`;
}

function escapeField(text: string): string {
  return text.replaceAll(/["\\\u0000-\u001f\u007f]/g, (char) => `\\x${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}
