// How long nodes wait for JetStream.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Patience } from './log-subject.ts';
import type { LogTiming } from './shard-log.ts';

/** How long an append is retried while JetStream does not respond. */
const APPEND_PATIENCE_MS = 5000;
const PAUSE_MS = 100;
/** Servers that catch up with the leader of a stream may hold messages back from their consumers. */
const OVERDUE_MS = 500;

export const CLUSTER_TIMING: LogTiming = {
  pause: () => sleep(PAUSE_MS),
  overdue: () => sleep(OVERDUE_MS, undefined, { ref: false }),
  patience(): Patience {
    const until = performance.now() + APPEND_PATIENCE_MS;
    return async () => {
      await sleep(PAUSE_MS);
      return performance.now() < until;
    };
  },
  newId: () => randomBytes(12).toString('base64url'),
};
