// The screen of `gannet front top`: tables of the differences between two samples of the api, the most active rows first.

import { addSection, countText, type Frame, plainText, rateText } from '../../common/terminal/live-screen.ts';
import type { Paint } from '../../common/terminal/paint.ts';
import { formatByteSize } from '../../common/text/byte-size.ts';

type ByName<T> = Record<string, T> | null;

interface Peer {
  id: number;
  server: string;
  backup: boolean;
  down: boolean;
  drain: boolean;
  healthy: boolean;
  active: number;
  requests: number;
  fails: number;
}
interface Zone {
  requests?: number;
  connections?: number;
  processing?: number;
  responses?: Record<string, number>;
  sessions?: Record<string, number>;
  discarded: number;
  received: number;
  sent: number;
}

/** Responses of the api; null for sections that it does not have. */
export interface Sample {
  readonly url: string;
  readonly http: {
    connections: { accepted: number; active: number; reading: number; writing: number; waiting: number };
    requests: { total: number; locations: { server: string; location: string; responses: Record<string, number> }[] } | null;
    upstreams: ByName<{ peers: Peer[] }>;
    caches: ByName<{ size: number; max_size: number; keys: number; hits: number; misses: number }>;
    server_zones: ByName<Zone>;
    location_zones: ByName<Zone>;
    resolvers: ByName<{ requests: Record<string, number>; responses: Record<string, number> }>;
  };
  readonly stream: {
    upstreams: ByName<{ peers: Peer[] }>;
    server_zones: ByName<Zone>;
    resolvers: Sample['http']['resolvers'];
  };
}

const MAX_LOCATIONS = 20;

const sum = (counts: Record<string, number> | undefined): number => Object.values(counts ?? {}).reduce((total, n) => total + n, 0);
const percent = (part: number, whole: number): string => (whole > 0 ? `${((part / whole) * 100).toFixed(0)} %` : '-');

export function renderTop({ now, before, seconds }: Frame<Sample>, paint: Paint): string[] {
  const { connections, requests } = now.http;
  const since = (a: number, b: number | undefined): string => (b === undefined ? '-' : rateText(Math.max(0, a - b), seconds));
  const out = [
    `${paint.bold(`gannet front ${plainText(now.url)}`)}  ${since(requests?.total ?? 0, before?.http.requests?.total)} requests/s  ` +
      `${since(connections.accepted, before?.http.connections.accepted)} connections/s`,
    `connections ${connections.active}: reading ${connections.reading}, writing ${connections.writing}, waiting ${connections.waiting}; ` +
      `${countText(requests?.total ?? 0)} requests in all`,
  ];
  const section = (title: string, head: string[], rows: string[][]): void => addSection(out, paint, title, head, rows);
  section('locations', ['server', 'location', 'requests/s', 'requests', '2xx', '3xx', '4xx', '5xx'], locationRows(now, before, seconds));
  for (const part of ['http', 'stream'] as const) {
    const name = (title: string): string => (part === 'http' ? title : `${title} of stream`);
    section(
      name('upstreams'),
      ['upstream', 'server', 'state', 'active', part === 'http' ? 'requests/s' : 'sessions/s', 'total', 'failures'],
      peerRows(now[part].upstreams, before?.[part].upstreams ?? null, seconds),
    );
    section(name('server zones'), ZONE_HEAD, zoneRows(now[part].server_zones, before?.[part].server_zones ?? null, seconds));
  }
  section('location zones', ZONE_HEAD, zoneRows(now.http.location_zones, before?.http.location_zones ?? null, seconds));
  section('caches', ['cache', 'hits', 'hits/s', 'misses/s', 'size', 'limit', 'keys'], cacheRows(now, before, seconds));
  section('resolvers', ['resolver', 'requests', 'responses'], resolverRows(now));
  return out;
}

function locationRows(now: Sample, before: Sample | null, seconds: number): string[][] {
  const key = ({ server, location }: { server: string; location: string }): string => JSON.stringify([server, location]);
  const old = new Map((before?.http.requests?.locations ?? []).map((entry) => [key(entry), sum(entry.responses)]));
  return (now.http.requests?.locations ?? [])
    .map((entry) => ({ entry, total: sum(entry.responses), rate: before ? sum(entry.responses) - (old.get(key(entry)) ?? 0) : 0 }))
    .sort((a, b) => b.rate - a.rate || b.total - a.total)
    .slice(0, MAX_LOCATIONS)
    .map(({ entry: { server, location, responses }, total, rate }) => [
      server || '-',
      location || '-',
      before ? rateText(rate, seconds) : '-',
      countText(total),
      ...['2xx', '3xx', '4xx', '5xx'].map((code) => countText(responses[code] ?? 0)),
    ]);
}

function peerRows(now: ByName<{ peers: Peer[] }>, before: ByName<{ peers: Peer[] }>, seconds: number): string[][] {
  return Object.entries(now ?? {}).flatMap(([upstream, { peers }]) =>
    peers.map((peer) => {
      const old = before?.[upstream]?.peers.find(({ id, server }) => id === peer.id && server === peer.server);
      return [
        upstream,
        peer.server,
        stateOf(peer),
        String(peer.active),
        old ? rateText(Math.max(0, peer.requests - old.requests), seconds) : '-',
        countText(peer.requests),
        countText(peer.fails),
      ];
    }),
  );
}

function stateOf({ down, drain, healthy, backup }: Peer): string {
  if (down) return 'down';
  if (!healthy) return 'unhealthy';
  if (drain) return 'draining';
  return backup ? 'backup' : 'up';
}

const ZONE_HEAD = ['zone', 'per second', 'total', '2xx', '4xx', '5xx', 'in/s', 'out/s', 'active'];

function zoneRows(now: ByName<Zone>, before: ByName<Zone>, seconds: number): string[][] {
  const bytesRate = (amount: number): string => (seconds > 0 ? formatByteSize(Math.round(amount / seconds)) : '-');
  return Object.entries(now ?? {}).map(([name, zone]) => {
    const old = before?.[name];
    const total = zone.requests ?? zone.connections ?? 0;
    const classes = zone.responses ?? zone.sessions ?? {};
    return [
      name,
      old ? rateText(Math.max(0, total - (old.requests ?? old.connections ?? 0)), seconds) : '-',
      countText(total),
      ...['2xx', '4xx', '5xx'].map((code) => countText(classes[code] ?? 0)),
      old ? bytesRate(Math.max(0, zone.received - old.received)) : '-',
      old ? bytesRate(Math.max(0, zone.sent - old.sent)) : '-',
      zone.processing === undefined ? '-' : String(zone.processing),
    ];
  });
}

function cacheRows(now: Sample, before: Sample | null, seconds: number): string[][] {
  return Object.entries(now.http.caches ?? {}).map(([name, cache]) => {
    const old = before?.http.caches?.[name];
    return [
      name,
      percent(cache.hits, cache.hits + cache.misses),
      old ? rateText(Math.max(0, cache.hits - old.hits), seconds) : '-',
      old ? rateText(Math.max(0, cache.misses - old.misses), seconds) : '-',
      formatByteSize(cache.size),
      cache.max_size > 0 ? formatByteSize(cache.max_size) : '-',
      String(cache.keys),
    ];
  });
}

const resolverRows = (now: Sample): string[][] =>
  [...Object.entries(now.http.resolvers ?? {}), ...Object.entries(now.stream.resolvers ?? {})].map(([name, { requests, responses }]) => [
    name,
    countText(sum(requests)),
    Object.entries(responses)
      .filter(([, n]) => n > 0)
      .map(([result, n]) => `${result} ${n}`)
      .join(', ') || '-',
  ]);
