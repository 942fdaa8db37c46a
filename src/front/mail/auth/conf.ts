// auth_http*: the server that checks logins and chooses the back end.
import { custom, flag, HS, msec } from '../../config/directive.ts';
import {
  type Address,
  addressError,
  literalAddresses,
  makeAddress,
  pendingLookups,
  splitHostPort,
  systemAddresses,
} from '../../http/config/addresses.ts';
import type { BlockFrame } from '../../http/config/module.ts';
import { defineMailModule } from '../model.ts';

export interface AuthServer {
  /** null until the name is looked up, before the server starts */
  address: Address | null;
  hostHeader: string;
  /** path and query */
  uri: string;
}

/** `[http://]HOST[:PORT][/URI]` or `[http://]unix:PATH[:/URI]` */
function parseAuthHttp(f: BlockFrame): AuthServer {
  const url = f.args[0].startsWith('http://') ? f.args[0].slice(7) : f.args[0];
  const fail = (why: string): never => f.fail(`${why} in auth_http "${url}"`);
  if (/[\r\n]/.test(url)) fail('invalid host');
  const unix = /^(unix:[^:]*)(?::(.*))?$/s.exec(url);
  const [, host, uri = ''] = unix ?? /^([^/?]*)(.*)$/s.exec(url) ?? [];
  const wrong = addressError(host);
  if (wrong) fail(wrong);
  const server: AuthServer = {
    address: null,
    hostHeader: unix ? 'localhost' : hostOf(host),
    uri: uri.startsWith('/') ? uri : `/${uri}`,
  };
  const literal = literalAddresses(host, 80);
  if (literal) [server.address] = literal;
  else {
    const { host: name, port } = splitHostPort(host, 80);
    pendingLookups(f.scope.main).push(async () => {
      const [first] = await systemAddresses(name).catch(() => fail('host not found'));
      server.address = makeAddress(first, port);
    });
  }
  return server;
}

/** Without the port. */
const hostOf = (text: string): string => text.replace(/:\d+$/, '');

/** Lines for the request. */
function parseHeader(f: BlockFrame, previous: readonly string[] = []): string[] {
  const [name, value] = f.args;
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) f.fail(`invalid header name "${name}"`);
  if (/[\r\n\0]/.test(value)) f.fail(`invalid value of the header "${name}"`);
  return [...previous, `${name}: ${value}\r\n`];
}

export const mailAuthHttp = defineMailModule('mail_auth_http', {
  auth_http: custom<AuthServer | null>(HS, 1, null, parseAuthHttp),
  auth_http_header: custom<string[]>(HS, 2, [], parseHeader, { repeats: true }),
  auth_http_pass_client_cert: flag(HS, false),
  auth_http_timeout: msec(HS, '60s'),
});
