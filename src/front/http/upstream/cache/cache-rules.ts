// The rules of a cache: which responses are stored, for how long, and when stale ones may be sent.
import type { Value } from '../../config/value.ts';

export interface ValidRule {
  /** 0: any status */
  status: number;
  seconds: number;
}

/** Values of the PREFIX_cache_* directives at a level. */
export interface CacheRules {
  valid: ValidRule[];
  minUses: number;
  useStale: ReadonlySet<string>;
  lock: boolean;
  lockTimeoutMs: number;
  lockAgeMs: number;
  revalidate: boolean;
  backgroundUpdate: boolean;
  maxRangeOffset: number;
  convertHead: boolean;
  noCache: Value[] | null;
  bypass: Value[] | null;
}
