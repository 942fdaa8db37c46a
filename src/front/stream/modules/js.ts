// js_access, js_preread, js_filter, js_set, js_periodic: handlers written as modules, which receive the session (js-session.ts).
//   js_import guard from FILE;   server { js_access guard.check; js_filter guard.mask; proxy_pass db; }
// An access or preread handler decides with `s.allow()`, `s.decline()`, `s.deny()` or `s.done(code)`, at once or later; one that does not within
// preread_timeout ends the session.

import { present } from '../../../common/present.ts';
import { ANY_COUNT, custom, HS, SERVER } from '../../config/directive.ts';
import type { BlockFrame } from '../../http/config/module.ts';
import { exiting } from '../../http/connection/client-connections.ts';
import { call, handlerTable, logException, startHandlers, type Wanted, want } from '../../http/js/handlers.ts';
import { parsePeriodic, startPeriodics } from '../../http/js/periodic.ts';
import type { HttpModule } from '../../http/model/types.ts';
import { AGAIN, DECLINED } from '../../http/request/codes.ts';
import { streamCore } from '../core.ts';
import { defineStreamModule, STATUS, type StreamFilter, type StreamMain, type StreamSession, sessionOf } from '../model.ts';
import { DetachedSession } from '../session.ts';
import { JsSession } from './js-session.ts';

const handlerOf = () => custom<Wanted | null>(HS, 1, null, (f: BlockFrame) => want(f, f.args[0]));

const table = {
  ...handlerTable((r) => new JsSession(sessionOf(r))),
  js_access: handlerOf(),
  js_preread: handlerOf(),
  js_filter: handlerOf(),
  js_periodic: custom<undefined>(SERVER, [0, ANY_COUNT], undefined, parsePeriodic, { repeats: true }),
};

export const streamJs: HttpModule<typeof table, StreamMain> = defineStreamModule('stream_js', table, {
  init(main) {
    const running = new WeakMap<StreamSession, JsPhase>();
    main.access.push((s) => {
      const wanted = streamJs.conf(s.loc).js_access;
      return wanted ? new JsPhase(s, wanted).start() : DECLINED;
    });
    main.preread.push((s, data) => {
      const wanted = streamJs.conf(s.loc).js_preread;
      if (!wanted) return DECLINED;
      let phase = running.get(s);
      if (!phase) {
        running.set(s, (phase = new JsPhase(s, wanted)));
        phase.start();
      }
      return phase.upload(data);
    });
    main.filters.push((s) => {
      const wanted = streamJs.conf(s.loc).js_filter;
      return wanted && jsFilter(s, wanted);
    });
  },
  async start(main) {
    await startHandlers(main, streamJs.conf);
    startPeriodics(main, ({ server }) => {
      if (exiting()) return null;
      const session = new DetachedSession(main, present(server));
      return { session, argument: new JsSession(session) };
    });
  },
});

/** A handler of the access or preread phase of one session. */
class JsPhase {
  readonly #s: StreamSession;
  readonly #wanted: Wanted;
  readonly #js: JsSession;
  /** whether the phase waits for the handler rather than for more bytes */
  #running = false;
  #waits = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(s: StreamSession, wanted: Wanted) {
    this.#s = s;
    this.#wanted = wanted;
    this.#js = new JsSession(s, () => this.#decided());
  }

  /** Runs the function. @returns its decision, or AGAIN */
  start(): number {
    const s = this.#s;
    this.#guard(() => {
      const result = call(s, this.#wanted, this.#js);
      if (!(result instanceof Promise)) return;
      this.#running = true;
      result
        .then(
          () => this.#js.failUndecided(),
          (error) => this.#fail(error),
        )
        .finally(() => {
          this.#running = false;
          this.#decided();
        });
    });
    return this.#outcome();
  }

  /** Passes the bytes so far to the function. @returns the decision, or AGAIN */
  upload(data: Buffer): number {
    // bytes that arrive while it is running are passed together with later ones
    if (this.#js.decision === null && !this.#running) this.#guard(() => this.#js.run('up', data, false));
    return this.#outcome();
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    logException(this.#s, error);
    this.#js.decide(STATUS.internalError);
  }

  #outcome(): number {
    const { decision } = this.#js;
    if (decision !== null && !this.#running) return decision;
    if (!this.#waits) {
      this.#waits = true;
      const limitMs = streamCore.conf(this.#s.loc).preread_timeout;
      this.#timer = setTimeout(() => this.#fail(new Error(`${this.#wanted.name} has not decided within ${limitMs} ms`)), limitMs);
      this.#s.cleanups.push(() => clearTimeout(this.#timer ?? undefined));
    }
    return AGAIN;
  }

  /** Continues the phase if it waits for the decision; a decision made during a call is the call's result. */
  #decided(): void {
    if (!this.#waits || this.#running || this.#js.decision === null) return;
    clearTimeout(this.#timer ?? undefined);
    const { decision } = this.#js;
    queueMicrotask(() => this.#s.resume(decision));
  }
}

/** Runs the function, which registers its listeners. Errors end the session. */
function jsFilter(s: StreamSession, wanted: Wanted): StreamFilter | null {
  const js = new JsSession(s);
  const failed = (error: unknown): void => {
    logException(s, error);
    s.finalize(STATUS.internalError);
  };
  const filter: StreamFilter = {
    emit: null,
    handles: (direction) => js.wants(direction),
    pass(direction, data, last) {
      try {
        return js.run(direction, data, last);
      } catch (error) {
        failed(error);
        return [];
      }
    },
  };
  js.onSend = (direction, data) => filter.emit?.(direction, data);
  try {
    const result = call(s, wanted, js);
    if (result instanceof Promise) result.catch(failed);
  } catch (error) {
    failed(error);
    return null;
  }
  return filter;
}
