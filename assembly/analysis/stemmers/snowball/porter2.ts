// The English stemmer of M. F. Porter, "The English (Porter2) stemming algorithm" (snowballstem.org), with its exceptions, as of 2024.
import { longestOf, regionAfter, suffixLen } from '../regions';
import { ends, isIn, put, setLength, setUnit, unitAt, wordLen } from '../word';

const VOWELS = "aeiouy";
const BIG_Y: u32 = 0x59;
/** Whether a y is marked by a capital; otherwise capitals belong to the word. */
let hasMark: bool = false;

// @ts-ignore: decorator
@inline
function isVowel(i: i32): bool {
  return isIn(unitAt(i), VOWELS);
}

/** Number of a whole word in a list, -1 for none. */
function whole(list: string): i32 {
  const number = longestOf(list, 0);
  return number >= 0 && suffixLen == wordLen ? number : -1;
}

function replaceWhole(from: string, to: string): bool {
  if (whole(from) < 0) return false;
  put(0, to);
  return true;
}

/** A vowel between two consonants, the last not w, x or Y, before `end`; or a vowel and a consonant at the start of the word. */
function endsShortSyllable(end: i32): bool {
  if (end >= 3 && !isVowel(end - 3) && isVowel(end - 2) && !isVowel(end - 1) && !isIn(unitAt(end - 1), "wxY")) return true;
  return end == 2 && isVowel(0) && !isVowel(1);
}

function hasVowelBefore(end: i32): bool {
  for (let i = 0; i < end; i++) if (isVowel(i)) return true;
  return false;
}

let r1: i32 = 0;
let r2: i32 = 0;

export function porter2(): void {
  if (wordLen <= 2) return;
  if (replaceWhole("skis", "ski") || replaceWhole("skies", "sky") || replaceWhole("dying", "die") || replaceWhole("lying", "lie") || replaceWhole("tying", "tie")
    || replaceWhole("idly", "idl") || replaceWhole("gently", "gentl") || replaceWhole("ugly", "ugli") || replaceWhole("early", "earli") || replaceWhole("only", "onli") || replaceWhole("singly", "singl")) return;
  if (whole("sky news howe atlas cosmos bias andes") >= 0) return;
  prepare();
  step0();
  step1a();
  if (whole("inning outing canning herring earring proceed exceed succeed") < 0) {
    step1b();
    if (wordLen > 2 && isIn(unitAt(wordLen - 1), "yY") && !isVowel(wordLen - 2)) setUnit(wordLen - 1, 0x69);
    step2();
    step3();
    step4();
    step5();
  }
  if (hasMark) for (let i = 0; i < wordLen; i++) if (unitAt(i) == BIG_Y) setUnit(i, 0x79);
}

/** Marks y where it is a consonant, and finds the regions. */
function prepare(): void {
  if (unitAt(0) == 0x27) {
    for (let i = 1; i < wordLen; i++) setUnit(i - 1, unitAt(i));
    setLength(wordLen - 1);
  }
  hasMark = false;
  for (let i = 0; i < wordLen; i++) {
    if (unitAt(i) != 0x79 || (i > 0 && !isVowel(i - 1))) continue;
    setUnit(i, BIG_Y);
    hasMark = true;
  }
  r1 = startsRegion();
  r2 = regionAfter(r1, VOWELS);
}

function startsRegion(): i32 {
  if (begins("gener") || begins("arsen")) return 5;
  if (begins("commun")) return 6;
  return regionAfter(0, VOWELS);
}

function begins(prefix: string): bool {
  const n = <i32>(load<u32>(changetype<usize>(prefix) - 4) >> 1);
  if (n > wordLen) return false;
  for (let i = 0; i < n; i++) if (unitAt(i) != <u32>load<u16>(changetype<usize>(prefix) + (<usize>i << 1))) return false;
  return true;
}

function step0(): void {
  if (longestOf("' 's 's'", 0) >= 0) setLength(wordLen - suffixLen);
}

function step1a(): void {
  switch (longestOf("sses ied ies us ss s", 0)) {
    case 0: setLength(wordLen - 2); break;
    case 1: case 2: setLength(wordLen - (wordLen > 4 ? 2 : 1)); break;
    case 5: if (hasVowelBefore(wordLen - 2)) setLength(wordLen - 1); break;
  }
}

function step1b(): void {
  switch (longestOf("eed eedly ed edly ing ingly", 0)) {
    case 0: case 1:
      if (wordLen - suffixLen >= r1) setLength(wordLen - suffixLen + 2);
      break;
    case 2: case 3: case 4: case 5: afterEdIng(); break;
  }
}

function afterEdIng(): void {
  if (!hasVowelBefore(wordLen - suffixLen)) return;
  setLength(wordLen - suffixLen);
  if (longestOf("at bl iz", 0) >= 0) put(wordLen, "e");
  else if (longestOf("bb dd ff gg mm nn pp rr tt", 0) >= 0) {
    // add, egg and off keep both letters.
    if (!(wordLen == 3 && isIn(unitAt(0), "aeo"))) setLength(wordLen - 1);
  } else if (wordLen <= r1 && endsShortSyllable(wordLen)) put(wordLen, "e");
}

function cutTo(ending: string): void {
  put(wordLen - suffixLen, ending);
}

function step2(): void {
  const number = longestOf("tional enci anci abli entli izer ization ational ation ator alism aliti alli fulness ousli ousness iveness iviti biliti bli ogi fulli lessli li", 0);
  if (number < 0 || wordLen - suffixLen < r1) return;
  switch (number) {
    case 0: cutTo("tion"); break;
    case 1: cutTo("ence"); break;
    case 2: cutTo("ance"); break;
    case 3: cutTo("able"); break;
    case 4: cutTo("ent"); break;
    case 5: case 6: cutTo("ize"); break;
    case 7: case 8: case 9: cutTo("ate"); break;
    case 10: case 11: case 12: cutTo("al"); break;
    case 13: case 21: cutTo("ful"); break;
    case 14: case 15: cutTo("ous"); break;
    case 16: case 17: cutTo("ive"); break;
    case 18: case 19: cutTo("ble"); break;
    case 20: if (unitAt(wordLen - 4) == 0x6c) cutTo("og"); break;
    case 22: cutTo("less"); break;
    case 23: if (isIn(unitAt(wordLen - 3), "cdeghkmnrt")) setLength(wordLen - 2); break;
  }
}

function step3(): void {
  const number = longestOf("tional ational alize icate iciti ical ful ness ative", 0);
  if (number < 0 || wordLen - suffixLen < r1) return;
  switch (number) {
    case 0: cutTo("tion"); break;
    case 1: cutTo("ate"); break;
    case 2: cutTo("al"); break;
    case 3: case 4: case 5: cutTo("ic"); break;
    case 6: case 7: cutTo(""); break;
    case 8: if (wordLen - suffixLen >= r2) cutTo(""); break;
  }
}

function step4(): void {
  const number = longestOf("al ance ence er ic able ible ant ement ment ent ism ate iti ous ive ize ion", 0);
  if (number < 0 || wordLen - suffixLen < r2) return;
  if (number == 17 && !isIn(unitAt(wordLen - 4), "st")) return;
  setLength(wordLen - suffixLen);
}

function step5(): void {
  if (ends("e")) {
    if (wordLen - 1 >= r2 || (wordLen - 1 >= r1 && !endsShortSyllable(wordLen - 1))) setLength(wordLen - 1);
  } else if (ends("l") && wordLen - 1 >= r2 && wordLen >= 2 && unitAt(wordLen - 2) == 0x6c) setLength(wordLen - 1);
}
