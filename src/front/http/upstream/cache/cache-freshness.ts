// How long a response may be cached: as its own header says, otherwise as `cache_valid` says. Times are seconds.
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

/** Evaluates the header of a response. @param ignored  lower-case names of fields to ignore */
export function freshnessOf(head: UpstreamHead, ignored: ReadonlySet<string>): Freshness {
  const result: Freshness = { forbidden: false, until: null, staleUpdating: 0, staleError: 0 };
  const first = (lname: string) => (ignored.has(lname) ? undefined : head.fields.find((f) => f.lname === lname)?.value);
  if (
    first('set-cookie') !== undefined ||
    varyOf(head, ignored)
      .split(',')
      .some((name) => name.trim() === '*')
  )
    result.forbidden = true;
  const accel = first('x-accel-expires');
  if (accel !== undefined) {
    const at = /^@(\d+)$/.exec(accel);
    const seconds = /^\d+$/.test(accel) ? Number(accel) : null;
    if (at) result.until = Number(at[1]);
    else if (seconds === 0) result.forbidden = true;
    else if (seconds !== null) result.until = nowSeconds() + seconds;
    if (at || seconds !== null) {
      // the stale-* values of Cache-Control still apply
      const { staleUpdating, staleError } = cacheControl(head, ignored);
      return { ...result, staleUpdating, staleError };
    }
  }
  const control = cacheControl(head, ignored);
  if (control.forbidden) result.forbidden = true;
  result.staleUpdating = control.staleUpdating;
  result.staleError = control.staleError;
  result.until = control.until;
  const expires = first('expires');
  if (expires !== undefined && result.until === null) {
    const at = parseHttpDate(expires);
    if (at < 0 || at <= nowSeconds()) result.forbidden = true;
    else result.until = at;
  }
  return result;
}

/** All values of `Vary`, joined. */
export function varyOf(head: UpstreamHead, ignored: ReadonlySet<string>): string {
  if (ignored.has('vary')) return '';
  return head.fields
    .filter((f) => f.lname === 'vary')
    .map((f) => f.value)
    .join(',');
}

function cacheControl(head: UpstreamHead, ignored: ReadonlySet<string>): Freshness {
  const result: Freshness = { forbidden: false, until: null, staleUpdating: 0, staleError: 0 };
  if (ignored.has('cache-control')) return result;
  const control = head.fields
    .filter((f) => f.lname === 'cache-control')
    .map((f) => f.value)
    .join(',');
  if (control === '') return result;
  if (/no-cache|no-store|private/i.test(control)) return { ...result, forbidden: true };
  // an invalid number forbids caching, too
  const number = (name: string): number | null => {
    const m = new RegExp(`${name}=([^,; ]*)`, 'i').exec(control);
    if (m && !/^\d+$/.test(m[1])) result.forbidden = true;
    return m ? Number(m[1]) : null;
  };
  const shared = number('s-maxage') ?? number('max-age');
  if (shared === 0) return { ...result, forbidden: true };
  if (shared !== null) result.until = nowSeconds() + shared;
  const updating = number('stale-while-revalidate');
  result.staleUpdating = updating ?? 0;
  result.staleError = number('stale-if-error') ?? updating ?? 0;
  return result;
}

/** Time until which a response is valid, 0: it must not be cached. */
export function validUntil(fresh: Freshness, conf: CacheRules, status: number): number {
  if (fresh.forbidden) return 0;
  if (fresh.until) return fresh.until;
  const seconds = validFor(conf, status);
  return seconds ? nowSeconds() + seconds : 0;
}

/** Seconds that `cache_valid` sets for a status, 0: none. */
export function validFor(conf: CacheRules, status: number): number {
  const own = conf.valid.find((rule) => rule.status === status);
  if (own) return own.seconds;
  return conf.valid.find((rule) => rule.status === 0)?.seconds ?? 0;
}
