// Addresses for `server NAME resolve [service=...]`: those of the name, or of the targets of its SRV records.
import { makeAddress, splitHostPort } from '../../config/addresses.ts';
import { type SrvRecord, TYPE_SRV } from './dns-message.ts';
import type { EntryAddress, ServerEntry } from './peer.ts';
import { NXDOMAIN, type ResolveError, type Resolver } from './resolver.ts';

/** @returns addresses in the order of peers, and how long they are valid. @throws ResolveError */
export async function lookUpEntry(
  entry: ServerEntry,
  resolver: Resolver,
  timeoutMs: number,
  defaultPort: number,
): Promise<{ found: EntryAddress[]; ttlSeconds: number }> {
  const { host, port } = splitHostPort(entry.text, defaultPort);
  const found: EntryAddress[] = [];
  let ttlSeconds: number;
  if (entry.service) {
    const name = /^_|\./.test(entry.service) ? `${entry.service}.${host}` : `_${entry.service}._tcp.${host}`;
    const answer = await resolver.lookup(name, [TYPE_SRV], timeoutMs);
    ttlSeconds = answer.ttlSeconds;
    const seen = new Map<string, number>();
    for (const record of answer.srv) {
      const base = `${record.target}:${record.port}`;
      const nth = seen.get(base) ?? 0;
      seen.set(base, nth + 1);
      const target = await lookUpTarget(entry, record, `${base}#${nth}`, resolver, timeoutMs);
      found.push(...target.found);
      ttlSeconds = Math.min(ttlSeconds, target.ttlSeconds);
    }
  } else {
    const answer = await resolver.resolve(host, timeoutMs);
    ttlSeconds = answer.ttlSeconds;
    for (const ip of answer.addresses) found.push({ address: makeAddress(ip, port), options: entry.options, priority: 0 });
  }
  found.sort((a, b) => a.priority - b.priority || (a.address.name < b.address.name ? -1 : 1));
  return { found, ttlSeconds };
}

/** Peers of one SRV record. While its target cannot be resolved, earlier addresses remain. */
async function lookUpTarget(
  entry: ServerEntry,
  { target, port, weight: share, priority }: SrvRecord,
  record: string,
  resolver: Resolver,
  timeoutMs: number,
): Promise<{ found: EntryAddress[]; ttlSeconds: number }> {
  const weight = entry.options.weight !== 1 ? entry.options.weight : Math.max(1, share);
  const options = { ...entry.options, weight };
  try {
    const { addresses, ttlSeconds } = await resolver.resolve(target, timeoutMs);
    return { found: addresses.map((ip) => ({ address: makeAddress(ip, port), options, priority, record })), ttlSeconds };
  } catch (error) {
    if ((error as ResolveError).code === NXDOMAIN) return { found: [], ttlSeconds: Infinity };
    const before = entry.addresses.filter((a) => a.record === record);
    return { found: before.map(({ address }) => ({ address, options, priority, record })), ttlSeconds: Infinity };
  }
}
