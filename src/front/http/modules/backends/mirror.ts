// mirror: copies of a request as subrequests whose responses are discarded.
import { custom, flag, HSL } from '../../../config/directive.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import type { Request } from '../../model/types.ts';
import { runPhases } from '../../phases/phases.ts';
import { startSubrequest } from '../../phases/subrequest.ts';
import { AGAIN, DECLINED, OK } from '../../request/codes.ts';

export const mirrorModule = defineModule(
  'mirror',
  {
    mirror: custom<string[] | 'off' | null>(
      HSL,
      1,
      null,
      (f: HttpFrame, previous) => {
        if (f.args[0] === 'off') return 'off';
        return [...(previous === 'off' ? [] : (previous ?? [])), f.args[0]];
      },
      { repeats: true },
    ),
    mirror_request_body: flag(HSL, true),
  },
  {
    init(main) {
      main.phases.precontent.push(mirror);
    },
  },
);

function mirror(r: Request): number {
  const c = mirrorModule.conf(r.loc);
  if (!c.mirror || c.mirror === 'off' || r.isSub || r.getCtx(mirrorModule)) return DECLINED;
  r.setCtx(mirrorModule, true);
  const uris = c.mirror;
  const start = () => {
    for (const uri of uris) {
      const sub = startSubrequest(r, uri, r.args, { background: true, method: r.method, withoutBody: !c.mirror_request_body });
      if (sub) sub.headerOnly = true;
    }
  };
  if (!c.mirror_request_body || (r.contentLength <= 0 && !r.chunkedIn)) {
    start();
    return DECLINED;
  }
  r.conn.readBody(r, (rc) => {
    if (rc !== OK) {
      r.finalize(rc);
      return;
    }
    start();
    r.phaseIndex++;
    runPhases(r);
  });
  return AGAIN;
}
