// Handlers written as modules, JavaScript or TypeScript, which are loaded by path when a worker starts.
//   js_import shop from handlers/shop.ts;   js_content shop.list;   js_set $tier shop.tier;
// A function receives the request (js/request.ts). js_content finishes it with `r.return(...)`, `r.finish()` or `r.internalRedirect(uri)` and may
// be async, as may js_access and js_periodic; js_set returns a value; js_header_filter and js_body_filter change the response.

import { present } from '../../../common/present.ts';
import { ANY_COUNT, custom, LIMIT_EXCEPT, LOCATION, LOCATION_IF } from '../../config/directive.ts';
import { defineModule, type HttpFrame } from '../config/module.ts';
import { exiting } from '../connection/client-connections.ts';
import { call, handlerTable, logException, settle, startHandlers, type Wanted, want } from '../js/handlers.ts';
import { parsePeriodic, startPeriodics } from '../js/periodic.ts';
import { JsRequest } from '../js/request.ts';
import type { Request } from '../model/types.ts';
import { DetachedConnection } from '../phases/detached-connection.ts';
import { HttpRequest } from '../phases/http-request.ts';
import { runPhases } from '../phases/phases.ts';
import { AGAIN, DECLINED, DONE, ERROR, OK } from '../request/codes.ts';

const handlerOf = () => custom<Wanted | null>(LOCATION | LOCATION_IF | LIMIT_EXCEPT, 1, null, (f: HttpFrame) => want(f, f.args[0]));

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
    js_periodic: custom<undefined>(LOCATION, [0, ANY_COUNT], undefined, parsePeriodic, { repeats: true }),
  },
  {
    init(main) {
      main.phases.access.push(accessHandler);
      main.addHeaderFilter('js', filterHeader);
    },
    async start(main) {
      await startHandlers(main, jsModule.conf);
      startPeriodics(main, ({ loc, server }) => {
        if (exiting()) return null;
        const session = new HttpRequest(new DetachedConnection(main.sockets[0]), main, present(server));
        session.loc = loc;
        return { session, argument: new JsRequest(session) };
      });
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
