// Optional operators of Lucene's regular expressions, as bits of its RegExp class.

export const REGEXP_INTERSECTION = 0x01;
export const REGEXP_COMPLEMENT = 0x02;
export const REGEXP_EMPTY = 0x04;
export const REGEXP_ANYSTRING = 0x08;
export const REGEXP_AUTOMATON = 0x10;
export const REGEXP_INTERVAL = 0x20;
export const REGEXP_ALL = 0xff;
