// allow and deny: access control by address.
import { custom, HSL, LIMIT_EXCEPT } from '../../../config/directive.ts';
import { core } from '../../config/core.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import { DECLINED, OK } from '../../request/codes.ts';
import { addressBytes, cidrContains, parseCidr } from '../variables/map.ts';

interface Rule {
  allow: boolean;
  all: boolean;
  unix: boolean;
  cidr?: { bytes: number[]; bits: number };
}

function parseRule(allow: boolean) {
  return custom<Rule[] | undefined>(
    HSL | LIMIT_EXCEPT,
    1,
    undefined,
    (f: HttpFrame) => {
      const [word] = f.args;
      const rule: Rule = { allow, all: word === 'all', unix: word === 'unix:' };
      if (!rule.all && !rule.unix) rule.cidr = parseCidr(word) ?? f.fail(`invalid parameter "${word}"`);
      // Both directives add to one list, in order of appearance.
      const own = (f.scope.loc.confs[accessModule.index] as { rules?: Rule[] }).rules ?? [];
      (f.scope.loc.confs[accessModule.index] as { rules?: Rule[] }).rules = [...own, rule];
      return undefined;
    },
    { repeats: true },
  );
}

export const accessModule = defineModule(
  'access',
  {
    allow: parseRule(true),
    deny: parseRule(false),
    rules: custom<Rule[] | undefined>(0, 0, undefined, () => undefined),
  },
  {
    init(main) {
      main.phases.access.push((r) => {
        const { rules } = accessModule.conf(r.loc);
        if (!rules) return DECLINED;
        const bytes = addressBytes(r.conn.remoteAddr);
        const unix = r.conn.remoteAddr.startsWith('unix:');
        for (const rule of rules) {
          if (!rule.all && !(rule.unix && unix) && !(rule.cidr && bytes && cidrContains(rule.cidr, bytes))) continue;
          if (rule.allow) return OK;
          if (core.conf(r.loc).satisfy === 'all') r.log('error', 'access forbidden by rule');
          return 403;
        }
        return DECLINED;
      });
    },
  },
);
