// auth_request: a subrequest decides whether a request is allowed.
import { present } from '../../../../common/present.ts';
import { custom, HSL } from '../../../config/directive.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import type { Value } from '../../config/value.ts';
import type { Request, VariableDef } from '../../model/types.ts';
import { runPhases } from '../../phases/phases.ts';
import { startSubrequest } from '../../phases/subrequest.ts';
import { AGAIN, DECLINED, ERROR, OK } from '../../request/codes.ts';
import { declareVariable } from '../rewrite.ts';

export const authRequestModule = defineModule(
  'auth_request',
  {
    auth_request: custom<{ uri: Value } | 'off' | null>(HSL, 1, null, (f: HttpFrame) =>
      f.args[0] === 'off' ? 'off' : { uri: f.scope.value(f.args[0]) },
    ),
    auth_request_set: custom<{ def: VariableDef; value: Value }[] | null>(
      HSL,
      2,
      null,
      (f: HttpFrame, previous = []) => [...previous, { def: declareVariable(f, f.args[0]), value: f.scope.value(f.args[1]) }],
      { repeats: true },
    ),
  },
  {
    init(main) {
      main.phases.access.push(authRequest);
    },
  },
);

interface AuthState {
  status: number;
  /** the subrequest, once it is done */
  sub: Request | null;
}

function authRequest(r: Request): number {
  const c = authRequestModule.conf(r.loc);
  if (!c.auth_request || c.auth_request === 'off') return DECLINED;
  const state = r.getCtx<AuthState>(authRequestModule);
  if (state) {
    const { sub, status } = state;
    if (!sub) return AGAIN;
    for (const { def, value } of c.auth_request_set ?? []) {
      const text = value.eval(sub);
      if (def.set) def.set(r, text);
      else r.vars[present(def.index)] = text;
    }
    if (status === 403) return 403;
    if (status === 401) {
      for (const field of sub.out.fields) if (field.lname === 'www-authenticate') r.out.add(field.name, field.value);
      return 401;
    }
    if (status >= 200 && status < 300) return OK;
    r.log('error', `auth request unexpected status: ${status}`);
    return 500;
  }
  const fresh: AuthState = { status: 0, sub: null };
  r.setCtx(authRequestModule, fresh);
  const text = c.auth_request.uri.eval(r);
  const query = text.indexOf('?');
  const sub = startSubrequest(r, query < 0 ? text : text.slice(0, query), query < 0 ? '' : text.slice(query + 1), {
    headerOnly: true,
    done: (request, rc) => {
      fresh.sub = request;
      fresh.status = rc >= 300 ? rc : request.out.status || (rc === OK ? 200 : 500);
      return OK;
    },
  });
  if (!sub) return ERROR;
  r.resume = () => runPhases(r);
  return AGAIN;
}
