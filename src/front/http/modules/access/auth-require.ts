// auth_require: refuses a request unless all given strings are non-empty and not `0`.
import { ANY_COUNT, custom, HSL, LIMIT_EXCEPT } from '../../../config/directive.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import { isTrue, type Value } from '../../config/value.ts';
import type { Request } from '../../model/types.ts';
import { DECLINED } from '../../request/codes.ts';

interface Requirement {
  values: Value[];
  status: number;
}

const DEFAULT_STATUS = 403;

export const authRequireModule = defineModule(
  'auth_require',
  { auth_require: custom<Requirement[] | 'off' | null>(HSL | LIMIT_EXCEPT, [1, ANY_COUNT], null, parse, { repeats: true }) },
  {
    init(main) {
      main.phases.access.push(check);
    },
  },
);

function parse(f: HttpFrame, previous: Requirement[] | 'off' = []): Requirement[] | 'off' {
  if (f.args[0] === 'off' && f.args.length === 1) return 'off';
  if (previous === 'off') f.refuse('is duplicate');
  const last = f.args.at(-1) ?? '';
  const words = last.startsWith('error=') ? f.args.slice(0, -1) : f.args;
  if (words.length === 0) f.fail('invalid number of arguments in "auth_require" directive');
  if (words === f.args) return [...previous, { values: words.map((word) => f.scope.value(word)), status: DEFAULT_STATUS }];
  if (!/^error=[45]\d\d$/.test(last)) f.invalid(last);
  return [...previous, { values: words.map((word) => f.scope.value(word)), status: Number(last.slice(6)) }];
}

function check(r: Request): number {
  const { auth_require: wanted } = authRequireModule.conf(r.loc);
  if (!wanted || wanted === 'off') return DECLINED;
  const unmet = wanted.find(({ values }) => !values.every((value) => isTrue(value.eval(r))));
  return unmet ? unmet.status : DECLINED;
}
