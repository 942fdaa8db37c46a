// metrics (Prometheus format) and api (reading and changing upstream servers at run time, purging caches).
//   GET  upstreams                     all groups      GET upstreams/NAME/servers
//   POST upstreams/NAME/servers        { "server": "127.0.0.1:81", "weight": 2 }
//   PATCH, DELETE upstreams/NAME/servers/ID            { "down": true }, { "weight": 3 }, { "drain": true }
//   GET  connections, requests, caches counts of the whole server, by location, by cache zone
//   GET  log                           the ring buffer (error_log memory:SIZE) of this location
//   GET  server_zones, location_zones, resolvers       counts of status_zone; a single one: .../NAME
//   GET, POST, PATCH, DELETE keyvals/NAME              { "key": "value" }, { "key": null }; one key: GET keyvals/NAME?key=...
//   stream/upstreams, stream/server_zones, stream/keyvals, stream/resolvers           the same for `stream { }`
//   POST caches/NAME/purge             { "key": "...", "tag": "..." }; a key may end in `*`
import { present } from '../../../../common/present.ts';
import { custom, LOCATION } from '../../../config/directive.ts';
import { MemorySink } from '../../../log/error-log.ts';
import { drain, onNews, tellLoops } from '../../../zone/bus.ts';
import { literalAddresses } from '../../config/addresses.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import { ResolverCounts } from '../../config/resolver-counts.ts';
import { stats } from '../../connection/stats.ts';
import type { BlockMain, HttpMain, Request } from '../../model/types.ts';
import { sendText } from '../../phases/send.ts';
import { DONE, OK } from '../../request/codes.ts';
import { CacheZone } from '../../upstream/cache/cache-zone.ts';
import type { UpstreamGroup } from '../../upstream/peers/group.ts';
import { DEFAULT_SERVER, type Peer, type ServerOptions } from '../../upstream/peers/peer.ts';
import { writeState } from '../../upstream/peers/state-file.ts';
import { changeKeyvals, showKeyvals } from './keyval-api.ts';
import { countLocations, locationCounts } from './location-counts.ts';
import { countedZones } from './status-zone.ts';

/** A change of an upstream's servers, applied here and sent to the other event loops. */
type Change = { block: 'http' | 'stream'; group: string } & (
  | { kind: 'add'; server: string; options: ServerOptions }
  | { kind: 'remove'; name: string; backup: boolean }
  | { kind: 'adjust'; name: string; options: ServerOptions }
);

export const operationsModule = defineModule(
  'operations',
  {
    metrics: custom<boolean>(LOCATION, 0, false, (f: HttpFrame) => {
      f.scope.loc.handler = metrics;
      return true;
    }),
    api: custom<boolean>(LOCATION, [0, 1], false, (f: HttpFrame) => {
      const word = f.args[0];
      if (word !== undefined && word !== 'write=on' && word !== 'write=off') f.fail(`invalid parameter "${word}"`);
      f.scope.loc.handler = (r) => api(r, word === 'write=on');
      return true;
    }),
  },
  {
    init: countLocations,
    start(main) {
      onNews<Change>('upstream', (change) => apply(main, change));
    },
  },
);

// ---------------------------------------------------------------- metrics

const quote = (text: string): string => text.replace(/[\\"\n]/g, (c) => (c === '\n' ? '\\n' : `\\${c}`));

function metrics(r: Request): number {
  if (r.method !== 'GET' && r.method !== 'HEAD') return 405;
  r.conn.discardBody(r);
  r.out.status = 200;
  r.out.contentType = 'text/plain; version=0.0.4';
  return sendText(r, metricsText(r.http));
}

function metricsText(http: HttpMain): string {
  const out: string[] = [];
  const family = (name: string, kind: string, rows: [labels: string, value: number][]) => {
    if (rows.length === 0) return;
    out.push(`# TYPE ${name} ${kind}`);
    for (const [labels, value] of rows) out.push(`${name}${labels ? `{${labels}}` : ''} ${value}`);
  };
  family('gannet_front_connections', 'gauge', [['', stats.active]]);
  family('gannet_front_connections_accepted_total', 'counter', [['', stats.accepted]]);
  family('gannet_front_requests_total', 'counter', [['', stats.requests]]);
  family('gannet_front_location_requests_total', 'counter', locationRows(http));
  upstreamRows(http, 'gannet_front', family);
  const stream = streamOf(http);
  if (stream) upstreamRows(stream, 'gannet_front_stream', family);
  const zoneRows = new Map<string, { kind: string; rows: [labels: string, value: number][] }>();
  for (const zone of [...countedZones(http), ...(stream ? countedZones(stream) : [])]) {
    for (const { name, kind, label = {}, value } of zone.metrics()) {
      const labels = [`zone="${quote(zone.name)}"`, ...Object.entries(label).map(([key, text]) => `${key}="${quote(text)}"`)].join(',');
      let found = zoneRows.get(name);
      if (!found) zoneRows.set(name, (found = { kind, rows: [] }));
      found.rows.push([labels, value]);
    }
  }
  for (const [name, { kind, rows }] of zoneRows) family(name, kind, rows);
  const resolverRows = (part: 'requests' | 'responses', label: string): [string, number][] =>
    resolverZones(http).flatMap((z) =>
      Object.entries(z.totals[part]).map(([name, n]): [string, number] => [`zone="${quote(z.zone)}",${label}="${name}"`, n]),
    );
  family('gannet_front_resolver_requests_total', 'counter', resolverRows('requests', 'type'));
  family('gannet_front_resolver_responses_total', 'counter', resolverRows('responses', 'result'));
  const zones = cacheZones(http);
  const zone = (show: (z: CacheZone) => number) => zones.map((z): [string, number] => [`zone="${quote(z.options.name)}"`, show(z)]);
  family(
    'gannet_front_cache_bytes',
    'gauge',
    zone((z) => z.totalSize),
  );
  family(
    'gannet_front_cache_hits_total',
    'counter',
    zone((z) => z.hits),
  );
  family(
    'gannet_front_cache_misses_total',
    'counter',
    zone((z) => z.misses),
  );
  return `${out.join('\n')}\n`;
}

const cacheZones = (http: HttpMain): CacheZone[] => [...http.registry.values()].filter((v): v is CacheZone => v instanceof CacheZone);

type Family = (name: string, kind: string, rows: [labels: string, value: number][]) => void;

function upstreamRows(main: BlockMain, prefix: string, family: Family): void {
  const peers = groups(main).flatMap((g) =>
    g.set.all().map((p): [string, Peer] => [`upstream="${quote(g.name)}",peer="${quote(p.name)}",id="${p.id}"`, p]),
  );
  const now = Math.floor(Date.now() / 1000);
  const column = (name: string, kind: string, show: (p: Peer) => number): void =>
    family(
      `${prefix}_upstream_${name}`,
      kind,
      peers.map(([labels, p]): [string, number] => [labels, show(p)]),
    );
  column('requests_total', 'counter', (p) => p.requests);
  column('failures_total', 'counter', (p) => p.failures);
  column('active', 'gauge', (p) => p.conns);
  column('received_bytes_total', 'counter', (p) => p.bytesReceived);
  column('up', 'gauge', (p) => (p.usable(now) ? 1 : 0));
}

const locationRows = (http: HttpMain): [string, number][] =>
  locationCounts(http).flatMap(({ server, location, responses }) =>
    Object.entries(responses).map(([code, n]): [string, number] => [
      `server="${quote(server)}",location="${quote(location)}",code="${code}"`,
      n,
    ]),
  );

const resolverZones = (main: BlockMain): ResolverCounts[] => [...main.registry.values()].filter((v) => v instanceof ResolverCounts);

/** The configuration of `stream { }` next to that of http (set by the event loop). */
const streamOf = (http: HttpMain): BlockMain | null => (http.registry.get('stream') as BlockMain | undefined) ?? null;

function groups(main: BlockMain): UpstreamGroup[] {
  return [...main.registry].filter(([key]) => key.startsWith('upstream:')).map(([, value]) => value as UpstreamGroup);
}

// ---------------------------------------------------------------- api

const describe = (p: Peer) => ({
  id: p.id,
  server: p.name,
  weight: p.options.weight,
  max_conns: p.options.maxConns,
  max_fails: p.options.maxFails,
  fail_timeout: `${p.options.failTimeoutSeconds}s`,
  backup: p.options.backup,
  down: p.options.down,
  drain: p.options.drain,
  healthy: !p.unhealthy,
  active: p.conns,
  requests: p.requests,
  fails: p.failures,
});

function answer(r: Request, status: number, body: unknown): void {
  r.out.status = status;
  r.out.contentType = 'application/json';
  r.finalize(status === 204 ? 204 : sendText(r, `${JSON.stringify(body)}\n`));
}

function api(r: Request, writable: boolean): number {
  if (r.method !== 'GET' && r.method !== 'HEAD' && !writable) return 405;
  r.conn.readBody(r, (rc) => {
    if (rc !== OK) {
      r.finalize(rc);
      return;
    }
    const parts = r.uri.slice(r.loc.name.length).split('/').filter(Boolean).map(decodeURIComponent);
    try {
      const text = r.main.body?.read().toString('utf8') ?? '';
      route(r, parts, text === '' ? {} : (JSON.parse(text) as Record<string, unknown>));
    } catch (error) {
      answer(r, 400, { error: { status: 400, text: (error as Error).message } });
    }
  });
  return DONE;
}

function showRing(r: Request): void {
  const rings = r.loc.errorLogs.map((log) => log.sink).filter((sink): sink is MemorySink => sink instanceof MemorySink);
  r.out.status = 200;
  r.out.contentType = 'text/plain';
  r.finalize(sendText(r, rings.map((ring) => ring.text()).join('')));
}

function route(r: Request, parts: string[], body: Record<string, unknown>): void {
  drain();
  const missing = (what: string) => answer(r, 404, { error: { status: 404, text: `${what} not found` } });
  if (parts[0] === 'caches' && parts[2] === 'purge' && r.method === 'POST') {
    const zone = r.http.registry.get(`cache:${parts[1]}`);
    if (!(zone instanceof CacheZone)) return missing('cache');
    if (typeof body.key !== 'string' && typeof body.tag !== 'string') throw new Error('"key" or "tag" must be given');
    return answer(r, 200, { purged: zone.purge({ key: body.key as string | undefined, tag: body.tag as string | undefined }) });
  }
  if (parts[0] === 'log' && r.method === 'GET') return showRing(r);
  const figures = parts.length === 1 && r.method === 'GET' ? figuresOf(r.http, parts[0]) : null;
  if (figures) return answer(r, 200, figures);
  const inStream = parts[0] === 'stream';
  const main = inStream ? streamOf(r.http) : r.http;
  if (!main) return missing('stream');
  if (inStream) parts.shift();
  if (parts[0] === 'keyvals') return routeKeyvals(r, main, parts, body);
  const counted = parts.length <= 2 && r.method === 'GET' ? countsOf(main, parts[0]) : null;
  if (counted) {
    if (parts.length === 1) return answer(r, 200, counted);
    return Object.hasOwn(counted, parts[1]) ? answer(r, 200, counted[parts[1]]) : missing('zone');
  }
  if (parts[0] !== 'upstreams') return missing('path');
  if (parts.length === 1)
    return answer(r, 200, Object.fromEntries(groups(main).map((g) => [g.name, { peers: g.set.all().map(describe) }])));
  const group = groups(main).find((g) => g.name === parts[1]);
  if (!group) return missing('upstream');
  if (parts[2] === undefined) return answer(r, 200, { peers: group.set.all().map(describe) });
  if (parts[2] !== 'servers') return missing('path');
  const at = { block: inStream ? ('stream' as const) : ('http' as const), group: group.name };
  if (parts[3] === undefined) {
    if (r.method === 'POST') return addServer(r, group, at, body);
    return answer(r, 200, group.set.all().map(describe));
  }
  const peer = group.set.all().find((p) => String(p.id) === parts[3]);
  if (!peer) return missing('server');
  if (r.method === 'DELETE') {
    change(r.http, { ...at, kind: 'remove', name: peer.name, backup: peer.options.backup });
    return answer(r, 200, group.set.all().map(describe));
  }
  if (r.method === 'PATCH') {
    change(r.http, { ...at, kind: 'adjust', name: peer.name, options: readOptions(body, peer.options) });
    return answer(r, 200, describe(peer));
  }
  answer(r, 200, describe(peer));
}

function routeKeyvals(r: Request, main: BlockMain, parts: readonly string[], body: Record<string, unknown>): void {
  const [, name, more] = parts;
  const key = new URLSearchParams(r.args).get('key') ?? undefined;
  if (r.method === 'GET' || r.method === 'HEAD' || more !== undefined || name === undefined) {
    const found = r.method === 'GET' || r.method === 'HEAD' ? showKeyvals(main, name, key) : null;
    if (found === null || more !== undefined) answer(r, 404, { error: { status: 404, text: 'keyval not found' } });
    else answer(r, 200, found);
    return;
  }
  const { status, problem } = changeKeyvals(main, name, r.method, body);
  answer(r, status, problem === undefined ? {} : { error: { status, text: problem } });
}

/** Counts of the whole server, null for an unknown kind. */
function figuresOf(http: HttpMain, kind: string): unknown {
  if (kind === 'connections') {
    const { accepted, handled, active, reading, writing, waiting } = stats;
    return { accepted, handled, active, reading, writing, waiting };
  }
  if (kind === 'requests') return { total: stats.requests, locations: locationCounts(http) };
  if (kind !== 'caches') return null;
  return Object.fromEntries(
    cacheZones(http).map((z) => [
      z.options.name,
      { size: z.totalSize, max_size: z.options.maxSize, keys: z.nodes.size, hits: z.hits, misses: z.misses },
    ]),
  );
}

/** Counts of all zones of a kind by name, undefined for an unknown kind. */
function countsOf(main: BlockMain, kind: string): Record<string, unknown> | null {
  if (kind === 'resolvers') return Object.fromEntries(resolverZones(main).map((z) => [z.zone, z.totals]));
  if (kind !== 'server_zones' && kind !== 'location_zones') return null;
  const ofKind = countedZones(main).filter((z) => z.section === kind);
  return Object.fromEntries(ofKind.map((z) => [z.name, z.report()]));
}

function readOptions(body: Record<string, unknown>, base: ServerOptions): ServerOptions {
  const out = { ...base };
  for (const [name, value] of Object.entries(body)) {
    if (name === 'server') continue;
    if ((name === 'down' || name === 'drain' || name === 'backup') && typeof value === 'boolean') out[name] = value;
    else if (name === 'weight' && Number.isInteger(value) && (value as number) > 0) out.weight = value as number;
    else if (name === 'max_conns' && Number.isInteger(value)) out.maxConns = value as number;
    else if (name === 'max_fails' && Number.isInteger(value)) out.maxFails = value as number;
    else if (name === 'route' && typeof value === 'string') out.route = value;
    else throw new Error(`invalid parameter "${name}"`);
  }
  return out;
}

function addServer(r: Request, group: UpstreamGroup, at: Pick<Change, 'block' | 'group'>, body: Record<string, unknown>): void {
  const text = body.server;
  const addresses = typeof text === 'string' ? literalAddresses(text, defaultPort(at)) : null;
  if (!addresses?.every(({ path, port }) => path !== '' || port > 0)) throw new Error('"server" must be an address and port');
  change(r.http, { ...at, kind: 'add', server: text as string, options: readOptions(body, DEFAULT_SERVER) });
  answer(r, 201, describe(present(group.set.all().find((p) => p.name === addresses[0].name))));
}

const defaultPort = ({ block }: Pick<Change, 'block'>): number => (block === 'http' ? 80 : 0);

const groupOf = (http: HttpMain, { block, group: name }: Pick<Change, 'block' | 'group'>): UpstreamGroup | null => {
  const main = block === 'http' ? http : streamOf(http);
  return (main && groups(main).find((g) => g.name === name)) ?? null;
};

/** Applies a change here and in the other event loops. */
function change(http: HttpMain, what: Change): void {
  apply(http, what);
  tellLoops('upstream', what);
  const group = groupOf(http, what);
  if (group?.state) writeState(group.state, group.entries);
}

function apply(http: HttpMain, what: Change): void {
  const group = groupOf(http, what);
  if (!group) return;
  if (what.kind === 'add') {
    const { server: text, options } = what;
    const addresses = present(literalAddresses(text, defaultPort(what))).map((address) => ({ address, options, priority: 0 }));
    group.entries.push({ text, options, resolve: false, service: '', addresses });
  } else {
    for (const entry of group.entries) {
      if (what.kind === 'remove') {
        entry.addresses = entry.addresses.filter((a) => a.address.name !== what.name || entry.options.backup !== what.backup);
      } else for (const a of entry.addresses) if (a.address.name === what.name) a.options = what.options;
    }
  }
  group.rebuild();
}
