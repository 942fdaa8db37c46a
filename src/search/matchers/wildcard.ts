// Matches terms against `*` (any characters) and `?` (one code point) in linear space, backtracking no further than to the last asterisk.
import type { Bytes } from '../index-query/term.ts';

const decoder = new TextDecoder();
const ANY_STRING = -1;
const ANY_CODE_POINT = -2;

export interface WildcardMatcher {
  /** The literal string before the first wildcard. */
  readonly prefix: string;
  /** There is no wildcard, or only one asterisk at the end. */
  readonly kind: 'literal' | 'prefix' | 'pattern';
  matches(term: Bytes): boolean;
}

/** `\` escapes the next character. Case-insensitive matching lowercases both sides by simple case mapping. */
export function wildcardMatcher(pattern: string, caseInsensitive: boolean): WildcardMatcher {
  const parts: number[] = [];
  const chars = [...pattern];
  for (let i = 0; i < chars.length; i++) {
    if (chars[i] === '*') {
      if (parts.at(-1) !== ANY_STRING) parts.push(ANY_STRING);
    } else if (chars[i] === '?') parts.push(ANY_CODE_POINT);
    else {
      if (chars[i] === '\\' && i + 1 < chars.length) i++;
      parts.push(fold(chars[i].codePointAt(0) ?? 0, caseInsensitive));
    }
  }
  const firstWildcard = parts.findIndex((part) => part < 0);
  const literal = firstWildcard < 0 ? parts : parts.slice(0, firstWildcard);
  let kind: WildcardMatcher['kind'] = 'pattern';
  if (!caseInsensitive && firstWildcard < 0) kind = 'literal';
  else if (!caseInsensitive && firstWildcard === parts.length - 1 && parts[firstWildcard] === ANY_STRING) kind = 'prefix';
  return {
    prefix: caseInsensitive ? '' : literal.map((cp) => String.fromCodePoint(cp)).join(''),
    kind,
    matches: (term) => matchParts(parts, decoder.decode(term), caseInsensitive),
  };
}

function fold(codePoint: number, caseInsensitive: boolean): number {
  if (!caseInsensitive) return codePoint;
  const lower = String.fromCodePoint(codePoint).toLowerCase();
  return lower.codePointAt(0) ?? codePoint;
}

function matchParts(parts: readonly number[], text: string, caseInsensitive: boolean): boolean {
  let part = 0;
  let at = 0;
  let starPart = -1;
  let starAt = 0;
  while (at < text.length) {
    const codePoint = text.codePointAt(at) ?? 0;
    const width = codePoint > 0xffff ? 2 : 1;
    const wanted = part < parts.length ? parts[part] : Number.NaN;
    if (wanted === ANY_STRING) {
      starPart = part++;
      starAt = at;
    } else if (wanted === ANY_CODE_POINT || wanted === fold(codePoint, caseInsensitive)) {
      part++;
      at += width;
    } else if (starPart >= 0) {
      part = starPart + 1;
      starAt += (text.codePointAt(starAt) ?? 0) > 0xffff ? 2 : 1;
      at = starAt;
    } else return false;
  }
  while (part < parts.length && parts[part] === ANY_STRING) part++;
  return part === parts.length;
}
