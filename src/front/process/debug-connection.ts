// debug_connection: addresses whose connections are logged at the debug level.
import { BlockList } from 'node:net';

/** @param entries  addresses, networks, or `unix:` */
export function debugMatcher(entries: string[]): ((address: string) => boolean) | null {
  if (entries.length === 0) return null;
  const list = new BlockList();
  let unix = false;
  for (const entry of entries) {
    if (entry === 'unix:') {
      unix = true;
      continue;
    }
    const [address, bits] = entry.split('/');
    const family = address.includes(':') ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address === 'localhost' ? '127.0.0.1' : address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => (address.startsWith('unix:') ? unix : list.check(address, address.includes(':') ? 'ipv6' : 'ipv4'));
}
