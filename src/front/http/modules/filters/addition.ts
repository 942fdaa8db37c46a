// add_before_body and add_after_body: responses of subrequests before and after a response.
import { custom, HSL } from '../../../config/directive.ts';
import { mediaTypes, typeMatches } from '../../config/mime-types.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import { startSubrequest } from '../../phases/subrequest.ts';
import { ERROR, OK } from '../../request/codes.ts';
import { weakenEtag } from './changed-body.ts';

export const additionModule = defineModule(
  'addition',
  {
    add_before_body: custom<string>(HSL, 1, '', (f: HttpFrame) => f.args[0]),
    add_after_body: custom<string>(HSL, 1, '', (f: HttpFrame) => f.args[0]),
    addition_types: mediaTypes(),
  },
  {
    init(main) {
      main.addHeaderFilter('addition', (r) => {
        const c = additionModule.conf(r.loc);
        if (
          (!c.add_before_body && !c.add_after_body) ||
          r.out.status !== 200 ||
          r.isSub ||
          !typeMatches(c.addition_types, r.out.contentType)
        )
          return OK;
        r.out.contentLength = -1;
        r.out.set('Accept-Ranges', null);
        r.allowRanges = false;
        weakenEtag(r);
        let started = false;
        r.addBodyFilter('addition', (req, pieces, flags, position) => {
          if (!started) {
            started = true;
            if (c.add_before_body && !startSubrequest(req, c.add_before_body, '')) return ERROR;
          }
          if (!flags.last || !c.add_after_body) return req.nextBody(pieces, flags, position);
          const rc = req.nextBody(pieces, { last: false, flush: false, ownEnd: true }, position);
          if (rc === ERROR) return rc;
          if (!startSubrequest(req, c.add_after_body, '')) return ERROR;
          return req.nextBody([], { last: true, flush: false }, position);
        });
        return OK;
      });
    },
  },
);
