// Compiles the tree of directives of `http { }` into configuration objects, phases and sockets.
import path from 'node:path';
import { ANY_COUNT, HSL, HTTP, LIMIT_EXCEPT, LOCATION, SERVER, type Spec } from '../../config/directive.ts';
import { ConfigError, type DirectiveNode } from '../../config/syntax.ts';
import { allow, BlockBuilder, type BuildInput, finishBuild, type Structure } from '../config/block-builder.ts';
import { compileRegex } from '../config/compile-regex.ts';
import { core, TEMP_PATHS } from '../config/core.ts';
import { addDefaultListen, collectSockets, HTTP_LISTEN, parseListen } from '../config/listen.ts';
import type { HttpFrame } from '../config/module.ts';
import { readServerNames } from '../config/server-names.ts';
import { parseValue, type Value } from '../config/value.ts';
import { Variables } from '../config/variables.ts';
import type { HttpModule } from '../model/types.ts';
import { HttpMain, Loc } from '../model/types.ts';
import { registerCombined } from '../modules/monitoring/access-log.ts';
import { addCoreVariables } from '../modules/variables/core-variables.ts';
import { initHeaderWriter } from '../phases/header-writer.ts';
import { indexLocations } from '../phases/location.ts';
import { buildPhases } from '../phases/phases.ts';
import { FILTER_ORDER } from '../request/pieces.ts';
import { loadModules, REGISTRY } from './registry.ts';

/** Directives of nginx modules that do not exist here: rejected with the module's name. */
const REFUSED: [names: RegExp, what: string][] = [
  [/^(http3|quic)(_.*)?$/, 'HTTP/3'],
  [/^js_include$/, 'njs scripts (use js_import)'],
  [/^js_load_http_native_module$/, 'native modules of njs'],
  [/^(xslt|xml)_/, 'XSLT'],
  [/^session_log(_.*)?$/, 'session_log'],
  [/^(f4f|hls)(_.*)?$/, 'F4F and HLS'],
  [/^otel_/, 'OpenTelemetry'],
  [/^(status|status_format|upstream_conf)$/, 'the old status and upstream_conf modules (use metrics and api)'],
  [/^lua_|_by_lua(_block|_file)?$/, 'Lua (use js_import)'],
  [/^degrad(e|ation)$/, 'the degradation module'],
];
const refusal = (name: string): string | null => REFUSED.find(([names]) => names.test(name))?.[1] ?? null;

/** Directives that build the tree itself. */
const STRUCTURE: Record<string, { spec: Spec<undefined>; apply(b: Builder, f: HttpFrame): void }> = {
  server: { spec: allow(HTTP, 0, 0, true), apply: (b, f) => b.server(f) },
  location: { spec: allow(SERVER | LOCATION, 1, 2, true), apply: (b, f) => b.location(f) },
  server_name: { spec: allow(SERVER, 1, ANY_COUNT, false), apply: (_, f) => readServerNames(f) },
  listen: { spec: allow(SERVER, 1, ANY_COUNT, false), apply: (_, f) => parseListen(f, HTTP_LISTEN) },
  error_log: { spec: allow(HSL, 1, ANY_COUNT, false), apply: (b, f) => b.errorLog(f) },
  limit_except: { spec: allow(LOCATION, 1, ANY_COUNT, true), apply: (b, f) => b.limitExcept(f) },
};

/** Specs of the directives that build the tree. */
export const HTTP_STRUCTURE: Readonly<Record<string, Spec<undefined>>> = Object.fromEntries(
  Object.entries(STRUCTURE).map(([name, { spec }]) => [name, spec]),
);

/** Whether any module of `http { }` has a directive of this name. Loads every module: use it only when startup fails anyway. */
export async function isHttpDirective(name: string): Promise<boolean> {
  if (Object.hasOwn(STRUCTURE, name) || refusal(name)) return true;
  const modules = (await Promise.all(REGISTRY.map((entry) => entry.load()))).flat();
  return modules.some((module) => Object.hasOwn(module.table, name) && module.table[name].contexts !== 0);
}

/** @throws ConfigError */
export async function buildHttp(input: BuildInput): Promise<HttpMain> {
  const names = new Set<string>();
  const variables = new Set<string>();
  collectNames(input.node, names, variables);
  const modules = await loadModules(names, variables);
  const builder = new Builder(input, modules);
  if (modules.some((m) => ['fastcgi', 'scgi', 'uwsgi'].includes(m.name))) {
    (await import('../modules/backends/gateway.ts')).setHostParam((name) => builder.main.variables.lookup(name));
  }
  const main = builder.build();
  for (const lookup of (main.registry.get('lookups') as (() => Promise<void>)[] | undefined) ?? []) await lookup();
  const secure = main.sockets.find((s) => s.options.ssl);
  if (modules.some((m) => m.name === 'ssl')) {
    try {
      (await import('../connection/tls-context.ts')).prepareTls(main);
    } catch (error) {
      throw new ConfigError(typeof error === 'string' ? error : (error as Error).message);
    }
  } else if (secure) {
    throw new ConfigError(`no "ssl_certificate" is defined for the "listen ... ssl" directive in ${secure.hosts.defaultServer.place}`);
  }
  return main;
}

function collectNames(node: DirectiveNode, names: Set<string>, variables: Set<string>): void {
  names.add(node.name);
  for (const arg of node.args) for (const [, a, b] of arg.matchAll(/\$(?:(\w+)|\{(\w+)\})/g)) variables.add((a ?? b).toLowerCase());
  for (const child of node.children ?? []) collectNames(child, names, variables);
}

class Builder extends BlockBuilder<HttpMain> {
  readonly #variables: Variables;
  readonly #regexLocs: Loc[] = [];

  constructor(input: BuildInput, modules: HttpModule[]) {
    const variables = new Variables();
    super(input, modules, new HttpMain(variables, input.paths, input.inherited));
    this.#variables = variables;
    this.main.namesAt = core.conf;
    addCoreVariables(variables);
    for (const module of modules) variables.add(module.variables ?? [], module.families);
    registerCombined(this.main);
  }

  protected structure(name: string): Structure<HttpMain> | null {
    if (!Object.hasOwn(STRUCTURE, name)) return null;
    const { spec, apply } = STRUCTURE[name];
    return { spec, apply: (f) => apply(this, f) };
  }

  protected refusal(name: string): string | null {
    return refusal(name);
  }

  build(): HttpMain {
    const { main, input } = this;
    this.readBlock();
    for (const server of main.servers) {
      this.#mergeTree(server.root, main.loc);
      indexLocations(server.root);
    }
    initHeaderWriter(main);
    finishBuild(() => {
      for (const module of this.modules) module.init?.(main);
      main.headerFilters.sort((a, b) => FILTER_ORDER.indexOf(a.name) - FILTER_ORDER.indexOf(b.name));
      buildPhases(main);
      this.#variables.resolve();
      main.servers.forEach(addDefaultListen);
      collectSockets(main, input.warn);
    });
    return main;
  }

  server(f: HttpFrame): void {
    this.readServer(f);
  }

  location(f: HttpFrame): void {
    const { loc: parent, server } = f.scope;
    const loc = new Loc(parent);
    readLocationName(f, loc);
    if (parent.kind !== 'server') {
      if (parent.kind === 'exact') f.fail(`location "${loc.name}" cannot be inside the exact location "${parent.name}"`);
      if (parent.kind === 'named') f.fail(`location "${loc.name}" cannot be inside the named location "${parent.name}"`);
      if (loc.kind === 'named') f.fail(`named location "${loc.name}" can be on the server level only`);
      if (parent.kind !== 'regex' && loc.kind !== 'regex' && parent.kind !== 'if' && !loc.name.startsWith(parent.name)) {
        f.fail(`location "${loc.name}" is outside location "${parent.name}"`);
      }
    }
    const same = parent.children.find((c) => c.name === loc.name && sameKind(c.kind, loc.kind) && loc.kind !== 'regex');
    if (same) f.fail(`duplicate location "${loc.name}"`);
    if (loc.kind === 'named') server?.named.set(loc.name, loc);
    parent.children.push(loc);
    if (loc.kind === 'regex') this.#regexLocs.push(loc);
    this.prepare(loc);
    this.readNodes(f.node.children ?? [], LOCATION, loc, server);
  }

  limitExcept(f: HttpFrame): void {
    const { loc } = f.scope;
    if (loc.exceptMethods) f.fail('"limit_except" directive is duplicate');
    const methods = new Set(f.args.map((m) => m.toUpperCase()));
    for (const word of f.args) if (!METHODS.has(word.toUpperCase())) f.fail(`invalid method "${word}"`);
    if (methods.has('GET')) methods.add('HEAD');
    const except = new Loc(loc);
    except.kind = 'limit_except';
    except.name = loc.name;
    loc.exceptMethods = methods;
    loc.exceptLoc = except;
    loc.children.push(except);
    this.prepare(except);
    this.readNodes(f.node.children ?? [], LIMIT_EXCEPT, except, f.scope.server);
  }

  // ---------------------------------------------------------------- merging

  #mergeTree(loc: Loc, parent: Loc): void {
    this.merge(loc, parent);
    for (const child of loc.children) this.#mergeTree(child, loc);
  }

  protected override mergeOwn(loc: Loc, parent: Loc | null): void {
    this.#mergeRoot(loc, parent);
    if (!parent) this.#anchorTempPaths(loc);
  }

  /** `root` and `alias` are one setting: the innermost of either applies. */
  #mergeRoot(loc: Loc, parent: Loc | null): void {
    const c = core.conf(loc);
    const inherited = parent && core.conf(parent).root;
    if (c.alias) {
      const regex = loc.kind === 'regex';
      loc.docRoot = { value: this.#rootValue(c.alias, false), alias: { nameLength: regex ? -1 : loc.name.length } };
    } else if (c.root && c.root !== inherited) loc.docRoot = { value: this.#rootValue(c.root, true) };
    else loc.docRoot = parent?.docRoot;
  }

  /** Default temporary folders are below the prefix. */
  #anchorTempPaths(loc: Loc): void {
    const c = core.conf(loc);
    for (const name of TEMP_PATHS) c[name] = { ...c[name], path: path.resolve(this.input.paths.prefix, c[name].path) };
  }

  #rootValue(value: Value, cut: boolean): Value {
    if (value.constant === null) return value;
    const slash = value.constant.endsWith('/');
    let full = path.resolve(this.input.paths.prefix, value.constant);
    if (!cut && slash && !full.endsWith('/')) full += '/';
    return parseValue(full, () => {
      throw 'unreachable';
    });
  }
}

const METHODS = new Set('GET HEAD POST PUT DELETE MKCOL COPY MOVE OPTIONS PROPFIND PROPPATCH LOCK UNLOCK PATCH CONNECT TRACE'.split(' '));

const sameKind = (a: Loc['kind'], b: Loc['kind']): boolean => a === b || (prefixKind(a) && prefixKind(b));
const prefixKind = (k: Loc['kind']): boolean => k === 'prefix' || k === 'noregex';

function readLocationName(f: HttpFrame, loc: Loc): void {
  let [mark, name] = f.args;
  if (name === undefined) {
    // the modifier may directly precede the name: `=/x`, `~\.php`
    const m = /^(=|\^~|~\*|~)(.+)$/s.exec(mark);
    if (m) [mark, name] = [m[1], m[2]];
    else [mark, name] = ['', mark];
  }
  loc.name = name;
  if (mark === '=') loc.kind = 'exact';
  else if (mark === '^~') loc.kind = 'noregex';
  else if (mark === '~' || mark === '~*') {
    loc.kind = 'regex';
    loc.regex = compileRegex(f, name, mark === '~*');
  } else if (mark === '') loc.kind = name.startsWith('@') ? 'named' : 'prefix';
  else f.fail(`invalid location modifier "${mark}"`);
}
