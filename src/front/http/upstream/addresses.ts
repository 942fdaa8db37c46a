/** Addresses of `server` entries: literals, names looked up by the system, and the form of each. */
import { lookup as systemLookup } from 'node:dns';
import { isIP } from 'node:net';
import type { Address, ServerOptions } from './peer.ts';

export interface EntryAddress {
  address: Address;
  options: ServerOptions;
  priority: number;
  /** the SRV record it came from */
  record?: string;
}

export interface ServerEntry {
  text: string;
  options: ServerOptions;
  resolve: boolean;
  service: string;
  /** addresses found last */
  addresses: EntryAddress[];
}

export function makeAddress(host: string, port: number): Address {
  return { name: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`, host, port, path: '' };
}

export function unixAddress(path: string): Address {
  return { name: `unix:${path}`, host: '', port: 0, path };
}

export function splitHostPort(text: string, defaultPort: number): { host: string; port: number } {
  const m = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?$/.exec(text);
  return m ? { host: m[1] ?? m[2], port: m[3] === undefined ? defaultPort : Number(m[3]) } : { host: text, port: defaultPort };
}

/** Addresses of a literal; undefined where a name must be looked up. */
export function literalAddresses(text: string, defaultPort: number): Address[] | undefined {
  if (text.startsWith('unix:')) return [unixAddress(text.slice(5).replace(/:$/, ''))];
  const { host, port } = splitHostPort(text, defaultPort);
  return isIP(host) ? [makeAddress(host, port)] : undefined;
}

/** Looks a name up the way the system does, before the server starts. */
export function systemAddresses(host: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    systemLookup(host, { all: true, verbatim: false }, (error, list) => (error ? reject(error) : resolve(list.map((a) => a.address))));
  });
}
