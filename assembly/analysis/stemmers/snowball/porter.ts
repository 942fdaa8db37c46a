// The stemmer of M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980, with the two rules that the author added later
// (step 2: -bli to -ble, -logi to -log), like Lucene's PorterStemFilter. Words of one or two letters stay unchanged.
// `stemLen` is the length of the part before the suffix that the last call of `suffix` found.
import { endsAt, isIn, put, setLength, setUnit, unitAt, wordLen } from '../word';

let stemLen: i32 = 0;
/** True for the published algorithm, without the two later rules; double c, h, j, k, q, v, w and x stay. */
let published: bool = false;

function suffix(text: string): bool {
  if (!endsAt(wordLen, text)) return false;
  stemLen = wordLen - <i32>(load<u32>(changetype<usize>(text) - 4) >> 1);
  return true;
}

function isConsonant(i: i32): bool {
  switch (unitAt(i)) {
    case 0x61: case 0x65: case 0x69: case 0x6f: case 0x75: return false;
    case 0x79: return i == 0 || !isConsonant(i - 1);
    default: return true;
  }
}

/** Number of vowel-consonant sequences before `end`. */
function measure(end: i32): i32 {
  let n = 0, i = 0;
  while (i < end && isConsonant(i)) i++;
  while (true) {
    while (i < end && !isConsonant(i)) i++;
    if (i >= end) return n;
    n++;
    while (i < end && isConsonant(i)) i++;
    if (i >= end) return n;
  }
}

function hasVowel(end: i32): bool {
  for (let i = 0; i < end; i++) if (!isConsonant(i)) return true;
  return false;
}

function endsDoubleConsonant(): bool {
  const last = wordLen - 1;
  return last >= 1 && unitAt(last) == unitAt(last - 1) && isConsonant(last);
}

/** Consonant-vowel-consonant before `end`, the last not w, x or y. */
function endsCvc(end: i32): bool {
  const i = end - 1;
  if (i < 2 || !isConsonant(i) || isConsonant(i - 1) || !isConsonant(i - 2)) return false;
  const last = unitAt(i);
  return last != 0x77 && last != 0x78 && last != 0x79;
}

/** Replaces the suffix found if the measure of the stem is positive. True: the suffix was found. */
function replace(from: string, to: string): bool {
  if (!suffix(from)) return false;
  if (measure(stemLen) > 0) put(stemLen, to);
  return true;
}

function step1(): void {
  if (unitAt(wordLen - 1) == 0x73) {
    if (suffix("sses")) setLength(wordLen - 2);
    else if (suffix("ies")) put(stemLen, "i");
    else if (wordLen < 2 || unitAt(wordLen - 2) != 0x73) setLength(wordLen - 1);
  }
  if (suffix("eed")) {
    if (measure(stemLen) > 0) setLength(wordLen - 1);
  } else if ((suffix("ed") || suffix("ing")) && hasVowel(stemLen)) {
    setLength(stemLen);
    if (suffix("at")) put(stemLen, "ate");
    else if (suffix("bl")) put(stemLen, "ble");
    else if (suffix("iz")) put(stemLen, "ize");
    else if (endsDoubleConsonant()) {
      const last = unitAt(wordLen - 1);
      if (published ? isIn(last, "bdfgmnprt") : !isIn(last, "lsz")) setLength(wordLen - 1);
    } else if (measure(wordLen) == 1 && endsCvc(wordLen)) put(wordLen, "e");
  }
  if (suffix("y") && hasVowel(stemLen)) setUnit(wordLen - 1, 0x69);
}

function step2(): void {
  if (wordLen < 2) return;
  switch (unitAt(wordLen - 2)) {
    case 0x61: // a
      if (!replace("ational", "ate")) replace("tional", "tion");
      break;
    case 0x63: // c
      if (!replace("enci", "ence")) replace("anci", "ance");
      break;
    case 0x65: // e
      replace("izer", "ize");
      break;
    case 0x6c: // l
      if ((published ? replace("abli", "able") : replace("bli", "ble")) || replace("alli", "al") || replace("entli", "ent") || replace("eli", "e")) break;
      replace("ousli", "ous");
      break;
    case 0x6f: // o
      if (replace("ization", "ize") || replace("ation", "ate")) break;
      replace("ator", "ate");
      break;
    case 0x73: // s
      if (replace("alism", "al") || replace("iveness", "ive") || replace("fulness", "ful")) break;
      replace("ousness", "ous");
      break;
    case 0x74: // t
      if (replace("aliti", "al") || replace("iviti", "ive")) break;
      replace("biliti", "ble");
      break;
    case 0x67: // g
      if (!published) replace("logi", "log");
      break;
  }
}

function step3(): void {
  switch (unitAt(wordLen - 1)) {
    case 0x65: // e
      if (replace("icate", "ic") || replace("ative", "")) break;
      replace("alize", "al");
      break;
    case 0x69: // i
      replace("iciti", "ic");
      break;
    case 0x6c: // l
      if (!replace("ical", "ic")) replace("ful", "");
      break;
    case 0x73: // s
      replace("ness", "");
      break;
  }
}

/** Finds the suffix that step 4 would remove. */
function suffix4(): bool {
  switch (unitAt(wordLen - 2)) {
    case 0x61: return suffix("al");
    case 0x63: return suffix("ance") || suffix("ence");
    case 0x65: return suffix("er");
    case 0x69: return suffix("ic");
    case 0x6c: return suffix("able") || suffix("ible");
    case 0x6e: return suffix("ant") || suffix("ement") || suffix("ment") || suffix("ent");
    case 0x6f:
      if (suffix("ion")) return stemLen > 0 && (unitAt(stemLen - 1) == 0x73 || unitAt(stemLen - 1) == 0x74);
      return suffix("ou");
    case 0x73: return suffix("ism");
    case 0x74: return suffix("ate") || suffix("iti");
    case 0x75: return suffix("ous");
    case 0x76: return suffix("ive");
    case 0x7a: return suffix("ize");
    default: return false;
  }
}

function step5(): void {
  if (unitAt(wordLen - 1) == 0x65) {
    const n = measure(wordLen);
    if (n > 1 || (n == 1 && !endsCvc(wordLen - 1))) setLength(wordLen - 1);
  }
  if (wordLen > 1 && unitAt(wordLen - 1) == 0x6c && endsDoubleConsonant() && measure(wordLen) > 1) setLength(wordLen - 1);
}

/** The Porter stemmer of the Snowball project: the published algorithm, for words of any length. */
export function porterPublished(): void {
  published = true;
  if (wordLen > 0) steps();
  published = false;
}

export function porter(): void {
  if (wordLen > 2) steps();
}

function steps(): void {
  step1();
  if (wordLen == 0) return;
  step2();
  step3();
  if (wordLen >= 2 && suffix4() && measure(stemLen) > 1) setLength(stemLen);
  step5();
}

/** Removes only the plural -s; -ies becomes -y. Source: D. Harman, "How Effective Is Suffixing?" (1991), the S stemmer. */
export function minimalEnglish(): void {
  if (wordLen < 3 || unitAt(wordLen - 1) != 0x73) return;
  const before = unitAt(wordLen - 2);
  if (before == 0x75 || before == 0x73) return;
  if (before == 0x65) {
    const third = unitAt(wordLen - 3);
    if (wordLen > 3 && third == 0x69 && unitAt(wordLen - 4) != 0x61 && unitAt(wordLen - 4) != 0x65) {
      setUnit(wordLen - 3, 0x79);
      setLength(wordLen - 2);
      return;
    }
    if (third == 0x69 || third == 0x61 || third == 0x6f || third == 0x65) return;
  }
  setLength(wordLen - 1);
}

/** Removes 's with any of the apostrophes ' U+2019 U+FF07. Source: Lucene's EnglishPossessiveFilter. */
export function englishPossessive(): void {
  if (wordLen < 2) return;
  const last = unitAt(wordLen - 1), mark = unitAt(wordLen - 2);
  if ((last == 0x73 || last == 0x53) && (mark == 0x27 || mark == 0x2019 || mark == 0xff07)) setLength(wordLen - 2);
}
