// How long a response may be cached: according to its own header, otherwise to `cache_valid`. Times are seconds.
import { parseHttpDate } from '../../request/http-date.ts';
import type { UpstreamHead } from '../protocol/protocol.ts';
import type { CacheRules } from './cache-rules.ts';

interface Freshness {
  forbidden: boolean;
  /** null or 0: not in the header */
  until: number | null;
  /** seconds after `until` during which a stale response may be used while it is updated, or on errors */
  staleUpdating: number;
  staleError: number;
}

const nowSeconds = () => Math.floor(Date.now() / 1000);

/** Evaluates the fields of a response in their order, which matters. @param ignored  lower-case names of fields to ignore */
export function freshnessOf(head: Pick<UpstreamHead, 'fields'>, ignored: ReadonlySet<string>): Freshness {
  const reading = new Reading();
  for (const { lname, value } of head.fields) {
    if (ignored.has(lname)) continue;
    if (lname === 'cache-control') reading.cacheControl(value);
    else if (lname === 'expires') reading.expires(value);
    else if (lname === 'x-accel-expires') reading.accelExpires(value);
    else if (lname === 'set-cookie' || (lname === 'vary' && value === '*')) reading.never = true;
  }
  if (varyOf(head, ignored).length > MAX_VARY) reading.never = true;
  const { until, staleUpdating, staleError } = reading;
  return { forbidden: reading.never || reading.noCache || reading.expired, until, staleUpdating, staleError };
}

/** characters of `Vary` beyond which a response is not cached */
const MAX_VARY = 128;

class Reading {
  /** no later field makes the response cacheable again */
  never = false;
  /** X-Accel-Expires overrides these two */
  noCache = false;
  expired = false;
  until: number | null = null;
  staleUpdating = 0;
  staleError = 0;
  #accelerated = false;
  #expiresSeen = false;

  cacheControl(value: string): void {
    if (!(this.until !== null && this.#accelerated)) {
      if (/no-cache|no-store|private/i.test(value)) {
        this.noCache = true;
        return;
      }
      const age = this.#seconds(value, 's-maxage') ?? this.#seconds(value, 'max-age');
      if (age === 'invalid') return;
      if (age === 0) {
        this.noCache = true;
        return;
      }
      if (age !== null) {
        this.until = nowSeconds() + age;
        this.expired = false;
      }
    }
    const updating = this.#seconds(value, 'stale-while-revalidate');
    if (updating === 'invalid') return;
    if (updating !== null) this.staleUpdating = this.staleError = updating;
    const error = this.#seconds(value, 'stale-if-error');
    if (typeof error === 'number') this.staleError = error;
  }

  /** A number of seconds of a directive, null without it; an invalid one forbids caching. */
  #seconds(value: string, name: string): number | 'invalid' | null {
    const found = new RegExp(`${name}=([^,; ]*)`, 'i').exec(value);
    if (!found) return null;
    if (/^\d*$/.test(found[1])) return Math.min(Number(found[1]), Number.MAX_SAFE_INTEGER - nowSeconds());
    this.never = true;
    return 'invalid';
  }

  expires(value: string): void {
    if (this.#expiresSeen) return;
    this.#expiresSeen = true;
    if (this.until !== null) return;
    const at = parseHttpDate(value);
    if (at < 0 || at < nowSeconds()) this.expired = true;
    else this.until = at;
  }

  accelExpires(value: string): void {
    if (this.#accelerated) return;
    this.#accelerated = true;
    const [, mark, digits] = /^(@?)(\d+)$/.exec(value) ?? [];
    if (digits === undefined) return;
    const seconds = Number(digits);
    if (mark === '' && seconds === 0) {
      this.never = true;
      return;
    }
    this.until = mark === '@' ? seconds : nowSeconds() + seconds;
    this.noCache = false;
    this.expired = false;
  }
}

/** All values of `Vary`, joined. */
export function varyOf(head: Pick<UpstreamHead, 'fields'>, ignored: ReadonlySet<string>): string {
  if (ignored.has('vary')) return '';
  return head.fields
    .filter((f) => f.lname === 'vary')
    .map((f) => f.value)
    .join(', ');
}

/** Time until which a response is valid, 0: it must not be cached. */
export function validUntil(fresh: Freshness, conf: CacheRules, status: number): number {
  if (fresh.forbidden) return 0;
  if (fresh.until) return fresh.until;
  const seconds = validFor(conf, status);
  return seconds ? nowSeconds() + seconds : 0;
}

/** Seconds that the first rule of `cache_valid` for a status, or for any, sets; 0: none. */
export function validFor(conf: CacheRules, status: number): number {
  return conf.valid.find((rule) => rule.status === status || rule.status === 0)?.seconds ?? 0;
}

/**
 * Until when a stored response is valid that a back end has confirmed by 304: its answer decides, then the header of the stored response,
 * then `cache_valid`.
 */
export function validAgain(answer: Freshness, stored: Freshness, conf: CacheRules, status: number): { until: number; by: Freshness } {
  for (const by of [answer, stored]) if (!by.forbidden && by.until) return { until: by.until, by };
  const seconds = validFor(conf, status);
  return { until: seconds ? nowSeconds() + seconds : 0, by: answer };
}
