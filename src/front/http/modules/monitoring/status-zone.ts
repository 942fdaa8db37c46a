// status_zone: request counts by zone, for servers and locations; `metrics` and `api` show them.
import { custom, LOCATION, LOCATION_IF, SERVER } from '../../../config/directive.ts';
import { Counters, loop } from '../../../zone/memory.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import type { BlockMain } from '../../model/types.ts';
import { OK } from '../../request/codes.ts';

type Kind = 'server' | 'location';
const FIELDS = ['requests', '1xx', '2xx', '3xx', '4xx', '5xx', 'discarded', 'received', 'sent'] as const;
const [REQUESTS, FIRST_CLASS, DISCARDED, RECEIVED, SENT] = [0, 1, 6, 7, 8];

/** A zone of counts that `api` and `metrics` show. */
export interface CountedZone {
  /** path in the api */
  readonly section: string;
  readonly name: string;
  /** what the api shows */
  report(): unknown;
  /** one entry per line; a label besides the zone's name */
  metrics(): { name: string; kind: 'gauge' | 'counter'; label?: Record<string, string>; value: number }[];
}

/** Counts of one zone, of all event loops together. */
class StatusZone implements CountedZone {
  readonly #counters: Counters;

  constructor(
    readonly kind: Kind,
    readonly name: string,
    before: number[] | null,
  ) {
    this.#counters = new Counters(`status_zone:${kind}:${name}`, FIELDS.length);
    if (loop.index === 0) before?.forEach((total, field) => this.#counters.add(field, total));
  }

  /** @param status  0 if the request ended without a response */
  count(status: number, received: number, sent: number): void {
    this.#counters.add(REQUESTS);
    const first = Math.floor(status / 100);
    if (first >= 1 && first <= 5) this.#counters.add(FIRST_CLASS + first - 1);
    else this.#counters.add(DISCARDED);
    this.#counters.add(RECEIVED, received);
    this.#counters.add(SENT, sent);
  }

  get totals(): Record<(typeof FIELDS)[number], number> {
    return Object.fromEntries(FIELDS.map((name, field) => [name, this.#counters.total(field)])) as Record<(typeof FIELDS)[number], number>;
  }

  get section(): string {
    return `${this.kind}_zones`;
  }

  report(): unknown {
    const { requests, discarded, received, sent, ...responses } = this.totals;
    return { requests, responses, discarded, received, sent };
  }

  metrics(): ReturnType<CountedZone['metrics']> {
    const { requests, ...totals } = this.totals;
    const name = `gannet_front_${this.kind}_zone`;
    return [{ name: `${name}_requests_total`, kind: 'counter', value: requests }, ...outcomeMetrics(name, 'responses', totals)];
  }

  /** State for the workers of the next configuration. */
  exportState(): number[] {
    return FIELDS.map((_, field) => this.#counters.total(field));
  }
}

/** Metrics of how what was counted ended, and of its bytes. @param what  what the classes of statuses count */
export function outcomeMetrics(
  name: string,
  what: 'responses' | 'sessions',
  { discarded, received, sent, ...classes }: Readonly<Record<'discarded' | 'received' | 'sent', number>>,
): ReturnType<CountedZone['metrics']> {
  return [
    ...Object.entries<number>(classes).map(([code, value]) => ({
      name: `${name}_${what}_total`,
      kind: 'counter' as const,
      label: { code },
      value,
    })),
    { name: `${name}_discarded_total`, kind: 'counter', value: discarded },
    { name: `${name}_received_bytes_total`, kind: 'counter', value: received },
    { name: `${name}_sent_bytes_total`, kind: 'counter', value: sent },
  ];
}

/** Zones of a block, in the order of its configuration. */
export const countedZones = (main: BlockMain): CountedZone[] =>
  [...main.registry.values()].filter((v): v is CountedZone => typeof (v as Partial<CountedZone> | undefined)?.report === 'function');

function parseZone(f: HttpFrame): { kind: Kind; zone: StatusZone | null } {
  const { main, context } = f.scope;
  const kind = context === SERVER ? 'server' : 'location';
  const [name] = f.args;
  if (name === '') f.fail(`invalid zone name "${name}"`);
  if (name === 'off') return { kind, zone: null };
  const key = `status_zone:${kind}:${name}`;
  let zone = main.registry.get(key) as StatusZone | undefined;
  if (!zone) {
    zone = new StatusZone(kind, name, (main.inherited.get(key) as number[] | undefined) ?? null);
    main.registry.set(key, zone);
  }
  return { kind, zone: zone };
}

export const statusZoneModule = defineModule(
  'status_zone',
  {
    status_zone: custom<{ kind: Kind; zone: StatusZone | null } | null>(SERVER | LOCATION | LOCATION_IF, 1, null, parseZone, {
      // A server's zone is its own; a location's zone is inherited by the locations inside it.
      merge: (outer, own) => own ?? (outer?.kind === 'location' ? outer : null),
    }),
  },
  {
    init(main) {
      main.phases.log.push((r) => {
        if (r.isSub) return OK;
        const own = statusZoneModule.conf(r.loc).status_zone;
        const ofServer = statusZoneModule.conf(r.server.root).status_zone;
        for (const zone of [ofServer?.zone, own === ofServer ? undefined : own?.zone])
          zone?.count(r.out.status, r.requestLength, r.conn.output.sent);
        return OK;
      });
    },
  },
);
