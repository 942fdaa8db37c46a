// internal_redirect: continues elsewhere once limits and access are checked, so that a limit can depend on the authenticated user.
import { custom, LOCATION, SERVER } from '../../../config/directive.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import type { Value } from '../../config/value.ts';
import type { Request } from '../../model/types.ts';
import { redirectTo, redirectToNamed } from '../../phases/redirect.ts';
import { DECLINED } from '../../request/codes.ts';

export const internalRedirectModule = defineModule(
  'internal_redirect',
  { internal_redirect: custom<Value | null>(SERVER | LOCATION, 1, null, (f: HttpFrame) => f.scope.value(f.args[0])) },
  {
    init(main) {
      main.phases.precontent.unshift(redirect);
    },
  },
);

function redirect(r: Request): number {
  const target = r.isSub ? '' : (internalRedirectModule.conf(r.loc).internal_redirect?.eval(r) ?? '');
  if (target === '') return DECLINED;
  return target.startsWith('@') ? redirectToNamed(r, target) : redirectTo(r, target);
}
