// The `flags` parameter of regexp queries.
import {
  REGEXP_ALL,
  REGEXP_ANYSTRING,
  REGEXP_AUTOMATON,
  REGEXP_COMPLEMENT,
  REGEXP_EMPTY,
  REGEXP_INTERSECTION,
  REGEXP_INTERVAL,
} from '../../common/text/regexp-flags.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';

const FLAGS: Readonly<Record<string, number>> = {
  INTERSECTION: REGEXP_INTERSECTION,
  COMPLEMENT: REGEXP_COMPLEMENT,
  EMPTY: REGEXP_EMPTY,
  ANYSTRING: REGEXP_ANYSTRING,
  AUTOMATON: REGEXP_AUTOMATON,
  INTERVAL: REGEXP_INTERVAL,
  NONE: 0,
  ALL: REGEXP_ALL,
};

/** `COMPLEMENT|INTERVAL`. @throws ApiError illegal_argument_exception */
export function parseRegexpFlags(text: string): number {
  if (text === '') return REGEXP_ALL;
  let flags = 0;
  for (const name of text.split('|')) {
    const flag = FLAGS[name.trim().toUpperCase()];
    if (flag === undefined) throw illegalArgumentError(`Unknown regexp flag [${name}]`);
    if (flag === REGEXP_ALL) return REGEXP_ALL;
    flags |= flag;
  }
  return flags;
}
