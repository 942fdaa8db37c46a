// Directive table of the mail core. Structural directives (server, listen) are in build.ts.
import { hostname } from 'node:os';
import { ANY_COUNT, custom, HS, msec, num, SERVER } from '../config/directive.ts';
import { parseResolver } from '../http/config/core.ts';
import type { BlockFrame } from '../http/config/module.ts';
import type { ResolverConf } from '../http/model/resolver.ts';
import { defineMailModule } from './model.ts';

export type ProtocolName = 'imap' | 'pop3' | 'smtp';
const PROTOCOLS: readonly string[] = ['imap', 'pop3', 'smtp'] satisfies ProtocolName[];

function parseProtocol(f: BlockFrame): ProtocolName {
  const [name] = f.args;
  return PROTOCOLS.includes(name) ? (name as ProtocolName) : f.fail(`unknown protocol "${name}"`);
}

function parseServerName(f: BlockFrame): string {
  const [name] = f.args;
  return /[\r\n]/.test(name) ? f.fail(`server name "${name}" is invalid`) : name;
}

/** In the tables of this block HTTP denotes `mail` and SERVER a server in it. */
export const mailCore = defineMailModule(
  'mail_core',
  {
    /** null: the port implies it */
    protocol: custom<ProtocolName | null>(SERVER, 1, null, parseProtocol, { merge: (_, own) => own }),
    max_errors: num(HS, 5),
    resolver: custom<ResolverConf | 'off'>(HS, [1, ANY_COUNT], 'off', (f: BlockFrame) => (f.args[0] === 'off' ? 'off' : parseResolver(f)), {
      defaultText: 'off',
    }),
    resolver_timeout: msec(HS, '30s'),
    server_name: custom<string>(HS, 1, '', parseServerName, { defaultText: 'hostname' }),
    timeout: msec(HS, '60s'),
  },
  {
    finish(conf) {
      conf.server_name ||= hostname();
    },
  },
);
