// Counters of `resolver ... status_zone=NAME`: requests by kind and responses by code, over all event loops.
import { Counters, loop } from '../../zone/memory.ts';

const REQUESTS = { A: 1, AAAA: 28, SRV: 33, PTR: 12 } as const;
/** response codes of RFC 1035, 4.1.1, by number */
const ANSWERS = ['noerror', 'formerr', 'servfail', 'nxdomain', 'notimp', 'refused'] as const;
const KINDS = Object.keys(REQUESTS);
const FIELDS = [...KINDS, ...ANSWERS, 'timedout', 'unknown'];
/** same as in resolver.ts: no server responded */
export const TIMED_OUT = 110;

export class ResolverCounts {
  readonly #counters: Counters;

  constructor(
    readonly zone: string,
    before: number[] | null,
  ) {
    this.#counters = new Counters(`resolver:${zone}`, FIELDS.length);
    if (loop.index === 0) before?.forEach((total, field) => this.#counters.add(field, total));
  }

  /** State for the workers of the next configuration. */
  exportState(): number[] {
    return FIELDS.map((_, field) => this.#counters.total(field));
  }

  /** @param type  type of the requested record */
  asked(type: number): void {
    this.#counters.add(Object.values<number>(REQUESTS).indexOf(type));
  }

  answered(code: number): void {
    const name = code === TIMED_OUT ? 'timedout' : (ANSWERS[code] ?? 'unknown');
    this.#counters.add(FIELDS.indexOf(name));
  }

  get totals(): { requests: Record<string, number>; responses: Record<string, number> } {
    const entries = FIELDS.map((name, field): [string, number] => [name, this.#counters.total(field)]);
    return { requests: Object.fromEntries(entries.slice(0, KINDS.length)), responses: Object.fromEntries(entries.slice(KINDS.length)) };
  }
}

const zones = new Map<string, ResolverCounts>();

/** Counters of a zone, shared by all resolvers that name it. @param before  totals of the previous workers */
export function resolverCounts(zone: string, before?: number[]): ResolverCounts {
  let counts = zones.get(zone);
  if (!counts) zones.set(zone, (counts = new ResolverCounts(zone, before ?? null)));
  return counts;
}
