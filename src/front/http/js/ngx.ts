// The global object `ngx` of handlers, with the members that njs has under that name.
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Level, logTo } from '../../log/error-log.ts';
import { NGINX_VERSION } from '../../version.ts';
import { loop } from '../../zone/memory.ts';
import type { HttpMain, Request } from '../model/types.ts';
import { type FetchConf, type FetchInit, fetchUnder } from './fetch.ts';
import type { SharedDict } from './shared-dict.ts';

/** The request whose handler is running, for calls that do not name it. */
export const currentRequest = new AsyncLocalStorage<Request>();

const LEVELS: Record<number, Level> = { 4: 'error', 5: 'warn', 6: 'notice', 7: 'info' };

/**
 * Creates `ngx` for a new configuration.
 * @param confOf  js_fetch_* settings of the request's location, or of the http level for undefined
 */
export function installNgx(main: HttpMain, dicts: ReadonlyMap<string, SharedDict>, confOf: (r: Request | undefined) => FetchConf): void {
  const ngx = {
    ...{ ERR: 4, WARN: 5, NOTICE: 6, INFO: 7 },
    build: 'gannet',
    version: NGINX_VERSION,
    version_number: NGINX_VERSION.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0),
    prefix: main.paths.prefix,
    conf_prefix: main.paths.conf,
    worker_id: loop.index,
    shared: Object.freeze(Object.fromEntries(dicts)),
    log(level: number, message: unknown): void {
      const name = LEVELS[level];
      if (!name) throw new TypeError(`unknown log level ${level}`);
      const r = currentRequest.getStore();
      if (r) r.log(name, `js: ${message}`);
      else logTo(main.loc.errorLogs, name, `js: ${message}`);
    },
    async fetch(resource: unknown, init?: FetchInit): Promise<Response> {
      if (!(resource instanceof Request_)) return fetchUnder(confOf(currentRequest.getStore()), String(resource), init);
      const body = init?.body ?? (resource.body ? Buffer.from(await resource.arrayBuffer()) : undefined);
      const { method, headers } = resource;
      return fetchUnder(confOf(currentRequest.getStore()), resource.url, { method, headers, ...init, body });
    },
  };
  Object.assign(globalThis, { ngx: Object.freeze(ngx) });
}

/** The standard class of that name. */
const Request_ = globalThis.Request;
