// Groups for back ends that the configuration names by address, or that variables name at run time.
import { isIP } from 'node:net';
import { addressError, literalAddresses, makeAddress, pendingLookups, splitHostPort, systemAddresses } from '../../config/addresses.ts';
import { core } from '../../config/core.ts';
import type { HttpFrame } from '../../config/module.ts';
import type { Request } from '../../model/types.ts';
import { UpstreamGroup } from './group.ts';
import { DEFAULT_SERVER } from './peer.ts';
import { PeerSet } from './peer-set.ts';
import { resolverFor } from './resolver.ts';

/** An exchange that needs a group of peers. */
export interface GroupSeeker {
  readonly r: Request;
  useGroup(group: UpstreamGroup): void;
  finish(rc: number): void;
}

/** The group for an address in the configuration: a named upstream defined anywhere, or the addresses of the host. */
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
      // from now on the named group replaces this one
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

/** Adds the only server of a group without an `upstream` block. */
function addServer(group: UpstreamGroup, text: string, list: readonly ReturnType<typeof makeAddress>[]): void {
  const addresses = list.map((address) => ({ address, options: DEFAULT_SERVER, priority: 0 }));
  group.entries.push({ text, options: DEFAULT_SERVER, resolve: false, service: '', addresses });
  group.rebuild();
}

const aliases = new WeakMap<UpstreamGroup, UpstreamGroup>();
export const realGroup = (group: UpstreamGroup): UpstreamGroup => aliases.get(group) ?? group;

/** Finds the group for an address known at run time, and passes it to `u.useGroup`. */
export function runtimeGroup(u: GroupSeeker, hostText: string, defaultPort: number): void {
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
      // peers of a resolved name start without history, but share idle connections
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
