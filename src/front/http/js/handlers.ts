// What handlers of http and stream have in common: modules to import, their functions, shared dictionaries, variables.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { present } from '../../../common/present.ts';
import { type ConfOf, custom, HSL, HTTP, ineffective, num, oneOf } from '../../config/directive.ts';
import { parseSize, parseTimeMs } from '../../config/values.ts';
import { loop } from '../../zone/memory.ts';
import type { BlockFrame } from '../config/module.ts';
import type { BlockMain, Loc, Request, Session } from '../model/types.ts';
import { fetchConf, fetchTable } from './fetch-conf.ts';
import { loadModule } from './loader.ts';
import { currentSession, installNgx } from './ngx.ts';
import { type DictOptions, SharedDict } from './shared-dict.ts';

// biome-ignore lint/suspicious/noExplicitAny: handlers are the user's, each kind has its own arguments
type Handler = (...args: any[]) => unknown;
export interface Wanted {
  name: string;
  at: string;
  fn?: Handler;
}
interface Import {
  file: string;
  /** Level whose js_path applies. */
  loc: Loc;
}
const importsOf = (main: BlockMain): Map<string, Import> => keep(main, 'js:imports', () => new Map());
const wantedOf = (main: BlockMain): Wanted[] => keep(main, 'js:wanted', () => []);
const preloadsOf = (main: BlockMain): Map<string, string> => keep(main, 'js:preloads', () => new Map());
const dictsOf = (main: BlockMain): Map<string, SharedDict> => keep(main, 'js:dicts', () => new Map());

/** A value of the block, created on first use. */
export function keep<T>(main: BlockMain, key: string, make: () => T): T {
  let value = main.registry.get(key) as T | undefined;
  if (!value) main.registry.set(key, (value = make()));
  return value;
}

/** Remembers a function that the configuration names, to be found when the modules are loaded. */
export function want(f: BlockFrame, name: string): Wanted {
  if (!/^[\w$]+\.[\w$]+$/.test(name)) f.fail(`"${name}" is not of the form module.function`);
  const wanted: Wanted = { name, at: `${f.node.file}:${f.node.line}` };
  wantedOf(f.scope.main).push(wanted);
  return wanted;
}

/** `name from file`, or a file whose name without extension is the name. */
function nameAndFile(f: BlockFrame): { name: string; file: string } {
  const { args } = f;
  if (args.length === 2 || (args.length === 3 && args[1] !== 'from')) f.fail(`${f.node.name} needs "name from file" or "file"`);
  if (args.length === 3) return { name: args[0], file: args[2] };
  return { name: path.basename(args[0]).replace(/\.\w+$/, ''), file: args[0] };
}

function parseDict(f: BlockFrame): undefined {
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
  const dict = new SharedDict({ ...options, memory: `${main.zonePrefix}js_shared:${name}` });
  const before = main.inherited.get(`js_shared:${name}`);
  if (before) dict.importState(before);
  dicts.set(name, dict);
  // A reload hands it over under this name.
  main.registry.set(`js_shared:${name}`, dict);
  return undefined;
}

const parseVariableName = (f: BlockFrame): string =>
  /^\$\w+$/.test(f.args[0]) ? f.args[0].slice(1) : f.fail(`invalid variable name "${f.args[0]}"`);

/** Directives of both blocks. @param sessionOf  the object that functions of js_set receive */
export const handlerTable = (sessionOf: (r: Request) => unknown) => ({
  js_path: custom<string | null>(HSL, 1, null, (f: BlockFrame) => f.scope.path(f.args[0], 'conf')),
  js_import: custom<undefined>(
    HSL,
    [1, 3],
    undefined,
    (f: BlockFrame) => {
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
    (f: BlockFrame) => {
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
  js_set: custom<undefined>(
    HSL,
    [2, 3],
    undefined,
    (f: BlockFrame) => {
      const wanted = want(f, f.args[1]);
      if (f.args[2] !== undefined && f.args[2] !== 'nocache') f.fail(`unrecognized flag "${f.args[2]}"`);
      f.scope.main.variables.define(parseVariableName(f), {
        get: (r) => evaluate(r, wanted, sessionOf(r)),
        volatile: f.args[2] === 'nocache',
      });
      return undefined;
    },
    { repeats: true },
  ),
  js_var: custom<undefined>(
    HSL,
    [1, 2],
    undefined,
    (f: BlockFrame) => {
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
});

type HandlerConf = ConfOf<ReturnType<typeof handlerTable>>;

/** Loads the modules and finds the functions. @throws Error: a module cannot be loaded, a function is missing */
export async function startHandlers(main: BlockMain, conf: (loc: Loc) => HandlerConf): Promise<void> {
  const dicts = dictsOf(main);
  for (const [name, dict] of dicts) if (!main.inherited.has(`js_shared:${name}`)) dict.load();
  if (loop.index === 0 && dicts.size > 0) process.on('exit', () => dicts.forEach((dict) => dict.saveNow()));
  installNgx(main, dicts, (s) => fetchConf(conf(s?.loc ?? main.loc), main.namesAt(s?.loc ?? main.loc), s));
  for (const [name, file] of preloadsOf(main)) {
    // the other block may have defined it
    if (!(name in globalThis))
      Object.defineProperty(globalThis, name, { value: freeze(JSON.parse(readFileSync(file, 'utf8'))), enumerable: true });
  }
  const modules = new Map<string, Record<string, unknown>>();
  for (const [name, { file, loc }] of importsOf(main)) {
    const own = conf(loc).js_path;
    modules.set(name, await loadModule(file, own === null ? [main.paths.conf] : [own, main.paths.conf]));
  }
  for (const wanted of wantedOf(main)) {
    const [module, fn] = wanted.name.split('.');
    const found = modules.get(module)?.[fn];
    if (typeof found !== 'function') throw new Error(`js function "${wanted.name}" was not found in ${wanted.at}`);
    wanted.fn = found as Handler;
  }
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(freeze);
  return Object.freeze(value);
}

/** Runs a handler with the request or session as the current one. */
export const call = (r: Session, wanted: Wanted, ...args: unknown[]): unknown => currentSession.run(r, () => present(wanted.fn)(...args));

export function logException(r: Session, error: unknown): void {
  r.log('error', `js exception: ${(error as Error)?.stack ?? error}`.replace(/\n\s*/g, ' | '));
}

/** Runs a function that may return a promise or throw. */
export function settle(work: () => unknown, done: () => void, failed: (error: unknown) => void): void {
  let result: unknown;
  try {
    result = work();
  } catch (error) {
    failed(error);
    return;
  }
  Promise.resolve(result).then(done, failed);
}

function evaluate(r: Session, wanted: Wanted, argument: unknown): string | null {
  if (!wanted.fn) return null;
  try {
    const value = call(r, wanted, argument);
    const chosen = value ?? (argument as { returnValue?: unknown }).returnValue;
    if (chosen === undefined || chosen === null) return null;
    return chosen instanceof Uint8Array ? Buffer.from(chosen).latin1Slice() : String(chosen);
  } catch (error) {
    logException(r, error);
    return null;
  }
}
