// The package tldts: the public suffix list. It is loaded on use. Bundles replace this module by dist/service/public-suffixes.late.js.
import { createRequire } from 'node:module';

/** The parts of a host name; null for those that it does not have. */
export interface HostParts {
  readonly domain: string | null;
  readonly publicSuffix: string | null;
  readonly subdomain: string | null;
  readonly hostname: string | null;
}

type Suffixes = typeof import('tldts');
let suffixes: Suffixes | null = null;

export function parseHost(host: string): HostParts {
  suffixes ??= createRequire(import.meta.url)('tldts') as Suffixes;
  return suffixes.parse(host, { allowPrivateDomains: true, extractHostname: false, detectIp: true });
}
