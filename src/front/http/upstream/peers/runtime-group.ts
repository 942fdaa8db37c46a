// Groups for back ends that the configuration names by address, or that variables name at run time.
import { addressError, literalAddresses, makeAddress, pendingLookups, splitHostPort, systemAddresses } from '../../config/addresses.ts';
import { core } from '../../config/core.ts';
import type { BlockFrame } from '../../config/module.ts';
import type { ResolverConf } from '../../model/resolver.ts';
import type { BlockMain, Request } from '../../model/types.ts';
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
export function literalGroup(f: BlockFrame, hostText: string, defaultPort: number): UpstreamGroup {
  const { main } = f.scope;
  const wrong = addressError(hostText);
  if (wrong) f.fail(`${wrong} in upstream "${hostText}"`);
  const key = `implicit:${hostText}:${defaultPort}`;
  const known = main.registry.get(key) as UpstreamGroup | undefined;
  if (known) return known;
  const group = new UpstreamGroup(hostText, false, main.zonePrefix);
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

/** No group for an address known at run time. */
export class GroupError extends Error {
  constructor(
    message: string,
    readonly status: 500 | 502,
  ) {
    super(message);
  }
}

/**
 * The group for an address known at run time: a promise if the resolver must be asked.
 * @throws GroupError  @rejects ResolveError
 */
export function groupAt(
  { registry, zonePrefix }: BlockMain,
  hostText: string,
  defaultPort: number,
  resolver: ResolverConf | null,
  timeoutMs: number,
): UpstreamGroup | Promise<UpstreamGroup> {
  const wrong = addressError(hostText);
  if (wrong) throw new GroupError(`${wrong} in upstream "${hostText}"`, 500);
  const named = registry.get(`upstream:${hostText.toLowerCase()}`) as UpstreamGroup | undefined;
  if (named) return named;
  const implicit = registry.get(`implicit:${hostText}:${defaultPort}`) as UpstreamGroup | undefined;
  if (implicit?.set) return realGroup(implicit);
  const build = (list: ReturnType<typeof makeAddress>[]): UpstreamGroup => {
    const key = `runtime:${list.map((a) => a.name).join(',')}`;
    const known = registry.get(key) as UpstreamGroup | undefined;
    if (known && list.length === 1) return known;
    const group = new UpstreamGroup(hostText, false, zonePrefix);
    group.set = new PeerSet({ kind: 'round_robin' });
    addServer(group, hostText, list);
    // peers of a resolved name start without history, but share idle connections
    if (known) group.pool = known.pool;
    else if (registry.size < 10_000) registry.set(key, group);
    return group;
  };
  const { host, port } = splitHostPort(hostText, defaultPort);
  if (port === 0 && !hostText.startsWith('unix:')) throw new GroupError(`no port in upstream "${hostText}"`, 500);
  const literal = literalAddresses(hostText, defaultPort);
  if (literal) return build(literal);
  if (!resolver) throw new GroupError(`no resolver defined to resolve ${host}`, 502);
  return resolverFor(resolver)
    .resolve(host, timeoutMs)
    .then((answer) => build(answer.addresses.map((ip) => makeAddress(ip, port))));
}

/** Finds the group for an address known at run time, and passes it to `u.useGroup`. */
export function runtimeGroup(u: GroupSeeker, hostText: string, defaultPort: number): void {
  const { r } = u;
  const c = core.conf(r.loc);
  let found: UpstreamGroup | Promise<UpstreamGroup>;
  try {
    found = groupAt(r.http, hostText, defaultPort, c.resolver, c.resolver_timeout);
  } catch (error) {
    if (!(error instanceof GroupError)) throw error;
    r.log('error', error.message);
    u.finish(error.status);
    return;
  }
  if (!(found instanceof Promise)) {
    u.useGroup(found);
    return;
  }
  found.then(
    (group) => {
      if (!r.done && !r.conn.error) u.useGroup(group);
      else u.finish(499);
    },
    (error: Error) => {
      r.log('error', error.message);
      u.finish(502);
    },
  );
}
