// Compiles the tree of directives of `stream { }` into configuration objects, phases and sockets.

import type { Table } from '../config/directive.ts';
import { ANY_COUNT, HS, HTTP, SERVER } from '../config/directive.ts';
import { ConfigError, type DirectiveNode, failAt } from '../config/syntax.ts';
import { allow, BlockBuilder, type BuildInput, finishBuild, type Structure } from '../http/config/block-builder.ts';
import { collectSockets, parseListen } from '../http/config/listen.ts';
import type { BlockFrame } from '../http/config/module.ts';
import { readServerNames } from '../http/config/server-names.ts';
import { Variables } from '../http/config/variables.ts';
import { prepareTls } from '../http/connection/tls-context.ts';
import type { HttpModule } from '../http/model/types.ts';
import { streamCore } from './core.ts';
import { STREAM_LISTEN } from './listen.ts';
import { StreamMain } from './model.ts';
import { addStreamVariables } from './modules/variables.ts';
import { allStreamModules, loadStreamModules } from './registry.ts';

/** Directives of nginx modules that do not exist here: rejected with the module's name. */
const REFUSED: [names: RegExp, what: string][] = [
  [/^js_load_stream_native_module$/, 'native modules of njs'],
  [/^js_(include|context_reuse_max_size)$/, 'this directive of njs'],
  [/^zone_sync/, 'zone_sync'],
  [/^lua_|_by_lua(_block|_file)?$/, 'Lua (use js_import)'],
  [/^proxy_(bind_dynamic|downstream_buffer|upstream_buffer|socket_rcvbuf|socket_sndbuf)$/, 'this setting of connections'],
];

type StreamFrame = BlockFrame<StreamMain>;

const notHere = (): Structure<StreamMain> => ({
  spec: allow(HS, 0, ANY_COUNT, false),
  apply: (f) => f.fail(`"${f.node.name}" directive is not allowed here`),
});

const STRUCTURE: Record<string, (builder: StreamBuilder) => Structure<StreamMain>> = {
  server: (builder) => ({ spec: allow(HTTP, 0, 0, true), apply: (f) => builder.server(f) }),
  server_name: () => ({ spec: allow(SERVER, 1, ANY_COUNT, false), apply: (f) => readServerNames(f) }),
  listen: () => ({ spec: allow(SERVER, 1, ANY_COUNT, false), apply: (f) => parseListen(f, STREAM_LISTEN) }),
  // these directives of shared modules are for http only
  geoip_proxy: notHere,
  geoip_proxy_recursive: notHere,
  ssl_buffer_size: notHere,
  ssl_early_data: notHere,
  error_log: (builder) => ({ spec: allow(HS, 1, ANY_COUNT, false), apply: (f) => builder.errorLog(f) }),
};

class StreamBuilder extends BlockBuilder<StreamMain> {
  readonly #variables: Variables;

  constructor(input: BuildInput, modules: HttpModule<Table, StreamMain>[]) {
    const variables = new Variables();
    super(input, modules, new StreamMain(variables, input.paths, input.inherited, 'stream:'));
    this.#variables = variables;
    this.main.namesAt = streamCore.conf;
    addStreamVariables(variables);
    for (const module of modules) variables.add(module.variables ?? [], module.families);
  }

  protected structure(name: string): Structure<StreamMain> | null {
    return Object.hasOwn(STRUCTURE, name) ? STRUCTURE[name](this) : null;
  }

  protected refusal(name: string): string | null {
    return REFUSED.find(([names]) => names.test(name))?.[1] ?? null;
  }

  server(f: StreamFrame): void {
    const server = this.readServer(f);
    if (server.listens.length === 0) failAt(f.node, `no "listen" is defined for server in ${server.place}`);
  }

  build(): StreamMain {
    const { main, input } = this;
    this.readBlock();
    for (const server of main.servers) this.merge(server.root, main.loc);
    finishBuild(() => {
      for (const module of this.modules) module.init?.(main);
      this.#variables.resolve();
      collectSockets(main, input.warn);
    });
    return main;
  }
}

/** Names of the directives in a block, and in the blocks inside it. */
function directivesIn(nodes: readonly DirectiveNode[], names = new Set<string>()): Set<string> {
  for (const node of nodes) {
    names.add(node.name);
    if (node.name === 'server' || node.name === 'upstream') directivesIn(node.children ?? [], names);
  }
  return names;
}

/** Whether any module of `stream { }` has a directive of this name. Loads every module: use it only when startup fails anyway. */
export async function isStreamDirective(name: string): Promise<boolean> {
  if (Object.hasOwn(STRUCTURE, name) || REFUSED.some(([names]) => names.test(name))) return true;
  return (await allStreamModules()).some((module) => Object.hasOwn(module.table, name) && module.table[name].contexts !== 0);
}

/** @throws ConfigError */
export async function buildStream(input: BuildInput): Promise<StreamMain> {
  const modules = await loadStreamModules(directivesIn(input.node.children ?? []));
  const main = new StreamBuilder(input, modules).build();
  for (const lookup of (main.registry.get('lookups') as (() => Promise<void>)[] | undefined) ?? []) await lookup();
  try {
    prepareTls(main);
  } catch (error) {
    throw new ConfigError(typeof error === 'string' ? error : (error as Error).message);
  }
  return main;
}
