// The name of an SMTP client: that of its address, if the name resolves to the address again.
import { NXDOMAIN, ResolveError, resolverFor } from '../http/upstream/peers/resolver.ts';
import { mailCore } from './core.ts';
import type { MailSession } from './model.ts';

/** As in Postfix: the name does not exist, or cannot be determined now. */
const UNAVAILABLE = '[UNAVAILABLE]';
const TEMPORARILY_UNAVAILABLE = '[TEMPUNAVAIL]';

export async function clientHost(s: MailSession): Promise<string> {
  const { resolver: conf, resolver_timeout: timeoutMs } = mailCore.conf(s.loc);
  if (conf === 'off') return UNAVAILABLE;
  if (s.remoteAddr.startsWith('unix:')) return TEMPORARILY_UNAVAILABLE;
  const resolver = resolverFor(conf);
  const failed = (what: string, error: unknown): string => {
    const known = error instanceof ResolveError ? error : null;
    s.log('error', `${what} could not be resolved ${known?.reason ?? (error as Error).message}`);
    return known?.code === NXDOMAIN ? UNAVAILABLE : TEMPORARILY_UNAVAILABLE;
  };
  s.action = 'in resolving client address';
  let name: string;
  try {
    name = await resolver.reverse(s.remoteAddr, timeoutMs);
  } catch (error) {
    return failed(s.remoteAddr, error);
  }
  if (!/^[A-Za-z0-9.-]+$/.test(name)) {
    s.log('error', `${s.remoteAddr} resolved to invalid host name "${name}"`);
    return TEMPORARILY_UNAVAILABLE;
  }
  s.action = 'in resolving client hostname';
  try {
    const { addresses } = await resolver.resolve(name, timeoutMs);
    return addresses.includes(s.remoteAddr) ? name : UNAVAILABLE;
  } catch (error) {
    return failed(`"${name}"`, error);
  }
}
