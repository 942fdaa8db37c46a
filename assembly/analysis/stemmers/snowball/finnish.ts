// The Finnish Snowball stemmer. Source: M. F. Porter, snowballstem.org/algorithms/finnish.
import { longestOf, regionAfter, suffixLen } from '../regions';
import { endsAt, isIn, put, setLength, setUnit, unitAt, wordLen } from '../word';

const VOWELS = "aeiouyäö";
const RESTRICTED_VOWELS = "aeiouäö";
const CONSONANTS = "bcdfghjklmnpqrstvwxz";
const I: u32 = 0x69;
const J: u32 = 0x6a;
const O: u32 = 0x6f;
const T: u32 = 0x74;
const U: u32 = 0x75;

let p1: i32 = 0;
let p2: i32 = 0;

function isVowelAt(index: i32): bool {
  return index >= 0 && isIn(unitAt(index), VOWELS);
}

function isConsonantAt(index: i32): bool {
  return index >= 0 && isIn(unitAt(index), CONSONANTS);
}

/** Whether the first `len` units end with the same vowel twice, none of them before `from`. */
function longVowelAt(len: i32, from: i32): bool {
  return len - 2 >= from && isIn(unitAt(len - 1), RESTRICTED_VOWELS) && unitAt(len - 1) == unitAt(len - 2);
}

/** Whether the first `len` units end with a restricted vowel and "i", none of them before `from`. */
function vowelAndI(len: i32, from: i32): bool {
  return len - 2 >= from && unitAt(len - 1) == I && isIn(unitAt(len - 2), RESTRICTED_VOWELS);
}

function particles(): void {
  const number = longestOf("kin kaan kään ko kö han hän pa pä sti", p1);
  if (number < 0) return;
  const at = wordLen - suffixLen;
  if (number == 9 ? at >= p2 : at > 0 && isIn(unitAt(at - 1), "aeiouyäönt")) setLength(at);
}

function possessives(): void {
  const number = longestOf("si ni nsa nsä mme nne an än en", p1);
  if (number < 0) return;
  const at = wordLen - suffixLen;
  if (number == 0 && endsAt(at, "k")) return;
  if (number >= 6) {
    const whole = wordLen;
    setLength(at);
    const found = number == 6 ? longestOf("ta ssa sta lla lta na", 0) : number == 7 ? longestOf("tä ssä stä llä ltä nä", 0) : longestOf("lle ine", 0);
    if (found < 0) setLength(whole);
    return;
  }
  setLength(at);
  if (number == 1 && endsAt(at, "kse")) put(at - 3, "ksi");
}

/** Removes a case ending. True: it was removed. If a suffix requires a long vowel, or a vowel and "i", and lacks it, a shorter one is used. */
function cases(): bool {
  let number = longestOf("siin den tten seen", p1);
  if (number >= 0) {
    const at = wordLen - suffixLen;
    if (number == 3 ? longVowelAt(at, p1) : vowelAndI(at, p1)) {
      setLength(at);
      return true;
    }
  }
  number = longestOf("han hen hin hon hän hön n a ä tta ttä ta tä ssa ssä sta stä lla llä lta ltä lle na nä ksi ine", p1);
  if (number < 0) return false;
  const at = wordLen - suffixLen;
  if (number < 6) {
    if (at == 0 || unitAt(at - 1) != unitAt(at + 1)) return false;
  } else if (number == 6) {
    if (longVowelAt(at, 0) || endsAt(at, "ie")) {
      setLength(at - 1);
      return true;
    }
  } else if (number < 9) {
    if (!isVowelAt(at - 1) || !isConsonantAt(at - 2)) return false;
  } else if (number < 11 && !endsAt(at, "e")) return false;
  setLength(at);
  return true;
}

function otherEndings(): void {
  const number = longestOf("mpi mpa mpä mmi mma mmä impi impa impä immi imma immä eja ejä", p2);
  if (number < 0) return;
  const at = wordLen - suffixLen;
  if (number >= 6 || !endsAt(at, "po")) setLength(at);
}

function plurals(caseRemoved: bool): void {
  if (wordLen - 1 < p1 || wordLen == 0) return;
  const last = unitAt(wordLen - 1);
  if (caseRemoved) {
    if (last == I || last == J) setLength(wordLen - 1);
    return;
  }
  if (last != T || wordLen - 2 < p1 || !isVowelAt(wordLen - 2)) return;
  setLength(wordLen - 1);
  const number = longestOf("mma imma", p2);
  if (number == 1 || (number == 0 && !endsAt(wordLen - 3, "po"))) setLength(wordLen - suffixLen);
}

function tidy(): void {
  if (longVowelAt(wordLen, p1)) setLength(wordLen - 1);
  if (wordLen - 2 >= p1 && isIn(unitAt(wordLen - 1), "aäei") && isConsonantAt(wordLen - 2)) setLength(wordLen - 1);
  if (wordLen - 2 >= p1 && unitAt(wordLen - 1) == J && (unitAt(wordLen - 2) == O || unitAt(wordLen - 2) == U)) setLength(wordLen - 1);
  if (wordLen - 2 >= p1 && unitAt(wordLen - 1) == O && unitAt(wordLen - 2) == J) setLength(wordLen - 1);
  let i = wordLen - 1;
  while (isVowelAt(i)) i--;
  if (i < 1 || !isConsonantAt(i) || unitAt(i) != unitAt(i - 1)) return;
  for (let k = i; k + 1 < wordLen; k++) setUnit(k, unitAt(k + 1));
  setLength(wordLen - 1);
}

export function finnish(): void {
  p1 = regionAfter(0, VOWELS);
  p2 = regionAfter(p1, VOWELS);
  particles();
  possessives();
  const caseRemoved = cases();
  otherEndings();
  plurals(caseRemoved);
  tidy();
}
