// Optional operators of regular expressions, as bits of Lucene's RegExp.
import { illegalArgument } from '../errors/catalog.ts';

export const REGEXP_INTERSECTION = 0x01;
export const REGEXP_COMPLEMENT = 0x02;
export const REGEXP_EMPTY = 0x04;
export const REGEXP_ANYSTRING = 0x08;
const REGEXP_AUTOMATON = 0x10;
export const REGEXP_INTERVAL = 0x20;
export const REGEXP_ALL = 0xff;

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
    if (flag === undefined) throw illegalArgument(`Unknown regexp flag [${name}]`);
    if (flag === REGEXP_ALL) return REGEXP_ALL;
    flags |= flag;
  }
  return flags;
}
