// Limits of synchronous work in a thread. On a thread with a listener, a search that holds the event loop for too long is abandoned and repeated
// in a lane: a thread without a listener, which can be ended. In a lane, the same checks notice that the request was cancelled.
//   listener    openTurn(ms) ── checkTurn() ── ... ── checkTurn() throws TooHeavy ──► src/rest/core/lane.ts
//               inTurn(...): the same for requests that are handled at once, or up to their first message to another thread (commitTurn)
//   lane        checkTurn() throws what `interrupt` throws; isTimeUp() asks for a partial answer
// State of the module, not a parameter: within a turn all work is synchronous and belongs to one request, and loops that must check are many layers
// below the code that knows the limit.

/** The work is too heavy for a thread with a listener. It has changed nothing and is repeated in a lane. No handler may turn it into a response. */
export class TooHeavy extends Error {
  /** Whether it was noticed only while running: then other work may have slowed it down. */
  readonly wasFound: boolean;

  constructor(wasFound = false) {
    super('the request is too heavy for a thread with a listener');
    this.name = 'TooHeavy';
    this.wasFound = wasFound;
  }
}

/** The time of the request in this lane is over. Results that were complete before are the response. */
export class TimeUp extends Error {
  constructor() {
    super('the time of the request is over');
    this.name = 'TimeUp';
  }
}

/** Whether work may move to a lane: never, or when it exceeds the limits of this thread by this factor. */
export type Mobility = 0 | 1 | 10;
export const STAYS: Mobility = 0;
export const MOVES: Mobility = 1;
/** While lanes are busy, light work that was slowed down by others must not wait for them. */
export const MOVES_LATE: Mobility = 10;

/** How a lane observes its request. */
export interface LaneSignals {
  /** @throws ApiError the request was cancelled */
  interrupt(): void;
  /** The request's time is over: what has been found so far is the response. */
  isTimeUp(): boolean;
  /** The request allows this time for its response. */
  onTimeout(ms: number): void;
}

/** Longest turn of the event loop for work that can be repeated in a lane. */
export const TURN_MS = 25;
/** Work may find caches cold here that a lane has filled. While lanes answer quickly what was too heavy here, limits grow, up to this factor. */
const MAX_PATIENCE = 8;

let factor = 1;

/** Factor for the limits of this thread. */
export function patience(): number {
  return factor;
}

/** Adapts the limits of this thread to the time that a lane took for work that was abandoned here. */
export function learnFromLane(ranMs: number): void {
  factor = ranMs < TURN_MS ? Math.min(MAX_PATIENCE, factor * 2) : 1;
}

/** Nothing makes a turn longer than this many times `TURN_MS`, so that other requests never wait long. */
const MAX_TURNS = 3;

/** As read by performance.now(); infinite unless a turn with a limit is open. */
let deadline = Number.POSITIVE_INFINITY;
/** `checkTurn` has refused to go on in this turn. */
let isExceeded = false;
let lane: LaneSignals | null = null;

/** Starts a turn. To be ended by `closeTurn` in the same turn of the event loop. @param untilMs  as read by performance.now() */
export function openTurn(untilMs: number): void {
  deadline = untilMs;
  isExceeded = false;
}

export function closeTurn(): void {
  deadline = Number.POSITIVE_INFINITY;
  isExceeded = false;
}

/** End of a turn that began at `startMs`. */
export function endOfTurn(startMs: number, mobility: Mobility): number {
  return startMs + TURN_MS * Math.min(MAX_TURNS, factor * mobility);
}

/**
 * Runs the synchronous part of a request that has changed nothing before, in a turn with a limit.
 * @param mobility  STAYS sets no limit
 * @throws TooHeavy even if `run` has turned it into a result or into another error
 */
export function inTurn<T>(mobility: Mobility, run: () => T): T {
  if (mobility === STAYS) return run();
  openTurn(endOfTurn(performance.now(), mobility));
  try {
    const result = run();
    if (isExceeded) {
      if (result instanceof Promise) result.catch(() => undefined);
      throw new TooHeavy(true);
    }
    return result;
  } catch (error) {
    throw isExceeded ? new TooHeavy(true) : error;
  } finally {
    closeTurn();
  }
}

/**
 * To be called before anything is sent that cannot be sent twice: work after it is not repeated in a lane. @throws TooHeavy it already has
 * to be repeated
 */
export function commitTurn(): void {
  if (deadline === Number.POSITIVE_INFINITY) return;
  if (isExceeded) throw new TooHeavy(true);
  deadline = Number.POSITIVE_INFINITY;
}

/** To be called by loops over anything that a request can make large, every few thousand steps. @throws TooHeavy; ApiError the request was cancelled */
export function checkTurn(): void {
  if (deadline !== Number.POSITIVE_INFINITY && performance.now() > deadline) {
    isExceeded = true;
    throw new TooHeavy(true);
  }
  if (lane !== null) lane.interrupt();
}

/**
 * `checkTurn` for loops whose result is useless until they are complete.
 * @throws TimeUp as well: the request's time is over, and what it has found before is the response
 */
export function checkWork(): void {
  checkTurn();
  if (lane?.isTimeUp()) throw new TimeUp();
}

/** Whether the work of this turn can be repeated in a lane, which has more memory. */
export function canMove(): boolean {
  return deadline !== Number.POSITIVE_INFINITY;
}

export function isTimeUp(): boolean {
  return lane?.isTimeUp() ?? false;
}

/** To be called before a search starts that allows `ms` for its response: a lane that does not react in time is ended. */
export function announceTimeout(ms: number): void {
  lane?.onTimeout(ms);
}

/** Whether the calling thread is a lane, where no other work waits for the event loop. */
export function isLane(): boolean {
  return lane !== null;
}

/** Makes the calling thread a lane. */
export function observeLane(signals: LaneSignals): void {
  lane = signals;
}
