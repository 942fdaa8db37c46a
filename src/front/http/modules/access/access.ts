// allow and deny: access control by address.
import { HSL, LIMIT_EXCEPT } from '../../../config/directive.ts';
import { core } from '../../config/core.ts';
import { defineModule } from '../../config/module.ts';
import { DECLINED, OK } from '../../request/codes.ts';
import { accessRule, findRule, rulesOf } from './access-rules.ts';

export const accessModule = defineModule(
  'access',
  {
    allow: accessRule(HSL | LIMIT_EXCEPT, true),
    deny: accessRule(HSL | LIMIT_EXCEPT, false),
  },
  {
    init(main) {
      main.phases.access.push((r) => {
        const rules = rulesOf(r.loc);
        if (!rules) return DECLINED;
        const rule = findRule(rules, r.conn.remoteAddr);
        if (!rule) return DECLINED;
        if (rule.allow) return OK;
        if (core.conf(r.loc).satisfy === 'all') r.log('error', 'access forbidden by rule');
        return 403;
      });
    },
  },
);
