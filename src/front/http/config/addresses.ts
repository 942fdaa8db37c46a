// Addresses in the configuration: literals, and names that the system resolves.
import { lookup as systemLookup } from 'node:dns';
import { isIP } from 'node:net';
import type { BlockMain } from '../model/types.ts';

export interface Address {
  /** `1.2.3.4:80`, `[::1]:80`, `unix:/path` */
  name: string;
  host: string;
  port: number;
  path: string;
}

export function makeAddress(host: string, port: number): Address {
  return { name: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`, host, port, path: '' };
}

function unixAddress(path: string): Address {
  return { name: `unix:${path}`, host: '', port: 0, path };
}

/** Describes, in nginx's words, what is wrong with `host[:port]` or `unix:path`; null if it is valid. */
export function addressError(text: string): string | null {
  if (text.startsWith('unix:')) return text.length === 5 ? 'no path in the unix domain socket' : null;
  const m = /^(?:(\[[^\]]*\])|((?!\[)[^:]*))(?::(.*))?$/s.exec(text);
  if (!m || (m[1] !== undefined && !isIP(m[1].slice(1, -1))) || /[/?]/.test(text)) return 'invalid host';
  if (m[3] !== undefined && !(/^\d{1,5}$/.test(m[3]) && Number(m[3]) >= 1 && Number(m[3]) <= 65535)) return 'invalid port';
  return m[1] === undefined && m[2] === '' ? 'no host' : null;
}

export function splitHostPort(text: string, defaultPort: number): { host: string; port: number } {
  const m = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?$/.exec(text);
  return m ? { host: m[1] ?? m[2], port: m[3] === undefined ? defaultPort : Number(m[3]) } : { host: text, port: defaultPort };
}

/** Addresses of a literal; null for a name, which must be looked up. */
export function literalAddresses(text: string, defaultPort: number): Address[] | null {
  if (text.startsWith('unix:')) return [unixAddress(text.slice(5).replace(/:$/, ''))];
  const { host, port } = splitHostPort(text, defaultPort);
  return isIP(host) ? [makeAddress(host, port)] : null;
}

/** Looks a name up by the system's resolver, before the server starts. */
export function systemAddresses(host: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    systemLookup(host, { all: true, verbatim: false }, (error, list) => (error ? reject(error) : resolve(list.map((a) => a.address))));
  });
}

/** Names that must be looked up before the configuration is complete. */
export function pendingLookups(main: BlockMain): (() => Promise<void>)[] {
  let list = main.registry.get('lookups') as (() => Promise<void>)[] | undefined;
  if (!list) main.registry.set('lookups', (list = []));
  return list;
}
