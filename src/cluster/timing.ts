// How long nodes wait for JetStream.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { processClockMs } from '../common/process-clock.ts';
import type { Patience } from './log-subject.ts';
import type { LogTiming } from './shard-log.ts';

/** How long an append is retried while JetStream does not respond: three servers elect the leader of a log within about nine seconds. */
const APPEND_PATIENCE_MS = 12_000;
/** An append is not retried any more once no server has been connected for this time. */
const DISCONNECTED_PATIENCE_MS = 5000;
const PAUSE_MS = 100;
/** Servers that catch up with the leader of a stream may hold messages back from their consumers. */
const OVERDUE_MS = 500;

/** @param disconnectedForMs  for how long no server has been connected @param now  a clock in milliseconds */
export function clusterTiming(disconnectedForMs: () => number, now: () => number = processClockMs): LogTiming {
  return {
    pause: () => sleep(PAUSE_MS),
    overdue: () => sleep(OVERDUE_MS, undefined, { ref: false }),
    patience(): Patience {
      const startMs = now();
      return async () => {
        await sleep(PAUSE_MS);
        return now() - startMs < APPEND_PATIENCE_MS && disconnectedForMs() < DISCONNECTED_PATIENCE_MS;
      };
    },
    newId: () => randomBytes(12).toString('base64url'),
  };
}
