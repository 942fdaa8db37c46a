// status_zone: counts of sessions by zone; `metrics` and `api` of http show them.
import { custom, SERVER } from '../../config/directive.ts';
import type { BlockFrame } from '../../http/config/module.ts';
import type { HttpModule } from '../../http/model/types.ts';
import { type CountedZone, outcomeMetrics } from '../../http/modules/monitoring/status-zone.ts';
import { DECLINED } from '../../http/request/codes.ts';
import { Counters, loop } from '../../zone/memory.ts';
import { defineStreamModule, type StreamMain } from '../model.ts';

const FIELDS = ['processing', 'connections', '2xx', '4xx', '5xx', 'discarded', 'received', 'sent'] as const;
const [PROCESSING, CONNECTIONS, DISCARDED, RECEIVED, SENT] = [0, 1, 5, 6, 7];
const CLASS_FIELDS: Record<number, number> = { 2: 2, 4: 3, 5: 4 };

/** Counts of one zone, of all event loops together. */
class StreamZone implements CountedZone {
  readonly section = 'server_zones';
  readonly #counters: Counters;

  constructor(
    readonly name: string,
    before: number[] | null,
  ) {
    this.#counters = new Counters(`stream:status_zone:${name}`, FIELDS.length);
    // sessions in progress stay with the previous worker
    if (loop.index === 0) before?.forEach((total, field) => field !== PROCESSING && this.#counters.add(field, total));
  }

  begin(): void {
    this.#counters.add(PROCESSING);
    this.#counters.add(CONNECTIONS);
  }

  end(status: number, received: number, sent: number): void {
    this.#counters.add(PROCESSING, -1);
    this.#counters.add(CLASS_FIELDS[Math.floor(status / 100)] ?? DISCARDED);
    this.#counters.add(RECEIVED, received);
    this.#counters.add(SENT, sent);
  }

  #totals(): Record<(typeof FIELDS)[number], number> {
    return Object.fromEntries(FIELDS.map((name, field) => [name, this.#counters.total(field)])) as Record<(typeof FIELDS)[number], number>;
  }

  report(): unknown {
    const { processing, connections, discarded, received, sent, ...classes } = this.#totals();
    const total = classes['2xx'] + classes['4xx'] + classes['5xx'];
    return { processing, connections, sessions: { ...classes, total }, discarded, received, sent };
  }

  metrics(): ReturnType<CountedZone['metrics']> {
    const { processing, connections, ...totals } = this.#totals();
    const name = 'gannet_front_stream_server_zone';
    return [
      { name: `${name}_processing`, kind: 'gauge', value: processing },
      { name: `${name}_connections_total`, kind: 'counter', value: connections },
      ...outcomeMetrics(name, 'sessions', totals),
    ];
  }

  /** State for the workers of the next configuration. */
  exportState(): number[] {
    return FIELDS.map((_, field) => this.#counters.total(field));
  }
}

function parseZone(f: BlockFrame): StreamZone | null {
  const { main } = f.scope;
  const [name] = f.args;
  if (name === '') f.fail(`invalid zone name "${name}"`);
  if (name === 'off') return null;
  const key = `status_zone:${name}`;
  let zone = main.registry.get(key) as StreamZone | undefined;
  if (!zone) {
    zone = new StreamZone(name, (main.inherited.get(key) as number[] | undefined) ?? null);
    main.registry.set(key, zone);
  }
  return zone;
}

const table = { status_zone: custom<StreamZone | null>(SERVER, 1, null, parseZone, { merge: (_, own) => own }) };

export const streamStatusZone: HttpModule<typeof table, StreamMain> = defineStreamModule('stream_status_zone', table, {
  init(main) {
    main.postAccept.push((s) => {
      const zone = streamStatusZone.conf(s.loc).status_zone;
      if (!zone) return DECLINED;
      zone.begin();
      s.cleanups.push(() => zone.end(s.status, s.bytesReceived, s.bytesSent));
      return DECLINED;
    });
  },
});
