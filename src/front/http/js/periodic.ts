// js_periodic of http and stream: functions that event loops call at intervals.
//   js_periodic jobs.refresh interval=60s jitter=5s worker_affinity=0101;
// Source of the rules: njs (nginx/ngx_http_js_module.c). The first call follows the start of the loop at once; the interval is measured from call to call.

import { parseTimeMs } from '../../config/values.ts';
import { loop } from '../../zone/memory.ts';
import type { BlockFrame } from '../config/module.ts';
import type { BlockMain, Loc, Server, Session } from '../model/types.ts';
import { call, keep, logException, settle, type Wanted, want } from './handlers.ts';

export interface Periodic {
  readonly wanted: Wanted;
  /** the level whose configuration applies to it */
  readonly loc: Loc;
  readonly server: Server | null;
  readonly intervalMs: number;
  /** upper limit of the random time that is added to each interval */
  readonly jitterMs: number;
  /** whether it runs in an event loop, by the loop's index */
  readonly loops: readonly boolean[];
}

const DEFAULT_INTERVAL_MS = 5000;

const periodicsOf = (main: BlockMain): Periodic[] => keep(main, 'js:periodics', () => []);

/** @param mask  value of `worker_affinity` @returns whether each loop runs the function */
function readLoops(f: BlockFrame, mask: string): boolean[] {
  const { eventLoops } = f.scope.main;
  if (mask === 'all') return new Array(eventLoops).fill(true);
  if (mask.length !== eventLoops) f.fail('the number of "worker_processes" is not equal to the size of "worker_affinity" mask');
  const wrong = /[^01]/.exec(mask);
  if (wrong) f.fail(`invalid character "${wrong[0]}" in "worker_affinity="`);
  return [...mask].map((bit) => bit === '1');
}

/** Reads the directive. */
export function parsePeriodic(f: BlockFrame): undefined {
  const { main, loc, server } = f.scope;
  if (f.args.length === 0) f.fail('method name is required');
  let [intervalMs, jitterMs, loops] = [DEFAULT_INTERVAL_MS, 0, [true]];
  for (const word of f.args.slice(1)) {
    const [name, value = ''] = word.split('=', 2);
    const ms = name === 'interval' || name === 'jitter' ? parseTimeMs(value) : null;
    if (name === 'interval' && ms) intervalMs = ms;
    else if (name === 'jitter' && ms !== null) jitterMs = ms;
    else if (name === 'worker_affinity' && value !== '') loops = readLoops(f, value);
    else f.fail(`invalid parameter "${word}"`);
  }
  periodicsOf(main).push({ wanted: want(f, f.args[0]), loc, server, intervalMs, jitterMs, loops });
  return undefined;
}

/**
 * Starts the timers of this event loop.
 * @param begin  makes the session that one call runs in, and its argument; null ends the timer because the worker exits
 */
export function startPeriodics(main: BlockMain, begin: (periodic: Periodic) => { session: Session; argument: unknown } | null): void {
  for (const periodic of periodicsOf(main)) if (periodic.loops[loop.index] === true) repeat(periodic, begin);
}

function repeat(periodic: Periodic, begin: Parameters<typeof startPeriodics>[1]): void {
  const { wanted, intervalMs, jitterMs } = periodic;
  let running = false;
  const plan = (ms: number) => setTimeout(tick, ms + Math.floor(Math.random() * jitterMs)).unref();
  const tick = () => {
    const run = begin(periodic);
    if (!run) return;
    plan(intervalMs);
    const { session, argument } = run;
    if (running) {
      // njs kills the earlier call, which is not possible here
      session.log('error', `js periodic "${wanted.name}" is still running, so this call is skipped`);
      return;
    }
    running = true;
    const ended = () => {
      running = false;
    };
    settle(
      () => call(session, wanted, argument),
      ended,
      (error) => {
        ended();
        logException(session, error);
      },
    );
  };
  plan(1);
}
