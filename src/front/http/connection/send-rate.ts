// `limit_rate` and `limit_rate_after`: when how much of a response may be sent.
import { parseSize } from '../../config/values.ts';
import { core } from '../config/core.ts';
import type { Request } from '../model/types.ts';

/** Limit in bytes per second, 0: none; evaluated once per request. */
export function rateOf(r: Request): number {
  if (r.limitRate === null) {
    const c = core.conf(r.loc);
    r.limitRate = c.limit_rate ? (parseSize(c.limit_rate.value.eval(r)) ?? 0) : 0;
    r.limitRateAfter = c.limit_rate_after ? (parseSize(c.limit_rate_after.value.eval(r)) ?? 0) : 0;
  }
  return r.limitRate;
}

/** Bytes that may be sent now to keep the average below the rate; 0 or less: none. @param sent  bytes of the response so far */
export function rateAllowance(r: Request, rate: number, sent: number): number {
  const seconds = Math.floor(Date.now() / 1000) - Math.floor(r.startMs / 1000) + 1;
  return rate * seconds - (sent - (r.limitRateAfter ?? 0));
}

/** Milliseconds to wait after the last `justSent` of `sent` bytes. */
export function ratePauseMs(r: Request, rate: number, sent: number, justSent: number): number {
  const after = r.limitRateAfter ?? 0;
  const before = Math.max(0, sent - justSent - after);
  const beyond = Math.max(0, sent - after) - before;
  return Math.floor((beyond * 1000) / rate);
}
