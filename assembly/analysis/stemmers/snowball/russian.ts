// The Russian Snowball stemmer and the light one. Source: M. F. Porter, snowballstem.org/algorithms/russian; L. Dolamic and J. Savoy, "Indexing and
// searching strategies for the Russian language" (2009).
import { longestOf, regionAfter, suffixLen } from '../regions';
import { ends, isIn, setLength, setUnit, unitAt, wordLen } from '../word';

const VOWELS = "аеиоуыэюя";
let rv: i32 = 0;
let r2: i32 = 0;

// @ts-ignore: decorator
@inline
function cut(units: i32): void {
  setLength(wordLen - units);
}

/** Suffixes of the first list require а or я before them, which stays. */
function cutAfterA(first: string, second: string): bool {
  const a = longestOf(first, rv), lenA = a >= 0 ? suffixLen : 0;
  const b = longestOf(second, rv), lenB = b >= 0 ? suffixLen : 0;
  if (lenA > lenB) {
    // The letter before the suffix must be in the region, too.
    if (wordLen - lenA - 1 < rv || !isIn(unitAt(wordLen - lenA - 1), "ая")) return false;
    cut(lenA);
    return true;
  }
  if (lenB == 0) return false;
  cut(lenB);
  return true;
}

export function russian(): void {
  for (let i = 0; i < wordLen; i++) if (unitAt(i) == 0x451) setUnit(i, 0x435);
  rv = 0;
  while (rv < wordLen && !isIn(unitAt(rv), VOWELS)) rv++;
  rv = min(rv + 1, wordLen);
  r2 = regionAfter(regionAfter(0, VOWELS), VOWELS);
  if (!cutAfterA("в вши вшись", "ив ивши ившись ыв ывши ывшись")) {
    if (longestOf("ся сь", rv) >= 0) cut(2);
    if (!adjectival() && !cutAfterA("ла на ете йте ли й л ем н ло но ет ют ны ть ешь нно", "ила ыла ена ейте уйте ите или ыли ей уй ил ыл им ым ен ило ыло ено ят ует уют ит ыт ены ить ыть ишь ую ю")) {
      if (longestOf("а ев ов ие ье е иями ями ами еи ии и ией ей ой ий й иям ям ием ем ам ом о у ах иях ях ы ь ию ью ю ия ья я", rv) >= 0) cut(suffixLen);
    }
  }
  if (wordLen - 1 >= rv && ends("и")) cut(1);
  if (longestOf("ост ость", max(r2, rv)) >= 0) cut(suffixLen);
  tidy();
}

function adjectival(): bool {
  if (longestOf("ее ие ые ое ими ыми ей ий ый ой ем им ым ом его ого ему ому их ых ую юю ая яя ою ею", rv) < 0) return false;
  cut(suffixLen);
  cutAfterA("ем нн вш ющ щ", "ивш ывш ующ");
  return true;
}

function tidy(): void {
  switch (longestOf("ейш ейше н ь", rv)) {
    case 0: case 1:
      cut(suffixLen);
      if (longestOf("нн", rv) >= 0) cut(1);
      break;
    case 2: if (longestOf("нн", rv) >= 0) cut(1); break;
    case 3: cut(1); break;
  }
}

export function lightRussian(): void {
  russianCase();
  if (wordLen <= 3) return;
  if (isIn(unitAt(wordLen - 1), "ьи")) cut(1);
  else if (wordLen >= 2 && unitAt(wordLen - 1) == 0x43d && unitAt(wordLen - 2) == 0x43d) cut(1);
}

function russianCase(): void {
  if (wordLen > 6 && longestOf("иями оями", 0) >= 0) cut(4);
  else if (wordLen > 5 && longestOf("иям иях оях ями оям оьв ами его ему ери ими ого ому ыми оев", 0) >= 0) cut(3);
  else if (wordLen > 4 && longestOf("ая яя ях юю ах ею их ия ию ьв ою ую ям ых ея ам ем ей ём ев ий им ое ой ом ов ые ый ым ми", 0) >= 0) cut(2);
  else if (wordLen > 3 && isIn(unitAt(wordLen - 1), "аеиоуйыяь")) cut(1);
}
