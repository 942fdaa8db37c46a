// The Dutch Snowball stemmer by M. F. Porter. Source: snowballstem.org/algorithms/dutch (its first version, now called dutch_porter).
import { longestOf, regionAfter, suffixLen } from '../regions';
import { ends, endsAt, isIn, lengthOf, put, setLength, setUnit, unitAt, wordLen } from '../word';

const VOWELS = "aeiouyè";
const ACCENTED = "äëïöüáéíóú";
const PLAIN = "aeiouaeiou";
const SMALL_I: u32 = 0x69;
const SMALL_Y: u32 = 0x79;
/** Marks letters that are consonants here by capitals. */
const CAPITAL_I: u32 = 0x49;
const CAPITAL_Y: u32 = 0x59;

let p1: i32 = 0;
let p2: i32 = 0;

function isVowelAt(index: i32): bool {
  return isIn(unitAt(index), VOWELS);
}

function plainLetters(): void {
  const from = changetype<usize>(ACCENTED), to = changetype<usize>(PLAIN), n = lengthOf(ACCENTED);
  for (let i = 0; i < wordLen; i++) {
    const unit = unitAt(i);
    for (let k = 0; k < n; k++) if (<u32>load<u16>(from + (<usize>k << 1)) == unit) setUnit(i, load<u16>(to + (<usize>k << 1)));
  }
}

function markConsonants(): void {
  if (wordLen > 0 && unitAt(0) == SMALL_Y) setUnit(0, CAPITAL_Y);
  for (let i = 1; i < wordLen; i++) {
    if (!isVowelAt(i - 1)) continue;
    if (unitAt(i) == SMALL_Y) setUnit(i, CAPITAL_Y);
    else if (unitAt(i) == SMALL_I && i + 1 < wordLen && isVowelAt(i + 1)) setUnit(i, CAPITAL_I);
  }
}

function undouble(): void {
  if (ends("kk") || ends("dd") || ends("tt")) setLength(wordLen - 1);
}

/** Removes an "en" or "ene" at `at`, if it is in R1 after a consonant and not after "gem". */
function cutEn(at: i32): void {
  if (at < p1 || at == 0 || isVowelAt(at - 1) || endsAt(at, "gem")) return;
  setLength(at);
  undouble();
}

/** Step 2. True: an "e" was removed. */
function cutE(): bool {
  const at = wordLen - 1;
  if (!ends("e") || at < p1 || at == 0 || isVowelAt(at - 1)) return false;
  setLength(at);
  undouble();
  return true;
}

/** Removes "ig" in R2 that is not after "e". */
function cutIg(): bool {
  const at = wordLen - 2;
  if (!ends("ig") || at < p2 || endsAt(at, "e")) return false;
  setLength(at);
  return true;
}

function derivation(eRemoved: bool): void {
  const number = longestOf("end ing ig lijk baar bar", 0);
  const at = wordLen - suffixLen;
  if (number < 0 || at < p2) return;
  if (number == 2) cutIg();
  else if (number != 5 || eRemoved) setLength(at);
  if (number < 2 && !cutIg()) undouble();
  else if (number == 3) cutE();
}

export function dutch(): void {
  plainLetters();
  markConsonants();
  p1 = regionAfter(0, VOWELS);
  p2 = regionAfter(p1, VOWELS);
  p1 = max(p1, 3);

  const number = longestOf("heden en ene s se", 0), at = wordLen - suffixLen;
  if (number == 0) {
    if (at >= p1) put(at, "heid");
  } else if (number == 1 || number == 2) cutEn(at);
  else if (number > 2 && at >= p1 && at > 0 && !isVowelAt(at - 1) && unitAt(at - 1) != 0x6a) setLength(at);

  const eRemoved = cutE();
  if (ends("heid") && wordLen - 4 >= p2 && !endsAt(wordLen - 4, "c")) {
    setLength(wordLen - 4);
    if (ends("en")) cutEn(wordLen - 2);
  }
  derivation(eRemoved);

  const last = wordLen - 1;
  if (last >= 3 && !isVowelAt(last) && unitAt(last) != CAPITAL_I && !isVowelAt(last - 3) && unitAt(last - 1) == unitAt(last - 2) && isIn(unitAt(last - 1), "aeou")) {
    setUnit(last - 1, unitAt(last));
    setLength(last);
  }
  for (let i = 0; i < wordLen; i++) {
    if (unitAt(i) == CAPITAL_Y) setUnit(i, SMALL_Y);
    else if (unitAt(i) == CAPITAL_I) setUnit(i, SMALL_I);
  }
}
