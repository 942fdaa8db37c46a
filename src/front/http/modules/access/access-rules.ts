// Lists of `allow` and `deny`.
import { custom, type Spec } from '../../../config/directive.ts';
import type { BlockFrame } from '../../config/module.ts';
import type { Loc } from '../../model/types.ts';
import { addressBytes, cidrContains, parseCidr } from '../variables/map.ts';

export interface Rule {
  allow: boolean;
  all: boolean;
  unix: boolean;
  cidr?: { bytes: number[]; bits: number };
}

/** Rules given on a level itself: both directives add to one list, in order of appearance. */
const lists = new WeakMap<Loc, Rule[]>();

/** The directive `allow` or `deny`. */
export function accessRule(contexts: number, allow: boolean): Spec<undefined> {
  return custom<undefined>(
    contexts,
    1,
    undefined,
    (f: BlockFrame) => {
      const [word] = f.args;
      const rule: Rule = { allow, all: word === 'all', unix: word === 'unix:' };
      if (!rule.all && !rule.unix) rule.cidr = parseCidr(word) ?? f.fail(`invalid parameter "${word}"`);
      const own = lists.get(f.scope.loc);
      if (own) own.push(rule);
      else lists.set(f.scope.loc, [rule]);
      return undefined;
    },
    { repeats: true },
  );
}

/** The rules of a level: its own, or those of the nearest level around it. */
export function rulesOf(loc: Loc): readonly Rule[] | null {
  for (let level: Loc | null = loc; level; level = level.parent ?? null) {
    const own = lists.get(level);
    if (own) return own;
  }
  return null;
}

/** The first rule for an address. */
export function findRule(rules: readonly Rule[], address: string): Rule | null {
  const bytes = addressBytes(address);
  const unix = address.startsWith('unix:');
  return rules.find((rule) => rule.all || (rule.unix && unix) || (rule.cidr && bytes && cidrContains(rule.cidr, bytes))) ?? null;
}
