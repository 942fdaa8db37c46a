// State that all runs of one search share.
import type { ExecutionCounters, StopCheck } from '../../plan/query-plan.ts';
import type { FetchBudget } from './fetch-budget.ts';
import type { PendingLookup } from './pending-lookup.ts';

export interface RunControl {
  /** Ends the search early: timeouts, cancelled tasks. */
  readonly stop: StopCheck;
  /** The work of all runs adds up here. */
  readonly counters: ExecutionCounters;
  /** Counts the hits that are rendered; absent if there is at most one. */
  readonly fetched?: FetchBudget;
  /** f64[shards]: receives the milliseconds of fetching the hits of each shard; absent unless requested. */
  readonly fetchMs?: Float64Array;
  /** Receives the lookups of runtime fields in the hits; absent where they are not shown. */
  readonly lookups?: PendingLookup[];
}
