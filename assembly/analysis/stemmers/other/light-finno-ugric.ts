// Light stemmers of Finnish and Hungarian: case, possessive and number. Source: J. Savoy, "Light Stemming Approaches for the French, Portuguese,
// German and Hungarian Languages" (SAC 2006), and his Finnish rules for CLEF.
import { apply } from '../rules';
import { ends, isIn, setLength, setUnit, unitAt, wordLen } from '../word';

// Finnish.
const PARTICLES = "kin 6 -;ko 7 -;";
const DERIVED = "dellinen 4 -;dellisuus 3 -;";
const ADVERBIAL = "lla 3 -;tse 3 -;sti 3 -;ni 4 -;aa 4 a;";
const LONG_CASES = "nnen 5 s;ntena 4 s;tten 5 -;eiden 4 -;";
const CASES = "neen 3 -;niin 3 -;seen 3 -;teen 3 -;inen 3 -;";
const MORE_CASES = "den 4 s;ksen 3 s;ssa 4 -;sta 4 -;lla 4 -;lta 4 -;tta 4 -;ksi 4 -;lle 4 -;";
const SHORT_CASES = "na 4 -;ne 4 -;nei 3 -;";

// Hungarian.
const CASE_ENDINGS = "nak 3 -;nek 3 -;val 3 -;vel 3 -;ert 3 -;rol 3 -;ban 3 -;ben 3 -;bol 3 -;nal 3 -;nel 3 -;hoz 3 -;hez 3 -;tol 3 -;";
const SHORT_ENDINGS = "at 3 -;et 3 -;ot 3 -;va 3 -;ve 3 -;ra 3 -;re 3 -;ba 3 -;be 3 -;ul 3 -;ig 3 -;";

// @ts-ignore: decorator
@inline
function last(back: i32): u32 {
  return unitAt(wordLen - back);
}

// @ts-ignore: decorator
@inline
function cut(units: i32): void {
  setLength(wordLen - units);
}

function isVowel(unit: u32): bool {
  return isIn(unit, "aeiouy");
}

export function lightFinnish(): void {
  if (wordLen < 4) return;
  for (let i = 0; i < wordLen; i++) {
    const unit = unitAt(i);
    if (unit == 0xe4 || unit == 0xe5) setUnit(i, 0x61);
    else if (unit == 0xf6) setUnit(i, 0x6f);
  }
  while (wordLen > 8 && apply(PARTICLES, false)) {}
  if (wordLen > 11) apply(DERIVED, false);
  if (wordLen > 5) apply(ADVERBIAL, false);
  finnishCase();
  if (wordLen > 5 && ends("hde")) {
    setUnit(wordLen - 3, 0x6b);
    setUnit(wordLen - 2, 0x73);
    setUnit(wordLen - 1, 0x69);
  }
  if (wordLen > 4 && (ends("ei") || ends("at"))) cut(2);
  else if (wordLen > 3 && isIn(last(1), "tsjeai")) cut(1);
  if (wordLen > 8 && isIn(last(1), "eou")) cut(1);
  if (wordLen > 4) {
    if (last(1) == 0x69) cut(1);
    if (wordLen > 4) singleStops();
  }
}

function finnishCase(): void {
  if (wordLen > 8 && apply(LONG_CASES, false)) return;
  if (wordLen > 6) {
    if (apply(CASES, false)) return;
    if (last(3) == 0x68 && isVowel(last(2)) && last(1) == 0x6e) {
      cut(3);
      return;
    }
    if (apply(MORE_CASES, false)) return;
  }
  if (wordLen > 5 && apply(SHORT_CASES, false)) return;
  if (wordLen > 4) {
    if (ends("ja") || ends("ta")) cut(2);
    else if (last(1) == 0x61) cut(1);
    else if (last(1) == 0x6e) cut(isVowel(last(2)) ? 2 : 1);
  }
}

/** Reduces kk, pp and tt to one letter. */
function singleStops(): void {
  let kept = 1;
  for (let i = 1; i < wordLen; i++) {
    const unit = unitAt(i);
    if (unit == unitAt(kept - 1) && isIn(unit, "kpt")) continue;
    setUnit(kept++, unit);
  }
  setLength(kept);
}

/** Whether the unit `back` units before the end is a vowel. */
// @ts-ignore: decorator
@inline
function vowelAt(back: i32): bool {
  return isVowel(last(back));
}

export function lightHungarian(): void {
  for (let i = 0; i < wordLen; i++) {
    switch (unitAt(i)) {
      case 0xe1: setUnit(i, 0x61); break;
      case 0xe9: case 0xeb: setUnit(i, 0x65); break;
      case 0xed: setUnit(i, 0x69); break;
      case 0xf3: case 0xf5: case 0xf6: case 0x151: setUnit(i, 0x6f); break;
      case 0xfa: case 0xfb: case 0xfc: case 0x169: case 0x171: setUnit(i, 0x75); break;
    }
  }
  hungarianCase();
  hungarianPossessive();
  hungarianPlural();
  if (wordLen > 3 && isIn(last(1), "aeio")) cut(1);
}

function hungarianCase(): void {
  if (wordLen > 6 && ends("kent")) {
    cut(4);
    return;
  }
  if (wordLen > 5) {
    if (apply(CASE_ENDINGS, false)) return;
    if ((ends("al") || ends("el")) && !vowelAt(3) && last(3) == last(4)) {
      cut(3);
      return;
    }
  }
  if (wordLen > 4) {
    if (apply(SHORT_ENDINGS, false)) return;
    if ((ends("on") || ends("en")) && !vowelAt(3)) {
      cut(2);
      return;
    }
    if (last(1) == 0x74 || last(1) == 0x6e) cut(1);
    else if ((last(1) == 0x61 || last(1) == 0x65) && last(2) == last(3) && !vowelAt(2)) cut(2);
  }
}

function hungarianPossessive(): void {
  if (wordLen > 6) {
    if ((!vowelAt(5) && (ends("atok") || ends("otok") || ends("etek"))) || ends("itek") || ends("itok")) {
      cut(4);
      return;
    }
  }
  if (wordLen > 5) {
    if ((!vowelAt(4) && (ends("unk") || ends("tok") || ends("tek"))) || (vowelAt(4) && ends("juk")) || ends("ink")) {
      cut(3);
      return;
    }
  }
  if (wordLen > 4) {
    const isEnding = vowelAt(3)
      ? ends("nk") || ends("ja") || ends("je")
      : ends("am") || ends("em") || ends("om") || ends("ad") || ends("ed") || ends("od") || ends("uk");
    if (isEnding || ends("im") || ends("id") || ends("ik")) {
      cut(2);
      return;
    }
  }
  if (wordLen > 3) {
    switch (last(1)) {
      case 0x61: case 0x65: if (!vowelAt(2)) cut(1); break;
      case 0x69: cut(1); break;
      case 0x6d: case 0x64: if (vowelAt(2)) cut(1); break;
    }
  }
}

function hungarianPlural(): void {
  if (wordLen <= 3 || last(1) != 0x6b) return;
  const before = last(2);
  cut(wordLen > 4 && (before == 0x61 || before == 0x6f || before == 0x65) ? 2 : 1);
}
