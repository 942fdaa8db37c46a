// A peer of an upstream: its address, its options, and the state that balancing uses.
import { createHash } from 'node:crypto';
import { nowMs } from '../../../../http/wire/clock.ts';
import type { Address } from '../../config/addresses.ts';

export interface ServerOptions {
  weight: number;
  maxConns: number;
  maxFails: number;
  failTimeoutSeconds: number;
  slowStartSeconds: number;
  backup: boolean;
  down: boolean;
  drain: boolean;
  route: string;
}

export const DEFAULT_SERVER: ServerOptions = {
  weight: 1,
  maxConns: 0,
  maxFails: 1,
  failTimeoutSeconds: 10,
  slowStartSeconds: 0,
  backup: false,
  down: false,
  drain: false,
  route: '',
};

export interface EntryAddress {
  address: Address;
  options: ServerOptions;
  priority: number;
  /** the SRV record it came from */
  record?: string;
}

export interface ServerEntry {
  text: string;
  options: ServerOptions;
  resolve: boolean;
  service: string;
  /** most recently resolved addresses */
  addresses: EntryAddress[];
}

/** Which time of a response counts: to its header or to its end. */
export type TimeKind = 'header' | 'last_byte';

/** Fields of a peer's row. Times are seconds, averages ms (0: none yet). */
const [
  MADE,
  EFFECTIVE,
  CURRENT,
  CONNS,
  FAILS,
  ACCESSED,
  CHECKED,
  HEADER_TIME,
  RESPONSE_TIME,
  RECOVERED,
  UNHEALTHY,
  REQUESTS,
  FAILURES,
  RECEIVED,
] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13];
export const PEER_FIELDS = 14;

/** A server; its state is a row of numbers that may be in memory shared by all event loops, and is changed only under the set's lock. */
export class Peer {
  /** start times of the requests that this event loop has in flight there, ms */
  inflightSince: number[] = [];
  /** average of the time that they had been in flight whenever a peer was chosen */
  inflightTime = 0;
  #weightBefore: number;

  readonly #row: Float64Array;

  constructor(
    readonly address: Address,
    /** argument of the `server` directive */
    readonly server: string,
    public options: ServerOptions,
    public id = 0,
    row: Float64Array = new Float64Array(PEER_FIELDS),
    /** name in the configuration, also if `server` is an address found by that name */
    readonly configured = server,
  ) {
    this.#row = row;
    this.#weightBefore = options.weight;
    if (row[MADE]) return;
    row[MADE] = 1;
    row[EFFECTIVE] = options.weight;
  }

  /** After a reload: open connections belong to the previous workers, and weights start over. */
  settle(): void {
    this.conns = 0;
    this.currentWeight = 0;
    this.effectiveWeight = this.options.weight;
  }

  /** Applies changed options. */
  adjust(options: ServerOptions): void {
    this.options = options;
    if (options.weight === this.#weightBefore) return;
    this.#weightBefore = options.weight;
    this.effectiveWeight = options.weight;
  }

  get effectiveWeight(): number {
    return this.#row[EFFECTIVE];
  }
  set effectiveWeight(value: number) {
    this.#row[EFFECTIVE] = value;
  }
  get currentWeight(): number {
    return this.#row[CURRENT];
  }
  set currentWeight(value: number) {
    this.#row[CURRENT] = value;
  }
  get conns(): number {
    return this.#row[CONNS];
  }
  set conns(value: number) {
    this.#row[CONNS] = value;
  }
  get fails(): number {
    return this.#row[FAILS];
  }
  set fails(value: number) {
    this.#row[FAILS] = value;
  }
  get accessed(): number {
    return this.#row[ACCESSED];
  }
  set accessed(value: number) {
    this.#row[ACCESSED] = value;
  }
  get checked(): number {
    return this.#row[CHECKED];
  }
  set checked(value: number) {
    this.#row[CHECKED] = value;
  }
  get headerTime(): number {
    return this.#row[HEADER_TIME];
  }
  set headerTime(value: number) {
    this.#row[HEADER_TIME] = value;
  }
  get responseTime(): number {
    return this.#row[RESPONSE_TIME];
  }
  set responseTime(value: number) {
    this.#row[RESPONSE_TIME] = value;
  }
  get recovered(): number {
    return this.#row[RECOVERED];
  }
  set recovered(value: number) {
    this.#row[RECOVERED] = value;
  }
  get requests(): number {
    return this.#row[REQUESTS];
  }
  set requests(value: number) {
    this.#row[REQUESTS] = value;
  }
  get failures(): number {
    return this.#row[FAILURES];
  }
  set failures(value: number) {
    this.#row[FAILURES] = value;
  }
  get bytesReceived(): number {
    return this.#row[RECEIVED];
  }
  set bytesReceived(value: number) {
    this.#row[RECEIVED] = value;
  }
  get unhealthy(): boolean {
    return this.#row[UNHEALTHY] !== 0;
  }
  set unhealthy(value: boolean) {
    this.#row[UNHEALTHY] = value ? 1 : 0;
  }

  get name(): string {
    return this.address.name;
  }

  get stickyId(): string {
    return this.options.route || createHash('md5').update(this.name).digest('hex');
  }

  /** Whether a request may be sent there now. `drain` peers only serve sticky sessions. */
  usable(now: number, sticky = false): boolean {
    const o = this.options;
    if (o.down || this.unhealthy || (o.drain && !sticky)) return false;
    if (o.maxFails > 0 && this.fails >= o.maxFails && now - this.checked <= o.failTimeoutSeconds) return false;
    return o.maxConns === 0 || this.conns < o.maxConns;
  }

  /** effective weight: rises during slow_start after a recovery */
  weightNow(now: number): number {
    const { slowStartSeconds, weight } = this.options;
    if (slowStartSeconds === 0 || this.recovered === 0) return weight;
    const age = now - this.recovered;
    return age >= slowStartSeconds ? weight : Math.max(1, Math.floor((weight * age) / slowStartSeconds));
  }
}

/** Above this all peers are equally bad, and only their connections count. */
const WORST_MS = 5000;
/** Times that differ by less than this count as the same. */
const CLUSTER_MS = 20;

/**
 * Expected time of a peer for its current requests and one more, ms.
 * The average of a silent peer halves once per fail_timeout, so that it is tried again.
 * @param now  seconds
 * @param inflight  count requests in flight, too
 */
export function peerTime(peer: Peer, timeOf: TimeKind, inflight: boolean, now: number): number {
  let time = Math.floor(timeOf === 'header' ? peer.headerTime : peer.responseTime);
  const silent = now - peer.checked;
  const { failTimeoutSeconds } = peer.options;
  if (silent > failTimeoutSeconds) time = Math.floor(time / 2 ** Math.floor(silent / (failTimeoutSeconds + 1)));
  if (inflight && peer.inflightSince.length > 0) time = Math.max(time, noteInflight(peer));
  time = time > WORST_MS ? WORST_MS : time + CLUSTER_MS - (time % CLUSTER_MS);
  return time * (1 + peer.conns);
}

/** Samples how long requests have been in flight. @returns the average of such samples */
function noteInflight(peer: Peer): number {
  const { inflightSince } = peer;
  const since = inflightSince.reduce((sum, start) => sum + start, 0) / inflightSince.length;
  peer.inflightTime = noteTime(peer.inflightTime, Math.floor(nowMs() - since));
  return peer.inflightTime;
}

/** The average after another sample, in whole ms; the first sample is used as it is. */
export function noteTime(average: number, sampleMs: number): number {
  return average === 0 ? Math.round(sampleMs) : Math.floor(0.5 + sampleMs * 0.05 + average * 0.95);
}
