// Brazilian Portuguese, as described by Lucene's BrazilianStemmer: M. F. Porter's Portuguese algorithm of 2001 on words without accents. Its
// regions are always those of the whole word, and the verb suffix "ira" is found but kept.
import { isLetter } from '../../../text/character';
import { lowerWord } from './lower-word';
import { longestOf, suffixLen } from '../regions';
import { endsAt, isIn, put, setLength, setUnit, unitAt, wordLen } from '../word';

/** Deleted in R2; the others by number. */
const STANDARD = "imentos amentos adores adoras idades acoes imento amento adora ismos istas mente idade acao ezas icos icas ismo avel ivel ista osos osas ador ivas ivos eza ico ica oso osa iva ivo uciones ucion logia encias encia logias";
const UCIONES = 33;
const LOGIA = 35;
const ENCIAS = 36;
const LOGIAS = 38;
/** Deleted in RV, except the first. */
const VERB = "ira issemos essemos assemos ariamos eriamos iriamos iremos eremos aremos avamos iramos eramos aramos asseis esseis isseis arieis erieis irieis irmos iamos armos ermos areis ereis ireis asses esses isses astes assem essem issem ardes erdes irdes ariam eriam iriam arias erias irias estes istes aveis aria eria iria asse esse isse aste este iste arei erei irei aram eram iram avam arem erem irem ando endo indo arao erao irao adas idas aras eras iras avas ares eres ires ados idos amos emos imos ieis ada ida ara era iam ado ido ias ais eis ear ia ei am em ar er ir as es is eu iu ou";
const MARKS = "\"'-,;.?!";
let rv: i32 = 0;
let r1: i32 = 0;
let r2: i32 = 0;

function isVowel(i: i32): bool {
  return isIn(unitAt(i), "aeiou");
}

/** Index of the first vowel, or of the first consonant, from `from` on; the last letter if there is none before it. */
function next(from: i32, wantsVowel: bool): i32 {
  let i = from;
  while (i < wordLen - 1 && isVowel(i) != wantsVowel) i++;
  return i;
}

function regionOne(from: i32): i32 {
  const i = next(next(from, true), false);
  return i < wordLen - 1 ? i + 1 : wordLen;
}

function regionV(): i32 {
  if (!isVowel(1)) {
    const i = next(2, true);
    if (i < wordLen - 1) return i + 1;
  } else if (isVowel(0)) {
    const i = next(2, false);
    if (i < wordLen - 1) return i + 1;
  }
  return min(3, wordLen);
}

function plain(unit: u32): u32 {
  switch (unit) {
    case 0xe1: case 0xe2: case 0xe3: return 0x61;
    case 0xe7: return 0x63;
    case 0xe9: case 0xea: return 0x65;
    case 0xed: return 0x69;
    case 0xf1: return 0x6e;
    case 0xf3: case 0xf4: case 0xf5: return 0x6f;
    case 0xfa: case 0xfc: return 0x75;
    default: return unit;
  }
}

function standardSuffix(): bool {
  if (longestOf("amente", r1) == 0) {
    setLength(wordLen - 6);
    return true;
  }
  const number = longestOf(STANDARD, r2), from = wordLen - suffixLen;
  if (number >= 0) {
    if (number < UCIONES) setLength(from);
    else if (number < LOGIA) put(from, "u");
    else if (number < ENCIAS) put(from, "log");
    else if (number < LOGIAS) put(from, "ente");
    return true;
  }
  if (longestOf("iras ira", rv) < 0 || !endsAt(wordLen - suffixLen, "e")) return false;
  put(wordLen - suffixLen, "ir");
  return true;
}

function verbSuffix(): bool {
  const number = longestOf(VERB, rv);
  if (number > 0) setLength(wordLen - suffixLen);
  return number >= 0;
}

function remove(suffix: string): void {
  if (longestOf(suffix, 0) == 0) setLength(wordLen - suffixLen);
}

export function brazilian(): void {
  let start = 0, end = wordLen;
  if (wordLen >= 2 && isIn(unitAt(0), MARKS)) start++;
  if (end - start >= 2 && isIn(unitAt(end - 1), MARKS)) end--;
  if (end - start <= 2 || end - start >= 30) return;
  lowerWord();
  let isStemmable = true;
  for (let i = start; i < end; i++) {
    const unit = unitAt(i), isHalf = (unit & 0xf800) == 0xd800;
    const letter = isHalf ? unit : plain(unit);
    if (isHalf || !isLetter(letter)) isStemmable = false;
    setUnit(i - start, letter);
  }
  setLength(end - start);
  if (!isStemmable) return;
  r1 = regionOne(0);
  r2 = r1 < wordLen ? regionOne(r1) : wordLen;
  rv = regionV();
  const endsCi = longestOf("ci", rv) == 0, endsE = longestOf("e", rv) == 0;
  const soft = longestOf("gue cie", rv);
  if (standardSuffix() || verbSuffix()) {
    if (endsCi) remove("i");
  } else if (longestOf("os a i o", rv) >= 0) setLength(wordLen - suffixLen);
  if (!endsE) return;
  remove("e");
  if (soft == 0) remove("u");
  else if (soft == 1) remove("i");
}
