// Character predicates equal to those of Java's Character class for Unicode 16.
import { categoryBelowPrivatePlanes } from './generated/category';

/** General category, with the numbers of java.lang.Character: 1..5 letters (upper, lower, title, modifier, other), 6..8 marks, 9 digit. */
export function category(cp: u32): u32 {
  if (cp < 0xf0000) return categoryBelowPrivatePlanes(cp);
  return (cp & 0xffff) < 0xfffe ? 18 : 0;
}

// @ts-ignore: decorator
@inline
export function isLetter(cp: u32): bool {
  if (cp < 0x80) return (cp | 32) - 97 < 26;
  return category(cp) - 1 < 5;
}

// @ts-ignore: decorator
@inline
export function isDigit(cp: u32): bool {
  if (cp < 0x80) return cp - 48 < 10;
  return category(cp) == 9;
}

export function isWhitespace(cp: u32): bool {
  if (cp <= 32) return cp - 9 < 5 || cp - 28 < 5;
  if (cp < 0x1680) return false;
  if (cp == 0x2007 || cp == 0x202f) return false;
  const c = category(cp);
  return c >= 12 && c <= 14;
}

const PUNCTUATION: u32 = (1 << 20) | (1 << 21) | (1 << 22) | (1 << 23) | (1 << 24) | (1 << 29) | (1 << 30);
const SYMBOL: u32 = (1 << 25) | (1 << 26) | (1 << 27) | (1 << 28);

export function isPunctuation(cp: u32): bool {
  return ((PUNCTUATION >> category(cp)) & 1) != 0;
}

export function isSymbol(cp: u32): bool {
  return ((SYMBOL >> category(cp)) & 1) != 0;
}
