// Indonesian. Source: F. Z. Tala, "A Study of Stemming Effects on Information Retrieval in Bahasa Indonesia" (2003): particles, possessives and
// derivational affixes, as long as the word has more than two syllables (vowels).
import { ends, isIn, lengthOf, removeUnits, setLength, setUnit, starts, unitAt, wordLen } from '../word';

// Removed prefixes, since some suffixes are not combined with them.
const KE: u32 = 1;
const PENG: u32 = 2;
const DI: u32 = 4;
const MENG: u32 = 8;
const TER: u32 = 16;
const BER: u32 = 32;
const PE: u32 = 64;

let syllables: i32 = 0;
let removed: u32 = 0;

function cutFront(units: i32): void {
  removeUnits(0, units);
  syllables--;
}

function cutEnd(units: i32): void {
  setLength(wordLen - units);
  syllables--;
}

function vowelAt(i: i32): bool {
  return i < wordLen && isIn(unitAt(i), "aeiou");
}

function prefix(text: string, flag: u32): bool {
  if (!starts(text)) return false;
  removed |= flag;
  cutFront(lengthOf(text));
  return true;
}

/** A prefix before a vowel whose last letter represents another one, which is restored. */
function prefixBeforeVowel(text: string, keep: i32, unit: u32, flag: u32): bool {
  const n = lengthOf(text);
  if (!starts(text) || !vowelAt(n)) return false;
  removed |= flag;
  setUnit(keep, unit);
  cutFront(keep);
  return true;
}

export function indonesian(): void {
  syllables = 0;
  removed = 0;
  for (let i = 0; i < wordLen; i++) if (vowelAt(i)) syllables++;
  if (syllables > 2 && (ends("kah") || ends("lah") || ends("pun"))) cutEnd(3);
  if (syllables > 2) {
    if (ends("ku") || ends("mu")) cutEnd(2);
    else if (ends("nya")) cutEnd(3);
  }
  if (syllables > 2 && firstPrefix()) {
    if (syllables > 2 && suffix() && syllables > 2) secondPrefix();
    return;
  }
  if (syllables > 2) secondPrefix();
  if (syllables > 2) suffix();
}

function firstPrefix(): bool {
  return prefix("meng", MENG) || prefixBeforeVowel("meny", 3, 0x73, MENG) || prefix("men", MENG) || prefix("mem", MENG) || prefix("me", MENG)
    || prefix("peng", PENG) || prefixBeforeVowel("peny", 3, 0x73, PENG) || prefix("peny", PENG) || prefixBeforeVowel("pen", 2, 0x74, PENG)
    || prefix("pen", PENG) || prefix("pem", PENG) || prefix("di", DI) || prefix("ter", TER) || prefix("ke", KE);
}

function secondPrefix(): void {
  if (prefix("ber", BER)) return;
  if (wordLen == 7 && starts("belajar")) {
    removed |= BER;
    cutFront(3);
  } else if (wordLen > 4 && starts("be") && !vowelAt(2) && unitAt(3) == 0x65 && unitAt(4) == 0x72) {
    removed |= BER;
    cutFront(2);
  } else if (prefix("per", 0)) return;
  else if (wordLen == 7 && starts("pelajar")) cutFront(3);
  else prefix("pe", PE);
}

function suffix(): bool {
  if (ends("kan") && !(removed & (KE | PENG | PE))) cutEnd(3);
  else if (ends("an") && !(removed & (DI | MENG | TER))) cutEnd(2);
  else if (ends("i") && !ends("si") && !(removed & (BER | KE | PENG))) cutEnd(1);
  else return false;
  return true;
}
