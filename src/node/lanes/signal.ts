// The word that main shares with a lane: whether and how its current request must end.
import type { LaneSignals } from '../../common/turns/turn.ts';
import { taskCancelledError } from '../../errors/catalog.ts';

/** Continue. */
export const SIGNAL_NONE = 0;
/** Its time is over: respond with the results so far. */
export const SIGNAL_TIME_UP = 1;
/** Nothing waits for its response any more. */
export const SIGNAL_CANCEL = 2;

/** The lane's side. @param onTimeout  receives the time that the request allows */
export function readSignals(shared: SharedArrayBuffer, onTimeout: (ms: number) => void): LaneSignals {
  const word = new Int32Array(shared);
  return {
    interrupt() {
      if (Atomics.load(word, 0) === SIGNAL_CANCEL) throw taskCancelledError();
    },
    isTimeUp: () => Atomics.load(word, 0) === SIGNAL_TIME_UP,
    onTimeout,
  };
}
