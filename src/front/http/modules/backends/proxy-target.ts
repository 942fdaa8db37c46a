// The argument of `proxy_pass`: scheme, host, port and URI.
import { splitHostPort } from '../../config/addresses.ts';
import type { Value } from '../../config/value.ts';
import type { UpstreamGroup } from '../../upstream/peers/group.ts';

export interface PassAddress {
  /** `http://` or `https://` */
  schema: string;
  /** `host:port` as written */
  hostText: string;
  host: string;
  port: string;
  /** '' if the argument has no URI part */
  uri: string;
}

/** The argument of `proxy_pass`, fixed or with variables. */
export type PassTarget = { kind: 'fixed'; address: PassAddress; group: UpstreamGroup } | { kind: 'evaluated'; value: Value };

const DEFAULT_PORTS: Record<string, string> = { 'http://': '80', 'https://': '443' };

export const isSecure = (address: PassAddress): boolean => address.schema === 'https://';
export const defaultPort = (address: PassAddress): number => (isSecure(address) ? 443 : 80);

/** Undefined if the scheme is neither http nor https. */
export function parsePassAddress(text: string): PassAddress | null {
  const schema = Object.keys(DEFAULT_PORTS).find((s) => text.toLowerCase().startsWith(s));
  if (!schema) return null;
  const rest = text.slice(schema.length);
  if (rest.startsWith('unix:')) {
    const colon = rest.indexOf(':', 5);
    const hostText = colon < 0 ? rest : rest.slice(0, colon);
    return { schema, hostText, host: hostText, port: '', uri: colon < 0 ? '' : rest.slice(colon + 1) };
  }
  const end = rest.search(/[/?]/);
  const hostText = end < 0 ? rest : rest.slice(0, end);
  const uri = end < 0 ? '' : rest.slice(end);
  const { host, port } = splitHostPort(hostText, 0);
  return { schema, hostText, host: host.includes(':') ? `[${host}]` : host, port: port ? String(port) : DEFAULT_PORTS[schema], uri };
}

/** Default value of the Host field: host of the URL, with its port if one is written. */
export const hostOf = ({ hostText }: PassAddress): string => (hostText.startsWith('unix:') ? 'localhost' : hostText);
