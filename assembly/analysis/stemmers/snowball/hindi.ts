// The Hindi Snowball stemmer: removes the longest ending, after at least one unit. Source: A. Ramanathan and D. Rao, "A Lightweight Stemmer for
// Hindi" (2003), figure 3, as transcribed to Devanagari by snowballstem.org/algorithms/hindi.
import { foundAt, groupOf } from '../suffix-table';
import { mapUnit, setLength, setUnit, unitAt, wordLen } from '../word';

/** Endings; the vowel sign at their start may also be written as a letter. */
const ENDINGS = `ा ि ी ु ू े ो ें ों ां ुआं ुएं ुओं ाएं ाओं ियां ियों ाइयां ाइयों ाँ ियाँ ाइयाँ ीं ाता ाती ातीं ाते ाना ाने
ूंगा ूंगी ाऊंगा ाऊंगी ेंगे ेंगी ाएंगे ाएंगी ोगे ोगी ाओगे ाओगी ेगा ेगी ाएगा ाएगी ाया ाए ाई ाईं िए ाओ ाइए ाकर`;
/** Endings after an inherent a. */
const BEHIND_A = "ताएं ताओं नाएं नाओं ता ती तीं ते ना नी ने कर";
const LETTERS = "आइईउऊएओ";
const SIGNS = "ािीुूेो";
const MAX_LENGTH: i32 = 5;
const A: u32 = 0x905;
const NUKTA: u32 = 0x93c;
const VIRAMA: u32 = 0x94d;

function isConsonant(unit: u32): bool {
  return (unit >= 0x915 && unit <= 0x939) || unit == NUKTA || (unit >= 0x958 && unit <= 0x95f);
}

function isEnding(table: string, at: i32): bool {
  return groupOf(table, at) >= 0 && foundAt == at;
}

function endsFrom(at: i32): bool {
  const unit = unitAt(at);
  if (at == wordLen - 1 && (unit == VIRAMA || unit == A)) return true;
  if (unit == A) return isEnding(BEHIND_A, at + 1);
  if (at > 1 && isConsonant(unitAt(at - 1)) && isEnding(BEHIND_A, at)) return true;
  setUnit(at, mapUnit(unit, LETTERS, SIGNS));
  if (isEnding(ENDINGS, at)) return true;
  setUnit(at, unit);
  return false;
}

export function hindiSnowball(): void {
  for (let at = max(1, wordLen - MAX_LENGTH); at < wordLen; at++) {
    if (!endsFrom(at)) continue;
    setLength(at);
    return;
  }
}
