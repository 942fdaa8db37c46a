// Handlers written as modules, JavaScript or TypeScript, which are loaded by path when a worker starts.
//   js_import shop from handlers/shop.ts;   js_content shop.list;   js_set $tier shop.tier;
// A function receives the request (js/request.ts). js_content finishes it with `r.return(...)`, `r.finish()` or `r.internalRedirect(uri)` and may
// be async, as may js_access and js_periodic; js_set returns a value; js_header_filter and js_body_filter change the response.

import { present } from '../../../common/present.ts';
import { custom, LIMIT_EXCEPT, LOCATION, LOCATION_IF } from '../../config/directive.ts';
import { parseTimeMs } from '../../config/values.ts';
import { loop } from '../../zone/memory.ts';
import { defineModule, type HttpFrame } from '../config/module.ts';
import { call, handlerTable, keep, logException, settle, startHandlers, type Wanted, want } from '../js/handlers.ts';
import { JsRequest } from '../js/request.ts';
import type { BlockMain, HttpMain, Loc, Request } from '../model/types.ts';
import { DetachedConnection } from '../phases/detached-connection.ts';
import { HttpRequest } from '../phases/http-request.ts';
import { runPhases } from '../phases/phases.ts';
import { AGAIN, DECLINED, DONE, ERROR, OK } from '../request/codes.ts';

interface Periodic {
  wanted: Wanted;
  loc: Loc;
  server: HttpFrame['scope']['server'];
  intervalMs: number;
  jitterMs: number;
  /** Event loops that run it. */
  loops: ReadonlySet<number> | 'all';
}

const DEFAULT_INTERVAL_MS = 5000;

const periodicsOf = (main: BlockMain): Periodic[] => keep(main, 'js:periodics', () => []);

const handlerOf = () => custom<Wanted | null>(LOCATION | LOCATION_IF | LIMIT_EXCEPT, 1, null, (f: HttpFrame) => want(f, f.args[0]));

function parsePeriodic(f: HttpFrame): undefined {
  const { main, loc, server } = f.scope;
  const periodic: Periodic = {
    ...{ wanted: want(f, f.args[0]), loc, server, intervalMs: DEFAULT_INTERVAL_MS, jitterMs: 0 },
    loops: new Set([0]),
  };
  for (const word of f.args.slice(1)) {
    const [name, value = ''] = word.split('=', 2);
    const ms = parseTimeMs(value);
    if (name === 'interval' && ms) periodic.intervalMs = ms;
    else if (name === 'jitter' && ms !== null) periodic.jitterMs = ms;
    else if (name === 'worker_affinity' && value === 'all') periodic.loops = 'all';
    else if (name === 'worker_affinity' && /^[01]+$/.test(value))
      periodic.loops = new Set([...value].reverse().flatMap((bit, n) => (bit === '1' ? [n] : [])));
    else f.fail(`invalid parameter "${word}"`);
  }
  periodicsOf(main).push(periodic);
  return undefined;
}

export const jsModule = defineModule(
  'js',
  {
    ...handlerTable,
    ...handlerTable((r) => new JsRequest(r)),
    js_content: custom<Wanted | null>(LOCATION | LOCATION_IF | LIMIT_EXCEPT, 1, null, (f: HttpFrame) => {
      const wanted = want(f, f.args[0]);
      f.scope.loc.handler = (r) => content(r, wanted);
      return wanted;
    }),
    js_access: handlerOf(),
    js_header_filter: handlerOf(),
    js_body_filter: custom<{ wanted: Wanted; binary: boolean } | null>(
      LOCATION | LOCATION_IF | LIMIT_EXCEPT,
      [1, 2],
      null,
      (f: HttpFrame) => {
        const type = f.args[1] ?? 'buffer_type=string';
        if (type !== 'buffer_type=string' && type !== 'buffer_type=buffer') f.fail(`invalid parameter "${type}"`);
        return { wanted: want(f, f.args[0]), binary: type.endsWith('=buffer') };
      },
    ),
    js_periodic: custom<undefined>(LOCATION, [1, 4], undefined, parsePeriodic, { repeats: true }),
  },
  {
    init(main) {
      main.phases.access.push(accessHandler);
      main.addHeaderFilter('js', filterHeader);
    },
    async start(main) {
      await startHandlers(main, jsModule.conf);
      for (const periodic of periodicsOf(main)) {
        if (periodic.loops === 'all' || periodic.loops.has(loop.index)) schedule(main, periodic);
      }
    },
  },
);

function content(r: Request, wanted: Wanted): number {
  r.conn.readBody(r, (rc) => {
    if (rc !== OK) {
      r.finalize(rc);
      return;
    }
    const js = new JsRequest(r);
    const failed = (error: unknown) => {
      logException(r, error);
      if (!r.done && !js.finished) r.finalize(r.headerSent ? ERROR : 500);
    };
    settle(
      () => call(r, wanted, js),
      () => {
        if (!js.finished && !r.done) failed(new Error(`${wanted.name} ended without an answer`));
      },
      failed,
    );
  });
  return DONE;
}

interface AccessState {
  /** null while the handler is running. */
  rc: number | null;
}

function accessHandler(r: Request): number {
  const wanted = jsModule.conf(r.loc).js_access;
  if (!wanted) return DECLINED;
  const before = r.getCtx<AccessState>(jsModule);
  if (before) return before.rc ?? AGAIN;
  const state: AccessState = { rc: null };
  r.setCtx(jsModule, state);
  const js = new JsRequest(r);
  const end = (rc: number) => {
    state.rc = rc;
    if (!js.finished && !r.done) r.conn.post(r);
  };
  r.resume = () => runPhases(r);
  settle(
    () => call(r, wanted, js),
    () => end(js.access === 'ok' ? OK : DECLINED),
    (error) => {
      logException(r, error);
      end(500);
    },
  );
  return AGAIN;
}

function filterHeader(r: Request): number {
  const { js_header_filter: header, js_body_filter: body } = jsModule.conf(r.loc);
  if (header) {
    try {
      call(r, header, new JsRequest(r));
    } catch (error) {
      logException(r, error);
      return ERROR;
    }
  }
  if (!body) return OK;
  const js = new JsRequest(r);
  js.filterBody((data, flags) => {
    try {
      call(r, body.wanted, js, data, flags);
    } catch (error) {
      logException(r, error);
      throw error;
    }
  }, body.binary);
  return OK;
}

/** Runs a periodic handler in its location; the next run follows when it has finished and its interval is over. */
function schedule(main: HttpMain, periodic: Periodic): void {
  const { wanted, loc, server, intervalMs, jitterMs } = periodic;
  const tick = () => {
    const r = new HttpRequest(new DetachedConnection(main.sockets[0]), main, present(server));
    r.loc = loc;
    const next = () => plan();
    settle(
      () => call(r, wanted, new JsRequest(r)),
      next,
      (error) => {
        logException(r, error);
        next();
      },
    );
  };
  const plan = () => setTimeout(tick, intervalMs + Math.floor(Math.random() * jitterMs)).unref();
  plan();
}
