// Handlers written as modules, JavaScript or TypeScript, which are loaded by path when a worker starts.
//   js_import shop from handlers/shop.ts;   js_content shop.list;   js_set $tier shop.tier;
// A function receives the request (js/request.ts). js_content finishes it with `r.return(...)`, `r.finish()` or `r.internalRedirect(uri)` and may
// be async, as may js_access and js_periodic; js_set returns a value; js_header_filter and js_body_filter change the response.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { present } from '../../../common/present.ts';
import { custom, HSL, HTTP, ineffective, LIMIT_EXCEPT, LOCATION, LOCATION_IF, num, oneOf } from '../../config/directive.ts';
import { parseSize, parseTimeMs } from '../../config/values.ts';
import { loop } from '../../zone/memory.ts';
import { defineModule, type HttpFrame } from '../config/module.ts';
import { fetchConf, fetchTable } from '../js/fetch-conf.ts';
import { loadModule } from '../js/loader.ts';
import { currentRequest, installNgx } from '../js/ngx.ts';
import { JsRequest } from '../js/request.ts';
import { type DictOptions, SharedDict } from '../js/shared-dict.ts';
import type { HttpMain, Loc, Request } from '../model/types.ts';
import { DetachedConnection } from '../phases/detached-connection.ts';
import { HttpRequest } from '../phases/http-request.ts';
import { runPhases } from '../phases/phases.ts';
import { AGAIN, DECLINED, DONE, ERROR, OK } from '../request/codes.ts';

// biome-ignore lint/suspicious/noExplicitAny: handlers are the user's, each kind has its own arguments
type Handler = (...args: any[]) => unknown;
interface Wanted {
  name: string;
  at: string;
  fn?: Handler;
}
interface Import {
  file: string;
  /** Level whose js_path applies. */
  loc: Loc;
}
interface Periodic {
  wanted: Wanted;
  loc: Loc;
  server: HttpFrame['scope']['server'];
  intervalMs: number;
  jitterMs: number;
  /** Event loops that run it. */
  loops: ReadonlySet<number> | 'all';
}

const DEFAULT_INTERVAL_MS = 5000;

const importsOf = (main: HttpMain): Map<string, Import> => keep(main, 'js:imports', () => new Map());
const wantedOf = (main: HttpMain): Wanted[] => keep(main, 'js:wanted', () => []);
const preloadsOf = (main: HttpMain): Map<string, string> => keep(main, 'js:preloads', () => new Map());
const dictsOf = (main: HttpMain): Map<string, SharedDict> => keep(main, 'js:dicts', () => new Map());
const periodicsOf = (main: HttpMain): Periodic[] => keep(main, 'js:periodics', () => []);

function keep<T>(main: HttpMain, key: string, make: () => T): T {
  let value = main.registry.get(key) as T | undefined;
  if (!value) main.registry.set(key, (value = make()));
  return value;
}

function want(f: HttpFrame, name: string): Wanted {
  if (!/^[\w$]+\.[\w$]+$/.test(name)) f.fail(`"${name}" is not of the form module.function`);
  const wanted: Wanted = { name, at: `${f.node.file}:${f.node.line}` };
  wantedOf(f.scope.main).push(wanted);
  return wanted;
}

/** `name from file`, or a file whose name without extension is the name. */
function nameAndFile(f: HttpFrame): { name: string; file: string } {
  const { args } = f;
  if (args.length === 2 || (args.length === 3 && args[1] !== 'from')) f.fail(`${f.node.name} wants "name from file" or "file"`);
  if (args.length === 3) return { name: args[0], file: args[2] };
  return { name: path.basename(args[0]).replace(/\.\w+$/, ''), file: args[0] };
}

const handlerOf = () =>
  custom<Wanted | undefined>(LOCATION | LOCATION_IF | LIMIT_EXCEPT, 1, undefined, (f: HttpFrame) => want(f, f.args[0]));

function parsePeriodic(f: HttpFrame): undefined {
  const { main, loc, server } = f.scope;
  const periodic: Periodic = {
    ...{ wanted: want(f, f.args[0]), loc, server, intervalMs: DEFAULT_INTERVAL_MS, jitterMs: 0 },
    loops: new Set([0]),
  };
  for (const word of f.args.slice(1)) {
    const [name, value = ''] = word.split('=', 2);
    const ms = parseTimeMs(value);
    if (name === 'interval' && ms) periodic.intervalMs = ms;
    else if (name === 'jitter' && ms !== undefined) periodic.jitterMs = ms;
    else if (name === 'worker_affinity' && value === 'all') periodic.loops = 'all';
    else if (name === 'worker_affinity' && /^[01]+$/.test(value))
      periodic.loops = new Set([...value].reverse().flatMap((bit, n) => (bit === '1' ? [n] : [])));
    else f.fail(`invalid parameter "${word}"`);
  }
  periodicsOf(main).push(periodic);
  return undefined;
}

function parseDict(f: HttpFrame): undefined {
  const { main } = f.scope;
  const options: DictOptions = { name: '', capacity: 0, timeoutMs: 0, type: 'string', evict: false, state: '' };
  for (const word of f.args) {
    const [name, value = ''] = word.split('=', 2);
    if (name === 'zone') {
      const m = /^(\w+):(.+)$/.exec(value);
      const capacity = m && parseSize(m[2]);
      if (!m || !capacity) f.fail(`invalid zone size "${value}"`);
      if (capacity < 8192) f.fail(`zone "${value}" is too small`);
      Object.assign(options, { name: m[1], capacity });
    } else if (name === 'timeout') options.timeoutMs = parseTimeMs(value) || f.fail(`invalid timeout value "${value}"`);
    else if (name === 'type' && (value === 'string' || value === 'number')) options.type = value;
    else if (name === 'state' && value !== '') options.state = f.scope.path(value);
    else if (word === 'evict') options.evict = true;
    else f.fail(`invalid parameter "${word}"`);
  }
  const { name } = options;
  if (!name) f.fail('"js_shared_dict_zone" must have "zone" parameter');
  if (options.evict && options.timeoutMs === 0) f.fail('"evict" requires "timeout=" parameter');
  const dicts = dictsOf(main);
  if (dicts.has(name)) f.fail(`duplicate js shared dict "${name}"`);
  const dict = new SharedDict(options);
  const before = main.inherited.get(`js_shared:${name}`);
  if (before) dict.importState(before);
  dicts.set(name, dict);
  // A reload hands it over under this name.
  main.registry.set(`js_shared:${name}`, dict);
  return undefined;
}

const parseVariableName = (f: HttpFrame): string =>
  /^\$\w+$/.test(f.args[0]) ? f.args[0].slice(1) : f.fail(`invalid variable name "${f.args[0]}"`);

export const jsModule = defineModule(
  'js',
  {
    js_path: custom<string | undefined>(HSL, 1, undefined, (f: HttpFrame) => f.scope.path(f.args[0], 'conf')),
    js_import: custom<undefined>(
      HSL,
      [1, 3],
      undefined,
      (f: HttpFrame) => {
        const { name, file } = nameAndFile(f);
        importsOf(f.scope.main).set(name, { file, loc: f.scope.loc });
        return undefined;
      },
      { repeats: true },
    ),
    js_preload_object: custom<undefined>(
      HSL,
      [1, 3],
      undefined,
      (f: HttpFrame) => {
        const { name, file } = nameAndFile(f);
        const preloads = preloadsOf(f.scope.main);
        const full = f.scope.path(file, 'conf');
        if (!/^[A-Za-z_$][\w$]*$/.test(name)) f.fail(`invalid object name "${name}"`);
        if ((preloads.get(name) ?? full) !== full || (name in globalThis && !preloads.has(name))) f.fail(`object name "${name}" is taken`);
        preloads.set(name, full);
        return undefined;
      },
      { repeats: true },
    ),
    js_content: custom<Wanted | undefined>(LOCATION | LOCATION_IF | LIMIT_EXCEPT, 1, undefined, (f: HttpFrame) => {
      const wanted = want(f, f.args[0]);
      f.scope.loc.handler = (r) => content(r, wanted);
      return wanted;
    }),
    js_access: handlerOf(),
    js_header_filter: handlerOf(),
    js_body_filter: custom<{ wanted: Wanted; binary: boolean } | undefined>(
      LOCATION | LOCATION_IF | LIMIT_EXCEPT,
      [1, 2],
      undefined,
      (f: HttpFrame) => {
        const type = f.args[1] ?? 'buffer_type=string';
        if (type !== 'buffer_type=string' && type !== 'buffer_type=buffer') f.fail(`invalid parameter "${type}"`);
        return { wanted: want(f, f.args[0]), binary: type.endsWith('=buffer') };
      },
    ),
    js_periodic: custom<undefined>(LOCATION, [1, 4], undefined, parsePeriodic, { repeats: true }),
    js_set: custom<undefined>(
      HSL,
      [2, 3],
      undefined,
      (f: HttpFrame) => {
        const wanted = want(f, f.args[1]);
        if (f.args[2] !== undefined && f.args[2] !== 'nocache') f.fail(`unrecognized flag "${f.args[2]}"`);
        f.scope.main.variables.define(parseVariableName(f), { get: (r) => evaluate(r, wanted), volatile: f.args[2] === 'nocache' });
        return undefined;
      },
      { repeats: true },
    ),
    js_var: custom<undefined>(
      HSL,
      [1, 2],
      undefined,
      (f: HttpFrame) => {
        const initial = f.args[1] === undefined ? undefined : f.scope.value(f.args[1]);
        f.scope.main.variables.define(parseVariableName(f), { get: (r) => initial?.eval(r) ?? '' });
        return undefined;
      },
      { repeats: true },
    ),
    js_shared_dict_zone: custom<undefined>(HTTP, [1, 5], undefined, parseDict, { repeats: true }),
    ...fetchTable,
    js_context_reuse: ineffective(num(HSL, 128)),
    js_engine: ineffective(oneOf(HSL, ['njs', 'qjs'], 'njs')),
  },
  {
    init(main) {
      main.phases.access.push(accessHandler);
      main.addHeaderFilter('js', filterHeader);
    },
    start,
  },
);

async function start(main: HttpMain): Promise<void> {
  const dicts = dictsOf(main);
  for (const [name, dict] of dicts) if (!main.inherited.has(`js_shared:${name}`)) dict.load();
  if (loop.index === 0 && dicts.size > 0) process.on('exit', () => dicts.forEach((dict) => dict.saveNow()));
  installNgx(main, dicts, (r) => fetchConf(jsModule.conf(r?.loc ?? main.loc), r?.loc ?? main.loc, r));
  for (const [name, file] of preloadsOf(main)) {
    Object.defineProperty(globalThis, name, { value: freeze(JSON.parse(readFileSync(file, 'utf8'))), enumerable: true });
  }
  const modules = new Map<string, Record<string, unknown>>();
  for (const [name, { file, loc }] of importsOf(main)) {
    const own = jsModule.conf(loc).js_path;
    modules.set(name, await loadModule(file, own === undefined ? [main.paths.conf] : [own, main.paths.conf]));
  }
  for (const wanted of wantedOf(main)) {
    const [module, fn] = wanted.name.split('.');
    const found = modules.get(module)?.[fn];
    if (typeof found !== 'function') throw new Error(`js function "${wanted.name}" was not found in ${wanted.at}`);
    wanted.fn = found as Handler;
  }
  for (const periodic of periodicsOf(main)) {
    if (periodic.loops === 'all' || periodic.loops.has(loop.index)) schedule(main, periodic);
  }
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(freeze);
  return Object.freeze(value);
}

/** Runs a handler with the request as the current one. */
const call = (r: Request, wanted: Wanted, ...args: unknown[]): unknown => currentRequest.run(r, () => present(wanted.fn)(...args));

function logException(r: Request, error: unknown): void {
  r.log('error', `js exception: ${(error as Error)?.stack ?? error}`.replace(/\n\s*/g, ' | '));
}

function content(r: Request, wanted: Wanted): number {
  r.conn.readBody(r, (rc) => {
    if (rc !== OK) {
      r.finalize(rc);
      return;
    }
    const js = new JsRequest(r);
    const failed = (error: unknown) => {
      logException(r, error);
      if (!r.done && !js.finished) r.finalize(r.headerSent ? ERROR : 500);
    };
    settle(
      () => call(r, wanted, js),
      () => {
        if (!js.finished && !r.done) failed(new Error(`${wanted.name} ended without an answer`));
      },
      failed,
    );
  });
  return DONE;
}

/** Runs a function that may return a promise or throw. */
function settle(work: () => unknown, done: () => void, failed: (error: unknown) => void): void {
  let result: unknown;
  try {
    result = work();
  } catch (error) {
    failed(error);
    return;
  }
  Promise.resolve(result).then(done, failed);
}

interface AccessState {
  /** undefined while the handler is running. */
  rc: number | undefined;
}

function accessHandler(r: Request): number {
  const wanted = jsModule.conf(r.loc).js_access;
  if (!wanted) return DECLINED;
  const before = r.getCtx<AccessState>(jsModule);
  if (before) return before.rc ?? AGAIN;
  const state: AccessState = { rc: undefined };
  r.setCtx(jsModule, state);
  const js = new JsRequest(r);
  const end = (rc: number) => {
    state.rc = rc;
    if (!js.finished && !r.done) r.conn.post(r);
  };
  r.resume = () => runPhases(r);
  settle(
    () => call(r, wanted, js),
    () => end(js.access === 'ok' ? OK : DECLINED),
    (error) => {
      logException(r, error);
      end(500);
    },
  );
  return AGAIN;
}

function filterHeader(r: Request): number {
  const { js_header_filter: header, js_body_filter: body } = jsModule.conf(r.loc);
  if (header) {
    try {
      call(r, header, new JsRequest(r));
    } catch (error) {
      logException(r, error);
      return ERROR;
    }
  }
  if (!body) return OK;
  const js = new JsRequest(r);
  js.filterBody((data, flags) => {
    try {
      call(r, body.wanted, js, data, flags);
    } catch (error) {
      logException(r, error);
      throw error;
    }
  }, body.binary);
  return OK;
}

function evaluate(r: Request, wanted: Wanted): string | null {
  if (!wanted.fn) return null;
  try {
    const value = call(r, wanted, new JsRequest(r));
    return value === undefined || value === null ? null : String(value);
  } catch (error) {
    logException(r, error);
    return null;
  }
}

/** Runs a periodic handler in its location; the next run follows when it has finished and its interval is over. */
function schedule(main: HttpMain, periodic: Periodic): void {
  const { wanted, loc, server, intervalMs, jitterMs } = periodic;
  const tick = () => {
    const r = new HttpRequest(new DetachedConnection(main.sockets[0]), main, present(server));
    r.loc = loc;
    const next = () => plan();
    settle(
      () => call(r, wanted, new JsRequest(r)),
      next,
      (error) => {
        logException(r, error);
        next();
      },
    );
  };
  const plan = () => setTimeout(tick, intervalMs + Math.floor(Math.random() * jitterMs)).unref();
  plan();
}
