// The global object `ngx` of handlers, with the members that njs has under that name.
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Level, logTo } from '../../log/error-log.ts';
import { NGINX_VERSION } from '../../version.ts';
import { loop } from '../../zone/memory.ts';
import type { BlockMain, Session } from '../model/types.ts';
import { type FetchConf, type FetchInit, fetchUnder } from './fetch.ts';
import type { SharedDict } from './shared-dict.ts';

/** The request or session whose handler is running, for calls that do not name it. */
export const currentSession = new AsyncLocalStorage<Session>();

const LEVELS: Record<number, Level> = { 4: 'error', 5: 'warn', 6: 'notice', 7: 'info' };

type FetchConfOf = (s: Session | null) => FetchConf;

/** Contributions of each block of the configuration. */
const blocks = new Map<BlockMain, { dicts: ReadonlyMap<string, SharedDict>; confOf: FetchConfOf }>();

/**
 * Creates `ngx` for a new configuration, for the handlers of all blocks.
 * @param confOf  js_fetch_* settings of the level of a request or session, or of the block for null
 * @throws Error two blocks have dictionaries of the same name
 */
export function installNgx(main: BlockMain, dicts: ReadonlyMap<string, SharedDict>, confOf: FetchConfOf): void {
  blocks.set(main, { dicts, confOf });
  const shared = new Map<string, SharedDict>();
  for (const block of blocks.values()) {
    for (const [name, dict] of block.dicts) {
      if (shared.has(name)) throw new Error(`js shared dict "${name}" is defined in two blocks`);
      shared.set(name, dict);
    }
  }
  const fetchSettings = (): FetchConf => {
    const session = currentSession.getStore() ?? null;
    return (blocks.get(session?.block ?? main)?.confOf ?? confOf)(session);
  };
  const ngx = {
    ...{ ERR: 4, WARN: 5, NOTICE: 6, INFO: 7 },
    build: 'gannet',
    version: NGINX_VERSION,
    version_number: NGINX_VERSION.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0),
    prefix: main.paths.prefix,
    conf_prefix: main.paths.conf,
    worker_id: loop.index,
    shared: Object.freeze(Object.fromEntries(shared)),
    log(level: number, message: unknown): void {
      const name = LEVELS[level];
      if (!name) throw new TypeError(`unknown log level ${level}`);
      const r = currentSession.getStore();
      if (r) r.log(name, `js: ${message}`);
      else logTo(main.loc.errorLogs, name, `js: ${message}`);
    },
    async fetch(resource: unknown, init?: FetchInit): Promise<Response> {
      if (!(resource instanceof Request_)) return fetchUnder(fetchSettings(), String(resource), init);
      const body = init?.body ?? (resource.body ? Buffer.from(await resource.arrayBuffer()) : undefined);
      const { method, headers } = resource;
      return fetchUnder(fetchSettings(), resource.url, { method, headers, ...init, body });
    },
  };
  Object.assign(globalThis, { ngx: Object.freeze(ngx) });
}

/** The standard class of that name. */
const Request_ = globalThis.Request;
