// `set_real_ip_from`: proxies that may name the client's address.
import { present } from '../../../../common/present.ts';
import { pendingLookups, systemAddresses } from '../../config/addresses.ts';
import type { BlockFrame } from '../../config/module.ts';
import { addressBytes, cidrContains, parseCidr } from '../variables/map.ts';

export interface Trusted {
  cidrs: { bytes: number[]; bits: number }[];
  unix: boolean;
}

export function parseTrusted(f: BlockFrame, previous: Trusted = { cidrs: [], unix: false }): Trusted {
  if (f.args[0] === 'unix:') return { ...previous, unix: true };
  if (f.args[0] === '') f.fail('host not found in set_real_ip_from ""');
  const cidr = parseCidr(f.args[0]);
  if (cidr) previous.cidrs.push(cidr);
  else
    pendingLookups(f.scope.main).push(async () => {
      const list = await systemAddresses(f.args[0]).catch(() => f.fail(`host not found in set_real_ip_from "${f.args[0]}"`));
      for (const ip of list) previous.cidrs.push(present(parseCidr(ip)));
    });
  return previous;
}

export function isTrusted(trusted: Trusted, address: string): boolean {
  const bytes = addressBytes(address);
  return bytes ? trusted.cidrs.some((cidr) => cidrContains(cidr, bytes)) : trusted.unix;
}
