// The js_fetch_* directives.
import { readFileSync } from 'node:fs';
import { isIP, type LookupFunction } from 'node:net';
import { type ConfOf, custom, flag, HSL, ineffective, msec, num, size, text, wordsOf } from '../../config/directive.ts';
import type { HttpFrame } from '../config/module.ts';
import type { Value } from '../config/value.ts';
import type { NameService, ResolverConf } from '../model/resolver.ts';
import type { Session } from '../model/types.ts';
import { TLS_VERSIONS, versionRange } from '../tls/conf-command.ts';
import { resolverFor } from '../upstream/peers/resolver.ts';
import type { FetchConf } from './fetch.ts';

const lookups = new WeakMap<ResolverConf, LookupFunction>();
/** Resolves names with the `resolver` of the level, if it has one. */
export function lookupBy({ resolver, resolver_timeout }: NameService): LookupFunction | null {
  if (!resolver) return null;
  const known = lookups.get(resolver);
  if (known) return known;
  const lookup: LookupFunction = (name, options, callback) => {
    resolverFor(resolver)
      .resolve(name, resolver_timeout)
      .then(({ addresses }) => {
        const list = addresses.map((address) => ({ address, family: isIP(address) }));
        if (options.all) callback(null, list);
        else callback(null, list[0].address, list[0].family);
      })
      .catch((error: Error) => callback(error, '', 0));
  };
  lookups.set(resolver, lookup);
  return lookup;
}

export const fetchTable = {
  js_fetch_buffer_size: ineffective(size(HSL, '16k')),
  js_fetch_ciphers: text(HSL, 'HIGH:!aNULL:!MD5'),
  js_fetch_keepalive: num(HSL, 0),
  js_fetch_keepalive_requests: ineffective(num(HSL, 1000)),
  js_fetch_keepalive_time: ineffective(msec(HSL, '1h')),
  js_fetch_keepalive_timeout: msec(HSL, '60s'),
  js_fetch_max_response_buffer_size: size(HSL, '1m'),
  js_fetch_protocols: wordsOf(HSL, TLS_VERSIONS, ['TLSv1.2', 'TLSv1.3']),
  js_fetch_proxy: custom<Value | null>(HSL, 1, null, (f: HttpFrame) => f.scope.value(f.args[0])),
  js_fetch_timeout: msec(HSL, '60s'),
  js_fetch_trusted_certificate: custom<Buffer | null>(HSL, 1, null, (f: HttpFrame) => {
    const file = f.scope.path(f.args[0], 'conf');
    try {
      return readFileSync(file);
    } catch (error) {
      return f.fail(`cannot load certificate "${file}": ${(error as Error).message}`);
    }
  }),
  js_fetch_verify: flag(HSL, true),
  js_fetch_verify_depth: num(HSL, 100),
};

/** Settings of a level for the requests of handlers. @param names  `resolver` of the level @param r  evaluates the variables of js_fetch_proxy */
export function fetchConf(c: ConfOf<typeof fetchTable>, names: NameService, r: Session | null): FetchConf {
  return {
    timeoutMs: c.js_fetch_timeout,
    maxResponseBytes: c.js_fetch_max_response_buffer_size,
    verify: c.js_fetch_verify,
    verifyDepth: c.js_fetch_verify_depth,
    ca: c.js_fetch_trusted_certificate,
    crl: null,
    ciphers: c.js_fetch_ciphers,
    versions: versionRange([...c.js_fetch_protocols]),
    keepalive: c.js_fetch_keepalive,
    keepaliveTimeoutMs: c.js_fetch_keepalive_timeout,
    lookup: lookupBy(names),
    proxy: (r && c.js_fetch_proxy?.eval(r)) ?? c.js_fetch_proxy?.constant ?? '',
  };
}
