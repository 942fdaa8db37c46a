// The Turkish Snowball stemmer by Evren Kapusuz Çilden: removes endings of nouns and of nominal verbs from right to left, following the state machines
// of G. Eryiğit and E. Adalı, "An Affix Stripping Morphological Analyzer for Turkish" (2004). Source: snowballstem.org/algorithms/turkish.
//   word ├─ unread ─┬─ read, to be removed ─┬─ kept ─┤
//        0                   cursor              right    wordLen
// Endings are written as in the paper: A is a or e, D is d or t, U is one of ı i u ü, the same throughout an ending.
import { isIn, isWhole, lengthOf, put, removeUnits, setUnit, unitAt, word, wordLen } from '../word';

const VOWELS = "aeıioöuü";
const HIGH_VOWELS = "ıiuü";

let cursor: i32 = 0;
let right: i32 = 0;

/** Link between stem and ending: none, a consonant after a vowel, a high vowel after a consonant. */
const NOTHING: u32 = 0;
const HIGH: u32 = 1;
const N: u32 = 0x6e;
const S: u32 = 0x73;
const Y: u32 = 0x79;

function isVowel(i: i32): bool {
  return i >= 0 && isIn(unitAt(i), VOWELS);
}

/** Vowels that may come before a vowel in a word. */
function harmonyOf(vowel: u32): string {
  switch (vowel) {
    case 0x61: return "aıou";
    case 0x65: return "eiöü";
    case 0x131: return "aı";
    case 0x69: return "ei";
    case 0x6f: case 0x75: return "ou";
    default: return "öü";
  }
}

/** Whether the last vowel before the cursor is in harmony with some vowel before it. */
function inHarmony(): bool {
  let i = cursor - 1;
  while (i >= 0 && !isVowel(i)) i--;
  if (i < 0) return false;
  const before = harmonyOf(unitAt(i));
  for (i--; i >= 0; i--) if (isIn(unitAt(i), before)) return true;
  return false;
}

/** Moves the cursor over an ending, and over the letter that links it to the stem. */
function joined(pattern: string, joint: u32): bool {
  const at = cursor - lengthOf(pattern);
  if (at < 0) return false;
  let high: u32 = 0;
  for (let i = at; i < cursor; i++) {
    const sign = <u32>load<u16>(changetype<usize>(pattern) + (<usize>(i - at) << 1)), unit = unitAt(i);
    if (sign == 0x41) {
      if (unit != 0x61 && unit != 0x65) return false;
    } else if (sign == 0x44) {
      if (unit != 0x64 && unit != 0x74) return false;
    } else if (sign == 0x55) {
      if (!isIn(unit, HIGH_VOWELS) || (high && high != unit)) return false;
      high = unit;
    } else if (sign != unit) return false;
  }
  if (joint == NOTHING) {
    cursor = at;
    return true;
  }
  const last = at > 0 ? unitAt(at - 1) : 0;
  if (joint == HIGH ? last && isIn(last, HIGH_VOWELS) : last == joint) {
    if (joint == HIGH ? at < 2 || isVowel(at - 2) : !isVowel(at - 2)) return false;
    cursor = at - 1;
    return true;
  }
  if (at < 2 || isVowel(at - 2) == (joint == HIGH)) return false;
  cursor = at;
  return true;
}

/** The same for endings with vowel harmony. */
function harmonic(pattern: string, joint: u32): bool {
  return inHarmony() && joined(pattern, joint);
}

// Endings by their names in the paper.
function possessive(): bool {
  return joined("mUz", HIGH) || joined("nUz", HIGH) || joined("m", HIGH) || joined("n", HIGH);
}
function sU(): bool { return harmonic("U", S); }
function lArI(): bool { return joined("leri", NOTHING) || joined("ları", NOTHING); }
function yU(): bool { return harmonic("U", Y); }
function nU(): bool { return harmonic("nU", NOTHING); }
function nUn(): bool { return harmonic("Un", N); }
function yA(): bool { return harmonic("A", Y); }
function nA(): bool { return harmonic("nA", NOTHING); }
function DA(): bool { return harmonic("DA", NOTHING); }
function ndA(): bool { return harmonic("ndA", NOTHING); }
function DAn(): bool { return harmonic("DAn", NOTHING); }
function ndAn(): bool { return harmonic("ndAn", NOTHING); }
function ylA(): bool { return harmonic("lA", Y); }
function ncA(): bool { return harmonic("cA", N); }
function yUm(): bool { return harmonic("Um", Y); }
function sUn(): bool { return harmonic("sUn", NOTHING); }
function yUz(): bool { return harmonic("Uz", Y); }
function sUnUz(): bool { return joined("sUnUz", NOTHING); }
function lAr(): bool { return harmonic("lAr", NOTHING); }
function nUz(): bool { return harmonic("nUz", NOTHING); }
function DUr(): bool { return harmonic("DUr", NOTHING); }
function cAsInA(): bool { return joined("casına", NOTHING) || joined("cesine", NOTHING); }
function yDU(): bool { return harmonic("DUm", Y) || harmonic("DUn", Y) || harmonic("DUk", Y) || harmonic("DU", Y); }
function ysA(): bool { return joined("sAm", Y) || joined("sAn", Y) || joined("sAk", Y) || joined("sA", Y); }
function ymUs(): bool { return harmonic("mUş", Y); }
function yken(): bool { return joined("ken", Y); }

function open(): void {
  right = cursor;
}

function cut(): bool {
  removeUnits(cursor, right - cursor);
  right = cursor;
  return true;
}

function back(): bool {
  cursor = right;
  return false;
}

/** A person ending may precede -(y)mUş. */
function personOrNone(): void {
  if (!sUnUz() && !lAr() && !yUm() && !sUn()) yUz();
}

/** Removes the endings of nominal verbs: copula and persons. False: a plural was removed, and the rest is the stem. */
function nominalVerb(): bool {
  open();
  if (ymUs() || yDU() || ysA() || yken()) return cut();
  if (cAsInA()) {
    personOrNone();
    if (ymUs()) return cut();
    back();
  }
  if (lAr()) {
    cut();
    if (DUr() || yDU() || ysA() || ymUs()) cut();
    return false;
  }
  if (nUz()) {
    if (yDU() || ysA()) return cut();
    back();
  }
  if (sUnUz() || yUz() || sUn() || yUm()) {
    cut();
    if (ymUs()) cut();
    return true;
  }
  if (DUr()) {
    cut();
    personOrNone();
    return ymUs() ? cut() : true;
  }
  return true;
}

/** Removes the plural, and what precedes -ki. */
function pluralAndKi(): void {
  open();
  if (lAr()) {
    cut();
    beforeKi();
  }
}

/** Removes -ki after a locative or genitive, repeatedly. False: nothing was removed, and the cursor is unchanged. */
function beforeKi(): bool {
  const start = wordLen - cursor;
  let changed = false;
  while (true) {
    open();
    if (!joined("ki", NOTHING)) break;
    if (DA()) {
      cut();
      changed = true;
      if (!lAr()) {
        if (!possessive()) return true;
        cut();
        if (!lAr()) return true;
      }
      cut();
    } else if (nUn()) {
      cut();
      changed = true;
      if (lArI()) return cut();
      if (possessive() || sU()) {
        cut();
        if (!lAr()) return true;
        cut();
      }
    } else if (ndA()) {
      if (lArI()) return cut();
      if (sU()) {
        cut();
        changed = true;
        if (!lAr()) return true;
        cut();
      }
    } else break;
  }
  if (!changed) cursor = wordLen - start;
  return changed;
}

/** Removes a possessive, the plural before it and what precedes -ki. */
function possessiveChain(): bool {
  if (!possessive() && !sU()) return false;
  cut();
  pluralAndKi();
  return true;
}

function noun(): void {
  open();
  if (lAr()) {
    cut();
    beforeKi();
    return;
  }
  if (ncA()) {
    cut();
    if (lArI()) cut();
    else if (!possessiveChain()) pluralAndKi();
    return;
  }
  if (ndA() || nA()) {
    if (lArI()) {
      cut();
      return;
    }
    if (sU()) {
      cut();
      pluralAndKi();
      return;
    }
    const end = right;
    if (beforeKi()) return;
    right = end;
    back();
  }
  if (ndAn() || nU()) {
    if (sU()) {
      cut();
      pluralAndKi();
      return;
    }
    if (lArI()) return;
    back();
  }
  if (DAn()) {
    cut();
    if (possessive()) {
      cut();
      pluralAndKi();
    } else if (lAr()) {
      cut();
      beforeKi();
    } else beforeKi();
    return;
  }
  if (nUn() || ylA()) {
    cut();
    if (lAr()) {
      cut();
      if (beforeKi()) return;
      open();
    }
    if (!possessiveChain()) beforeKi();
    return;
  }
  if (lArI()) {
    cut();
    return;
  }
  if (beforeKi()) return;
  open();
  if (DA() || yU() || yA()) {
    cut();
    if (possessive()) {
      cut();
      if (lAr()) cut();
      beforeKi();
    } else if (lAr()) {
      cut();
      beforeKi();
    }
    return;
  }
  possessiveChain();
}

/** Stems do not end with d or g: restores a vowel, or makes the final consonant voiceless. */
function mendEnd(): void {
  if (isWhole("ad") || isWhole("soyad") || wordLen == 0) return;
  const last = unitAt(wordLen - 1);
  let i = wordLen - 1;
  while (i >= 0 && !isVowel(i)) i--;
  if ((last == 0x64 || last == 0x67) && i >= 0) {
    const vowel = unitAt(i);
    put(wordLen, vowel == 0x61 || vowel == 0x131 ? "ı" : vowel == 0x65 || vowel == 0x69 ? "i" : vowel == 0x6f || vowel == 0x75 ? "u" : "ü");
    return;
  }
  switch (last) {
    case 0x62: setUnit(wordLen - 1, 0x70); break;
    case 0x63: setUnit(wordLen - 1, 0xe7); break;
    case 0x64: setUnit(wordLen - 1, 0x74); break;
    case 0x11f: setUnit(wordLen - 1, 0x6b); break;
  }
}

export function turkish(): void {
  let syllables = 0;
  for (let i = 0; i < wordLen; i++) if (isVowel(i)) syllables++;
  if (syllables < 2) return;
  cursor = wordLen;
  if (!nominalVerb()) return;
  cursor = wordLen;
  noun();
  mendEnd();
}
