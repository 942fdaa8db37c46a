// Compiles the tree of directives of `mail { }` into configuration objects and sockets.

import type { Table } from '../config/directive.ts';
import { ANY_COUNT, HS, HTTP, SERVER } from '../config/directive.ts';
import { ConfigError } from '../config/syntax.ts';
import { allow, BlockBuilder, type BuildInput, finishBuild, type Structure } from '../http/config/block-builder.ts';
import { collectSockets, parseListen } from '../http/config/listen.ts';
import type { BlockFrame } from '../http/config/module.ts';
import { Variables } from '../http/config/variables.ts';
import { contextOf } from '../http/connection/tls-context.ts';
import type { HttpModule, Server } from '../http/model/types.ts';
import { sslModule } from '../http/tls/ssl.ts';
import { mailAuthHttp } from './auth/conf.ts';
import { imap, mailImap } from './commands/imap.ts';
import { mailPop3, pop3 } from './commands/pop3.ts';
import { mailSmtp, smtp } from './commands/smtp.ts';
import { mailCore } from './core.ts';
import { addressText, duplicateText, MAIL_LISTEN } from './listen.ts';
import { MailMain } from './model.ts';
import { mailProxy } from './proxy/conf.ts';
import { mailRealip } from './realip.ts';
import { mailSsl, usesTls } from './ssl.ts';

export const MAIL_MODULES: HttpModule<Table, MailMain>[] = [
  mailCore,
  mailAuthHttp,
  mailProxy,
  mailImap,
  mailPop3,
  mailSmtp,
  mailRealip,
  mailSsl,
  sslModule,
];

type MailFrame = BlockFrame<MailMain>;

const notHere = (): Structure<MailMain> => ({
  spec: allow(HS, 0, ANY_COUNT, false),
  apply: (f) => f.fail(`"${f.node.name}" directive is not allowed here`),
});

/** Directives of the shared TLS module that mail does not have. */
export const NOT_IN_MAIL = new Set([
  'ssl_buffer_size',
  'ssl_certificate_cache',
  'ssl_early_data',
  'ssl_ech_file',
  'ssl_key_log',
  'ssl_ocsp',
  'ssl_ocsp_cache',
  'ssl_ocsp_responder',
  'ssl_reject_handshake',
  'ssl_stapling',
  'ssl_stapling_file',
  'ssl_stapling_responder',
  'ssl_stapling_verify',
]);

const STRUCTURE: Record<string, (builder: MailBuilder) => Structure<MailMain>> = {
  server: (builder) => ({ spec: allow(HTTP, 0, 0, true), apply: (f) => builder.server(f) }),
  listen: (builder) => ({ spec: allow(SERVER, 1, ANY_COUNT, false), apply: (f) => builder.listen(f) }),
  error_log: (builder) => ({ spec: allow(HS, 1, ANY_COUNT, false), apply: (f) => builder.errorLog(f) }),
};

class MailBuilder extends BlockBuilder<MailMain> {
  /** where TLS is required, for messages about missing certificates */
  readonly #tlsDemands = new Map<Server, { what: string; file: string; line: number }>();

  constructor(input: BuildInput) {
    super(input, MAIL_MODULES, new MailMain(new Variables(), input.paths, input.inherited, 'mail:'));
  }

  protected structure(name: string): Structure<MailMain> | null {
    if (NOT_IN_MAIL.has(name)) return notHere();
    return Object.hasOwn(STRUCTURE, name) ? STRUCTURE[name](this) : null;
  }

  protected refusal(): null {
    return null;
  }

  server(f: MailFrame): void {
    const server = this.readServer(f);
    if (server.listens.length === 0) throw new ConfigError(`no "listen" is defined for server in ${server.place}`);
    const startTls = f.node.children?.find(({ name }) => name === 'starttls');
    if (startTls && !this.#tlsDemands.has(server)) this.#tlsDemands.set(server, { what: 'starttls', ...startTls });
  }

  /** An address belongs to one server, because mail has no host names to distinguish servers. */
  listen(f: MailFrame): void {
    const { server } = f.scope;
    const others = this.main.servers.filter((other) => other !== server).flatMap((other) => other.listens);
    const before = server?.listens.length ?? 0;
    parseListen(f, MAIL_LISTEN);
    for (const own of server?.listens.slice(before) ?? []) {
      if (others.some((other) => addressText(other) === addressText(own))) f.fail(duplicateText(own));
      if (own.ssl && server) this.#tlsDemands.set(server, { what: 'listen ... ssl', ...f.node });
    }
  }

  build(): MailMain {
    const { main, input } = this;
    this.readBlock();
    for (const server of main.servers) {
      this.merge(server.root, main.loc);
      checkServer(server);
    }
    finishBuild(() => collectSockets(main, input.warn));
    return main;
  }

  /** Reads certificates and keys. @throws string */
  prepareTls(): void {
    for (const server of this.main.servers) {
      const conf = sslModule.conf(server.root);
      if (!usesTls(server)) continue;
      const inherited = this.input.node.children?.find(({ name }) => name === 'starttls') ?? this.input.node;
      const demand = this.#tlsDemands.get(server) ?? { what: 'starttls', ...inherited };
      const what = `the "${demand.what}" directive in ${demand.file}:${demand.line}`;
      if (!conf.ssl_certificate) throw `no "ssl_certificate" is defined for ${what}`;
      if (!conf.ssl_certificate_key) throw `no "ssl_certificate_key" is defined for ${what}`;
      if (conf.ssl_certificate_key.length < conf.ssl_certificate.length)
        throw `no "ssl_certificate_key" is defined for certificate "${conf.ssl_certificate.at(-1)?.value.source}" and ${what}`;
      for (const { value } of [...conf.ssl_certificate, ...conf.ssl_certificate_key])
        if (value.constant === null) throw `"${value.source}": variables are not supported in certificates of mail`;
      contextOf(this.main, server);
    }
  }
}

/** Completes settings and checks that need a merged server. */
function checkServer(server: Server): void {
  const conf = mailCore.conf(server.root);
  const ports = server.listens.map(({ port }) => port);
  const byPort = [imap, pop3, smtp].find((protocol) => protocol.ports.includes(ports.find(isWellKnown) ?? 0));
  conf.protocol ??= byPort?.name ?? null;
  if (!conf.protocol) throw new ConfigError(`unknown mail protocol for server in ${server.place}`);
  if (!mailAuthHttp.conf(server.root).auth_http) throw new ConfigError(`no "auth_http" is defined for server in ${server.place}`);
}

const isWellKnown = (port: number): boolean => [imap, pop3, smtp].some(({ ports }) => ports.includes(port));

/** Whether any module of `mail { }` has a directive of this name. */
export const isMailDirective = (name: string): boolean =>
  Object.hasOwn(STRUCTURE, name) || MAIL_MODULES.some(({ table }) => Object.hasOwn(table, name) && !NOT_IN_MAIL.has(name));

/** @throws ConfigError */
export async function buildMail(input: BuildInput): Promise<MailMain> {
  const builder = new MailBuilder(input);
  const main = builder.build();
  for (const lookup of (main.registry.get('lookups') as (() => Promise<void>)[] | undefined) ?? []) await lookup();
  finishBuild(() => builder.prepareTls());
  return main;
}
