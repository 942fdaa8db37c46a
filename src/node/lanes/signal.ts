// The word that main shares with a lane: how the request that runs there is to end.
import type { LaneSignals } from '../../common/turns/turn.ts';
import { taskCancelledError } from '../../errors/catalog.ts';

/** Run on. */
export const SIGNAL_NONE = 0;
/** Its time is over: answer with what has been found. */
export const SIGNAL_TIME_UP = 1;
/** Nobody waits for it any more. */
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
