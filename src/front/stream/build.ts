// Compiles the tree of directives of `stream { }` into configuration objects, phases and sockets.

import type { Table } from '../config/directive.ts';
import { ANY_COUNT, HS, HTTP, SERVER } from '../config/directive.ts';
import { ConfigError, failAt } from '../config/syntax.ts';
import { allow, BlockBuilder, type BuildInput, finishBuild, type Structure } from '../http/config/block-builder.ts';
import { collectSockets, parseListen } from '../http/config/listen.ts';
import type { BlockFrame } from '../http/config/module.ts';
import { readServerNames } from '../http/config/server-names.ts';
import { Variables } from '../http/config/variables.ts';
import { prepareTls } from '../http/connection/tls-context.ts';
import { type HttpModule, Loc, Server } from '../http/model/types.ts';
import { geoipModule } from '../http/modules/variables/geoip.ts';
import { mapModule } from '../http/modules/variables/map.ts';
import { sslModule } from '../http/tls/ssl.ts';
import { streamCore } from './core.ts';
import { STREAM_LISTEN } from './listen.ts';
import { StreamMain } from './model.ts';
import { streamAccess, streamLimitConn, streamRealip } from './modules/access.ts';
import { streamPass, streamReturn, streamSet } from './modules/content.ts';
import { streamLog } from './modules/log.ts';
import { streamSsl } from './modules/ssl.ts';
import { streamSslPreread } from './modules/ssl-preread.ts';
import { addStreamVariables } from './modules/variables.ts';
import { streamProxyConf } from './proxy/conf.ts';
import { streamProxy } from './proxy/proxy-pass.ts';
import { streamGroups } from './upstream-groups.ts';

/** All modules, in order of execution within each phase. */
export const STREAM_MODULES: HttpModule<Table, StreamMain>[] = [
  streamCore,
  streamLog,
  streamRealip,
  streamLimitConn,
  streamAccess,
  mapModule,
  geoipModule,
  sslModule,
  streamSsl,
  streamSet,
  streamSslPreread,
  streamGroups,
  streamProxyConf,
  streamProxy,
  streamReturn,
  streamPass,
];

/** Directives of nginx modules that do not exist here: refused by name, so that they are not taken for supported. */
const REFUSED: [names: RegExp, what: string][] = [
  [/^js_/, 'njs in stream'],
  [/^(health_check|match)/, 'health checks in stream'],
  [/^(keyval|keyval_zone|num_map)$/, 'keyval and num_map'],
  [/^status_zone$/, 'status_zone in stream'],
  [/^mqtt/, 'MQTT'],
  [/^zone_sync/, 'zone_sync'],
  [/^proxy_session_drop$/, 'proxy_session_drop'],
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
  // shared modules have these for http only
  geoip_proxy: notHere,
  geoip_proxy_recursive: notHere,
  ssl_buffer_size: notHere,
  ssl_early_data: notHere,
  error_log: (builder) => ({ spec: allow(HS, 1, ANY_COUNT, false), apply: (f) => builder.errorLog(f) }),
};

class StreamBuilder extends BlockBuilder<StreamMain> {
  readonly #variables: Variables;

  constructor(input: BuildInput) {
    const variables = new Variables();
    super(input, STREAM_MODULES, new StreamMain(variables, input.paths, input.inherited, 'stream:'));
    this.#variables = variables;
    this.main.namesAt = streamCore.conf;
    addStreamVariables(variables);
    for (const module of STREAM_MODULES) variables.add(module.variables ?? [], module.families);
  }

  protected structure(name: string): Structure<StreamMain> | undefined {
    return Object.hasOwn(STRUCTURE, name) ? STRUCTURE[name](this) : undefined;
  }

  protected refusal(name: string): string | undefined {
    return REFUSED.find(([names]) => names.test(name))?.[1];
  }

  server(f: StreamFrame): void {
    const loc = new Loc(this.main.loc);
    const server = new Server(loc, `${f.node.file}:${f.node.line}`);
    this.main.servers.push(server);
    this.prepare(loc);
    this.readNodes(f.node.children ?? [], SERVER, loc, server);
    if (server.listens.length === 0) failAt(f.node, `no "listen" is defined for server in ${server.place}`);
  }

  build(): StreamMain {
    const { main, input } = this;
    this.prepare(main.loc);
    this.readNodes(input.node.children ?? [], HTTP, main.loc, undefined);
    this.runChecks();
    this.merge(main.loc, undefined);
    for (const server of main.servers) this.merge(server.root, main.loc);
    finishBuild(() => {
      for (const module of STREAM_MODULES) module.init?.(main);
      this.#variables.resolve();
      collectSockets(main, input.warn);
    });
    return main;
  }
}

/** Whether some part of `stream { }` knows the name. */
export const isStreamDirective = (name: string): boolean =>
  Object.hasOwn(STRUCTURE, name) ||
  REFUSED.some(([names]) => names.test(name)) ||
  STREAM_MODULES.some((module) => Object.hasOwn(module.table, name) && module.table[name].contexts !== 0);

/** @throws ConfigError */
export async function buildStream(input: BuildInput): Promise<StreamMain> {
  const main = new StreamBuilder(input).build();
  for (const lookup of (main.registry.get('lookups') as (() => Promise<void>)[] | undefined) ?? []) await lookup();
  try {
    prepareTls(main);
  } catch (error) {
    throw new ConfigError(typeof error === 'string' ? error : (error as Error).message);
  }
  return main;
}
