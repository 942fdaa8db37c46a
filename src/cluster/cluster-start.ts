// The start of a node in a cluster: what it waits for, and what stops it.
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../errors/api-error.ts';

/** How long a starting node waits for NATS. Its servers may be starting, too, or be electing leaders. */
const START_PATIENCE_MS = 60_000;
const RETRY_MS = 250;

/** The node cannot join a cluster with its configuration, and stops. */
export class ClusterStartError extends Error {}

/**
 * Repeats an action while NATS cannot be reached.
 * @param onWait  called once with the reason, when the action is repeated for the first time
 * @throws ClusterStartError NATS cannot be reached in time, or the action threw it
 */
export async function patiently<T>(action: () => Promise<T>, onWait: (reason: string) => void, patienceMs = START_PATIENCE_MS): Promise<T> {
  const until = performance.now() + patienceMs;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (performance.now() > until) throw new ClusterStartError(error.message);
      if (isFirst) onWait(error.message);
      await sleep(RETRY_MS);
    }
  }
}
