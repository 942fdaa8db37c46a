// Case-insensitive matching as in java.util.regex: code point by code point, comparing the lower case of the upper case.
import { CodePointSet, codePointAt } from './code-point-set.ts';

const LETTER_A = 65;
const LETTER_Z = 90;
/** No code point from here on has case. */
const LAST_CASED = 0x1ffff;

/** A code point with case, its upper case, and the lower case of that. */
type Folding = readonly [cp: number, upper: number, folded: number];

/** One-to-one upper case, like Character.toUpperCase: it also maps Greek letters with iota subscript, whose full mapping has two letters. */
function upperOf(cp: number): number {
  if (cp >= 0x1f80 && cp < 0x2000) {
    for (const upper of [cp + 8, cp + 9]) if (upper < 0x2000 && lowerOf(upper) === cp) return upper;
  }
  return onlyCodePoint(String.fromCodePoint(cp).toUpperCase()) ?? cp;
}

function lowerOf(cp: number): number {
  return cp === 0x130 ? 0x69 : (onlyCodePoint(String.fromCodePoint(cp).toLowerCase()) ?? cp);
}

function onlyCodePoint(text: string): number | null {
  const cp = codePointAt(text, 0);
  return text.length === (cp > 0xffff ? 2 : 1) ? cp : null;
}

let foldings: readonly Folding[] | null = null;

function allFoldings(): readonly Folding[] {
  if (foldings) return foldings;
  const out: Folding[] = [];
  for (let cp = 0; cp <= LAST_CASED; cp++) {
    if (cp >= 0xd800 && cp < 0xe000) continue;
    const upper = upperOf(cp);
    const folded = lowerOf(upper);
    if (upper !== cp || folded !== cp) out.push([cp, upper, folded]);
  }
  foldings = out;
  return out;
}

let byFolded: Map<number, number[]> | null = null;

function othersByFolded(): ReadonlyMap<number, readonly number[]> {
  if (byFolded) return byFolded;
  byFolded = new Map();
  for (const [cp, , folded] of allFoldings()) {
    const others = byFolded.get(folded);
    if (others) others.push(cp);
    else byFolded.set(folded, [cp]);
  }
  return byFolded;
}

function asciiCase(cp: number): number | null {
  const upper = cp & ~32;
  return upper >= LETTER_A && upper <= LETTER_Z && cp < 128 ? cp ^ 32 : null;
}

/** Set that a letter of a pattern matches. @param unicode not only in ASCII */
export function foldLiteral(cp: number, unicode: boolean): CodePointSet {
  if (!unicode) {
    const other = asciiCase(cp);
    return CodePointSet.of([cp, cp], ...(other === null ? [] : ([[other, other]] as const)));
  }
  const target = lowerOf(upperOf(cp));
  return CodePointSet.of(
    [cp, cp],
    [target, target],
    ...(othersByFolded().get(target) ?? []).map((other): [number, number] => [other, other]),
  );
}

/** Set that a range of a class matches. */
export function foldRange(set: CodePointSet, unicode: boolean): CodePointSet {
  const extra: [number, number][] = [];
  if (unicode) {
    for (const [cp, upper, folded] of allFoldings()) if (set.has(upper) || set.has(folded)) extra.push([cp, cp]);
  } else {
    for (let cp = 0; cp < 128; cp++) {
      const other = asciiCase(cp);
      if (other !== null && set.has(cp)) extra.push([other, other]);
    }
  }
  return set.union(CodePointSet.of(...extra));
}
