// What `resolver ... status_zone=NAME` counts: requests by kind, answers by their code, of all event loops together.
import { Counters, loop } from '../../zone/memory.ts';

const REQUESTS = { A: 1, AAAA: 28, SRV: 33 } as const;
/** codes of RFC 1035 section 4.1.1, by number */
const ANSWERS = ['noerror', 'formerr', 'servfail', 'nxdomain', 'notimp', 'refused'] as const;
const KINDS = Object.keys(REQUESTS);
const FIELDS = [...KINDS, ...ANSWERS, 'timedout', 'unknown'];
/** as resolver.ts has it: no server answered */
export const TIMED_OUT = 110;

export class ResolverCounts {
  readonly #counters: Counters;

  constructor(
    readonly zone: string,
    before: number[] | undefined,
  ) {
    this.#counters = new Counters(`resolver:${zone}`, FIELDS.length);
    if (loop.index === 0) before?.forEach((total, field) => this.#counters.add(field, total));
  }

  /** For the workers of the next configuration. */
  exportState(): number[] {
    return FIELDS.map((_, field) => this.#counters.total(field));
  }

  /** @param type  of the record asked for */
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

/** Counts of a zone, the same for all resolvers that name it. @param before  what the workers before had counted */
export function resolverCounts(zone: string, before?: number[]): ResolverCounts {
  let counts = zones.get(zone);
  if (!counts) zones.set(zone, (counts = new ResolverCounts(zone, before)));
  return counts;
}
