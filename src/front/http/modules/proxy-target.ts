/** Where a request is proxied to: the argument of `proxy_pass` and its kin, groups for addresses written there or found at run time. */
import { isIP } from 'node:net';
import { addressError, literalAddresses, makeAddress, pendingLookups, splitHostPort, systemAddresses } from '../config/addresses.ts';
import { core } from '../config/core.ts';
import type { HttpFrame } from '../config/module.ts';
import type { Value } from '../config/value.ts';
import { UpstreamGroup } from '../upstream/group.ts';
import { DEFAULT_SERVER } from '../upstream/peer.ts';
import { PeerSet } from '../upstream/peer-set.ts';
import { resolverFor } from '../upstream/resolver.ts';
import type { Upstream } from '../upstream/upstream.ts';

export interface PassTarget {
  /** whole argument, for messages and $proxy_host */
  text: string;
  /** set where the argument has variables */
  value?: Value;
  schema: string;
  /** `host:port` as written */
  hostText: string;
  host: string;
  port: string;
  /** '' where the argument has no URI part */
  uri: string;
  group?: UpstreamGroup;
}

const SCHEMES: Record<string, string> = { 'http://': '80', 'https://': '443' };

export function splitTarget(text: string): Omit<PassTarget, 'text'> | undefined {
  const schema = Object.keys(SCHEMES).find((s) => text.toLowerCase().startsWith(s));
  if (!schema) return undefined;
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
  return { schema, hostText, host: host.includes(':') ? `[${host}]` : host, port: port ? String(port) : SCHEMES[schema], uri };
}

/** The group of a literal address: a named upstream that is defined anywhere, or peers of the name. */
export function literalGroup(f: HttpFrame, hostText: string, defaultPort: number): UpstreamGroup {
  const { main } = f.scope;
  const wrong = addressError(hostText);
  if (wrong) f.fail(`${wrong} in upstream "${hostText}"`);
  const key = `implicit:${hostText}:${defaultPort}`;
  const known = main.registry.get(key) as UpstreamGroup | undefined;
  if (known) return known;
  const group = new UpstreamGroup(hostText, false);
  main.registry.set(key, group);
  pendingLookups(main).push(async () => {
    const named = main.registry.get(`upstream:${hostText.toLowerCase()}`) as UpstreamGroup | undefined;
    if (named) {
      group.set = named.set;
      // the named group stands in for this one from now on
      main.registry.set(key, named);
      aliases.set(group, named);
      return;
    }
    const { host, port } = splitHostPort(hostText, defaultPort);
    if (port === 0 && !hostText.startsWith('unix:')) f.fail(`no port in upstream "${hostText}"`);
    const literal = literalAddresses(hostText, defaultPort);
    const list =
      literal ??
      (await systemAddresses(host).catch(() => f.fail(`host not found in upstream "${host}"`))).map((ip) => makeAddress(ip, port));
    addServer(group, hostText, list);
  });
  return group;
}

/** The one server of a group that no `upstream` block names. */
function addServer(group: UpstreamGroup, text: string, list: readonly ReturnType<typeof makeAddress>[]): void {
  const addresses = list.map((address) => ({ address, options: DEFAULT_SERVER, priority: 0 }));
  group.entries.push({ text, options: DEFAULT_SERVER, resolve: false, service: '', addresses });
  group.rebuild();
}

const aliases = new WeakMap<UpstreamGroup, UpstreamGroup>();
export const realGroup = (group: UpstreamGroup): UpstreamGroup => aliases.get(group) ?? group;

/** A group for an address found at run time. */
export function runtimeGroup(u: Upstream, hostText: string, defaultPort: number): void {
  const { r } = u;
  const { registry } = r.http;
  const named = registry.get(`upstream:${hostText.toLowerCase()}`) as UpstreamGroup | undefined;
  if (named) {
    u.useGroup(named);
    return;
  }
  const implicit = registry.get(`implicit:${hostText}:${defaultPort}`) as UpstreamGroup | undefined;
  if (implicit?.set) {
    u.useGroup(realGroup(implicit));
    return;
  }
  const build = (list: ReturnType<typeof makeAddress>[]) => {
    const key = `runtime:${list.map((a) => a.name).join(',')}`;
    const kept = registry.get(key) as UpstreamGroup | undefined;
    let group = list.length === 1 ? kept : undefined;
    if (!group) {
      group = new UpstreamGroup(hostText, false);
      group.set = new PeerSet({ kind: 'round_robin' });
      addServer(group, hostText, list);
      // peers of a looked-up name start without a history, but share idle connections
      if (kept) group.pool = kept.pool;
      else if (registry.size < 10_000) registry.set(key, group);
    }
    u.useGroup(group);
  };
  const literal = literalAddresses(hostText, defaultPort);
  if (literal) {
    build(literal);
    return;
  }
  const { host, port } = splitHostPort(hostText, defaultPort);
  const c = core.conf(r.loc);
  if (!c.resolver) {
    r.log('error', `no resolver defined to resolve ${host}`);
    u.finish(502);
    return;
  }
  if (host === '' || isIP(host)) {
    u.finish(500);
    return;
  }
  resolverFor(c.resolver)
    .resolve(host, c.resolver_timeout)
    .then(
      (answer) => {
        if (!r.done && !r.conn.error) build(answer.addresses.map((ip) => makeAddress(ip, port)));
        else u.finish(499);
      },
      (error: Error) => {
        r.log('error', error.message);
        u.finish(502);
      },
    );
}
